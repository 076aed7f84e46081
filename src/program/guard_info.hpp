/// Which guards matter to what, and where (system::GuardInfo, LockedDae::watches).
///
/// Method       conditions that occur in the equations of a mode, and those that occur in its clauses, bodies, assertions
///              and discrete equations, are found in the graph. A condition inside the expression of a guard matters to
///              whatever that guard matters to.
/// Checked by   tests/unit/program/guard_info_test.cpp
#pragma once

#include "program/system_data.hpp"

namespace saltus::program {

/// Fills data.guard_infos and ModeData::watches. `scheduled` as found by find_scheduled_guards.
void describe_guards(SystemData& data, std::span<const ScheduledGuard> scheduled);

}  // namespace saltus::program
