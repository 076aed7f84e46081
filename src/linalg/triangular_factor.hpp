/// The triangular factor of a matrix with many rows, and what a right-hand side becomes beside it.
///
/// Problem      Qᵀ·A = (R; 0) and Qᵀ·b = (c; d) for an A of m rows and n columns, m usually much larger than n: ‖A·x + b‖² = ‖R·x + c‖² + ‖d‖²
/// Method       Householder's reflections, column by column ([GVL13] 5.2.2)
/// Contract     Finite entries. R has n rows whatever m is: those that A has not are zero.
/// Cost         2·m·n² operations; Q is not formed
/// Checked by   tests/unit/linalg/triangular_factor_test.cpp
#pragma once

#include <vector>

#include "linalg/dense_matrix.hpp"

namespace saltus::linalg {

struct TriangularFactor {
  DenseMatrix r;          ///< n × n, zero below its diagonal
  std::vector<double> c;  ///< n
  double rest = 0.0;      ///< ‖d‖²
};

[[nodiscard]] TriangularFactor triangular_factor(DenseMatrix a, std::vector<double> b);

}  // namespace saltus::linalg
