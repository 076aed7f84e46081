/// Causalisation: which unknown follows from which equation, and in which order.
///
/// Problem    F(t, x, ẋ, z) = 0 with states x: find formulas and small systems that give ẋ and z one after the other.
/// Method     classify variables (classify.hpp), remove aliases (alias.hpp), match equations to unknowns (matching.hpp),
///            order and solve blocks (blocks.hpp). docs/math/causalisation.md explains each step.
/// Contract   the model's graph gains nodes, its equations stay. Errors name equations and unknowns of the model.
/// Fails when the equations determine too much or too little (too-many-equations, too-few-equations,
///            repeated-equation), or constrain states (high-index-not-yet).
/// Cost       linear in practice: docs/math/causalisation.md has the measurements.
/// Checked by tests/unit/structure/causalize_test.cpp, tests/unit/structure/singular_report_test.cpp
#pragma once

#include "flat/model.hpp"
#include "saltus/result.hpp"
#include "structure/causalized.hpp"

namespace saltus::structure {

[[nodiscard]] Result<Causalized> causalize(flat::Model& model);

}  // namespace saltus::structure
