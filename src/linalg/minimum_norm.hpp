/// Problem      x of least Euclidean norm among those that minimise ‖A·x - b‖₂, A small, dense, of any rank
/// Method       complete orthogonal decomposition: Householder QR with column pivoting, then Householder from the right
///              on the leading rows ([GVL13] 5.4.2, 5.4.7)
/// Contract     Storage is taken in the constructor or in resize(); solve() does not allocate.
/// Choices      A diagonal entry of R at most kRankTolerance·max(m, n)·|r₁₁| counts as zero: rounding errors in A of a few
///              ulps then do not pretend to be information. Callers who know of larger errors give a larger tolerance.
/// Cost         O(m·n·min(m, n)); meant for orders up to some tens
/// Checked by   tests/unit/linalg/minimum_norm_test.cpp
#pragma once

#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"

namespace saltus::linalg {

class MinimumNorm {
 public:
  MinimumNorm() = default;
  MinimumNorm(Index rows, Index columns) { resize(rows, columns); }
  /// Allocates only beyond the largest size so far.
  void resize(Index rows, Index columns);

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index columns() const { return columns_; }
  /// The matrix to be decomposed next, row-major: entry (i, j) at [i·columns + j]. Overwritten by factorize().
  [[nodiscard]] std::span<double> matrix();
  /// False when an entry is not finite. `least_pivot`: diagonal entries of R at most this part of the first count as zero,
  /// where that is more than rounding.
  [[nodiscard]] bool factorize(double least_pivot = 0.0);
  /// The same with an absolute threshold for diagonal entries that count as zero, and no rank beyond `largest_rank`.
  [[nodiscard]] bool factorize(double threshold, Index largest_rank);
  [[nodiscard]] Index rank() const { return rank_; }
  /// Smallest diagonal entry within the rank, near the smallest singular value; rank() > 0.
  [[nodiscard]] double smallest_pivot() const;
  /// The first diagonal entry beyond the rank, 0 where there is none: what counted as zero.
  [[nodiscard]] double neglected_pivot() const { return neglected_pivot_; }
  /// b := Qᵀ·b: its entries from rank() on are what no x can change.
  void reflect(std::span<double> b) const;
  /// x := A⁺·b for a b that reflect() was applied to.
  void solve_reflected(std::span<const double> b, std::span<double> x) const;
  /// x := (I - A⁺·A)·x
  void keep_kernel_part(std::span<double> x) const;
  /// x := A⁺·b; `b` has rows() entries and is overwritten, `x` has columns().
  void solve(std::span<double> b, std::span<double> x) const;

  void fields(Archive& a);

 private:
  [[nodiscard]] double& at(Index i, Index j) { return a_[static_cast<std::size_t>(i * columns_ + j)]; }
  [[nodiscard]] double at(Index i, Index j) const { return a_[static_cast<std::size_t>(i * columns_ + j)]; }
  void pivot(Index k);
  void reflect_column(Index k);
  void reflect_row(Index k);
  // Applies the reflection from the right of step k to unknowns at their own places.
  void reflect_unknowns(Index k, std::span<double> x) const;

  Index rows_ = 0;
  Index columns_ = 0;
  Index rank_ = 0;
  double neglected_pivot_ = 0.0;
  std::vector<double> a_;
  std::vector<double> left_;   // scale of the reflection of column k; its vector stands below the diagonal
  std::vector<double> right_;  // scale of the reflection of row k; its vector stands right of the rank
  std::vector<double> head_left_;
  std::vector<double> head_right_;
  std::vector<Index> order_;
};

}  // namespace saltus::linalg
