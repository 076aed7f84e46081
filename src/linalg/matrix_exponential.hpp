/// e^A of a small dense matrix.
///
/// Method       scaling and squaring with the diagonal Padé approximant of degree 13: e^A = (e^(A/2^s))^(2^s) with |A/2^s|₁ ≤ 5.37, for which
///              the backward error of the approximant is below the rounding of doubles. [Hig05] Algorithm 2.3, Table 2.3
/// Contract     A square, finite; empty is legal
/// Fails when   entries of the result leave the range of numbers: they are not finite then
/// Checked by   tests/unit/linalg/matrix_exponential_test.cpp
#pragma once

#include "linalg/dense_matrix.hpp"

namespace saltus::linalg {

[[nodiscard]] DenseMatrix exponential(const DenseMatrix& a);

}  // namespace saltus::linalg
