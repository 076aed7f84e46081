/// Choices that leave every unknown in its place and make a block singular all the same.
///
/// Problem    v = if c then s else 0 beside i = s - v, an ideal diode: with c the two say i = 0 and nothing about s and v. Every unknown is
///            still matched (structure_choices.hpp); the matrix of the block is singular, and the equations have another structure.
/// Method     the matrices of blocks with choices in them, with the choices locked: singular whatever else the values are (generic_rank.hpp).
///            Where all combinations of a block can be looked at within kMostWork, it has choices that matter only if one of
///            them is singular; in larger blocks they count as such, and each combination is looked at when a run asks for it.
/// Contract   rank_choices() is empty where no block becomes singular by a choice that was looked at
/// Choices    conditions and Booleans. An Integer may have any value: its choices are left to runs.
/// Cost       n³ for each combination
/// Checked by tests/unit/structure/choice_ranks_test.cpp, tests/events/mixed_systems_test.cpp
#pragma once

#include "flat/model.hpp"
#include "structure/structure_choices.hpp"

namespace saltus::structure {

[[nodiscard]] StructuralChoices rank_choices(flat::Model& model, const Causalized& causalized);

/// Whether all blocks stay regular.
[[nodiscard]] bool ranks_hold(expr::Graph& graph, const Causalized& causalized, const LockedChoices& locked);

}  // namespace saltus::structure
