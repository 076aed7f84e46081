/// The least change that meets few independent linear conditions, fast.
///
/// Problem      min ‖S⁻¹·c‖₂ with G·c = -g; as least_change.hpp, for rows that are clearly independent
/// Method       the Schur complement of the KKT system of [HW96] VII.2, (2.9): with A = R·G·S (rows of length 1),
///              A·Aᵀ = L·Lᵀ (Cholesky, order m), c = -S·Aᵀ·(L·Lᵀ)⁻¹·R·g
/// Notation     S = diag(scale), R = diag(row scale), m rows
/// Contract     factorize() says whether it serves; then solve() as often as wanted. Nothing allocates after construction.
/// Choices      kLeastPivot = 1e-6 (of rows of length 1): the distance of a row from the span of those before it is at least
///              1e-3. Squaring the condition then costs at most ten of sixteen digits of a change, which the iteration that asks for it repeats
///              anyway. What is closer to redundant is left to the orthogonal decomposition.
/// Fails when   a row has no entries, rows are nearly redundant, or an entry is not finite: factorize() returns false
/// Cost         O(m³) plus, by column of G, the square of its entries
/// Checked by   tests/unit/reduce/normal_equations_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "system/equation_set.hpp"

namespace saltus::reduce {

class NormalEquations {
 public:
  static constexpr double kLeastPivot = 1e-6;

  NormalEquations(const system::RectangularPattern& pattern, std::span<const double> scale);

  /// `entries`: of G, in the order of the pattern.
  [[nodiscard]] bool factorize(std::span<const double> entries);
  /// change := c for the residual g; both by row and unknown of the pattern.
  void solve(std::span<const double> residual, std::span<double> change);
  /// 1 / length of a row in units of the scale.
  [[nodiscard]] std::span<const double> row_scale() const { return row_scale_; }

  void fields(Archive& a) {
    // Not saved: of the pattern places_, products_; scale_.
    a(row_scale_, scaled_, lower_, multipliers_);
  }

 private:
  [[nodiscard]] bool scale_rows(std::span<const double> entries);
  [[nodiscard]] bool decompose();
  [[nodiscard]] double& lower(std::size_t i, std::size_t j) { return lower_[i * row_scale_.size() + j]; }

  struct Place {
    std::uint32_t row = 0;
    std::uint32_t column = 0;
  };
  // Two entries of one column, whose product is part of entry `sum` of A·Aᵀ.
  struct Product {
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    std::uint32_t sum = 0;
  };
  std::vector<Place> places_;      // by entry of G
  std::vector<Product> products_;  // of the lower triangle
  std::vector<double> scale_;
  std::vector<double> row_scale_;
  std::vector<double> scaled_;  // entries of A
  std::vector<double> lower_;   // of A·Aᵀ, then L with 1 / diagonal
  std::vector<double> multipliers_;
};

}  // namespace saltus::reduce
