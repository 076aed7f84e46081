/// The functions of exponential integrators, of a small dense matrix.
///
/// Problem      φ₀(A) = e^A, φ_k(A) = ∫₀¹ e^((1-s)A)·s^(k-1)/(k-1)! ds = Σ_j Aʲ/(j + k)!
/// Method       Z = A/2^s with |Z|₁ ≤ ½: the series of the highest one, φ_k = Z·φ_(k+1) + I/k! downwards, then s times
///              φ_k(2Z) = 2⁻ᵏ·(φ₀(Z)·φ_k(Z) + Σ_(j=1..k) φ_j(Z)/(k - j)!)   [BSW07]
/// Contract     A square, finite; empty is legal. The values are those of a matrix that differs from A by some roundings of |A|.
/// Fails when   entries of the result leave the range of numbers: they are not finite then
/// Cost         (15 + count·(1 + s))·2n³
/// Checked by   tests/unit/linalg/phi_functions_test.cpp
#pragma once

#include <vector>

#include "linalg/dense_matrix.hpp"

namespace saltus::linalg {

/// φ₀ … φ_count, count ≥ 1.
[[nodiscard]] std::vector<DenseMatrix> phi_functions(const DenseMatrix& a, int count);

}  // namespace saltus::linalg
