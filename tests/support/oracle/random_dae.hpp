/// Random switched linear DAEs, the same for the same seed on every machine.
#pragma once

#include <cstdint>
#include <string>

#include "support/oracle/switched_dae.hpp"

namespace saltus::test::oracle {

/// How far the equations and variables are from those of the canonical form.
enum class Mixing {
  permuted,  ///< not at all
  coupled,   ///< differential equations read algebraic variables, and the other way round
  sparse,    ///< a few rows and columns added to others
  dense,     ///< everything in everything
};
inline constexpr int kMixings = 4;
/// Whether the equations of a mode show its index without their numbers.
[[nodiscard]] bool shows_index(Mixing mixing);

/// What happens to x at a transition.
enum class Jump {
  none,     ///< all modes have the same constraints
  set,      ///< the transition sets all differential variables to values that the new mode allows
  nothing,  ///< the transition sets nothing: the equations integrated over the instant
  reset,    ///< the transition sets one or two variables: least change of the others
};
inline constexpr int kJumps = 4;

[[nodiscard]] const char* to_string(Mixing mixing);
[[nodiscard]] const char* to_string(Jump jump);

struct DaeTraits {
  std::size_t index = 1;  ///< the largest of the modes, 0 to 3
  Mixing mixing = Mixing::permuted;
  Jump jump = Jump::none;
  bool is_uniform =
      true;  ///< whether the modes have the same numbers of differential and algebraic variables
};

/// Two to four modes with one or two transitions each, which the run from the start reaches.
[[nodiscard]] SwitchedDae random_dae(const DaeTraits& traits, std::uint32_t seed);

/// The same system with the start, forcing and guards moved by at most `amount`.
[[nodiscard]] SwitchedDae perturbed(const SwitchedDae& system, std::uint32_t seed, Real amount);
/// The same system with all guards higher by `amount`.
[[nodiscard]] SwitchedDae with_guards_raised(const SwitchedDae& system, Real amount);

}  // namespace saltus::test::oracle
