/// Which jump equation of a body determines which state.
///
/// Problem      m jump equations and the states that may jump: each equation replaces the equation `state = state before`
///              of one of them.
/// Method       first equations in which a state stands alone on one side take that state (its new value is the other
///              side); then equations take states that they contain, by augmenting paths; what is left takes any state.
///              Solved together, the assignment does not matter as long as one body fires.
/// Checked by   tests/unit/program/round_jumps_test.cpp
#pragma once

#include <span>
#include <vector>

#include "expr/graph.hpp"
#include "flat/model.hpp"
#include "structure/match/causalized.hpp"

namespace saltus::program {

/// LANGUAGE 5: variables whose pre(…) occurs in one of the equations, and those that stand alone on one side. Ascending.
/// Not all of them are states.
[[nodiscard]] std::vector<structure::Unknown> jumping_states(const expr::Graph& graph,
                                                             std::span<const flat::Equation> equations);

struct JumpAssignment {
  struct Place {
    std::size_t state = 0;
    NodeId value;  ///< valid where the state stands alone: the other side
  };
  std::vector<Place> places;           ///< by equation
  std::vector<std::size_t> left_over;  ///< equations without a state
};

[[nodiscard]] JumpAssignment assign_jump_equations(const expr::Graph& graph,
                                                   std::span<const flat::Equation> equations,
                                                   std::span<const structure::Unknown> states);

}  // namespace saltus::program
