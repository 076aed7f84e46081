/// Equations that are sums of multiples of others, taken apart.
///
/// Problem    M·F = 0 with a constant regular M says what F = 0 says, but its structure is another: every row contains what any row
///            of F contains, the matching is complete, and matrices are singular where the constraints of F hide. Null vectors of one
///            block do not help where they depend on the states (a differentiated constraint beside mixed rows).
/// Method     rows are linear combinations of expressions with constant factors (linear_terms.hpp; those that are multiples of one another
///            count as one, multiples.hpp), so M is undone by row operations:
///            1. Gauss-Jordan on the expressions with highest derivatives: each is left in one row, and rows without any are
///               what the equations say about states and algebraic variables
///            2. among those, on algebraic variables: each that can be is left in one row of all
///            3. among rows without algebraic variables, on the other expressions by depth, lowest first; the depth says how often
///               a constraint on it must be differentiated until an algebraic variable appears: 0 for those, in der(x) = f one
///               more for x than for what f contains. So a constraint on positions does not keep what it has of one
///               on velocities
///            4. what rows of 1 and 2 contain of rows of 3: the multiple is taken off that makes most terms vanish, if fewer are left
/// Contract   the new equations have the same solutions; a row that no operation changed is the equation as it was. The number
///            of the equation says where its row went to, nothing more. Nothing changes where a row becomes empty.
/// Choices    a term vanishes where it is kIsZero of what was added up to it, including what the errors of
///            the quotient make of it: 1e-7 that is left of 1 is known to 1e-9. So pivots are taken among the certain ones, and the
///            quotient of two rows from the column that knows it best. A term that may be
///            zero or not ends the attempt, and so does one whose error has grown beyond kMostUncertain of the numbers themselves: dropped
///            by mistake it would make another model of it. Factors within
///            kWhole of a whole number are that: rounding must not hide der(x) = v.
///            Called where a block is singular everywhere (generic_rank.hpp), for its rows and those that share unknowns with them;
///            other models keep their equations.
/// Fails when coefficients are parameters or depend on the states: M is then not constant, and ranks decide
/// Cost       that of Gauss-Jordan on sparse rows; given up where they fill beyond kMostUnmixedFill times their entries
/// Checked by tests/unit/structure/unmixing_test.cpp, tests/property/mixed_equations_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flat/model.hpp"
#include "structure/index/generic_rank.hpp"
#include "structure/match/classify.hpp"

namespace saltus::structure {

enum class UnmixingOutcome : std::uint8_t {
  taken_apart,
  nothing,  ///< the equations are as before
  /// … because a term may be zero or not: no other combination of the same numbers knows more, and ranks decide or refuse
  unclear,
};

/// `rows`: equations to begin with. `errors` gains those of the new numbers: what is left of a difference is as uncertain as what
/// was taken off, and a matrix that is singular with the exact ones must be seen to be.
[[nodiscard]] UnmixingOutcome unmix_equations(flat::Model& model, const Classification& classification,
                                              std::span<const std::size_t> rows,
                                              std::vector<flat::Equation>& equations, NumberErrors& errors);

}  // namespace saltus::structure
