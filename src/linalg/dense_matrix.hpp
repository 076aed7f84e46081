/// A dense matrix as a value, any of whose sides may be empty: for analyses of small systems, not for step loops.
///
/// Checked by   tests/unit/linalg/dense_matrix_test.cpp
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"

namespace saltus::linalg {

class DenseMatrix {
 public:
  DenseMatrix() = default;
  /// All entries zero.
  DenseMatrix(Index rows, Index columns);
  /// Row by row, all of one length.
  DenseMatrix(std::initializer_list<std::initializer_list<double>> rows);
  [[nodiscard]] static DenseMatrix identity(Index n);

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index columns() const { return columns_; }
  [[nodiscard]] double& operator()(Index i, Index j) {
    return entries_[static_cast<std::size_t>(i + j * rows_)];
  }
  [[nodiscard]] double operator()(Index i, Index j) const {
    return entries_[static_cast<std::size_t>(i + j * rows_)];
  }
  /// Column-major.
  [[nodiscard]] std::span<double> entries() { return entries_; }
  [[nodiscard]] std::span<const double> entries() const { return entries_; }
  [[nodiscard]] std::span<const double> column(Index j) const;

  /// `count` columns or rows beginning at `first`.
  [[nodiscard]] DenseMatrix middle_columns(Index first, Index count) const;
  [[nodiscard]] DenseMatrix transposed() const;
  /// max |entry|, 0 for an empty matrix.
  [[nodiscard]] double largest_entry() const;
  /// Every entry is finite.
  [[nodiscard]] bool is_finite() const;
  /// |A|₁, the largest sum of absolute values of a column.
  [[nodiscard]] double column_norm() const;

  friend bool operator==(const DenseMatrix&, const DenseMatrix&) = default;

  void fields(Archive& a) { a(rows_, columns_, entries_); }

 private:
  Index rows_ = 0;
  Index columns_ = 0;
  std::vector<double> entries_;
};

[[nodiscard]] DenseMatrix operator*(const DenseMatrix& a, const DenseMatrix& b);
[[nodiscard]] DenseMatrix operator*(double factor, const DenseMatrix& a);
[[nodiscard]] DenseMatrix operator+(const DenseMatrix& a, const DenseMatrix& b);
[[nodiscard]] DenseMatrix operator-(const DenseMatrix& a, const DenseMatrix& b);
[[nodiscard]] std::vector<double> operator*(const DenseMatrix& a, const std::vector<double>& x);
/// Aᵀ·B
[[nodiscard]] DenseMatrix transpose_times(const DenseMatrix& a, const DenseMatrix& b);
/// (A, B)
[[nodiscard]] DenseMatrix beside(const DenseMatrix& a, const DenseMatrix& b);

}  // namespace saltus::linalg
