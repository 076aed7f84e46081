#include "linalg/eigenvalues.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/machine.hpp"
#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {

using Complex = std::complex<double>;

// Balancing goes on as long as it makes the norms of a row and a column together smaller than this part.
constexpr double kBalanced = 0.95;

void to_hessenberg(DenseMatrix& a) {
  const Index n = a.rows();
  std::vector<double> v(static_cast<std::size_t>(n));
  const auto at = [&v](Index i) -> double& { return v[static_cast<std::size_t>(i)]; };
  for (Index k = 0; k + 2 < n; ++k) {
    double norm = 0.0;
    for (Index i = k + 1; i < n; ++i) {
      at(i) = a(i, k);
      norm = std::hypot(norm, at(i));
    }
    if (norm == 0.0) {
      continue;
    }
    at(k + 1) += std::copysign(norm, at(k + 1));
    double square = 0.0;
    for (Index i = k + 1; i < n; ++i) {
      square += at(i) * at(i);
    }
    for (Index j = 0; j < n; ++j) {
      double sum = 0.0;
      for (Index i = k + 1; i < n; ++i) {
        sum += at(i) * a(i, j);
      }
      for (Index i = k + 1; i < n; ++i) {
        a(i, j) -= 2.0 * sum / square * at(i);
      }
    }
    for (Index i = 0; i < n; ++i) {
      double sum = 0.0;
      for (Index j = k + 1; j < n; ++j) {
        sum += a(i, j) * at(j);
      }
      for (Index j = k + 1; j < n; ++j) {
        a(i, j) -= 2.0 * sum / square * at(j);
      }
    }
  }
}

class HessenbergQr {
 public:
  explicit HessenbergQr(const DenseMatrix& a) : n_(a.rows()), h_(a.entries().begin(), a.entries().end()) {}

  std::vector<Complex> values() {
    std::vector<Complex> found;
    Index last = n_ - 1;
    int steps = 0;
    while (last >= 0) {
      const Index first = first_of_block(last);
      if (first == last) {
        found.push_back(at(last, last));
        --last;
        steps = 0;
        continue;
      }
      ++steps;
      SALTUS_ASSERT(steps < kMostStepsOfAnEigenvalue);
      step(first, last,
           steps % kStepsBeforeOtherShift == 0
               ? Complex(std::abs(at(last, last - 1)) + std::abs(at(last, last)))
               : shift(last));
    }
    return found;
  }

 private:
  Complex& at(Index i, Index j) { return h_[static_cast<std::size_t>(i + j * n_)]; }

  Index first_of_block(Index last) {
    Index k = last;
    while (k > 0) {
      const double size = std::abs(at(k - 1, k - 1)) + std::abs(at(k, k));
      if (std::abs(at(k, k - 1)) <= kEpsilon * size || std::abs(at(k, k - 1)) < kSmallestNormal) {
        at(k, k - 1) = 0.0;
        break;
      }
      --k;
    }
    return k;
  }

  Complex shift(Index k) {
    const Complex half = 0.5 * (at(k - 1, k - 1) - at(k, k));
    const Complex root = std::sqrt(half * half + at(k - 1, k) * at(k, k - 1));
    const Complex sum = std::abs(half + root) > std::abs(half - root) ? half + root : half - root;
    return sum == 0.0 ? at(k, k) : at(k, k) - at(k - 1, k) * at(k, k - 1) / sum;
  }

  void step(Index first, Index last, Complex mu) {
    for (Index k = first; k <= last; ++k) {
      at(k, k) -= mu;
    }
    std::vector<std::pair<double, Complex>> rotations;
    for (Index k = first; k < last; ++k) {
      const Complex x = at(k, k);
      const Complex y = at(k + 1, k);
      const double norm = std::hypot(std::abs(x), std::abs(y));
      const double c = norm == 0.0 ? 1.0 : std::abs(x) / norm;
      const Complex phase = x == 0.0 ? Complex(1.0) : x / std::abs(x);
      const Complex s = norm == 0.0 ? Complex(0.0) : phase * std::conj(y) / norm;
      for (Index j = k; j <= last; ++j) {
        const Complex upper = at(k, j);
        const Complex lower = at(k + 1, j);
        at(k, j) = c * upper + s * lower;
        at(k + 1, j) = c * lower - std::conj(s) * upper;
      }
      rotations.emplace_back(c, s);
    }
    for (Index k = first; k < last; ++k) {
      const auto& [c, s] = rotations[static_cast<std::size_t>(k - first)];
      for (Index i = first; i <= std::min(k + 1, last); ++i) {
        const Complex left = at(i, k);
        const Complex right = at(i, k + 1);
        at(i, k) = c * left + std::conj(s) * right;
        at(i, k + 1) = c * right - s * left;
      }
    }
    for (Index k = first; k <= last; ++k) {
      at(k, k) += mu;
    }
  }

  Index n_;
  std::vector<Complex> h_;
};

// Those of a real matrix are real or come in pairs: what rounding has left of that is put right.
void pair_up(std::vector<Complex>& values, double noise) {
  std::vector<Complex> paired;
  std::vector<Complex> lower;
  std::vector<Complex> upper;
  for (const Complex& value : values) {
    (std::abs(value.imag()) <= noise ? paired : value.imag() > 0.0 ? upper : lower).push_back(value);
  }
  for (Complex& value : paired) {
    value = value.real();
  }
  for (const Complex& value : upper) {
    const auto partner =
        std::min_element(lower.begin(), lower.end(), [&](const Complex& p, const Complex& q) {
          return std::abs(std::conj(p) - value) < std::abs(std::conj(q) - value);
        });
    if (partner == lower.end()) {
      paired.emplace_back(value.real());  // its partner was within the noise
      continue;
    }
    const Complex mean = 0.5 * (value + std::conj(*partner));
    lower.erase(partner);
    paired.push_back(std::conj(mean));
    paired.push_back(mean);
  }
  for (const Complex& value : lower) {
    paired.emplace_back(value.real());
  }
  values = std::move(paired);
}

}  // namespace

std::vector<double> balance(DenseMatrix& a) {
  const Index n = a.rows();
  std::vector<double> scale(at_index(n), 1.0);
  for (bool is_done = false; !is_done;) {
    is_done = true;
    for (Index i = 0; i < n; ++i) {
      double row = 0.0;
      double column = 0.0;
      for (Index j = 0; j < n; ++j) {
        row += j == i ? 0.0 : std::abs(a(i, j));
        column += j == i ? 0.0 : std::abs(a(j, i));
      }
      if (row == 0.0 || column == 0.0) {
        continue;
      }
      const double factor = std::exp2(std::round(0.5 * std::log2(row / column)));
      if (column * factor + row / factor < kBalanced * (row + column)) {
        is_done = false;
        scale[at_index(i)] *= factor;
        for (Index j = 0; j < n; ++j) {
          a(i, j) /= factor;
        }
        for (Index j = 0; j < n; ++j) {
          a(j, i) *= factor;
        }
      }
    }
  }
  return scale;
}

std::vector<Complex> eigenvalues(DenseMatrix a) {
  SALTUS_EXPECT(a.rows() == a.columns() && a.is_finite(), "a square matrix of finite numbers");
  balance(a);
  to_hessenberg(a);
  std::vector<Complex> values = HessenbergQr(a).values();
  pair_up(values, static_cast<double>(a.rows()) * kEpsilon * a.largest_entry());
  std::sort(values.begin(), values.end(), [](const Complex& p, const Complex& q) {
    return p.real() != q.real() ? p.real() < q.real() : p.imag() < q.imag();
  });
  return values;
}

}  // namespace saltus::linalg
