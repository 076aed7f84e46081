#include "locate/passage.hpp"

#include <algorithm>
#include <cmath>

#include "base/machine.hpp"

namespace saltus::locate {
namespace {

// An interpolant that stays away from zero by this many times its last coefficients settles a piece, resolved or not.
constexpr double kClearOfTail = 10.0;
// Interpolation gives up where it is not resolved on pieces of this width.
constexpr double kLeastSampledPiece = 0x1p-10;
// Part of the step between the values that give the slope of a sampled curve at its end.
constexpr double kEndPart = 0x1p-10;

// The sign change lies between the last place where the curve was positive and b.
Passage bracket(double last_positive, double a, double b) {
  if (last_positive < 0.0) {
    return {Passage::Kind::bracket, a, a};
  }
  return {Passage::Kind::bracket, last_positive, b};
}

}  // namespace

// The piece is in coefficients_[0..degree]; they are those of f, or of f/θ with `deflated`.
Passage PassageFinder::subdivide(std::size_t degree, double a, double b, const Noise& noise,
                                 Progress& progress) {
  const std::size_t size = degree + 1;
  std::size_t depth = 1;
  stack_[0].a = a;
  stack_[0].b = b;
  std::copy_n(coefficients_.begin(), size, stack_[0].coefficients.begin());
  while (depth > 0) {
    Piece& piece = stack_[depth - 1];
    const std::span<const double> c = std::span<const double>(piece.coefficients).first(size);
    if (progress.last_positive < 0.0 && c.front() > 0.0) {
      progress.last_positive = piece.a;
    }
    const double below = -noise.on(piece.b);
    const double least = *std::min_element(c.begin(), c.end());
    if (least >= below) {
      if (c.back() > 0.0) {
        progress.last_positive = piece.b;
      }
      --depth;
      continue;
    }
    const int changes = sign_changes(c);
    const bool at_known_root = noise.is_deflated && piece.a == 0.0;
    const bool is_smallest = piece.b - piece.a <= kLeastPiece || depth == kStack;
    if (changes == 1 && c.front() > 0.0) {
      return bracket(progress.last_positive, piece.a, piece.b);
    }
    // Below zero from the start of the piece on; at a known root only if it also gets away from it.
    if ((changes == 0 || (c.front() < below && !at_known_root)) && (!at_known_root || c.back() < below)) {
      return bracket(progress.last_positive, piece.a, piece.b);
    }
    if (is_smallest) {
      if (c.back() < below) {
        return bracket(progress.last_positive, piece.a, piece.b);
      }
      --depth;
      continue;
    }
    if (++progress.n_pieces > kMaxPieces) {
      return {Passage::Kind::undecided, piece.a, piece.b};
    }
    // The right half takes the place of the piece, the left one goes on top of it.
    Piece& left = stack_[depth++];
    left.a = piece.a;
    left.b = 0.5 * (piece.a + piece.b);
    halve(c, std::span<double>(left.coefficients).first(size),
          std::span<double>(piece.coefficients).first(size));
    piece.a = left.b;
  }
  return {};
}

Passage PassageFinder::at_end(std::span<const double> b, double end, double noise) {
  const std::size_t d = b.size() - 1;
  if (d == 0 || b[d] > noise) {
    return {};
  }
  const double slope = static_cast<double>(d) * (b[d] - b[d - 1]);
  return slope < -kOnItsWay * noise ? Passage{Passage::Kind::bracket, end, end} : Passage{};
}

Passage PassageFinder::polynomial(std::span<double> powers, double end, double noise, bool deflate) {
  std::size_t degree = powers.size() - 1;
  const Noise of_curve{noise, deflate ? static_cast<double>(degree) * noise : noise, deflate};
  if (deflate) {
    powers = powers.subspan(1);
    --degree;
  }
  power_to_bernstein(powers);
  std::copy(powers.begin(), powers.end(), coefficients_.begin());
  Progress progress;
  const Passage passage = subdivide(degree, 0.0, end, of_curve, progress);
  return passage.kind == Passage::Kind::none ? at_end(powers, end, of_curve.of_coefficients) : passage;
}

// False where the curve cannot be evaluated. Leaves Bernstein coefficients in coefficients_ (one less with `deflate`).
bool PassageFinder::interpolate(const GuardCurve& curve, double a, double b, std::size_t degree, bool deflate,
                                double& largest, double& tail) {
  largest = 0.0;
  for (std::size_t j = 0; j <= degree; ++j) {
    values_[j] = curve(a + (b - a) * chebyshev_point(j, degree));
    if (!std::isfinite(values_[j])) {
      return false;
    }
    largest = std::max(largest, std::abs(values_[j]));
  }
  const std::span<double> chebyshev = std::span<double>(chebyshev_).first(degree + 1);
  const std::span<double> bernstein = std::span<double>(coefficients_).first(degree + 1);
  chebyshev_coefficients(std::span<const double>(values_).first(degree + 1), chebyshev);
  chebyshev_to_bernstein(chebyshev, bernstein);
  // The ends are known better than through the conversion.
  bernstein[0] = values_[0];
  bernstein[degree] = values_[degree];
  tail = std::abs(chebyshev[degree]) + std::abs(chebyshev[degree - 1]);
  if (deflate) {
    deflate_bernstein(bernstein);
  }
  return true;
}

Passage PassageFinder::sampled_polynomial(const CurveTask& task, std::size_t degree) {
  double largest = 0.0;
  double tail = 0.0;
  if (!interpolate(*task.curve, 0.0, task.end, degree, task.deflate, largest, tail)) {
    return {Passage::Kind::failed, 0.0, task.end};
  }
  const double noise = task.noise + conversion_growth(degree) * kEpsilon * largest;
  const Noise of_curve{noise, task.deflate ? static_cast<double>(degree) * noise : noise, task.deflate};
  const std::size_t size = degree + (task.deflate ? 0 : 1);
  const double next_to_last = coefficients_[size - 2];
  const double last = coefficients_[size - 1];
  Progress progress;
  const Passage passage = subdivide(size - 1, 0.0, task.end, of_curve, progress);
  if (passage.kind != Passage::Kind::none || !task.is_end_of_step) {
    return passage;
  }
  const std::array<double, 2> tail_coefficients{next_to_last, last};
  return at_end(tail_coefficients, task.end, task.noise);
}

// The values of the last interpolation on [a, b].
Passage PassageFinder::by_values(const CurveTask& task, double a, double b, Progress& progress) const {
  for (std::size_t j = 0; j <= kSampledDegree; ++j) {
    const double theta = a + (b - a) * chebyshev_point(j, kSampledDegree);
    if (values_[j] < -task.noise) {
      return {Passage::Kind::undecided, a, b};  // it has jumped: where, and whether once, is not known
    }
    if (values_[j] > 0.0) {
      progress.last_positive = theta;
    }
  }
  return {};
}

Passage PassageFinder::sampled_on(const CurveTask& task, double a, double b, double resolution,
                                  Progress& progress) {
  double largest = 0.0;
  double tail = 0.0;
  // Pieces still to come, from left to right: only right ends, the left end of one is the right end of the one before.
  std::array<double, kStack> ends;
  std::size_t n_ends = 1;
  ends[0] = b;
  double from = a;
  while (n_ends > 0) {
    const double to = ends[n_ends - 1];
    const bool deflate = task.deflate && from == 0.0;
    if (++progress.n_pieces > kMaxPieces) {
      return {Passage::Kind::undecided, from, to};
    }
    if (!interpolate(*task.curve, from, to, kSampledDegree, deflate, largest, tail)) {
      return {Passage::Kind::failed, from, to};
    }
    const std::size_t size = kSampledDegree + (deflate ? 0 : 1);
    const double growth = deflate ? static_cast<double>(kSampledDegree) : 1.0;
    const double noise = task.noise + conversion_growth(kSampledDegree) * kEpsilon * largest;
    // On a piece [0, to] the quotient is by θ/to.
    const Noise of_curve{noise * (deflate ? to : 1.0), growth * noise, deflate};
    const double least =
        *std::min_element(coefficients_.begin(), coefficients_.begin() + static_cast<Index>(size));
    bool settled = false;
    if (least > growth * (kClearOfTail * tail + noise)) {
      progress.last_positive = to;
      settled = true;
    } else if (tail <= resolution * largest + noise) {
      const Passage passage = subdivide(size - 1, from, to, of_curve, progress);
      if (passage.kind != Passage::Kind::none) {
        return passage;
      }
      settled = true;
    }
    if (settled) {
      from = to;
      --n_ends;
    } else if (to - from > kLeastSampledPiece && n_ends < kStack) {
      ends[n_ends++] = 0.5 * (from + to);
    } else if (!task.is_instant) {
      return {Passage::Kind::undecided, from, to};
    } else {
      const Passage passage = by_values(task, from, to, progress);
      if (passage.kind != Passage::Kind::none) {
        return passage;
      }
      from = to;
      --n_ends;
    }
  }
  return {};
}

Passage PassageFinder::sampled(const CurveTask& task, double resolution, int n_pieces) {
  Progress progress;
  Passage passage;
  for (int k = 0; k < n_pieces && passage.kind == Passage::Kind::none; ++k) {
    const auto border = [&](int at) { return at == n_pieces ? task.end : task.end * at / n_pieces; };
    passage = sampled_on(task, border(k), border(k + 1), resolution, progress);
  }
  if (passage.kind != Passage::Kind::none || !task.is_end_of_step) {
    return passage;
  }
  // Its slope at the end, from the parabola through three values there: that of a curve which only touches zero vanishes.
  const double last = (*task.curve)(task.end);
  if (last > task.noise) {
    return {};
  }
  const double before = (*task.curve)(task.end * (1.0 - kEndPart));
  const double before_that = (*task.curve)(task.end * (1.0 - 2.0 * kEndPart));
  const double falls = 0.5 * (3.0 * last - 4.0 * before + before_that);
  return falls < -kOnItsWay * task.noise ? Passage{Passage::Kind::bracket, task.end, task.end} : Passage{};
}

}  // namespace saltus::locate
