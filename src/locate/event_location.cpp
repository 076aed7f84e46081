// EventSearch: from brackets to roots, and what is done with several of them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "locate/bracketed_root.hpp"
#include "locate/event_search.hpp"
#include "saltus/contract.hpp"

namespace saltus::locate {
namespace {

constexpr int kMaxNewtonIterations = 20;  // limit of work
// ε_m of [Com01]: the spacing of doubles at 1.
constexpr double kMachineEpsilon = 2.22e-16;
// Width of the difference quotient of Newton's method, in θ.
constexpr double kDifference = 0x1p-20;

// From a root on the extension to that at the projected state: the slope is taken over this part of the step, the first guess lies
// this many secant steps away, further ones grow by this factor.
constexpr double kSlopeWidth = 0x1p-10;
constexpr double kBeyondSecant = 1.5;
constexpr double kSecantGrowth = 4.0;

double horner(std::span<const double> powers, double theta) {
  double value = 0.0;
  for (std::size_t p = powers.size(); p-- > 0;) {
    value = powers[p] + theta * value;
  }
  return value;
}

// f > 0 at a and f < 0 at b, but for rounding errors of the bracket's ends: then the end that they speak for.
template <class Function>
double root_in(const Function& f, double a, double b, double coarse_width, std::int64_t& n_iterations) {
  const double fa = f(a);
  if (!(fa > 0.0)) {
    return a;
  }
  double fb = f(b);
  if (std::isnan(fb)) {
    fb = -fa;
  }
  return fb < 0.0 ? bracketed_root(f, a, fa, b, fb, n_iterations, coarse_width) : b;
}

}  // namespace

double EventSearch::coarse_width(std::size_t index) const {
  return watches_[index].is_coarse ? detection_.event_tolerance / std::abs(segment_.step()) : 0.0;
}

double EventSearch::affine_root(std::size_t index, const Passage& passage) {
  const std::span<const double> powers =
      std::span<const double>(affine_curve_.powers).first(affine_curve_.degree + 1);
  const auto f = [powers](double theta) { return horner(powers, theta); };
  if (!deflates(index) || (f(passage.a) > 0.0 && f(passage.b) < 0.0)) {
    return root_in(f, passage.a, passage.b, coarse_width(index), counters_.root_iterations);
  }
  const auto quotient = [q = powers.subspan(1)](double theta) { return horner(q, theta); };
  return root_in(quotient, passage.a, passage.b, coarse_width(index), counters_.root_iterations);
}

bool EventSearch::is_located_as_affine(std::size_t index) {
  return detection_.rule == Detection::Rule::bound &&
         shapes_[index].kind == system::GuardShape::Kind::polynomial && shapes_[index].degree <= 1 &&
         !(projects() && errors(index).reads_constraints);
}

bool EventSearch::is_zero_at(std::size_t index, double theta) {
  if (projects()) {
    const GuardCurve curve = this->curve(index).on_constraints();
    return std::abs(curve(theta)) <= curve.noise(theta);
  }
  if (is_located_as_affine(index)) {
    const AffineCurve affine = affine_.curve(affine_entries_[index], segment_, ranges_);
    return std::abs(horner(std::span<const double>(affine.powers).first(affine.degree + 1), theta)) <=
           affine.noise;
  }
  const GuardCurve curve = this->curve(index);
  return std::abs(curve(theta)) <= curve.noise(theta);
}

// The extension satisfies the constraints to the accuracy of the method only, and the event happens at the projected state: a
// root of the guard there, next to that on the extension. Not a number: the projected guard has not crossed up to the end.
double EventSearch::root_on_constraints(std::size_t index, double theta) {
  const GuardCurve curve = this->curve(index).on_constraints();
  const double start = deflates(index) ? curve(0.0) : 0.0;
  const double noise = curve.noise(theta);
  // What is within the noise is the root: a bracket ends there.
  const auto f = [&](double at) {
    const double value = curve(at) - start;
    return std::abs(value) <= noise ? 0.0 : value;
  };
  double a = theta;
  double fa = f(a);
  if (fa == 0.0 || std::isnan(fa)) {
    return theta;
  }
  const double limit = fa > 0.0 ? reach_ : 0.0;
  const double width = std::min(kSlopeWidth, 0.5 * theta);
  const double slope = (this->curve(index)(theta) - this->curve(index)(theta - width)) / width;
  double distance = std::clamp(kBeyondSecant * std::abs(fa / slope), kLeastPiece, 1.0);
  double b = theta;
  double fb = fa;
  while (std::signbit(fb) == std::signbit(fa) && fb != 0.0) {
    if (b == limit) {
      return fa > 0.0 ? std::numeric_limits<double>::quiet_NaN() : theta;
    }
    a = b;
    fa = fb;
    b = fa > 0.0 ? std::min(theta + distance, limit) : std::max(theta - distance, limit);
    fb = f(b);
    if (std::isnan(fb)) {
      return theta;
    }
    distance *= kSecantGrowth;
  }
  return fa > 0.0 ? bracketed_root(f, a, fa, b, fb, counters_.root_iterations, coarse_width(index))
                  : bracketed_root(f, b, fb, a, fa, counters_.root_iterations, coarse_width(index));
}

double EventSearch::root(std::size_t index, const Passage& passage, double slack) {
  double theta = passage.a;
  if (passage.a == passage.b) {
    return projects() && theta > 0.0 ? root_on_constraints(index, theta) : theta;
  }
  if (is_located_as_affine(index)) {
    theta = affine_root(index, passage);
  } else if (const GuardCurve curve = this->curve(index); !deflates(index)) {
    theta = root_in(curve, passage.a, passage.b, coarse_width(index), counters_.root_iterations);
  } else {
    // Away from the known root first: close to it the quotient by θ is all noise.
    const double f0 = curve(0.0);
    const auto from_start = [&curve, f0](double at) { return curve(at) - f0; };
    double a = passage.a;
    if (a == 0.0) {
      a = 0.5 * passage.b;
      while (a > kLeastPiece && !(from_start(a) > 0.0)) {
        a *= 0.5;
      }
    }
    theta = root_in(from_start, a, passage.b, coarse_width(index), counters_.root_iterations);
  }
  if (projects() && theta > 0.0) {
    theta = root_on_constraints(index, theta);
  }
  // A root at the end of the step is there, not a rounding error before.
  return theta < 1.0 && theta >= 1.0 - slack && is_zero_at(index, 1.0) ? 1.0 : theta;
}

SearchResult EventSearch::group(double slack) {
  if (crossings_.empty()) {
    return {};
  }
  std::sort(crossings_.begin(), crossings_.end(), [](const Crossing& p, const Crossing& q) {
    return p.theta != q.theta ? p.theta < q.theta : p.watch < q.watch;
  });
  const double first = crossings_.front().theta;
  const auto is_later = [&](const Crossing& crossing) {
    const auto index = static_cast<std::size_t>(crossing.watch);
    return crossing.theta > first + std::max(slack, coarse_width(index)) && !is_zero_at(index, first);
  };
  crossings_.erase(std::remove_if(crossings_.begin(), crossings_.end(), is_later), crossings_.end());
  return {.kind = SearchResult::Kind::found,
          .theta = first,
          .extrapolated = first > 1.0,
          .crossings = crossings_};
}

// One-sided, and nothing crosses: a guard that has come to zero without passing it (√ of what vanishes) is at the end of
// where its side can be evaluated.
SearchResult EventSearch::arrived_at_wall() {
  for (const Index candidate : candidates_) {
    const auto index = static_cast<std::size_t>(candidate);
    if (deflates(index) || !is_zero_at(index, 1.0)) {
      continue;
    }
    const GuardCurve curve = this->curve(index);
    if (curve(1.0) < curve(0.0)) {
      crossings_.push_back({candidate, 1.0});
    }
  }
  return group(0.0);
}

SearchResult EventSearch::concurrent(const SearchResult& first, double time, double amplitude) {
  SALTUS_EXPECT(first.found(), "only an event has others at its side");
  const std::size_t n_together = first.crossings.size();
  SearchResult result = isolate(time / std::abs(segment_.step()));
  if (!result.found()) {
    return result;
  }
  const auto is_small = [&](const Crossing& crossing, double theta) {
    return std::abs(curve(static_cast<std::size_t>(crossing.watch))(theta)) <= amplitude;
  };
  // Up to the first that may not join; of these the latest root at which all before it are still small.
  const auto end =
      std::find_if(result.crossings.begin(), result.crossings.end(), [&](const Crossing& crossing) {
        return !watches_[static_cast<std::size_t>(crossing.watch)].is_bilateral;
      });
  auto n = static_cast<std::size_t>(end - result.crossings.begin());
  while (n > n_together &&
         !std::all_of(
             result.crossings.begin(), result.crossings.begin() + static_cast<Index>(n),
             [&](const Crossing& crossing) { return is_small(crossing, result.crossings[n - 1].theta); })) {
    --n;
  }
  result.crossings = result.crossings.first(std::max(n, n_together));
  result.theta = n > n_together ? result.crossings.back().theta : result.crossings.front().theta;
  result.extrapolated = result.theta > 1.0;
  return result;
}

double EventSearch::shifted(Index watch, double theta, double epsilon_d, bool past) {
  const auto index = static_cast<std::size_t>(watch);
  const GuardCurve curve = this->curve(index);
  // ε_m/2 is under the rounding of a guard whose terms are large: the noise joins it.
  const double epsilon_g = epsilon_d + std::max(0.5 * kMachineEpsilon, curve.noise(theta));
  const auto shifted_guard = [&](double at) { return curve(at) + (past ? epsilon_g : -epsilon_g); };
  const double width = std::max(kDifference, std::abs(theta) * kDifference);
  const double slope = (curve(theta + width) - curve(theta - width)) / (2.0 * width);
  for (int iteration = 0; iteration < kMaxNewtonIterations && slope < 0.0; ++iteration) {
    const double value = shifted_guard(theta);
    if (std::abs(value) <= epsilon_d) {
      break;
    }
    ++counters_.newton_iterations;
    theta = std::clamp(theta - value / slope, 0.0, std::max(reach_, 1.0));
  }
  return theta;
}

}  // namespace saltus::locate
