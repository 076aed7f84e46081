/// How near to zero v counts as zero, for direction(v).
///
/// Problem      v/|v| means nothing where v is an error of the trajectory: errors as large turn it to any side
/// Method       the Euclidean norm of what the error test allows the elements of v to be off, and no less than kNoises times their rounding
///              errors; with fixed steps what two steps move them by. While v moves it is no more than half of |v|: what is moving is not zero because the states around it have grown.
/// Checked by   tests/events/direction_test.cpp
#pragma once

#include "settle/state/run_state.hpp"

namespace saltus::settle {

/// At the present point, of a norm that the mode has.
[[nodiscard]] double direction_reach(const RunState& state, Index norm);

}  // namespace saltus::settle
