/// Moving results outwards; shared by the files of interval arithmetic.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/machine.hpp"
#include "program/interval.hpp"

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

/// [lower, upper] from values of library functions.
inline Interval widen(double lower, double upper) {
  for (int i = 0; i < kLibrarySpacings; ++i) {
    lower = below(lower);
    upper = above(upper);
  }
  return {lower, upper};
}

inline Interval intersect(const Interval& a, const Interval& b) {
  const Interval result{std::fmax(a.lower, b.lower), std::fmin(a.upper, b.upper)};
  return a.empty() || b.empty() || result.empty() ? empty_interval() : result;
}

}  // namespace saltus::program
