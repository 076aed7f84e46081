/// Scales of rows and columns that make the entries of a matrix comparable before ranks are decided.
///
/// Problem      D_r and D_c, diagonal, so that the largest entries of the rows and of the columns of D_r·A·D_c are near 1
/// Method       rows and columns are divided by the square roots of their largest entries, in turns, rounded to powers
///              of 2 so that scaling makes no rounding errors
/// Contract     Zero rows and columns keep the scale 1. Empty matrices are legal.
/// Choices      A row or column that is small through cancellation would be blown up: only matrices as they come from a
///              model are equilibrated, never products with bases computed before.
/// Cost         kSweeps passes over the entries
/// Checked by   tests/unit/linalg/rank_decision_test.cpp
#pragma once

#include <span>
#include <vector>

#include "linalg/dense_matrix.hpp"

namespace saltus::linalg {

struct Equilibration {
  std::vector<double> row_scale;
  std::vector<double> column_scale;

  /// D_r·A·D_c
  [[nodiscard]] DenseMatrix apply(const DenseMatrix& a) const;
};

[[nodiscard]] Equilibration equilibrate(const DenseMatrix& a);
/// Columns share factors: the scale of column j is Π_k factor_k[labels[k][j]], labels from 0 (for instance one factor for a
/// variable and one for an order of derivatives).
[[nodiscard]] Equilibration equilibrate(const DenseMatrix& a, std::span<const std::vector<Index>> labels);
/// All scales 1: equilibration switched off.
[[nodiscard]] Equilibration no_equilibration(const DenseMatrix& a);

/// diag(scale)·A
[[nodiscard]] DenseMatrix scale_rows(const DenseMatrix& a, const std::vector<double>& scale);
/// A·diag(scale)
[[nodiscard]] DenseMatrix scale_columns(const DenseMatrix& a, const std::vector<double>& scale);

}  // namespace saltus::linalg
