/// A second-order equation as a first-order one of least size, in which nothing is hidden.
///
/// Problem      M·ẍ + C·ẋ + K·x = f as E·ẏ = A·y + b with as few more unknowns as there are conditions of second order, no derivative of f beyond those of
///              the reduced system, and index 0
/// Method       index before order ([Wun08] 3.3, Figure 3.1): on the reduced system (order_reduction.hpp), y = (w, x) with
///                  w = Z₀ᵀ·M·ẋ:   ẇ + Z₀ᵀ(C - Ṁ)·ẋ + Z₀ᵀK·x = Z₀ᵀf,   C₂·ẋ + K₂·x = f₂,   K₃·x = f₃,   Z₀ᵀM·ẋ - w = 0
/// Notation     Z₀ = top, m × d₂
/// Contract     Order 2. n + d₂ unknowns, d = 2·d₂ + d₁, a, u and v of the reduced system. Along a solution Z₀ has to stay the same, as long as the
///              pair is without strangeness (local_values of rank_analysis.hpp): w is defined by it.
/// Choices      (3.64) of the source has w = Q₁ᵀ·ẋ with orthogonal Q(t) of an LQ factorisation of the reduced system, and needs its derivative; a
///              frozen Z₀ needs Ṁ alone, which is given. Both have the same size and values.
/// Checked by   tests/unit/reduce/trimmed_form_test.cpp
#pragma once

#include "linalg/dense_matrix.hpp"
#include "reduce/linear/order_reduction.hpp"

namespace saltus::reduce {

struct TrimmedForm {
  linalg::DenseMatrix e;
  linalg::DenseMatrix a;
  linalg::DenseMatrix combine;  ///< b = combine·(f, ḟ, …, f⁽ᵘ⁾), u the index μ
};

/// `reduced` is that of `coefficients` at the same point; `top`: Z₀, of this point or of one before.
[[nodiscard]] TrimmedForm trimmed_form(const Coefficients& coefficients, const ReducedOrder& reduced,
                                       const linalg::DenseMatrix& top);

}  // namespace saltus::reduce
