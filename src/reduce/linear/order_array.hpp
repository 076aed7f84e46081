/// The derivative array of a linear equation of any order at a point.
///
/// Problem      C_k·x⁽ᵏ⁾ + … + C_1·ẋ + C_0·x = f with coefficients that vary: F, Ḟ, …, F⁽ˡ⁾ by derivatives of x
/// Method       row l of the array contains x⁽ᵖ⁾ with Σ_i binomial(l, p - i)·C_i⁽ˡ⁻ᵖ⁺ⁱ⁾ (Leibniz; [Wun08] (2.23) and (3.20) are k = 1 and 2)
/// Notation     m equations, n unknowns, k order; by_order[p]: ∂(F, …, F⁽ˡ⁾)/∂x⁽ᵖ⁾, rows by level, then by equation
/// Contract     Coefficients of one shape, k ≥ 1; derivatives that are not given are zero.
/// Checked by   tests/unit/reduce/order_reduction_test.cpp
#pragma once

#include <vector>

#include "linalg/dense_matrix.hpp"
#include "linalg/modular.hpp"

namespace saltus::reduce {

/// [i][j]: derivative j of C_i at the point.
using Coefficients = std::vector<std::vector<linalg::DenseMatrix>>;

/// One shape, an order of at least 1, finite numbers: a contract.
void check_coefficients(const Coefficients& coefficients);

[[nodiscard]] std::vector<linalg::DenseMatrix> order_array(const Coefficients& coefficients, int level);
[[nodiscard]] std::vector<linalg::modular::Residues> exact_order_array(const Coefficients& coefficients,
                                                                       int level,
                                                                       const linalg::modular::Field& field);

/// E·ẏ + A·y = g with y = (x, ẋ, …, x⁽ᵏ⁻¹⁾): the equations, then the chains ẏ_i - y_(i+1) = 0. Every unknown is differentiated k - 1 times, whether it
/// has to be or not ([Wun08] (3.57)).
[[nodiscard]] Coefficients companion_form(const Coefficients& coefficients);

}  // namespace saltus::reduce
