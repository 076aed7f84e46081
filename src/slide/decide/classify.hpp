/// Problem      one guard that is zero: which side does the solution go to (docs/semantics.md 7.2, 7.4)
/// Method       the signs of the first total derivative that exceeds its noise, with the guard locked on either side [Fil88]
///              §4; two equal signs cross or leave, signs towards the surface slide, signs away from it repel
/// Checked by   tests/unit/slide/decision_test.cpp
#pragma once

#include <cstdint>

#include "system/guards.hpp"

namespace saltus::slide {

/// The sign of a number that has an error bound: +1, -1, or 0 within the bound.
[[nodiscard]] int sign_beyond_noise(double value, double noise);

/// By how much the next derivative changes the one of this order within one instant.
[[nodiscard]] double drift_within(const system::GuardDerivatives& derivatives, int order, double instant);

/// Where a guard that is zero goes in the locked field: the sign, in the direction of the run, of its first derivative that
/// exceeds its noise. 0: it stays zero. `order`: which derivative it was (0: none). A derivative that the next one makes zero
/// within one instant (`instant`: its width) decides nothing: where the event lies within the instant is rounding.
struct Motion {
  int sign = 0;
  int order = 0;
};
[[nodiscard]] Motion motion_of(const system::GuardDerivatives& derivatives, double direction, double instant);

/// What the two sides make of one guard.
enum class Encounter : std::uint8_t {
  to_plus,    ///< both sides move towards g > 0
  to_minus,   ///< … g < 0
  attracts,   ///< both sides move towards the surface
  repels,     ///< both move away from it
  undecided,  ///< neither moves
};
/// `plus`, `minus`: Motion::sign with the guard on that side. A side that does not move leaves it to the other: on it the
/// guard would stay zero.
[[nodiscard]] Encounter encounter(int plus, int minus);

}  // namespace saltus::slide
