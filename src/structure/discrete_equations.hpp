/// Which equations give discrete variables.
///
/// Problem    `b = x > 0` stands among the equations, but b changes at events only: its equation belongs to the rounds of
///            an event, and between events b is known.
/// Method     every equation and unknown is matched once, beginning with the pairs `v = …` of a discrete variable v that
///            stands alone; what is matched to a discrete variable gives it. If equations are left over, they may constrain
///            states: every order of a variable counts then.
/// Contract   the remaining equations determine the continuous unknowns as well as all of them did.
/// Cost       one matching; nothing without discrete variables.
/// Checked by tests/unit/structure/causalize_test.cpp
#pragma once

#include <span>
#include <vector>

#include "flat/model.hpp"
#include "structure/match/causalized.hpp"
#include "structure/match/classify.hpp"

namespace saltus::structure {

struct DiscreteSplit {
  std::vector<flat::Equation> continuous;
  std::vector<Causalized::DiscreteEquation> discrete;
  std::vector<VariableId> without_equation;  ///< discrete variables that no equation is left for
};

[[nodiscard]] DiscreteSplit split_discrete(flat::Model& model, std::span<const flat::Equation> equations,
                                           const Classification& classification);

/// The first jump equation of a body that contains the new value of a variable; null: none does. The graph may grow.
[[nodiscard]] const flat::Equation* jump_equation_with(flat::Model& model, VariableId variable);

}  // namespace saltus::structure
