/// The value of every operation, in one place.
///
/// Contract   constant folding, one-off evaluation and compiled programs all compute a node by these
/// functions, so
///            they cannot differ in a bit. A NaN operand of an arithmetic operation or function gives a NaN.
/// Choices    truth values are 0 and 1, or lie between: the weight of a condition that is blended while the state slides
///            on its surface (DESIGN 2). Logic is the multilinear extension of its truth table and a select is
///            c·a + (1 - c)·b; at 0 and 1 both are exact, and a side with weight 0 does not leak what is not finite.
///            minimum and maximum hand on a NaN
///            of either operand and give the second operand at a tie. sign(±0) = 0. power_integer multiplies
///            by repeated squaring from the lowest bit of |n| and takes the reciprocal last: x^-n = 1 / x^n;
///            x^0 = 1 for every x, as std::pow does.
/// Checked by tests/unit/expr/operation_test.cpp
#pragma once

#include <cmath>
#include <cstdlib>

#include "expr/graph.hpp"

namespace saltus::expr {

/// xⁿ. Result ← 1; for each bit of |n| from the lowest: multiply the result by the current square, then
/// square. The first factor is taken over as it is, so x^1 is x bit for bit and x^2 is x*x.
[[nodiscard]] inline double power_integer(double x, int n) {
  if (n == 0) {
    return 1.0;
  }
  double result = 0.0;
  bool started = false;
  double square = x;
  for (unsigned rest = static_cast<unsigned>(std::abs(n)); rest != 0; rest >>= 1U) {
    if ((rest & 1U) != 0) {
      result = started ? result * square : square;
      started = true;
    }
    if (rest > 1) {
      square *= square;
    }
  }
  return n < 0 ? 1.0 / result : result;
}

[[nodiscard]] inline double truth(bool value) {
  return value ? 1.0 : 0.0;
}

/// c·a + (1 - c)·b; at c = 1 and c = 0 one side alone. The blend is computed in any case: no branch, so loops over
/// registers become vector instructions.
[[nodiscard]] inline double choose(double c, double a, double b) {
  const double blend = c * a + (1.0 - c) * b;
  return c == 1.0 ? a : c == 0.0 ? b : blend;
}

/// The value of an operation at its operands; operands that it does not have are ignored. For loops over
/// registers.
template <Op op>
[[nodiscard]] inline double apply(double a, double b = 0.0, double c = 0.0) {
  // clang-format off
  if constexpr (op == Op::negate) { return -a; }
  else if constexpr (op == Op::add) { return a + b; }
  else if constexpr (op == Op::subtract) { return a - b; }
  else if constexpr (op == Op::multiply) { return a * b; }
  else if constexpr (op == Op::divide) { return a / b; }
  else if constexpr (op == Op::power) { return std::pow(a, b); }
  else if constexpr (op == Op::power_integer) { return power_integer(a, static_cast<int>(b)); }
  else if constexpr (op == Op::sqrt) { return std::sqrt(a); }
  else if constexpr (op == Op::exp) { return std::exp(a); }
  else if constexpr (op == Op::log) { return std::log(a); }
  else if constexpr (op == Op::log10) { return std::log10(a); }
  else if constexpr (op == Op::sin) { return std::sin(a); }
  else if constexpr (op == Op::cos) { return std::cos(a); }
  else if constexpr (op == Op::tan) { return std::tan(a); }
  else if constexpr (op == Op::asin) { return std::asin(a); }
  else if constexpr (op == Op::acos) { return std::acos(a); }
  else if constexpr (op == Op::atan) { return std::atan(a); }
  else if constexpr (op == Op::sinh) { return std::sinh(a); }
  else if constexpr (op == Op::cosh) { return std::cosh(a); }
  else if constexpr (op == Op::tanh) { return std::tanh(a); }
  else if constexpr (op == Op::abs) { return std::abs(a); }
  else if constexpr (op == Op::sign) { return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a == 0.0 ? 0.0 : a; }
  else if constexpr (op == Op::floor) { return std::floor(a); }
  else if constexpr (op == Op::ceil) { return std::ceil(a); }
  else if constexpr (op == Op::truncate) { return std::trunc(a); }
  else if constexpr (op == Op::atan2) { return std::atan2(a, b); }
  else if constexpr (op == Op::minimum) { return a < b || a != a ? a : b; }
  else if constexpr (op == Op::maximum) { return a > b || a != a ? a : b; }
  else if constexpr (op == Op::less) { return truth(a < b); }
  else if constexpr (op == Op::less_equal) { return truth(a <= b); }
  else if constexpr (op == Op::equal) { return truth(a == b); }
  else if constexpr (op == Op::not_equal) { return truth(a != b); }
  else if constexpr (op == Op::logical_and) { return a * b; }
  else if constexpr (op == Op::logical_or) { return a + b - a * b; }
  else if constexpr (op == Op::logical_not) { return 1.0 - a; }
  else if constexpr (op == Op::rated) { return a; }
  else { static_assert(op == Op::select, "a leaf has no operation"); return choose(a, b, c); }
  // clang-format on
}

/// The same with the operation known only at run time; a leaf gives NaN.
[[nodiscard]] double apply(Op op, double a, double b = 0.0, double c = 0.0);

}  // namespace saltus::expr
