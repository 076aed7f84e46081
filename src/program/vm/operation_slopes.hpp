/// Partial derivatives of the operations of slab programs, in one place: tangents and pullbacks apply the same numbers.
///
/// Notation     a, b are operands, `value` is what the operation gives for them.
/// Choices      at kinks and poles docs/math/tangents.md says which value is given.
/// Checked by   tests/unit/program/tangent_interpreter_test.cpp, tests/unit/program/pullback_interpreter_test.cpp
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#include "expr/operation.hpp"
#include "program/vm/vector_loops.hpp"

namespace saltus::program {

/// By the first and by the second operand.
struct Slopes {
  double first;
  double second;
};

/// sqrt((1 - a)(1 + a)): exact beside ±1, where the difference of squares cancels.
SALTUS_KERNEL double circle_height(double a) {
  return std::sqrt((1.0 - a) * (1.0 + a));
}

/// 1/cosh²: 1 - tanh² has no digits left where tanh is near ±1.
SALTUS_KERNEL double slope_of_tanh(double a) {
  const double height = std::cosh(a);
  return 1.0 / height / height;
}

// X(operation, slope): functions of one operand that move with it.
#define SALTUS_SLOPES(X)                   \
  X(negate, -1.0)                          \
  X(sqrt, 0.5 / value)                     \
  X(exp, value)                            \
  X(log, 1.0 / a)                          \
  X(log10, 1.0 / (std::numbers::ln10 * a)) \
  X(sin, std::cos(a))                      \
  X(cos, -std::sin(a))                     \
  X(tan, 1.0 + value * value)              \
  X(asin, 1.0 / circle_height(a))          \
  X(acos, -1.0 / circle_height(a))         \
  X(atan, 1.0 / (1.0 + a * a))             \
  X(sinh, std::cosh(a))                    \
  X(cosh, std::sinh(a))                    \
  X(tanh, slope_of_tanh(a))                \
  X(abs, expr::apply<expr::Op::sign>(a))

// X(operation): those that rest wherever they do not jump.
#define SALTUS_RESTING(X) \
  X(sign)                 \
  X(floor)                \
  X(ceil)                 \
  X(truncate)             \
  X(logical_not) X(less) X(less_equal) X(equal) X(not_equal) X(logical_and) X(logical_or)

SALTUS_KERNEL double slope_of_square(double a) {
  return 2.0 * a;
}

SALTUS_KERNEL double slope_of_cube(double a) {
  return 3.0 * (a * a);
}

/// n·aⁿ⁻¹
SALTUS_KERNEL double slope_of_integer_power(double a, int n) {
  return n == 0 ? 0.0 : n * expr::power_integer(a, n - 1);
}

/// b·aᵇ⁻¹ from the value aᵇ, where nothing is lost by that.
SALTUS_KERNEL double slope_of_base(double a, double b, double value) {
  if (b == 0.0) {
    return 0.0;
  }
  return std::isnormal(value) && a != 0.0 ? b * (value / a) : b * std::pow(a, b - 1.0);
}

/// aᵇ·log a. At a = 0 its limit, where there is one.
SALTUS_KERNEL double slope_of_exponent(double a, double b, double value) {
  if (a == 0.0) {
    return b > 0.0 ? 0.0 : std::numeric_limits<double>::quiet_NaN();
  }
  return value * std::log(a);
}

SALTUS_KERNEL Slopes slopes_of_product(double a, double b) {
  return {b, a};
}

SALTUS_KERNEL Slopes slopes_of_quotient(double b, double value) {
  return {1.0 / b, -(value / b)};
}

/// (b, -a)/(a² + b²), with quotients that neither overflow nor vanish on the way.
SALTUS_KERNEL Slopes slopes_of_atan2(double a, double b) {
  const double radius = std::hypot(a, b);
  return {b / radius / radius, -(a / radius / radius)};
}

/// Whether min or max is the first operand, as in expr/operation.hpp.
SALTUS_KERNEL bool minimum_is_first(double a, double b) {
  return a < b || a != a;
}
SALTUS_KERNEL bool maximum_is_first(double a, double b) {
  return a > b || a != a;
}

}  // namespace saltus::program
