/// Rounds as they are solved, and one in which nothing fires and no clock is due: what equations and conditions of a mode give at a point.
#pragma once

#include <span>

#include "settle/state/run_state.hpp"

namespace saltus::settle {

/// The values of a round. On a surface up to rounding, where a formula has none on the locked side (√(-h) with h = 1e-17 and h < 0), those next to it
/// with the states as they are.
[[nodiscard]] system::Evaluation solve_round(ModeData& mode, const system::RoundInputs& inputs,
                                             system::RoundSolution& solution);

/// At the present time, with pre(…) = `previous` (by variable) and the states x of `mode`. Its solution is in mode.conditions.
[[nodiscard]] system::Evaluation solve_idle_round(const RunState& state, ModeData& mode,
                                                  const system::Configuration& configuration,
                                                  std::span<const double> previous,
                                                  std::span<const double> x);

}  // namespace saltus::settle
