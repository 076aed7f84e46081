/// Clauses whose conditions read what they themselves, or each other, set.
///
/// Problem      within a round a condition has the value that the bodies of the round give it. Where a body sets what its own condition
///              reads, or two clauses set each other's, there is no order in which to ask.
/// Method       one graph: blocks of the round's system, relations (over the operands of their guards), actions (over their triggers, and
///              those of the branches before them). A component with an action in it, besides the action alone, is a cycle.
/// Contract     Clauses in a cycle have their conditions from the values before their bodies (ActionInfo::is_own_cause). In Modelica that is
///              a warning where a clause is in a cycle with itself alone, and an error where they are in one with each
///              other (clauses-in-a-loop); cycles by jump equations, which Modelica does not have, are neither.
/// Cost         linear in the equations of the round
/// Checked by   tests/unit/program/firing_order_test.cpp
#pragma once

#include "program/equations/system_code.hpp"

namespace saltus::program {

/// After build_round() for all modes.
void find_firing_order(SystemCode& data, Diagnostics& diagnostics);

}  // namespace saltus::program
