/// What is a state, what is unknown, what keeps its value.
///
/// A continuous variable whose highest derivative in the equations has order k > 0 gives the states of orders 0 … k-1
/// and the unknown of order k; one that is not differentiated is an algebraic unknown. A discrete variable that a when
/// clause or a transition sets keeps its value between events; any other is an unknown given by its equation. An input
/// is an unknown that takes its start value if no equation is left for it.
#pragma once

#include <vector>

#include "flat/model.hpp"
#include "structure/causalized.hpp"

namespace saltus::structure {

struct Classification {
  std::vector<Unknown> states;       ///< in the order of variables, lower orders first
  std::vector<Unknown> derivatives;  ///< of the states, in their order
  std::vector<Unknown>
      unknowns;  ///< highest derivatives, algebraic and discrete ones, in the order of variables
  std::vector<Unknown> inputs;     ///< inputs that are not differentiated, kept apart from unknowns
  std::vector<VariableId> held;    ///< discrete variables that only events change
  std::vector<int> highest_order;  ///< by variable; 0 for not differentiated
};

[[nodiscard]] Classification classify(const flat::Model& model);

}  // namespace saltus::structure
