/// Combinations of equations whose highest derivatives cancel for all times.
///
/// Problem    C·(u1' - u2') = f1 and C·(u2' - u1') = f2: structure sees two equations for u1' and u2', but their matrix is
///            singular whatever C is. The sum, 0 = f1 + f2, is what the equations say about the states.
/// Method     linear combinations after Tan, Nedialkov and Pryce [TNP17]: for a linear block with a matrix of constants and
///            parameters, a left null vector that does not depend on the parameters gives a combination without the
///            unknowns of the block, which replaces one of its equations. Rows of the block may be derivatives of constraints:
///            x' - 2y' = v beside (x - 2y - g(t))' = 0 says v = g'(t). What else cancels in the sum is left
///            out too: the name of a derivative alone would raise the index. Unknowns of earlier blocks that are derivatives of
///            higher order than the model has are replaced by their formulas. The analysis is then repeated; the value of
///            the transversal falls each time, so this ends.
/// Contract   the new equations have the same solutions: what is replaced is an equation that has not been differentiated, and the derivatives
///            of the others follow from these.
/// Choices    the vector is found by elimination at two sets of parameter values taken at random and must be the same for
///            both; rows and columns are scaled before, so that units do not decide what is zero; in blocks above kLargestDense only the sum of all equations is tried. The last equation of the block
///            that takes part as written is replaced.
///            What is left of a term counts as zero within the errors of the vector, which its smallest pivot makes larger; where
///            it may be zero or not there is no combination.
/// Fails when all rows that take part are derivatives, when the null vector depends on states, or when a block of several unknowns gives a
///            derivative of too high an order: ranks decide then
/// Cost       cubic in the size of blocks up to kLargestDense, linear for larger ones; nothing without such blocks.
/// Checked by tests/unit/structure/combination_test.cpp
#pragma once

#include <vector>

#include "flat/model.hpp"
#include "structure/match/causalized.hpp"

namespace saltus::structure {

/// Unknowns of a block up to which its matrix is eliminated as a dense one.
inline constexpr std::size_t kLargestDense = 64;

enum class CombinationOutcome {
  nothing,   ///< no block has such a combination
  replaced,  ///< some equations are new
  /// … and derivatives of constraints took part
  replaced_by_derivatives,
  empty,  ///< a combination contains no unknown at all: it is redundant or contradicts
};

/// `equations` are those that `causalized` was made from (its origins refer to them).
[[nodiscard]] CombinationOutcome combine_equations(flat::Model& model, const Causalized& causalized,
                                                   std::vector<flat::Equation>& equations);

/// The first of `written` as they were given, without what cancels in them; the others as they are.
[[nodiscard]] std::vector<flat::Equation> before_combination(flat::Model& model,
                                                             std::vector<flat::Equation> given,
                                                             const std::vector<flat::Equation>& written);

}  // namespace saltus::structure
