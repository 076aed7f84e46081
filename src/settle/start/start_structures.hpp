/// A start in one of the structures that the initial mode may have.
///
/// Problem      where conditions or discrete values decide the structure of the equations (StructureId), the values that decide
///              them are known only when a structure has been chosen; in a wrong one there may be no values at all (a diode
///              that conducts beside a closed switch).
/// Method       the structure of the start values first. If no consistent values agree with it, or explicit starts had to move, that of the
///              sides which the equations of a moment later have (structures/mixed_sides.hpp; with moved starts only if none moves
///              there: 0 = min(der(u) - f, u - psi) above psi), then those that differ from the first in one choice, then in two (other_structures.hpp), until values are found that agree with their structure. One that
///              determines everything comes before one that leaves unknowns open.
/// Contract     as consistent_start.hpp; without structures it is that.
/// Fails when   none agrees: what is told is what the first said, and what decides them (no-start-structure).
/// Checked by   tests/events/structures_test.cpp
#pragma once

#include "settle/start/consistent_start.hpp"

namespace saltus::settle {

/// `length`: of the run, with sign.
[[nodiscard]] Result<ConsistentStart> find_start(const system::HybridSystem& system, double t, double length);

}  // namespace saltus::settle
