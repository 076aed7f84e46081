/// Least squares in tiers, part by part.
///
/// Problem      as tiered_least_squares.hpp, for a matrix whose rows and columns fall into parts without common entries
/// Method       each part by itself: the least norm over all is the least norm of every part, and ranks are decided beside the numbers of
///              their own part alone
/// Contract     Storage is taken in the constructor; nothing else allocates. Columns are numbered as the caller likes: their group
///              is a number beside. A column without a group, or in no part, is left alone.
/// Cost         the sum of those of the parts
/// Checked by   tests/unit/linalg/parted_least_squares_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linalg/tiered_least_squares.hpp"

namespace saltus::linalg {

class PartedLeastSquares {
 public:
  struct PartLists {
    std::span<const Index> rows;
    std::span<const Index> columns;
  };

  /// `group` by column, -1: none.
  PartedLeastSquares(Index rows, std::span<const int> group, Index n_groups,
                     std::span<const PartLists> parts);

  [[nodiscard]] Index n_groups() const { return n_groups_; }
  [[nodiscard]] std::size_t n_parts() const { return parts_.size(); }
  [[nodiscard]] bool has_column(Index column) const {
    return column_place_[static_cast<std::size_t>(column)] >= 0;
  }

  /// Entries of the matrix to be decomposed next: all zero, then one by one. Row and column belong to one part.
  void clear();
  void set(Index row, Index column, double value);
  [[nodiscard]] bool factorize(double threshold);
  /// By part, then by group, as ranks() has them.
  [[nodiscard]] bool factorize(std::span<const Index> ranks);
  void ranks(std::vector<Index>& result) const;
  /// Over all parts.
  [[nodiscard]] Index rank(Index group) const;
  [[nodiscard]] double smallest_pivot() const;

  /// As TieredLeastSquares::solve(); `b` by row, `x` by column.
  void solve(std::span<const double> b, std::span<double> x, std::span<const std::uint8_t> from_zero = {});

 private:
  struct Part {
    TieredLeastSquares solver;
    std::vector<Index> rows;
    std::vector<Index> columns;  // in the order of the solver
    std::vector<double> b;
    std::vector<double> x;
  };

  Index n_groups_;
  std::vector<Part> parts_;
  std::vector<Index> row_place_;     // within its part
  std::vector<Index> column_place_;  // … -1: in none
  std::vector<Index> column_part_;
};

}  // namespace saltus::linalg
