/// The least weighted change that meets linear conditions: the linear algebra of projections.
///
/// Problem      min ‖S⁻¹·c‖₂ over those c that minimise ‖R·(G·c + g)‖₂, G any size and rank, sparse
/// Method       With A = R·G·S (rows of length 1): dense, c = -S·A⁺·R·g by a complete orthogonal decomposition
///              (linalg/minimum_norm.hpp); sparse, the regularised KKT system of [HW96] VII.2, (2.9)
///                [ I   Aᵀ ] [ y ]   [  0   ]
///                [ A  -δI ] [ λ ] = [ -R·g ],   c = S·y
/// Notation     S = diag(scale): how much of a change of each unknown counts as one; 0 holds it.  R = diag(row scale)
/// Contract     factorize(), then solve() as often as wanted. Dense: nothing allocates after construction. Sparse: the
///              factors may grow when pivots change.
/// Choices      kLeastPivot = 1e-7: of redundant rows only those combinations count that are larger than what differs between
///              rows that agree on the solution only, and rounding in g is amplified at most 1e7 times. δ = kRegularisation
///              = 1e-12: directions with singular values σ above 1e-6 converge with the rate δ/σ² when steps are repeated,
///              smaller ones are left alone.
/// Fails when   an entry is not finite
/// Cost         dense O(m²·n); sparse that of an LU of order m + n
/// Checked by   tests/unit/reduce/least_change_test.cpp
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "linalg/minimum_norm.hpp"
#include "linalg/sparse_lu.hpp"
#include "system/equation_set.hpp"

namespace saltus::reduce {

class LeastChange {
 public:
  enum class Algebra : std::uint8_t { automatic, dense, sparse };

  /// Up to this m²·n the dense path is taken (measured: docs/math/consistent_values.md).
  static constexpr double kDenseWork = 5e3;

  LeastChange(const system::RectangularPattern& pattern, std::span<const double> scale,
              Algebra algebra = Algebra::automatic);

  /// `entries`: of G, in the order of the pattern.
  [[nodiscard]] bool factorize(std::span<const double> entries);
  /// change := c for the residual g; both by row and unknown of the pattern.
  void solve(std::span<const double> residual, std::span<double> change);

  [[nodiscard]] bool is_dense() const { return dense_.has_value(); }
  /// 1 / length of a row in units of the scale; 0 for a row without entries.
  [[nodiscard]] std::span<const double> row_scale() const { return row_scale_; }
  /// Whether some rows say what others say, after factorize().
  [[nodiscard]] bool is_redundant() const { return is_redundant_; }
  /// Of G·S, dense path only.
  [[nodiscard]] Index rank() const { return dense_->rank(); }

  void fields(Archive& a) {
    // Not saved: of the pattern pattern_, symbolic_, lower_place_, upper_place_, diagonal_place_; scale_.
    a(row_scale_, is_redundant_, dense_, right_side_, solution_, sparse_, values_);
  }

 private:
  void find_row_scale(std::span<const double> entries);
  [[nodiscard]] bool factorize_dense(std::span<const double> entries);
  void build_sparse_pattern();
  [[nodiscard]] bool factorize_sparse(std::span<const double> entries);

  const system::RectangularPattern* pattern_;
  std::vector<double> scale_;
  std::vector<double> row_scale_;
  bool is_redundant_ = false;
  std::optional<linalg::MinimumNorm> dense_;
  std::vector<double> right_side_;
  std::vector<double> solution_;
  // KKT matrix: place of every entry of G as A and as Aᵀ, and of the diagonals.
  std::shared_ptr<const linalg::SparseLuSymbolic> symbolic_;
  std::optional<linalg::SparseLuNumeric> sparse_;
  std::vector<double> values_;
  std::vector<std::size_t> lower_place_;
  std::vector<std::size_t> upper_place_;
  std::vector<std::size_t> diagonal_place_;
};

}  // namespace saltus::reduce
