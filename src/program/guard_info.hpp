/// Which guards matter to what, and where (system::GuardInfo, LockedDae::watches).
///
/// Method       conditions that occur in the equations of a mode, and those that occur in its clauses, bodies, assertions
///              and discrete equations, are found in the graph. A condition inside the expression of a guard matters to
///              whatever that guard matters to.
/// Checked by   tests/unit/program/guard_facts_test.cpp
#pragma once

#include <span>
#include <vector>

#include "program/equations/system_code.hpp"
#include "program/guards/guard_facts.hpp"
#include "saltus/diagnostic.hpp"

namespace saltus::program {

/// What holds in every mode, by guard of the flat model. The graph of the model grows.
[[nodiscard]] std::vector<GuardFacts> find_guard_facts(SystemCode& data);

/// Fills data.guard_infos and ModeCode::watches. `scheduled` as found by find_scheduled_guards.
void describe_guards(SystemCode& data, std::span<const ScheduledGuard> scheduled,
                     std::span<const GuardFacts> facts);

/// Inputs of tables that the equations differentiate more often than their interpolants can be, but for jumps of the last derivative: named.
[[nodiscard]] Diagnostics find_rough_inputs(const SystemCode& data);

}  // namespace saltus::program
