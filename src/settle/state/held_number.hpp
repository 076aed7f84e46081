/// Whole numbers that floor, ceil and truncate hold between events, and numbers of segments (system::GuardInfo::Kind).
/// Checked by   tests/unit/settle/held_number_test.cpp
#pragma once

#include <cmath>
#include <limits>

#include "base/knots.hpp"
#include "system/guards.hpp"

namespace saltus::settle {

[[nodiscard]] inline bool holds_number(const system::GuardInfo& guard) {
  using Kind = system::GuardInfo::Kind;
  return guard.kind != Kind::relation && guard.kind != Kind::external && guard.kind != Kind::norm &&
         guard.kind != Kind::component;
}

/// Where the held number changes; infinite where it does not.
struct HeldRange {
  double lower = 0.0;
  double upper = 0.0;
};

[[nodiscard]] inline HeldRange held_range(const system::GuardInfo& guard, double number) {
  using Kind = system::GuardInfo::Kind;
  if (guard.kind == Kind::segment) {
    return {segment_begin(*guard.knots, number), segment_end(*guard.knots, number)};
  }
  if (guard.kind == Kind::external) {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  if (guard.kind == Kind::truncate && number == 0.0) {
    return {-1.0, 1.0};
  }
  const bool opens_below = guard.kind == Kind::ceil || (guard.kind == Kind::truncate && number < 0.0);
  return opens_below ? HeldRange{number - 1.0, number} : HeldRange{number, number + 1.0};
}

[[nodiscard]] inline double number_at(const system::GuardInfo& guard, double value) {
  using Kind = system::GuardInfo::Kind;
  switch (guard.kind) {
    case Kind::segment: return segment_at(*guard.knots, value);
    case Kind::external: return value;
    case Kind::floor: return std::floor(value);
    case Kind::ceil: return std::ceil(value);
    default: return std::trunc(value);
  }
}

/// The level, a value at which the held number changes, that is nearest to `value`.
[[nodiscard]] inline double nearest_level(const system::GuardInfo& guard, double value) {
  return guard.kind == system::GuardInfo::Kind::segment ? nearest_knot(*guard.knots, value)
                                                        : std::round(value);
}

/// The number that is held just beyond `level` when the argument goes on in direction `sign`.
[[nodiscard]] inline double number_beyond(const system::GuardInfo& guard, double level, double sign) {
  if (guard.kind == system::GuardInfo::Kind::segment) {
    return segment_at(*guard.knots, level) - (sign < 0.0 ? 1.0 : 0.0);
  }
  return number_at(guard, level + 0.5 * sign);
}

}  // namespace saltus::settle
