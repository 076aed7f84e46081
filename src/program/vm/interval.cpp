// Arithmetic, comparisons and choice. Functions of the mathematics library are in interval_functions.cpp.

#include "program/vm/interval.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace saltus::program {
namespace {

double rounded_quotient(double a, double b, Direction direction) {
  if (a == 0.0 || std::isinf(b)) {
    return std::isinf(a) ? (direction == Direction::down ? -kInfinity : kInfinity) : 0.0;
  }
  const double quotient = a / b;
  if (std::isinf(a)) {
    return quotient;
  }
  const bool is_exact = std::abs(a) > kExactResidualLimit && std::abs(quotient) > kExactResidualLimit &&
                        std::fma(quotient, b, -a) == 0.0;
  return is_exact ? quotient : outward(quotient, direction);
}

constexpr Interval kTrue{1.0, 1.0};
constexpr Interval kFalse{0.0, 0.0};
constexpr Interval kUndecided{0.0, 1.0};

bool certainly_true(const Interval& a) {
  return a == kTrue;
}
bool certainly_false(const Interval& a) {
  return a == kFalse;
}

Interval truth(bool certainly, bool certainly_not) {
  return certainly ? kTrue : certainly_not ? kFalse : kUndecided;
}

// |a|^n, n > 0, of a number.
Interval power_of_number(double a, unsigned n) {
  Interval result{1.0, 1.0};
  Interval square{a, a};
  bool started = false;
  for (; n != 0; n >>= 1U) {
    if ((n & 1U) != 0) {
      result = started ? multiply(result, square) : square;
      started = true;
    }
    if (n > 1) {
      square = multiply(square, square);
    }
  }
  return result;
}

}  // namespace

Interval point_interval(double value) {
  if (std::isnan(value)) {
    return empty_interval();
  }
  return {value == kInfinity ? std::numeric_limits<double>::max() : value,
          value == -kInfinity ? std::numeric_limits<double>::lowest() : value};
}

Interval hull(const Interval& a, const Interval& b) {
  if (a.empty()) {
    return b;
  }
  return b.empty() ? a : Interval{std::min(a.lower, b.lower), std::max(a.upper, b.upper)};
}

Interval divide(const Interval& a, const Interval& b) {
  if (a.empty() || b.empty()) {
    return empty_interval();
  }
  if (b.lower < 0.0 && b.upper > 0.0) {
    return entire_interval();
  }
  if (b.contains(0.0)) {
    // Zero at an end of b: unbounded on the side of a's sign.
    if (b == Interval{0.0, 0.0} || (a.lower < 0.0 && a.upper > 0.0)) {
      return entire_interval();
    }
    const bool positive = (a.lower >= 0.0) == (b.upper > 0.0);
    const double far = b.upper > 0.0 ? b.upper : b.lower;
    const double near_end = std::abs(a.lower) < std::abs(a.upper) ? a.lower : a.upper;
    return positive ? Interval{rounded_quotient(near_end, far, Direction::down), kInfinity}
                    : Interval{-kInfinity, rounded_quotient(near_end, far, Direction::up)};
  }
  const auto down = [](double x, double y) { return rounded_quotient(x, y, Direction::down); };
  const auto up = [](double x, double y) { return rounded_quotient(x, y, Direction::up); };
  if (b.lower > 0.0) {
    return {down(a.lower, a.lower >= 0.0 ? b.upper : b.lower),
            up(a.upper, a.upper >= 0.0 ? b.lower : b.upper)};
  }
  return {down(a.upper, a.upper >= 0.0 ? b.upper : b.lower), up(a.lower, a.lower >= 0.0 ? b.lower : b.upper)};
}

Interval power_integer(const Interval& a, int n) {
  if (a.empty()) {
    return a;
  }
  if (n == 0) {
    return {1.0, 1.0};
  }
  if (n < 0) {
    return divide({1.0, 1.0}, power_integer(a, -n));
  }
  const auto exponent = static_cast<unsigned>(n);
  const Interval at_lower = power_of_number(a.lower, exponent);
  const bool is_point = a.lower == a.upper;
  Interval result = is_point ? at_lower : hull(at_lower, power_of_number(a.upper, exponent));
  if (n % 2 == 0) {
    result.lower = a.contains(0.0) ? 0.0 : std::max(result.lower, 0.0);
  }
  return result;
}

Interval sqrt(const Interval& a) {
  const Interval domain = intersect(a, {0.0, kInfinity});
  if (domain.empty()) {
    return domain;
  }
  const auto root = [](double value, Direction direction) {
    const double r = std::sqrt(value);
    const bool exact = value == 0.0 || (value > kExactResidualLimit && std::fma(r, r, -value) == 0.0);
    return exact || std::isinf(value) ? r : outward(r, direction);
  };
  return {root(domain.lower, Direction::down), root(domain.upper, Direction::up)};
}

Interval abs(const Interval& a) {
  if (a.empty()) {
    return a;
  }
  const double largest = std::max(std::abs(a.lower), std::abs(a.upper));
  return {a.contains(0.0) ? 0.0 : std::min(std::abs(a.lower), std::abs(a.upper)), largest};
}

Interval sign(const Interval& a) {
  const auto of = [](double value) { return value > 0.0 ? 1.0 : value < 0.0 ? -1.0 : 0.0; };
  return a.empty() ? a : Interval{of(a.lower), of(a.upper)};
}

Interval floor(const Interval& a) {
  return {std::floor(a.lower), std::floor(a.upper)};
}
Interval ceil(const Interval& a) {
  return {std::ceil(a.lower), std::ceil(a.upper)};
}
Interval truncate(const Interval& a) {
  return {std::trunc(a.lower), std::trunc(a.upper)};
}

Interval minimum(const Interval& a, const Interval& b) {
  return a.empty() || b.empty() ? empty_interval()
                                : Interval{std::min(a.lower, b.lower), std::min(a.upper, b.upper)};
}
Interval maximum(const Interval& a, const Interval& b) {
  return a.empty() || b.empty() ? empty_interval()
                                : Interval{std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
}

Interval less(const Interval& a, const Interval& b) {
  return truth(a.upper < b.lower, a.lower >= b.upper);
}
Interval less_equal(const Interval& a, const Interval& b) {
  return truth(a.upper <= b.lower, a.lower > b.upper);
}
Interval equal(const Interval& a, const Interval& b) {
  const bool same_point = a.lower == a.upper && a == b;
  return truth(same_point, a.upper < b.lower || b.upper < a.lower);
}
Interval not_equal(const Interval& a, const Interval& b) {
  return logical_not(equal(a, b));
}
// Multilinear and ascending in each operand on [0, 1], so the end points give the range.
Interval logical_and(const Interval& a, const Interval& b) {
  return multiply(a, b);
}
Interval logical_or(const Interval& a, const Interval& b) {
  return logical_not(multiply(logical_not(a), logical_not(b)));
}
Interval logical_not(const Interval& a) {
  return subtract({1.0, 1.0}, a);
}

Interval select(const Interval& condition, const Interval& if_true, const Interval& if_false) {
  if (certainly_true(condition)) {
    return if_true;
  }
  if (certainly_false(condition)) {
    return if_false;
  }
  if (condition.lower < condition.upper || condition.empty()) {
    return hull(if_true, if_false);
  }
  return add(multiply(condition, if_true), multiply(logical_not(condition), if_false));
}

}  // namespace saltus::program
