/// A round in which nothing fires and no clock is due: what equations and conditions of a mode give at a point.
#pragma once

#include <span>

#include "settle/state/run_state.hpp"

namespace saltus::settle {

/// At the present time, with pre(…) = `previous` (by variable) and the states x of `mode`. Its solution is in mode.conditions.
[[nodiscard]] system::Evaluation solve_idle_round(const RunState& state, ModeData& mode,
                                                  const system::Configuration& configuration,
                                                  std::span<const double> previous,
                                                  std::span<const double> x);

}  // namespace saltus::settle
