/// Sums and products of numbers, rounded outwards; shared by the files of interval arithmetic.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/machine.hpp"

namespace saltus::program {

/// The next double above, as std::nextafter gives it, by its bits: the library function costs more than the operations
/// whose results are moved. The bits of a double, read as a whole number, ascend with its magnitude.
inline double above(double value) {
  if (!(value < kInfinity)) {
    return value;
  }
  if (value == 0.0) {
    return std::numeric_limits<double>::denorm_min();
  }
  const auto bits = std::bit_cast<std::int64_t>(value);
  return std::bit_cast<double>(value > 0.0 ? bits + 1 : bits - 1);
}
inline double below(double value) {
  return -above(-value);
}

enum class Direction { down, up };

inline double outward(double value, Direction direction) {
  return direction == Direction::down ? below(value) : above(value);
}

/// Below this the residual of a product or quotient may itself be rounded: 2^-1022 · 2^53.
inline constexpr double kExactResidualLimit = 0x1p-969;

/// Exact sums (Knuth's TwoSum: no rounding error) are not moved. An infinite end point, or a sum that overflows, makes the
/// test fail (NaN), and moving is then right: a lower end below the largest double, an upper end that stays.
inline double rounded_sum(double a, double b, Direction direction) {
  const double sum = a + b;
  const double b_part = sum - a;
  const double a_part = sum - b_part;
  return (a - a_part) + (b - b_part) == 0.0 ? sum : outward(sum, direction);
}

/// The same for products, by a residual with fma. Zero times an infinite end point, which stands for finite values without
/// bound, is zero.
inline double rounded_product(double a, double b, Direction direction) {
  if (a == 0.0 || b == 0.0) {
    return 0.0;
  }
  const double product = a * b;
  const bool is_exact = std::abs(product) > kExactResidualLimit && std::fma(a, b, -product) == 0.0;
  return is_exact ? product : outward(product, direction);
}

}  // namespace saltus::program
