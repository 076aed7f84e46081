/// Moving results outwards; shared by the files of interval arithmetic.
#pragma once

#include <cmath>
#include <limits>

#include "program/interval.hpp"

namespace saltus::program {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline double below(double value) {
  return std::nextafter(value, -kInfinity);
}
inline double above(double value) {
  return std::nextafter(value, kInfinity);
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
