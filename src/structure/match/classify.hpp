/// What is a state, what is unknown, what keeps its value.
///
/// A continuous variable whose highest derivative in the equations has order k > 0 gives the states of orders 0 … k-1
/// and the unknown of order k; one that is not differentiated is an algebraic unknown. A discrete variable is known
/// between events: a when clause or a transition sets it, or an equation gives it in the rounds of an event. An input
/// is an unknown that takes its start value if no equation is left for it. Variables of other modes do not exist.
#pragma once

#include <span>
#include <vector>

#include "flat/model.hpp"
#include "structure/match/causalized.hpp"

namespace saltus::structure {

struct Classification {
  std::vector<Unknown> states;       ///< in the order of variables, lower orders first
  std::vector<Unknown> derivatives;  ///< of the states, in their order
  std::vector<Unknown> unknowns;     ///< highest derivatives and algebraic ones, in the order of variables
  std::vector<Unknown> inputs;       ///< inputs that are not differentiated, kept apart from unknowns
  std::vector<Unknown> discrete;     ///< discrete variables that no body sets
  std::vector<VariableId> held;      ///< discrete variables that bodies set
  std::vector<int> highest_order;    ///< by variable; 0 for not differentiated
};

/// Of the equations of one mode; an invalid mode stands for a model without modes.
[[nodiscard]] Classification classify(const flat::Model& model, std::span<const flat::Equation> equations,
                                      ModeId mode);

}  // namespace saltus::structure
