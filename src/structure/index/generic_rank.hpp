/// Blocks whose matrix is singular whatever the values of states, time and parameters are.
///
/// Problem    a matching promises a regular matrix; dependent equations (an equation and its multiples added to others) break the
///            promise, and elimination with rounding errors does not notice: the determinant is 1e-16 instead of 0 and
///            unknowns come out 1e11 times too large
/// Method     the entries at values taken at random, each with a bound of the rounding errors it carries (running error analysis
///            [Hig02] 3.3). Rows and columns are scaled by what is beyond these bounds. Singular at that point: the smallest singular
///            value is no more than what the bounds can make of zero, ‖E‖ in the Frobenius norm (Weyl). Singular at every point
///            that gives values, at least at two: everywhere, because entries are analytic in the values (choices are
///            blended, relations too)
/// Contract   singular means: numbers cannot tell the matrix from a singular one. Where no combination of equations helps
///            (unmixing.hpp, combination.hpp) the block is marked, evaluations of it fail as singular, and runs go on by ranks. A block whose entries have no values at
///            random points (roots of negative numbers) counts as regular; runs look at it with its own numbers.
/// Choices    values between 0.5 and 1.5, then states and time of either sign and of sizes 0.1, 1e-4 and 10, so that a saturation
///            (max, tanh) at one point is none at another. Variables and unknowns are measured in their nominal values: a position in micrometres beside one
///            in kilometres would make a regular matrix that numbers cannot tell from a singular one. Above kLargestDense unknowns (combination.hpp) the diagonal of a pivoted QR stands for singular
///            values; blocks of more than kLargestDecided unknowns are left to runs.
/// Cost       an evaluation and singular values of the block, four of them for what is singular; nothing for formulas
/// Checked by tests/unit/structure/generic_rank_test.cpp
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "flat/model.hpp"
#include "structure/match/causalized.hpp"

namespace saltus::structure {

/// Where n³ operations begin to be felt before a run.
inline constexpr std::size_t kLargestDecided = 256;

/// Errors of numbers that are differences of larger ones, by their sizes; others are rounded.
using NumberErrors = std::unordered_map<double, double>;

/// By variable: its nominal value if that is a number, else 1.
[[nodiscard]] std::vector<double> nominal_numbers(const flat::Model& model);

/// Numbers of the blocks that are singular everywhere. `nominal`: of variables, empty: all 1.
[[nodiscard]] std::vector<std::size_t> singular_blocks(const expr::Graph& graph,
                                                       std::span<const Block> blocks,
                                                       std::span<const double> nominal,
                                                       const NumberErrors& errors = {});

}  // namespace saltus::structure
