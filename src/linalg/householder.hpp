/// Householder's reflections, for the dense decompositions of src/linalg; private to it.
///
/// Problem      I - β·v·vᵀ that takes a vector x to a multiple of the first unit vector, and products with it
/// Method       v = (x ± ‖x‖·e₁)/‖x‖ with the sign that does not cancel ([GVL13] 5.1): v₁ is 1 to 2, β = 1/|v₁|
/// Contract     the length is taken of x divided by its largest entry: it neither overflows nor vanishes. A vector that is zero behind
///              its first entry is left alone (β = 0): unit matrices decompose into themselves.
/// Choices      sums are taken in four parts, so that a processor need not wait for one addition after the other; in the same
///              parts on every machine.
/// Checked by   tests/unit/linalg/singular_values_test.cpp, tests/unit/linalg/rank_decision_test.cpp
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "linalg/dense_matrix.hpp"

namespace saltus::linalg::householder {

inline double dot(const double* __restrict__ x, const double* __restrict__ y, Index n) {
  double s0 = 0.0;
  double s1 = 0.0;
  double s2 = 0.0;
  double s3 = 0.0;
  Index i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += x[i] * y[i];
    s1 += x[i + 1] * y[i + 1];
    s2 += x[i + 2] * y[i + 2];
    s3 += x[i + 3] * y[i + 3];
  }
  for (; i < n; ++i) {
    s0 += x[i] * y[i];
  }
  return (s0 + s1) + (s2 + s3);
}

/// y += factor·x
inline void add(double factor, const double* __restrict__ x, double* __restrict__ y, Index n) {
  for (Index i = 0; i < n; ++i) {
    y[i] += factor * x[i];
  }
}

/// Euclidean length.
inline double length(const double* x, Index n) {
  double largest = 0.0;
  for (Index i = 0; i < n; ++i) {
    largest = std::max(largest, std::abs(x[i]));
  }
  if (largest == 0.0) {
    return 0.0;
  }
  double sum = 0.0;
  for (Index i = 0; i < n; ++i) {
    const double part = x[i] / largest;
    sum += part * part;
  }
  return largest * std::sqrt(sum);
}

struct Reflection {
  double beta = 0.0;
  double first = 0.0;  ///< what x₁ becomes
};

/// Overwrites x with v, unless β is zero.
inline Reflection make_reflection(double* x, Index n) {
  if (std::all_of(x + 1, x + n, [](double entry) { return entry == 0.0; })) {
    return {0.0, x[0]};
  }
  const double size = length(x, n);
  const double sign = x[0] > 0.0 ? 1.0 : -1.0;
  for (Index i = 0; i < n; ++i) {
    x[i] /= size;
  }
  x[0] += sign;
  return {1.0 / std::abs(x[0]), -sign * size};
}

/// y := (I - β·v·vᵀ)·y
inline void reflect(double beta, const double* v, double* y, Index n) {
  if (beta != 0.0) {
    add(-beta * dot(v, y, n), v, y, n);
  }
}

/// The reflections that stand in the columns of `vectors`, from the diagonal or `offset` rows below it, times the leading columns of the
/// unit matrix.
inline DenseMatrix product(const DenseMatrix& vectors, const std::vector<double>& betas, Index columns,
                           Index offset = 0) {
  const Index n = vectors.rows();
  DenseMatrix result(n, columns);
  for (Index j = 0; j < columns; ++j) {
    result(j, j) = 1.0;
  }
  double* const entries = result.entries().data();
  for (Index k = static_cast<Index>(betas.size()); k-- > 0;) {
    const Index first = k + offset;
    const double* const v = vectors.entries().data() + k * n + first;
    for (Index j = first; j < columns; ++j) {
      reflect(betas[static_cast<std::size_t>(k)], v, entries + j * n + first, n - first);
    }
  }
  return result;
}

}  // namespace saltus::linalg::householder
