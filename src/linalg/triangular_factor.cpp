#include "linalg/triangular_factor.hpp"

#include <algorithm>
#include <utility>

#include "linalg/householder.hpp"

namespace saltus::linalg {

TriangularFactor triangular_factor(DenseMatrix a, std::vector<double> b) {
  const Index m = a.rows();
  const Index n = a.columns();
  double* const entries = a.entries().data();
  TriangularFactor factor{DenseMatrix(n, n), std::vector<double>(static_cast<std::size_t>(n)), 0.0};
  for (Index k = 0; k < std::min(m, n); ++k) {
    double* const v = entries + k * m + k;
    const householder::Reflection reflection = householder::make_reflection(v, m - k);
    for (Index j = k + 1; j < n; ++j) {
      householder::reflect(reflection.beta, v, entries + j * m + k, m - k);
    }
    householder::reflect(reflection.beta, v, b.data() + k, m - k);
    factor.r(k, k) = reflection.first;
    for (Index j = k + 1; j < n; ++j) {
      factor.r(k, j) = a(k, j);
    }
    factor.c[static_cast<std::size_t>(k)] = b[static_cast<std::size_t>(k)];
  }
  if (m > n) {
    const double rest = householder::length(b.data() + n, m - n);
    factor.rest = rest * rest;
  }
  return factor;
}

}  // namespace saltus::linalg
