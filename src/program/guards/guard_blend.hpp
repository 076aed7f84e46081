/// Choices within choices over one guard, rewritten so that blending them is blending their sides.
///
/// Problem      while the state slides on g = 0, a condition over g is a weight α between 0 and 1 and a choice is
///              α·a + (1 - α)·b (expr/operation.hpp). `if g > 0 then a elseif g < 0 then b else c` as one choice within
///              another would give α·a + (1 - α)·((1 - α)·b + α·c): a product of weights of one surface, which means
///              nothing. The value wanted is α·a + (1 - α)·b; c holds where the guard stays zero.
/// Method       expansion by the three regions of the guard: E = if g > 0 then E₊ else if (g ≥ 0) - (g > 0) then E₀ else E₋,
///              where E₊, E₀, E₋ have the conditions over g at their values on g > 0, g = 0, g < 0. The difference
///              (g ≥ 0) - (g > 0) is 1 where the guard stays zero, and exactly 0 on both sides and while blended.
/// Contract     done where a guard occurs more than once along a choice: in its condition and below one of its sides, or
///              several times in its condition. Values are the same, bit for bit, for every side of every guard.
///              Conditions may be added to the model; guards are not.
/// Choices      a product of two separate choices (sign(v)^2) is arithmetic of the user and stays
///              (GuardFacts::is_affine_in_weight is false). A choice that repeats more than kMostExpansions guards stays as it
///              is.
/// Cost         linear in the nodes of the equations, plus the expressions that are rewritten
/// Checked by   tests/unit/program/guard_blend_test.cpp
#pragma once

#include "flat/model.hpp"

namespace saltus::program {

/// Each expansion makes up to three copies of the choice.
inline constexpr int kMostExpansions = 5;

/// Rewrites the common equations and those of the modes; to be called before causalisation.
void normalize_same_guard_choices(flat::Model& model);

}  // namespace saltus::program
