/// Whole numbers that floor, ceil and truncate hold between events (system::GuardInfo::Kind).
/// Checked by   tests/unit/settle/held_number_test.cpp
#pragma once

#include <cmath>

#include "system/guards.hpp"

namespace saltus::settle {

/// Where the held number changes.
struct HeldRange {
  double lower = 0.0;
  double upper = 0.0;
};

[[nodiscard]] inline HeldRange held_range(system::GuardInfo::Kind kind, double number) {
  using Kind = system::GuardInfo::Kind;
  if (kind == Kind::truncate && number == 0.0) {
    return {-1.0, 1.0};
  }
  const bool opens_below = kind == Kind::ceil || (kind == Kind::truncate && number < 0.0);
  return opens_below ? HeldRange{number - 1.0, number} : HeldRange{number, number + 1.0};
}

[[nodiscard]] inline double number_at(system::GuardInfo::Kind kind, double value) {
  using Kind = system::GuardInfo::Kind;
  return kind == Kind::floor ? std::floor(value) : kind == Kind::ceil ? std::ceil(value) : std::trunc(value);
}

/// The number that is held just beyond the whole number `level` when the argument goes on in direction `sign`.
[[nodiscard]] inline double number_beyond(system::GuardInfo::Kind kind, double level, double sign) {
  return number_at(kind, level + 0.5 * sign);
}

}  // namespace saltus::settle
