/// A guess at which equations can be evaluated, from those that give one unknown each.
///
/// Problem      vt = k/q·T and h = E/vt: with T known and no starts the guess vt = 0 leaves h, and every row with it, without a value,
///              although nothing has to be guessed
/// Method       forward substitution: a row in which one slot is not known, and that is affine in it, gives it; what is found is known in the
///              next pass. All rows of a pass are evaluated together, with the unknowns at 0, 1 and 2 nominal values.
/// Contract     Slots with a start are left alone. Nothing is claimed: the values are a guess, which the rows need not satisfy where they
///              contain given starts that will move.
/// Choices      Asked for only where the guess itself has no value: elsewhere it decides which of several solutions is found.
/// Cost         three evaluations of the rows for a pass, and a pass for each link of the longest chain
/// Checked by   tests/unit/reduce/consistent_values_test.cpp
#pragma once

#include <optional>
#include <vector>

#include "system/initial_problem.hpp"

namespace saltus::reduce {

/// Nothing: the guess has a value, or no row gives anything.
[[nodiscard]] std::optional<std::vector<double>> guess_from_rows(const system::InitialProblem& problem,
                                                                 double t);

}  // namespace saltus::reduce
