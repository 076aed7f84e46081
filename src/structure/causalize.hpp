/// Causalisation: which unknown follows from which equation, and in which order.
///
/// Problem    F(t, x, ẋ, z) = 0 with states x: find formulas and small systems that give ẋ and z one after the other.
/// Method     classify variables (classify.hpp), take out the equations of discrete variables (discrete_equations.hpp),
///            remove aliases (alias.hpp), match equations to unknowns (matching.hpp); if that is not complete, differentiate
///            equations first (index_reduction.hpp); order and solve blocks (blocks.hpp). docs/math/causalisation.md and
///            docs/math/index_reduction.md explain each step.
/// Contract   the model's graph gains nodes, its equations stay. Errors name equations and unknowns of the model, and
///            the mode.
/// Fails when an equation contains no unknown (too-many-equations), or an Integer or Boolean is not determined. Where the
///            structure does not determine the continuous unknowns, the result says so (needs_ranks) with warnings.
/// Cost       linear in practice: docs/math/causalisation.md has the measurements.
/// Checked by tests/unit/structure/causalize_test.cpp, tests/unit/structure/singular_report_test.cpp
#pragma once

#include "flat/model.hpp"
#include "saltus/result.hpp"
#include "structure/match/causalized.hpp"
#include "structure/structure_choices.hpp"

namespace saltus::structure {

struct CausalizeOptions {
  /// Leave everything to ranks (Causalized::needs_ranks): the structural Jacobian turned out to be singular in numbers.
  bool force_ranks = false;
  /// What the equations hold where the structure depends on it.
  LockedChoices locked = {};
};

/// The common equations and those of the mode; an invalid mode stands for a model without modes.
[[nodiscard]] Result<Causalized> causalize(flat::Model& model, ModeId mode = {},
                                           const CausalizeOptions& options = {});

}  // namespace saltus::structure
