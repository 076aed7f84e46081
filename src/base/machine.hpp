/// Numbers of the machine, and the index type as a place in a vector: the one place where they are named.
#pragma once

#include <cstddef>
#include <limits>

#include "base/ids.hpp"

namespace saltus {

inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Numbers below it have no relative precision: what iterations leave there has a sign and no meaning.
inline constexpr double kSmallestNormal = std::numeric_limits<double>::min();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

[[nodiscard]] constexpr std::size_t at_index(Index i) {
  return static_cast<std::size_t>(i);
}

}  // namespace saltus
