/// Unknowns of implicit blocks that an equation gives outright, taken out of them.
///
/// Problem    equations that need each other are solved together, and most of them only name something: drop = a - b, i = g·drop,
///            i_1 = i_2 + i_3. A bridge of four diodes is 13 equations; 4 unknowns determine all others.
/// Method     elimination with pivots ±1, as tools for such models do ([CK06] 7.5): an equation ±u + rest = 0 becomes the formula
///            u = ∓rest, and u is replaced in the other equations of the block (elimination.hpp). What is left is the block; the
///            formulas follow it.
/// Contract   The blocks have the same solutions and the same equations and unknowns between them. Formulas are as written, with
///            their unknowns as leaves, each after those it contains. Other blocks are not touched.
/// Choices    Only ±1 as written: such a pivot is nowhere zero, whatever the parameters, states and conditions. Entries are never
///            added up, so that a singular matrix is seen to be one: cancellation would leave roundings of it.
///            Derivatives of states stay: implicit methods have them as unknowns in any case.
///            An unknown of a nonlinear block with a start value is kept: the user has a guess for it.
/// Fails when never; a block without such equations stays as it is. Where rest is large against u in every equation the formula is
///            less accurate than elimination with the largest pivots would be: currents through small resistances, if they are
///            written i = (a - b)/R. (R·i = a - b keeps i.)
/// Cost       linear in the entries for each of at most kMostSweeps passes
/// Checked by tests/unit/structure/tearing_test.cpp
#pragma once

#include <vector>

#include "flat/model.hpp"
#include "structure/match/causalized.hpp"

namespace saltus::structure {

/// The graph of the model gains nodes.
[[nodiscard]] std::vector<Block> tear_blocks(flat::Model& model, std::vector<Block> blocks);

}  // namespace saltus::structure
