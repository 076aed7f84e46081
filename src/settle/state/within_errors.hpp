/// Problem      a guard that counts as zero although its value is not: how much of it the errors of the states may be
/// Method       |g| ≤ ν + Σ |∂g/∂xᵢ|·(error test allows of xᵢ), along the constraints (docs/math/event_location.md 2)
/// Contract     `evaluator` has the configuration; a guard that cannot be evaluated is not within errors
/// Checked by   tests/events/structures_test.cpp, tests/events/impulses_test.cpp
#pragma once

#include "settle/state/run_state.hpp"

namespace saltus::settle {

/// Whether the guard of the present point is zero as far as the error test can tell.
[[nodiscard]] bool is_within_errors(const RunState& state, system::Evaluator& evaluator, Index guard);

}  // namespace saltus::settle
