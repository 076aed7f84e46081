/// Eigenvalues of a real dense matrix.
///
/// Problem      λ with A·x = λ·x for some x ≠ 0
/// Method       balancing by powers of two ([GVL13] 7.5.7), Hessenberg form by reflections (7.4.3), QR steps with one complex shift, the
///              eigenvalue of the last 2 × 2 block that is nearer to its end (7.5), each rotation applied to the active block alone
/// Contract     Finite entries. As many values as rows, those that are not real in conjugate pairs; by real, then by imaginary part.
/// Fails when   QR steps do not converge, which is not known to happen with the exceptional shifts: a contract violation.
/// Cost         about 30·n³ operations
/// Checked by   tests/unit/linalg/eigenvalues_test.cpp
#pragma once

#include <complex>
#include <vector>

#include "linalg/dense_matrix.hpp"

namespace saltus::linalg {

// Of QR and QZ steps. Limit of work for one value: two or three steps are usual.
inline constexpr int kMostStepsOfAnEigenvalue = 300;
// After so many steps without a value a shift of another kind breaks a cycle.
inline constexpr int kStepsBeforeOtherShift = 10;

[[nodiscard]] std::vector<std::complex<double>> eigenvalues(DenseMatrix a);

/// A := D⁻¹·A·D with rows and columns of comparable norms; the diagonal of D, powers of two.
std::vector<double> balance(DenseMatrix& a);

}  // namespace saltus::linalg
