/// Least change of some unknowns while others are free: least squares in tiers.
///
/// Problem      Σ_g A_g·x_g = b for groups of unknowns g = 0, 1, …, of any rank: among the least-squares solutions that with
///              the least ‖x₀‖, of these the least ‖x₁‖, …; what a later group can do is never left to an earlier one
/// Method       the last group is eliminated first: pivoted QR of A_g, the rows beyond its rank are what the earlier groups
///              have to satisfy (Zᵀ·A with Zᵀ·A_g = 0); each group has least norm by linalg/minimum_norm.hpp
/// Contract     Storage is taken in the constructor; nothing else allocates. Groups may be empty.
/// Choices      Residuals of rows that a later group can satisfy alone are satisfied by it exactly: the sum of squares is
///              that of the rows left to the earlier groups, not of all rows.
/// Cost         O(rows·columns·rank)
/// Checked by   tests/unit/linalg/tiered_least_squares_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"
#include "linalg/minimum_norm.hpp"

namespace saltus::linalg {

class TieredLeastSquares {
 public:
  TieredLeastSquares(Index rows, std::vector<Index> group_sizes);

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index columns() const { return columns_; }
  [[nodiscard]] Index n_groups() const { return static_cast<Index>(groups_.size()); }
  /// The matrix to be decomposed next, columns of group 0 first: entry (i, j) at [i + j·rows]. Overwritten.
  [[nodiscard]] std::span<double> matrix() { return a_; }
  /// Ranks by an absolute threshold. False when an entry is not finite.
  [[nodiscard]] bool factorize(double threshold);
  /// Ranks that are known, by group; a group that has fewer pivots different from zero gets fewer.
  [[nodiscard]] bool factorize(std::span<const Index> ranks);

  [[nodiscard]] Index rank(Index group) const {
    return groups_[static_cast<std::size_t>(group)].factors.rank();
  }
  /// Smallest entry that counts and largest that does not, over all groups: a small ratio says that ranks are unclear.
  [[nodiscard]] double smallest_pivot() const;
  [[nodiscard]] double neglected_pivot() const;

  /// `x`: in, where it begins; out, with the correction of A·(x - x_begin) = b. Groups flagged in `from_zero` (empty: none)
  /// have least norm of x itself instead of least norm of the correction.
  void solve(std::span<const double> b, std::span<double> x, std::span<const std::uint8_t> from_zero = {});
  /// Length of what remained of b in the last solve(): the contradiction between the rows.
  [[nodiscard]] double remaining() const { return remaining_; }

  void fields(Archive& a) {
    // Not saved: rows_, columns_.
    for (Group& group : groups_) {
      a(group.size, group.first_column, group.first_row, group.factors);
    }
    a(a_, b_, correction_, kernel_part_, remaining_);
  }

 private:
  struct Group {
    Index size = 0;
    Index first_column = 0;
    Index first_row = 0;  // rows before are taken by later groups
    MinimumNorm factors;
  };

  bool factorize_groups(double threshold, std::span<const Index> ranks);
  [[nodiscard]] std::span<double> column_below(Index column, Index first_row);

  Index rows_ = 0;
  Index columns_ = 0;
  std::vector<Group> groups_;
  std::vector<double> a_;
  std::vector<double> b_;
  std::vector<double> correction_;
  std::vector<double> kernel_part_;
  double remaining_ = 0.0;
};

}  // namespace saltus::linalg
