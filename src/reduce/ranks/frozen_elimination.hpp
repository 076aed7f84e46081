/// Pivots of a matrix in groups of columns, in an order that is kept: continuous functions of its entries, with signs.
///
/// Problem      a family of matrices A(t) whose ranks in groups (linalg/tiered_least_squares.hpp) are the same at two times: has one
///              of them been smaller between
/// Method       Gaussian elimination, the last group of columns first; freeze() chooses the pivots of each group by complete
///              pivoting, pivots() takes those rows and columns again. A pivot is a quotient of two minors: where a rank falls at an
///              isolated point a minor passes through zero and a pivot changes its sign
/// Contract     Storage is taken by freeze(); pivots() does not allocate. A rank that is not reached gives pivots 0.
/// Choices      a pivot also changes its sign where only the minor of this order of elimination vanishes: signs are a reason to
///              look, not a proof. Chosen anew at every point from which one looks ahead, pivots are far from that.
/// Cost         as an LU decomposition
/// Checked by   tests/unit/reduce/frozen_elimination_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"

namespace saltus::reduce {

class FrozenElimination {
 public:
  /// `matrix` column by column; `groups`: numbers of columns, with as many ranks.
  void freeze(std::span<const double> matrix, Index rows, std::span<const Index> groups,
              std::span<const Index> ranks);
  [[nodiscard]] Index n_pivots() const { return static_cast<Index>(pivots_.size()); }
  /// `matrix` is of the shape of freeze().
  void pivots(std::span<const double> matrix, std::span<double> values);

  void fields(Archive& a) { a(rows_, pivots_, end_column_, is_used_, work_); }

 private:
  struct Pivot {
    Index row = 0;
    Index column = 0;

    void fields(Archive& a) { a(row, column); }
  };
  [[nodiscard]] double& at(Index row, Index column) {
    return work_[static_cast<std::size_t>(row + column * rows_)];
  }
  void eliminate(const Pivot& pivot, Index n_columns);
  [[nodiscard]] Pivot largest(Index first_column, Index end_column);

  Index rows_ = 0;
  std::vector<Pivot> pivots_;
  std::vector<Index> end_column_;      // by pivot: columns of later groups are done with
  std::vector<std::uint8_t> is_used_;  // by row
  std::vector<double> work_;
};

}  // namespace saltus::reduce
