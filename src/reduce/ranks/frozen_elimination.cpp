#include "reduce/ranks/frozen_elimination.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace saltus::reduce {

FrozenElimination::Pivot FrozenElimination::largest(Index first_column, Index end_column) {
  Pivot best{-1, -1};
  double size = 0.0;
  for (Index j = first_column; j < end_column; ++j) {
    for (Index i = 0; i < rows_; ++i) {
      if (is_used_[static_cast<std::size_t>(i)] == 0 && std::abs(at(i, j)) > size) {
        size = std::abs(at(i, j));
        best = {i, j};
      }
    }
  }
  return best;
}

// Rows that are not used yet lose the column of the pivot.
void FrozenElimination::eliminate(const Pivot& pivot, Index n_columns) {
  is_used_[static_cast<std::size_t>(pivot.row)] = 1;
  const double value = at(pivot.row, pivot.column);
  for (Index i = 0; i < rows_ && value != 0.0; ++i) {
    const double factor = at(i, pivot.column) / value;
    if (is_used_[static_cast<std::size_t>(i)] != 0 || factor == 0.0) {
      continue;
    }
    for (Index j = 0; j < n_columns; ++j) {
      at(i, j) -= factor * at(pivot.row, j);
    }
    at(i, pivot.column) = 0.0;
  }
}

void FrozenElimination::freeze(std::span<const double> matrix, Index rows, std::span<const Index> groups,
                               std::span<const Index> ranks) {
  rows_ = rows;
  work_.assign(matrix.begin(), matrix.end());
  is_used_.assign(static_cast<std::size_t>(rows), 0);
  pivots_.clear();
  end_column_.clear();
  Index end = std::accumulate(groups.begin(), groups.end(), Index{0});
  for (std::size_t g = groups.size(); g-- > 0;) {
    const Index first = end - groups[g];
    for (Index k = 0; k < ranks[g]; ++k) {
      const Pivot pivot = largest(first, end);
      if (pivot.row < 0) {
        break;
      }
      pivots_.push_back(pivot);
      end_column_.push_back(end);
      eliminate(pivot, end);
    }
    end = first;
  }
}

void FrozenElimination::pivots(std::span<const double> matrix, std::span<double> values) {
  std::copy(matrix.begin(), matrix.end(), work_.begin());
  std::fill(is_used_.begin(), is_used_.end(), std::uint8_t{0});
  for (std::size_t k = 0; k < pivots_.size(); ++k) {
    values[k] = at(pivots_[k].row, pivots_[k].column);
    eliminate(pivots_[k], end_column_[k]);
  }
}

}  // namespace saltus::reduce
