/// Problem      how far in time a point that counts as an event of a guard lies beside the root: a mode or structure that follows must not
///              take what is left of the guard for a motion (docs/semantics.md 5.3)
/// Method       what is left of the guard over its rate, or over higher derivatives where it comes in tangentially: the shortest of
///              (k! r / |g⁽ᵏ⁾|)^(1/k) over derivatives beyond their noise, r = |g - level| + ν
/// Contract     nothing where no mode or structure can follow, nothing moves the guard, or it cannot be evaluated
/// Checked by   tests/events/beside_other_events_test.cpp
#pragma once

#include <optional>

#include "settle/state/run_state.hpp"

namespace saltus::settle {

[[nodiscard]] std::optional<double> time_beside_root(RunState& state, Index guard, double level);

}  // namespace saltus::settle
