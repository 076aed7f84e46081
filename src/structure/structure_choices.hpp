/// Conditions and discrete values on which the structure of a system depends.
///
/// Problem    in `0 = if c then der(x) - 10 else x + 5` the unknown der(x) occurs on one side only. One analysis for all
///            configurations takes every unknown that occurs somewhere for granted; where the side in force lacks it, the
///            matrices of the analysis are singular, and the equations have another structure (and another index).
/// Method     an occurrence is sure if no choice can take it away: it is below no select and has no factor that contains a
///            condition or an Integer or Boolean. Equations are matched to unknowns by sure occurrences first, then by the others; only what is
///            chosen by in rows that are left to others can matter. Whether the analysis holds for given values of them: with the
///            choices locked, is there still a complete matching? Then the offsets stay valid, since a transversal of
///            highest derivatives is all they need [Pry01], and so does the order of the blocks, since entries only
///            disappear. That matrices stay regular is asked of numbers (choice_ranks.hpp).
/// Contract   without such choices (the common case) nothing has to be asked while a system runs.
/// Choices    a factor that contains a condition or an Integer counts as one that may vanish, whatever its values.
/// Cost       one matching to find the choices, one for each question.
/// Checked by tests/unit/structure/structure_choices_test.cpp
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "expr/substitute.hpp"
#include "flat/model.hpp"
#include "structure/match/causalized.hpp"

namespace saltus::structure {

struct StructuralChoices {
  std::vector<ConditionId> conditions;  ///< ascending
  std::vector<VariableId> discrete;     ///< Integers and Booleans; ascending

  [[nodiscard]] bool empty() const { return conditions.empty() && discrete.empty(); }
};

/// Values of choices; what is not named stays open: both sides count.
struct LockedChoices {
  std::vector<std::pair<ConditionId, double>> conditions = {};
  std::vector<std::pair<VariableId, double>> discrete = {};

  [[nodiscard]] bool empty() const { return conditions.empty() && discrete.empty(); }
};

/// Where the structure does not determine the unknowns (needs_ranks): all that may change it.
[[nodiscard]] StructuralChoices structural_choices(flat::Model& model, const Causalized& causalized);

/// False where needs_ranks.
[[nodiscard]] bool structure_holds(expr::Graph& graph, const Causalized& causalized,
                                   const LockedChoices& locked);

/// What the choices are replaced by in formulas.
[[nodiscard]] std::vector<expr::Replacement> replacements_of(expr::Graph& graph, const LockedChoices& locked);

/// The equations with the choices replaced by their values.
[[nodiscard]] std::vector<flat::Equation> locked_equations(expr::Graph& graph,
                                                           std::span<const flat::Equation> equations,
                                                           const LockedChoices& locked);

}  // namespace saltus::structure
