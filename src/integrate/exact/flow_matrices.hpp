/// The matrices of ẋ = A·x + f(t) for steps of several sizes.
///
/// Method       x(t + h) = x + P₀·(A·x + f) + Σ_(q≥1) P_q·h^q·f⁽ᵠ⁾(t) = Φ·x + P₀·f + …,   Φ = e^(h·A), P_q = h·φ_(q+1)(h·A): variation of
///              constants, exact where f is a polynomial (phi_functions.hpp). A is balanced by powers of two first: units of states do not matter.
/// Contract     Matrices of a size are made when they are first asked for and kept; the oldest go where there are many.
/// Checked by   tests/exact/exact_method_test.cpp
#pragma once

#include <span>
#include <vector>

#include "linalg/dense_matrix.hpp"

namespace saltus::integrate {

class FlowMatrices {
 public:
  explicit FlowMatrices(const linalg::DenseMatrix& a);

  [[nodiscard]] const linalg::DenseMatrix& a() const { return a_; }
  /// The largest |Im λ| of A: how fast solutions can turn without being damped away.
  [[nodiscard]] double turning() const { return turning_; }
  /// Φ, then P₀ … P_(count-1) or more of them; valid until the next call.
  [[nodiscard]] std::span<const linalg::DenseMatrix> of_size(double h, int count);

 private:
  struct Size {
    double h = 0.0;
    std::vector<linalg::DenseMatrix> matrices;
  };

  linalg::DenseMatrix a_;
  linalg::DenseMatrix balanced_;
  std::vector<double> scale_;
  double turning_ = 0.0;
  std::vector<Size> sizes_;
  std::size_t next_place_ = 0;
};

/// y += A·x
void add_product(const linalg::DenseMatrix& a, std::span<const double> x, std::span<double> y);
/// y += |A|·|x|
void add_absolute_product(const linalg::DenseMatrix& a, std::span<const double> x, std::span<double> y);

}  // namespace saltus::integrate
