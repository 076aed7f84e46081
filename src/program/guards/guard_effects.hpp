/// Problem      a condition in a branch of another choice is read only where that branch is taken: its crossing elsewhere is no event
/// Method       from the equations down, each node with the proposition under which it is read: what a choice takes is read under its
///              condition, or its negation; what is read in several places under either of their propositions
/// Contract     Propositions are nodes over conditions alone, which are held between events. Choices whose condition is none of that kind
///              (noEvent) count as taken both ways, and conditions inside of guards as read.
/// Cost         one pass over the nodes of the equations
/// Checked by   tests/unit/program/guard_effects_test.cpp
#pragma once

#include <vector>

#include "program/guards/condition_inputs.hpp"
#include "structure/causalize.hpp"

namespace saltus::program {

/// By guard: a node that is true where a condition over it is read by the equations; invalid: always, or nowhere. The graph grows.
[[nodiscard]] std::vector<NodeId> find_guard_effects(expr::Graph& graph, const ConditionInputs& conditions,
                                                     const structure::Causalized& causalized);

}  // namespace saltus::program
