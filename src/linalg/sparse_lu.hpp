/// LU factorisation of a sparse matrix, real or complex, whose pattern stays while its values change.
///
/// Problem    A·x = b or Aᵀ·x = b, A square and sparse, many matrices of one pattern.
/// Method     KLU [DPN10]: block triangular form, then left-looking LU of each diagonal block with AMD order
/// and
///            threshold pivoting; a new matrix of the same pattern reuses pivots (refactorisation) while that
///            is stable. Eigen's SparseLU (COLAMD, supernodal) where KLU is not built in, and as partner in
///            tests.
/// Contract   SparseLuSymbolic is immutable and shared by threads; SparseLuNumeric belongs to one thread.
/// After a
///            failed factorize() it may be called again with other values; solve() may not be called.
/// Choices    refactorised pivots are kept while the pivot growth is above kSmallestPivotGrowth; below it, or
/// when a
///            pivot vanishes, the pivots are chosen anew. The result depends on the values and on the matrix
///            before only through that choice of pivots.
/// Fails when the pattern admits no nonzero diagonal (structurally singular) or a pivot is exactly zero.
/// Cost       for circuit-like patterns nearly proportional to the entries.
/// Checked by tests/unit/linalg/sparse_lu_test.cpp
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"
#include "linalg/factor_status.hpp"

namespace saltus::linalg {

/// Compressed columns: rows[column_starts[j] … column_starts[j+1]) are the rows of column j, strictly
/// ascending.
struct SparsePattern {
  Index n = 0;
  std::vector<Index> column_starts;  ///< n + 1
  std::vector<Index> rows;

  [[nodiscard]] std::size_t n_entries() const { return rows.size(); }
};

/// Those built in: SALTUS_WITH_KLU, SALTUS_WITH_EIGEN.
enum class SparseBackend { klu, eigen };

/// KLU where it is built in.
[[nodiscard]] SparseBackend default_sparse_backend();

class SparseLuSymbolic {
 public:
  explicit SparseLuSymbolic(SparsePattern pattern, SparseBackend backend = default_sparse_backend());
  SparseLuSymbolic(const SparseLuSymbolic&) = delete;
  SparseLuSymbolic& operator=(const SparseLuSymbolic&) = delete;
  ~SparseLuSymbolic();

  [[nodiscard]] const SparsePattern& pattern() const { return pattern_; }
  [[nodiscard]] SparseBackend backend() const { return backend_; }
  /// What the back end keeps of its analysis; none for Eigen, which analyses in the numeric object.
  struct Analysis;
  [[nodiscard]] const Analysis* analysis() const { return analysis_.get(); }

 private:
  SparsePattern pattern_;
  SparseBackend backend_;
  std::unique_ptr<Analysis> analysis_;
};

template <class Scalar>
class BasicSparseLuNumeric {
 public:
  explicit BasicSparseLuNumeric(std::shared_ptr<const SparseLuSymbolic> symbolic);
  BasicSparseLuNumeric(BasicSparseLuNumeric&&) noexcept;
  BasicSparseLuNumeric& operator=(BasicSparseLuNumeric&&) noexcept;
  ~BasicSparseLuNumeric();

  [[nodiscard]] Index n() const { return symbolic_->pattern().n; }
  /// Values in the order of the pattern's entries.
  [[nodiscard]] FactorStatus factorize(std::span<const Scalar> values);
  /// b := A⁻¹·b
  void solve(std::span<Scalar> b);
  /// b := A⁻ᵀ·b, without conjugation
  void solve_transposed(std::span<Scalar> b);
  /// The same for several right sides, b [row][right side].
  void solve_rows(std::span<Scalar> b, Index n_right);
  /// min |uⱼⱼ| / max |uⱼⱼ|: a cheap, rough hint of near singularity after a successful factorize(); 0 to 1.
  [[nodiscard]] double reciprocal_condition() const;

  /// One factorisation by one library.
  class Backend;

  void fields(Archive& a);

 private:
  std::shared_ptr<const SparseLuSymbolic> symbolic_;
  std::unique_ptr<Backend> backend_;
  bool factorized_ = false;
  bool keeps_pivots_ = false;    // of an earlier factorisation
  std::vector<Scalar> pivoted_;  // for which the pivots were chosen; empty: there are none
  std::vector<Scalar> values_;   // factorised last
};

extern template class BasicSparseLuNumeric<double>;
extern template class BasicSparseLuNumeric<std::complex<double>>;

using SparseLuNumeric = BasicSparseLuNumeric<double>;
using ComplexSparseLuNumeric = BasicSparseLuNumeric<std::complex<double>>;

}  // namespace saltus::linalg
