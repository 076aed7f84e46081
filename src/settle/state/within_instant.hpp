/// Problem      a guard that an instant has brought to zero: choices, clauses, scheduled times and locations each leave something of it, and
///              no sign of that is a side
/// Method       |g| ≤ ν + 4 eps Σ |∂g/∂xᵢ·xᵢ| + |ġ|·ε_t: the rounding of its terms, those of the states, and what it moves by within one
///              instant (docs/semantics.md 1.2, 1.5)
/// Contract     The evaluator of the mode has the configuration. A guard whose rate or gradient cannot be evaluated has no more than ν.
/// Cost         nothing for guards far from zero; a gradient and a rate for the others
/// Checked by   tests/events/landing_test.cpp
#pragma once

#include <limits>

#include "settle/state/run_state.hpp"

namespace saltus::settle {

/// Roundings in what a step, a body or a projection gives to a state, as elsewhere in the noise of guards.
inline constexpr double kStateRoundings = 4.0 * std::numeric_limits<double>::epsilon();

/// max |xᵢ| at the present point.
[[nodiscard]] double largest_state(const RunState& state);

/// Whether `value` of a guard (or its distance from a level), whose rounding errors are within `bound`, counts as zero in this instant.
/// `largest`: largest_state().
[[nodiscard]] bool is_within_instant(RunState& state, Index guard, double value, double bound,
                                     double largest);

}  // namespace saltus::settle
