/// Interval arithmetic that never touches the floating-point environment.
///
/// Problem      for every operation of a program, an interval that contains its value at every point of the operands.
/// Method       the operation at the end points that matter, rounded to nearest, then moved outwards: by one spacing of
///              doubles for + - · / √ unless an error-free transformation ([Ogi05]: TwoSum; a residual by fma) shows that
///              the result is exact; by kLibrarySpacings for functions of the mathematics library.
/// Contract     sets of real numbers, as in IEEE 1788: points where an operation is not defined (√ of a negative number)
///              contribute nothing, and the result is *empty* if it is defined nowhere; ±∞ as an end point means
///              unbounded. A NaN as input is the empty set. Truth values are 0, 1 or [0, 1] (undecided), or
///              lie between (blended).
/// Choices      division by an interval with zero inside gives the whole line.
/// Fails when   the mathematics library is less accurate than kLibrarySpacings: the GNU manual ("Errors in Math
///              Functions") lists at most 3 spacings for the functions used here on the machines it covers.
/// Cost         a few times the operation itself; meant for guards, not for right-hand sides.
/// Checked by   tests/unit/program/interval_test.cpp
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/interval.hpp"
#include "program/vm/interval_rounding.hpp"

namespace saltus::program {

using saltus::Interval;

/// Twice what the GNU manual states, so that a library somewhat worse is covered too.
inline constexpr int kLibrarySpacings = 6;

[[nodiscard]] constexpr Interval empty_interval() {
  return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
}
[[nodiscard]] constexpr Interval entire_interval() {
  return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
}
/// The set that holds one number; empty for NaN; beyond the largest double for ±∞.
[[nodiscard]] Interval point_interval(double value);
/// The smallest interval that contains both.
[[nodiscard]] Interval hull(const Interval& a, const Interval& b);

/// What both contain.
[[nodiscard]] inline Interval intersect(const Interval& a, const Interval& b) {
  const Interval result{std::fmax(a.lower, b.lower), std::fmin(a.upper, b.upper)};
  return a.empty() || b.empty() || result.empty() ? empty_interval() : result;
}

// In the header: sweeps over the equations of a guard are made of little else, and calls cost as much as the operations.
[[nodiscard]] inline Interval negate(const Interval& a) {
  return {-a.upper, -a.lower};
}
[[nodiscard]] inline Interval add(const Interval& a, const Interval& b) {
  if (a.empty() || b.empty()) {
    return empty_interval();
  }
  return {rounded_sum(a.lower, b.lower, Direction::down), rounded_sum(a.upper, b.upper, Direction::up)};
}
[[nodiscard]] inline Interval subtract(const Interval& a, const Interval& b) {
  return add(a, negate(b));
}
[[nodiscard]] inline Interval multiply(const Interval& a, const Interval& b) {
  if (a.empty() || b.empty()) {
    return empty_interval();
  }
  const auto down = [](double x, double y) { return rounded_product(x, y, Direction::down); };
  const auto up = [](double x, double y) { return rounded_product(x, y, Direction::up); };
  if (a.lower >= 0.0) {
    return {down(b.lower >= 0.0 ? a.lower : a.upper, b.lower),
            up(b.upper >= 0.0 ? a.upper : a.lower, b.upper)};
  }
  if (a.upper <= 0.0) {
    return {down(b.upper >= 0.0 ? a.lower : a.upper, b.upper),
            up(b.lower >= 0.0 ? a.upper : a.lower, b.lower)};
  }
  if (b.lower >= 0.0 || b.upper <= 0.0) {
    const double far = b.lower >= 0.0 ? b.upper : b.lower;
    return far >= 0.0 ? Interval{down(a.lower, far), up(a.upper, far)}
                      : Interval{down(a.upper, far), up(a.lower, far)};
  }
  return {std::min(down(a.lower, b.upper), down(a.upper, b.lower)),
          std::max(up(a.lower, b.lower), up(a.upper, b.upper))};
}

[[nodiscard]] Interval divide(const Interval& a, const Interval& b);
[[nodiscard]] Interval power_integer(const Interval& a, int n);
[[nodiscard]] Interval power(const Interval& a, const Interval& b);

[[nodiscard]] Interval sqrt(const Interval& a);
[[nodiscard]] Interval exp(const Interval& a);
[[nodiscard]] Interval log(const Interval& a);
[[nodiscard]] Interval log10(const Interval& a);
[[nodiscard]] Interval sin(const Interval& a);
[[nodiscard]] Interval cos(const Interval& a);
[[nodiscard]] Interval tan(const Interval& a);
[[nodiscard]] Interval asin(const Interval& a);
[[nodiscard]] Interval acos(const Interval& a);
[[nodiscard]] Interval atan(const Interval& a);
[[nodiscard]] Interval sinh(const Interval& a);
[[nodiscard]] Interval cosh(const Interval& a);
[[nodiscard]] Interval tanh(const Interval& a);
[[nodiscard]] Interval atan2(const Interval& y, const Interval& x);

[[nodiscard]] Interval abs(const Interval& a);
[[nodiscard]] Interval sign(const Interval& a);
[[nodiscard]] Interval floor(const Interval& a);
[[nodiscard]] Interval ceil(const Interval& a);
[[nodiscard]] Interval truncate(const Interval& a);
[[nodiscard]] Interval minimum(const Interval& a, const Interval& b);
[[nodiscard]] Interval maximum(const Interval& a, const Interval& b);

[[nodiscard]] Interval less(const Interval& a, const Interval& b);
[[nodiscard]] Interval less_equal(const Interval& a, const Interval& b);
[[nodiscard]] Interval equal(const Interval& a, const Interval& b);
[[nodiscard]] Interval not_equal(const Interval& a, const Interval& b);
[[nodiscard]] Interval logical_and(const Interval& a, const Interval& b);
[[nodiscard]] Interval logical_or(const Interval& a, const Interval& b);
[[nodiscard]] Interval logical_not(const Interval& a);
/// The side chosen; c·a + (1 - c)·b for one weight c between 0 and 1; the hull of both sides when the condition is
/// undecided.
[[nodiscard]] Interval select(const Interval& condition, const Interval& if_true, const Interval& if_false);

}  // namespace saltus::program
