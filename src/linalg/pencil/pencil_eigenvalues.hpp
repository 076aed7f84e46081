/// Eigenvalues of a real pair of matrices.
///
/// Problem      λ with A·x = λ·E·x for some x ≠ 0, E nonsingular
/// Method       QZ with one complex shift: E triangular and A in Hessenberg form by rotations from both sides, then steps that chase the
///              rotation of the first column of A·E⁻¹ - μ down, μ the eigenvalue of the last 2 × 2 block nearer to its end ([GVL13] 7.7). E is
///              never inverted: the values are those of a pair that differs from the given one by rounding errors of its entries.
/// Contract     Square, of one shape, finite; E nonsingular by rank_decision.hpp. As many values as rows, those that are not real in
///              conjugate pairs; by real, then by imaginary part. Two of which each is nearer to the conjugate of the other than to the real axis
///              are a pair.
/// Fails when   steps do not converge, which is not known to happen with the exceptional shifts: a contract violation.
/// Cost         about 60·n³ operations
/// Checked by   tests/unit/linalg/pencil_eigenvalues_test.cpp
#pragma once

#include <complex>
#include <vector>

#include "linalg/dense_matrix.hpp"

namespace saltus::linalg {

[[nodiscard]] std::vector<std::complex<double>> pencil_eigenvalues(const DenseMatrix& e,
                                                                   const DenseMatrix& a);

}  // namespace saltus::linalg
