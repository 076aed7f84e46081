/// Problem      A + αB, factorised, for many α and many (A, B) of one pattern; A = ∂r/∂y, B = ∂r/∂ẏ of r(t, y, ẏ) = 0
/// Method       The pattern of the sum is made once, with the place of every entry of the Jacobian in it. KLU with one symbolic
///              analysis for all real and complex α (linalg/sparse_lu.hpp); dense LU for small or nearly full systems.
/// Contract     The Jacobian has the columns y, then ẏ of the first n_states entries of y, as LockedDae::residual_form; its
///              entries are given in the order of its pattern. After a failed factorize() solve() may not be called.
///              factorize() and solve() of a dense matrix, and of a sparse one after the first
///              factorisation, do not allocate.
/// Choices      α multiplies B and not 1/α A: rows without ẏ (algebraic equations) keep their scale for every h.
///              Dense for small and for nearly full systems, measured: see the constants.
/// Checked by   tests/unit/integrate/iteration_matrix_test.cpp
#pragma once

#include <complex>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "base/ids.hpp"
#include "linalg/dense_lu.hpp"
#include "linalg/sparse_lu.hpp"
#include "system/equation_set.hpp"

namespace saltus::integrate {

enum class MatrixStorage : std::uint8_t { automatic, dense, sparse };

/// Where the entries of the Jacobian stand in A + αB. Immutable; shared by matrices with different α.
class IterationPattern {
 public:
  /// `jacobian` has n_y rows and n_y + n_states columns.
  IterationPattern(const system::RectangularPattern& jacobian, Index n_states,
                   MatrixStorage storage = MatrixStorage::automatic);

  [[nodiscard]] Index n_y() const { return n_y_; }
  [[nodiscard]] Index n_states() const { return n_states_; }
  [[nodiscard]] std::size_t n_jacobian_entries() const { return places_.size(); }
  [[nodiscard]] bool is_dense() const { return symbolic_ == nullptr; }
  [[nodiscard]] const std::shared_ptr<const linalg::SparseLuSymbolic>& symbolic() const { return symbolic_; }
  /// Numbers that a matrix holds: entries of the sum, or all.
  [[nodiscard]] std::size_t n_values() const { return n_values_; }
  /// Place of every entry of the Jacobian among these; those of B begin at first_b().
  [[nodiscard]] std::span<const Index> places() const { return places_; }
  [[nodiscard]] std::size_t first_b() const { return first_b_; }

  /// out = B·v, v of n_states or more numbers, out of n_y.
  void multiply_b(std::span<const double> entries, std::span<const double> v, std::span<double> out) const;

 private:
  Index n_y_;
  Index n_states_;
  std::size_t first_b_ = 0;
  std::size_t n_values_ = 0;
  std::vector<Index> places_;
  std::vector<Index> b_starts_;  // by state, into b_rows_
  std::vector<Index> b_rows_;
  std::shared_ptr<const linalg::SparseLuSymbolic> symbolic_;
};

/// One factorisation. Scalar: double or std::complex<double>, the type of α.
template <class Scalar>
class BasicIterationMatrix {
 public:
  explicit BasicIterationMatrix(std::shared_ptr<const IterationPattern> pattern);

  /// A + αB from the entries of the Jacobian.
  [[nodiscard]] linalg::FactorStatus factorize(Scalar alpha, std::span<const double> entries);
  /// b := (A + αB)⁻¹ b
  void solve(std::span<Scalar> b);
  /// A cheap, rough hint of near singularity after a successful factorize(), 0 to 1.
  [[nodiscard]] double pivot_ratio() const;

  void fields(Archive& a) {
    // Not saved: pattern_.
    a(dense_, sparse_, values_);
  }

 private:
  void combine(Scalar alpha, std::span<const double> entries, std::span<Scalar> values) const;

  std::shared_ptr<const IterationPattern> pattern_;
  std::optional<linalg::BasicDenseLu<Scalar>> dense_;
  std::optional<linalg::BasicSparseLuNumeric<Scalar>> sparse_;
  std::vector<Scalar> values_;  // of the sparse matrix
};

extern template class BasicIterationMatrix<double>;
extern template class BasicIterationMatrix<std::complex<double>>;

using IterationMatrix = BasicIterationMatrix<double>;
using ComplexIterationMatrix = BasicIterationMatrix<std::complex<double>>;

}  // namespace saltus::integrate
