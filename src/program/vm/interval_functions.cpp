// Interval versions of the functions of the mathematics library.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "program/vm/interval.hpp"

namespace saltus::program {
namespace {

// [lower, upper] from values of library functions.
Interval widen(double lower, double upper) {
  for (int i = 0; i < kLibrarySpacings; ++i) {
    lower = below(lower);
    upper = above(upper);
  }
  return {lower, upper};
}

using std::numbers::pi;

// Beyond this the position of an argument among the extrema of sin, cos and tan is not decided.
constexpr double kLargestPeriodic = 0x1p30;
// Bound of the error of (x - phase)/period in units of eps·(|quotient| + 1): three roundings and those of π.
constexpr double kPhaseErrors = 8.0;

// A function that grows over its domain.
template <class F>
Interval growing(const Interval& a, const Interval& domain, const Interval& range, F f) {
  const Interval part = intersect(a, domain);
  return part.empty() ? part : intersect(widen(f(part.lower), f(part.upper)), range);
}

// May [a.lower, a.upper] contain phase + k·period for a whole k? Certain "no", cautious "yes".
bool may_contain(const Interval& a, double phase, double period) {
  if (!(std::abs(a.lower) < kLargestPeriodic && std::abs(a.upper) < kLargestPeriodic)) {
    return true;
  }
  const double first = (a.lower - phase) / period;
  const double last = (a.upper - phase) / period;
  const double eps = std::numeric_limits<double>::epsilon();
  const double slack = kPhaseErrors * eps * (std::max(std::abs(first), std::abs(last)) + 1.0);
  return std::floor(last + slack) >= std::ceil(first - slack);
}

// sin or cos, with maxima at phase + 2πk and minima half a period further.
template <class F>
Interval wave(const Interval& a, double phase, F f) {
  if (a.empty()) {
    return a;
  }
  const bool has_maximum = may_contain(a, phase, 2.0 * pi);
  const bool has_minimum = may_contain(a, phase + pi, 2.0 * pi);
  Interval result{-1.0, 1.0};
  if (has_maximum && has_minimum) {
    return result;
  }
  const double at_lower = f(a.lower);
  const double at_upper = f(a.upper);
  const Interval ends = widen(std::min(at_lower, at_upper), std::max(at_lower, at_upper));
  result.lower = has_minimum ? -1.0 : std::max(-1.0, ends.lower);
  result.upper = has_maximum ? 1.0 : std::min(1.0, ends.upper);
  return result;
}

bool is_whole(double value) {
  return std::isfinite(value) && value == std::trunc(value);
}

}  // namespace

Interval exp(const Interval& a) {
  return growing(a, entire_interval(), {0.0, kInfinity}, [](double x) { return std::exp(x); });
}
Interval log(const Interval& a) {
  return growing(a, {0.0, kInfinity}, entire_interval(), [](double x) { return std::log(x); });
}
Interval log10(const Interval& a) {
  return growing(a, {0.0, kInfinity}, entire_interval(), [](double x) { return std::log10(x); });
}
Interval asin(const Interval& a) {
  return growing(a, {-1.0, 1.0}, {below(-pi / 2), above(pi / 2)}, [](double x) { return std::asin(x); });
}
Interval acos(const Interval& a) {
  return intersect(negate(growing(a, {-1.0, 1.0}, entire_interval(), [](double x) { return -std::acos(x); })),
                   {0.0, above(pi)});
}
Interval atan(const Interval& a) {
  return growing(a, entire_interval(), {below(-pi / 2), above(pi / 2)},
                 [](double x) { return std::atan(x); });
}
Interval sinh(const Interval& a) {
  return growing(a, entire_interval(), entire_interval(), [](double x) { return std::sinh(x); });
}
Interval tanh(const Interval& a) {
  return growing(a, entire_interval(), {-1.0, 1.0}, [](double x) { return std::tanh(x); });
}
Interval cosh(const Interval& a) {
  return growing(abs(a), {0.0, kInfinity}, {1.0, kInfinity}, [](double x) { return std::cosh(x); });
}

Interval sin(const Interval& a) {
  return wave(a, pi / 2, [](double x) { return std::sin(x); });
}
Interval cos(const Interval& a) {
  return wave(a, 0.0, [](double x) { return std::cos(x); });
}
Interval tan(const Interval& a) {
  if (a.empty()) {
    return a;
  }
  return may_contain(a, pi / 2, pi) ? entire_interval() : widen(std::tan(a.lower), std::tan(a.upper));
}

Interval atan2(const Interval& y, const Interval& x) {
  if (y.empty() || x.empty()) {
    return empty_interval();
  }
  // The cut (x ≤ 0, y = 0) or the origin inside: every angle. Doubles of ±π lie inside these bounds.
  if (x.lower <= 0.0 && y.contains(0.0)) {
    return {below(-pi), above(pi)};
  }
  Interval result{kInfinity, -kInfinity};
  for (const double v : {y.lower, y.upper}) {
    for (const double u : {x.lower, x.upper}) {
      const double angle = std::atan2(v, u);
      result.lower = std::min(result.lower, angle);
      result.upper = std::max(result.upper, angle);
    }
  }
  return widen(result.lower, result.upper);
}

// For a > 0, a^b is monotone in each operand, so its extremes over a box lie at corners.
Interval power(const Interval& a, const Interval& b) {
  if (a.empty() || b.empty()) {
    return empty_interval();
  }
  if (a.lower < 0.0) {
    const bool one_exponent = b.lower == b.upper;
    if (one_exponent && is_whole(b.lower) && std::abs(b.lower) < 1e9) {
      // The library's power, not repeated products: its error on top.
      const Interval exact = power_integer(a, static_cast<int>(b.lower));
      return widen(exact.lower, exact.upper);
    }
    if (!one_exponent || is_whole(b.lower)) {
      return entire_interval();
    }
  }
  const Interval base = intersect(a, {0.0, kInfinity});
  if (base.empty()) {
    return base;
  }
  Interval result{kInfinity, -kInfinity};
  for (const double u : {base.lower, base.upper}) {
    for (const double v : {b.lower, b.upper}) {
      const double value = std::pow(u, v);
      result.lower = std::min(result.lower, value);
      result.upper = std::max(result.upper, value);
    }
  }
  return intersect(widen(result.lower, result.upper), {0.0, kInfinity});
}

}  // namespace saltus::program
