/// The solution of a regular linear DAE with constant coefficients in closed form: a reference that shares nothing with steppers.
///
/// Problem      E·ẋ = A·x + b(t), (E, A) regular of any index ν, b with ν - 1 derivatives
/// Method       [Wun08] Theorem 2.31, [KM06] 2.3: with Ê = (λE - A)⁻¹E, Â = (λE - A)⁻¹A, b̂ = (λE - A)⁻¹b
///                x(t) = e^(Ê^D Â (t - t₀)) Ê^D Ê w + ∫ e^(Ê^D Â (t - s)) Ê^D b̂(s) ds - (I - Ê^D Ê) Σ_(i<ν) (Ê Â^D)^i Â^D b̂⁽ⁱ⁾(t)
///              the integral by Gauss-Legendre over panels short beside the time scale of Ê^D Â
/// Contract     `b(i, t)` is the i-th derivative. at() for t before and after t₀.
/// Fails when   the pair is singular: no solution object
/// Cost         matrix exponentials at all points of the quadrature: for tests and reports
/// Checked by   tests/unit/reduce/drazin_solution_test.cpp
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "linalg/dense_matrix.hpp"

namespace saltus::reduce {

class DrazinSolution {
 public:
  using Forcing = std::function<std::vector<double>(int derivative, double t)>;

  [[nodiscard]] static std::optional<DrazinSolution> make(const linalg::DenseMatrix& e,
                                                          const linalg::DenseMatrix& a, Forcing b, double t0);

  [[nodiscard]] int index() const { return index_; }
  /// x(t) of the solution that begins at the part of w that may be chosen.
  [[nodiscard]] std::vector<double> at(double t, const std::vector<double>& w) const;

 private:
  DrazinSolution() = default;
  [[nodiscard]] std::vector<double> integral(double t) const;

  int index_ = 0;
  double t0_ = 0.0;
  Forcing b_;
  linalg::DenseMatrix inverse_;       // (λE - A)⁻¹
  linalg::DenseMatrix e_drazin_;      // Ê^D
  linalg::DenseMatrix flow_;          // Ê^D Â
  linalg::DenseMatrix differential_;  // Ê^D Ê
  linalg::DenseMatrix shift_;         // Ê Â^D
  linalg::DenseMatrix a_drazin_;      // Â^D
};

}  // namespace saltus::reduce
