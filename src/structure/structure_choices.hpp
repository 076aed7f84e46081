/// Conditions on which the structure of a system depends.
///
/// Problem    in `0 = if c then der(x) - 10 else x + 5` the unknown der(x) occurs on one side only. One analysis for all
///            configurations takes every unknown that occurs somewhere for granted; where the side in force lacks it, the
///            matrices of the analysis are singular, and the equations have another structure (and another index).
/// Method     an occurrence is sure if no condition can take it away: it is below no choice and no factor that contains a
///            condition. Equations are matched to unknowns by sure occurrences first, then by the others; only conditions
///            in rows that are left to others can matter. Whether the analysis holds for given values of them: with the
///            conditions locked, is there still a complete matching? Then the offsets stay valid, since a transversal of
///            highest derivatives is all they need [Pry01], and so does the order of the blocks, since entries only
///            disappear.
/// Contract   without such conditions (the common case) nothing has to be asked while a system runs.
/// Choices    a factor that contains a condition counts as one that may vanish, whatever its values.
/// Cost       one matching to find the conditions, one for each question.
/// Checked by tests/unit/structure/structure_choices_test.cpp
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "flat/model.hpp"
#include "structure/causalized.hpp"

namespace saltus::structure {

/// Ascending. Where the structure does not determine the unknowns (needs_ranks): all that may change it.
[[nodiscard]] std::vector<ConditionId> structural_conditions(expr::Graph& graph,
                                                             const Causalized& causalized);

/// `truths`: by condition of the model; none where it stays open. False where needs_ranks.
[[nodiscard]] bool structure_holds(expr::Graph& graph, const Causalized& causalized,
                                   std::span<const std::optional<double>> truths);

/// The equations with the conditions replaced by their values.
[[nodiscard]] std::vector<flat::Equation> locked_equations(expr::Graph& graph,
                                                           std::span<const flat::Equation> equations,
                                                           std::span<const std::optional<double>> truths);

}  // namespace saltus::structure
