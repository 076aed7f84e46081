/// What the equations integrated over an instant keep although the constraints move it: positions, which go first.
///
/// Problem      rows M·Δu = 0 of a law (impulse_law.hpp) and constraints, linearised, C·u = c: combinations α·M that the constraints
///              determine contradict them where c asks for another value. Which are they, and where does u go?
/// Method       [M | I] and [C | 0] with all columns but those of I eliminated (sparse_elimination.hpp): the rows left are the α
///              with α·M = β·C. u moves by the least change with α·M·u as the constraints say; the law then holds from there: of each α
///              one row of M is dropped, since the constraints say it.
/// Contract     the rows of M that are not dropped and the constraints do not contradict each other
/// Choices      a combination that is left as linalg::kRankTolerance of its rows is zero: constraints that repeat others on the solution only
/// Cost         one sparse elimination, one least change over the positions found
/// Checked by   tests/unit/reduce/law_positions_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reduce/consistent/sparse_elimination.hpp"

namespace saltus::reduce {

struct LawPositions {
  std::vector<SparseRow> rows;           ///< α·M
  std::vector<std::uint8_t> is_dropped;  ///< by row of the law
};

/// Columns in units of their nominal values; those of the law come first, `n_columns` all together.
[[nodiscard]] LawPositions find_law_positions(const std::vector<SparseRow>& law,
                                              const std::vector<SparseRow>& constraints,
                                              std::size_t n_columns);

/// u nearest to `from` with the positions of `to`; all in units of the nominal values. Empty: not finite.
[[nodiscard]] std::vector<double> move_positions(const std::vector<SparseRow>& positions,
                                                 std::span<const double> from, std::span<const double> to);

}  // namespace saltus::reduce
