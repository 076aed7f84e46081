/// Problem      how far in time a point that counts as an event of a guard lies beside the root: a mode or structure that follows must not
///              take what is left of the guard for a motion (docs/semantics.md 5.3)
/// Method       what is left of the guard over its rate, or over higher derivatives where it comes in tangentially: the shortest of
///              (k! r / |g⁽ᵏ⁾|)^(1/k) over derivatives beyond their noise, r = |g - level| + ν
///              A guard that is further from it than errors of the states explain, and would need a part of the run to get there, was thrown
///              off by the instant (the voltage of a diode beside which a switch has closed): it says nothing about the time.
/// Contract     nothing where no mode or structure can follow, nothing moves the guard, or it cannot be evaluated
/// Checked by   tests/events/beside_other_events_test.cpp, tests/events/impulses_test.cpp
#pragma once

#include <optional>

#include "settle/state/run_state.hpp"

namespace saltus::settle {

[[nodiscard]] std::optional<double> time_beside_root(RunState& state, Index guard, double level);
/// `time`: of time_beside_root().
[[nodiscard]] bool is_thrown_off(RunState& state, Index guard, double time);

}  // namespace saltus::settle
