/// The matrix of an implicit block: dense LU while it is small, sparse LU above.
///
/// Method       columns are measured in the sizes of their unknowns; rows, then columns are scaled by powers of two to a largest entry in
///              [1/2, 1) ([Hig02] 7.3), so that units of equations and unknowns do not matter; LU of the scaled matrix; scaling by
///              powers of two is exact.
/// Contract     BlockPattern is immutable and shared; BlockMatrix belongs to one evaluator and does not allocate after
///              its first factorisation.
/// Choices      a matrix with the bits of the one factorised last is not factorised again: circuits with switches have
///              constant matrices between events. Sparse from kSparseOrder unknowns on, unless half of the entries are there.
/// Fails when   the smallest pivot of the scaled matrix is not above kSmallestPivot·n·ε times the largest: singular. So small
///              a pivot is what rounding of coefficients and elimination leaves of zero. The test sees the matrix, not
///              the right side: equations that repeat each other are singular also where they agree.
/// Checked by   tests/unit/program/block_solver_test.cpp
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"
#include "linalg/dense_lu.hpp"
#include "linalg/sparse_lu.hpp"

namespace saltus::program {

/// Order from which a dense factorisation (n³/3 products) costs more than the overhead of a sparse one.
inline constexpr Index kSparseOrder = 32;

/// Times n·ε: coefficients of the user and elimination each contribute a few roundings to a pivot.
inline constexpr double kSmallestPivot = 4.0;

struct BlockPattern {
  struct Entry {
    int row = 0;
    int column = 0;
  };
  /// Entries in the order in which their values will be given; no place twice.
  BlockPattern(Index order, std::vector<Entry> places);

  Index n = 0;
  std::vector<Entry> entries;
  std::shared_ptr<const linalg::SparseLuSymbolic> sparse;  ///< none: dense
  std::vector<std::size_t> sparse_position;                ///< of each entry in the compressed columns
};

class BlockMatrix {
 public:
  /// `sizes`: of the unknowns, empty: 1. A second derivative with respect to microseconds is large without being all that matters in its row.
  explicit BlockMatrix(const BlockPattern& pattern, std::span<const double> sizes = {});

  [[nodiscard]] linalg::FactorStatus factorize(std::span<const double> values);
  /// b := A⁻¹·b
  void solve(std::span<double> b);
  /// b := A⁻ᵀ·b
  void solve_transposed(std::span<double> b);
  /// The same for several right sides, b [row][right side].
  void solve_rows(std::span<double> b, std::size_t n_right);
  /// As they were given; empty: 1.
  [[nodiscard]] std::span<const double> sizes() const { return sizes_; }
  /// By row: 1 over its largest entry, up to a factor of two, in the sizes of the unknowns.
  [[nodiscard]] std::span<const double> row_scales() const { return row_scales_; }

  void fields(Archive& a) {
    // Not saved: sizes_.
    a(dense_, sparse_, number_, columns_, factorized_, status_, row_scales_, column_scales_);
  }

 private:
  /// Whether these are, bit by bit, the values of the last factorisation; keeps them if not.
  [[nodiscard]] bool is_known(std::span<const double> values);
  [[nodiscard]] linalg::FactorStatus factorize_anew(std::span<const double> values);
  void find_scales(std::span<const double> values);
  [[nodiscard]] linalg::FactorStatus factorize_scaled(std::span<const double> values);
  [[nodiscard]] double pivot_ratio() const;
  [[nodiscard]] bool is_number() const { return !dense_ && !sparse_; }

  const BlockPattern& pattern_;
  // Neither: one by one, as most blocks are.
  std::optional<linalg::DenseLu> dense_;
  std::optional<linalg::SparseLuNumeric> sparse_;
  double number_ = 1.0;
  std::vector<double> columns_;     // values of the compressed columns
  std::vector<double> factorized_;  // values of the last factorisation; empty: none yet
  linalg::FactorStatus status_;     // of it
  std::vector<double> row_scales_;
  std::vector<double> column_scales_;
  std::vector<double> sizes_;  // empty: 1
};

}  // namespace saltus::program
