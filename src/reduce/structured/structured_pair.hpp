/// Symmetric and self-adjoint equations E·ẋ = A·x + b in forms that keep their structure.
///
/// Problem      condensed form and invariants, an equivalent system in which nothing is hidden and that is symmetric or self-adjoint again, and one
///              by minimal extension; why not, where there is none
/// Method       congruences x = P·y, PᵀEP and PᵀAP - PᵀEṖ ([Wun08] Theorems 4.3, 4.10, 4.24, 4.25; (4.16), (4.26), (4.32)). P is built from null
///              spaces: T of E, V in T of TᵀAT, and in range E the part that V couples to; blocks
///                  E ~ (E₁₁ E₁₂; E₂₁ E₂₂) of s and d rows, A ~ Σ_a of a rows, Σ_s between x₁ and x₄, and u rows of zeros.
///              E₂₂ nonsingular: μ ≤ 1. With β = Σ_s⁻ᵀ·b₄, x₁ = -β; its derivative goes to the right side, x₄ takes up what multiplies x₂.
/// Notation     T₀, V as in the source; U₁, U₂ bases within range E; jets are values with derivatives at the point (matrix_jet.hpp)
/// Contract     Square, of the structure named, by value at the point; derivatives Ė, Ë, Ȧ at it. Where they are not given they are zero. The
///              forms are those at the point: b and ḃ enter through right sides. Scaled by one power of 2 for each unknown, so that structure
///              stays.
/// Choices      Only null spaces are continued (Ṅ = -A⁺·Ȧ·N), complements stand still: then PᵀEṖ needs no more than Ė and Ë. Printed forms differ
///              by orthogonal transformations within blocks. x₄ of (4.26) takes up A₁₂ too, and the right side A₁₁ and A₂₁: the print drops
///              them. Assumption 4.8 is looked at by derivatives at the point: Ė·T = 0, and what Σ_s has for a range stands still.
/// Fails when   E₂₂ is singular (index above 1; or 1 where λE - A is singular and d, u, v change by differentiation), a rank is not clear, ranks change at the point, or a symmetric pair turns; then `reason` says which,
///              and the form is left out
/// Checked by   tests/unit/reduce/structured_pair_test.cpp
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "linalg/dense_matrix.hpp"
#include "reduce/linear/rank_algebra.hpp"
#include "reduce/structured/pair_structure.hpp"

namespace saltus::reduce {

/// [j]: derivative j at the point.
struct PairData {
  std::vector<linalg::DenseMatrix> e;
  std::vector<linalg::DenseMatrix> a;
};

/// Ê·ẏ = Â·y + data·b + data_rate·ḃ with x = unknowns·y.
struct StructuredForm {
  linalg::DenseMatrix e;
  linalg::DenseMatrix a;
  linalg::DenseMatrix data;
  linalg::DenseMatrix data_rate;
  linalg::DenseMatrix unknowns;
  /// Its derivative, as far as the unknowns that are differentiated need it: their rates are those rows of unknowns⁻¹·(ẋ - unknowns_rate·y).
  linalg::DenseMatrix unknowns_rate;
};

struct StructuredPair {
  Index rank = 0;          ///< r of E
  Index algebraic = 0;     ///< a
  Index strangeness = 0;   ///< s
  Index differential = 0;  ///< d = r - s
  Index undetermined = 0;  ///< u, and as many equations that follow or contradict
  /// (4.4): PᵀEP and PᵀAP - PᵀER in the blocks s, d, a, s, u; Σ_a and Σ_s diagonal. P = D·Q, Q orthogonal, D powers of 2 by unknown.
  linalg::DenseMatrix p;
  linalg::DenseMatrix condensed_e;
  linalg::DenseMatrix condensed_a;
  /// (4.9), (4.22): the same E, and A with its first r × r block removed by the R of a local congruence.
  linalg::DenseMatrix local_a;
  bool is_semidefinite = false;  ///< E symmetric and positive semidefinite: then the index is at most 1
  std::optional<int> index;      ///< 0 or 1; none: above, or see `reason`
  std::optional<StructuredForm> strangeness_free;
  std::optional<StructuredForm> extended;  ///< by s more unknowns, for index 1
  std::string reason;                      ///< why a form is left out
};

/// None: a rank is not clear. `is_rounded`: entries are results of calculations, and what rounding of theirs explains is zero; otherwise r, a and s are
/// those of the numbers exactly as they stand.
[[nodiscard]] std::optional<StructuredPair> structured_pair(const PairData& pair, StructureKind kind,
                                                            bool is_rounded = false);

}  // namespace saltus::reduce
