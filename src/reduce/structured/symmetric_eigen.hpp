/// Eigenvalues and orthonormal eigenvectors of a symmetric matrix.
///
/// Method       rotations that clear one entry after the other, in rows (Jacobi; [GVL13] 8.5.3), until all are rounding
/// Contract     Square, finite; the part below the diagonal is read. Ascending.
/// Cost         some sweeps of 2·n³ operations
/// Checked by   tests/unit/reduce/structured_pair_test.cpp
#pragma once

#include <vector>

#include "linalg/dense_matrix.hpp"

namespace saltus::reduce {

struct SymmetricEigen {
  std::vector<double> values;
  linalg::DenseMatrix vectors;  ///< in columns
};

[[nodiscard]] SymmetricEigen symmetric_eigen(linalg::DenseMatrix a);

}  // namespace saltus::reduce
