/// How fields and guards are probed at points beside the one that is meant: the differences, and what counts as one.
#pragma once

#include <cmath>

#include "base/machine.hpp"

namespace saltus::reduce {

/// A second point is displaced by this part of the nominal values, each state by another amount: at one point a factor may happen
/// to be zero.
inline constexpr double kDisplacement = 1e-3;
/// Difference for ∂ẋ/∂s and ∂r/∂s where they are not affine in a weight s: near √eps.
inline constexpr double kWeightDifference = 1e-7;
/// For ∂/∂t, as a part of the time scale: the cube root of eps balances rounding and truncation of a central difference.
inline const double kTimeDifference = std::cbrt(kEpsilon);
/// Values that differ by more than this many bounds of their rounding errors differ.
inline constexpr double kBeyondNoise = 8.0;
/// Rounding errors of a product of a gradient and a field, in units of eps times the sum of the terms' sizes.
inline constexpr double kRateUlps = 8.0;

}  // namespace saltus::reduce
