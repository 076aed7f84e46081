/// What a mode that has not been entered would do at once.
#pragma once

#include <span>

#include "settle/state/run_state.hpp"

namespace saltus::settle {

/// The first transition of `mode` that holds at its states x, with the guards on the sides that they have there; null: none, or the
/// mode has no values there. A guard that is zero there is zero: where it goes is decided when the mode is entered.
[[nodiscard]] const system::ActionInfo* transition_on_entry(const RunState& state, ModeData& mode,
                                                            std::span<const double> x);

}  // namespace saltus::settle
