/// Singular values of a dense matrix with both orthogonal factors.
///
/// Problem      A = U·Σ·Vᵀ, U of order m, V of order n, Σ diagonal, its entries not negative and in descending order
/// Method       reflections from both sides make A bidiagonal, then QR steps with the shift of the last 2 × 2 block of BᵀB
///              ([GVL13] 8.6.1 to 8.6.3); a matrix with more columns than rows is transposed
/// Contract     Finite entries, at least one row and column. The factors give A back, and are orthogonal, to some rounding errors
///              of the largest entry times the order: values below that are not determined. The same numbers on every machine.
/// Choices      an own decomposition instead of a library's: templates for it took a fifth of the time of a first build, and those for
///              large matrices (bisection) gave wrong factors for many equal values (docs/decisions/0007-own-dense-algebra.md).
/// Fails when   QR steps do not converge, which is not known to happen with this shift: a contract violation.
/// Cost         about 25·n³ operations for m = n
/// Checked by   tests/unit/linalg/singular_values_test.cpp
#pragma once

#include <vector>

#include "linalg/dense_matrix.hpp"

namespace saltus::linalg {

struct SingularValues {
  std::vector<double> values;  ///< min(m, n)
  DenseMatrix left;            ///< U, m × m
  DenseMatrix right;           ///< V, n × n
};

[[nodiscard]] SingularValues singular_values(const DenseMatrix& a);

}  // namespace saltus::linalg
