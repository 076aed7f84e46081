/// LU factorisation of a small dense matrix, real or complex.
///
/// Problem    A·x = b or Aᵀ·x = b, A square.
/// Method     P·A = L·U with partial pivoting ([GVL13] 3.4), by plain_lu.hpp.
/// Contract   storage is taken once, in the constructor; factorize() and solve() do not allocate. After a failed factorize() the
///            object may be filled and factorised again; solve() may not be called.
/// Fails when a pivot is exactly zero or not finite: a value, not an exception. Near singularity is no failure: ask pivot_ratio().
/// Cost       2n³/3 to factorise, 2n² to solve.
/// Checked by tests/unit/linalg/dense_lu_test.cpp
#pragma once

#include <complex>
#include <memory>
#include <span>

#include "base/archive.hpp"
#include "base/ids.hpp"
#include "linalg/factor_status.hpp"

namespace saltus::linalg {

template <class Scalar>
class BasicDenseLu {
 public:
  explicit BasicDenseLu(Index n);
  BasicDenseLu(BasicDenseLu&&) noexcept;
  BasicDenseLu& operator=(BasicDenseLu&&) noexcept;
  ~BasicDenseLu();

  [[nodiscard]] Index n() const;
  /// The matrix to be factorised next, column-major: entry (i, j) at [i + j·n]. Kept by factorize().
  [[nodiscard]] std::span<Scalar> matrix();
  [[nodiscard]] FactorStatus factorize();
  /// b := A⁻¹·b
  void solve(std::span<Scalar> b);
  /// b := A⁻ᵀ·b, without conjugation
  void solve_transposed(std::span<Scalar> b);
  /// The same for several right sides, b [row][right side].
  void solve_rows(std::span<Scalar> b, Index n_right);
  /// min |uⱼⱼ| / max |uⱼⱼ| after a successful factorize(), 0 to 1: a cheap, rough hint of near singularity.
  [[nodiscard]] double pivot_ratio() const;

  void fields(Archive& a);

 private:
  struct Storage;
  std::unique_ptr<Storage> storage_;
};

extern template class BasicDenseLu<double>;
extern template class BasicDenseLu<std::complex<double>>;

using DenseLu = BasicDenseLu<double>;
using ComplexDenseLu = BasicDenseLu<std::complex<double>>;

}  // namespace saltus::linalg
