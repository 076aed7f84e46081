/// Elimination of some unknowns from sparse linear relations.
///
/// Problem      rows Σ a·x + Σ b·y = 0 over two kinds of columns: which combinations contain no y, and what are the y where the x are
///              known?
/// Method       Gauss with threshold pivoting, the shortest column first and in it the shortest row ([GVL13] 3.4, [DER86] 5)
/// Contract     kept(): rows without y, a basis of all such combinations. An entry that is left of a difference as kRoundedAway of its terms
///              is zero. solve() gives the y that the rows determine; others are NaN.
/// Choices      a pivot is at least kPivotThreshold of the largest in its column, rows being measured by their largest entry over y
/// Cost         that of sparse factors; dense rows make it cubic in their number
/// Checked by   tests/unit/reduce/impulse_law_test.cpp
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/ids.hpp"

namespace saltus::reduce {

/// What rounding leaves of a difference after some thousand operations, as a part of its terms: zero.
inline constexpr double kRoundedAway = 1e-12;

using SparseRow = std::map<Index, double>;  ///< by column

class SparseElimination {
 public:
  /// `is_eliminated`: by column, the y. `least_pivot`: where all entries of a column are at most this part of their rows, they are zero.
  SparseElimination(std::vector<SparseRow> rows, std::vector<std::uint8_t> is_eliminated,
                    double least_pivot = 0.0);

  [[nodiscard]] const std::vector<SparseRow>& kept() const { return kept_; }
  /// `values`: by column, those of the x given; the y are filled in.
  void solve(std::span<double> values) const;

 private:
  struct Pivot {
    Index column = -1;
    SparseRow row;
  };

  void eliminate(Index column);
  [[nodiscard]] Index pivot_row(Index column) const;  // -1: all are zero
  void subtract(Index row, double factor, const Pivot& pivot);
  void count_again(Index column);

  std::vector<SparseRow> rows_;
  std::vector<std::uint8_t> is_eliminated_;
  double least_pivot_;
  std::vector<double> size_;                       // by row: its largest entry over y
  std::vector<std::set<Index>> rows_of_;           // by column, of the y
  std::set<std::pair<std::size_t, Index>> order_;  // length and number of the columns to come
  std::vector<Pivot> pivots_;                      // in the order of elimination
  std::vector<SparseRow> kept_;
};

}  // namespace saltus::reduce
