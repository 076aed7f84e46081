/// Matrices that vary, with their first derivatives: products, inverses and null spaces.
///
/// Method       (A·B)' = A'·B + A·B', (A⁻¹)' = -A⁻¹·A'·A⁻¹. A basis N of ker A at a point is continued with Ṅ = -A⁺·A'·N, which is what A·N = 0 asks of
///              it; a complement needs no derivative, so it stays as it is.
/// Contract     Continuing a kernel assumes that the rank of A is constant: then A'·N lies in the range of A (leaves_kernel says how far it does not).
/// Checked by   tests/unit/reduce/structured_pair_test.cpp
#pragma once

#include "linalg/dense_matrix.hpp"
#include "linalg/generalized_inverse.hpp"

namespace saltus::reduce {

struct MatrixJet {
  linalg::DenseMatrix value;
  linalg::DenseMatrix rate;

  [[nodiscard]] static MatrixJet constant(linalg::DenseMatrix value) {
    linalg::DenseMatrix none(value.rows(), value.columns());
    return {std::move(value), std::move(none)};
  }
  [[nodiscard]] MatrixJet transposed() const { return {value.transposed(), rate.transposed()}; }
};

inline MatrixJet operator*(const MatrixJet& a, const MatrixJet& b) {
  return {a.value * b.value, a.rate * b.value + a.value * b.rate};
}
inline MatrixJet operator+(const MatrixJet& a, const MatrixJet& b) {
  return {a.value + b.value, a.rate + b.rate};
}
inline MatrixJet operator-(const MatrixJet& a, const MatrixJet& b) {
  return {a.value - b.value, a.rate - b.rate};
}
inline MatrixJet beside(const MatrixJet& a, const MatrixJet& b) {
  return {beside(a.value, b.value), beside(a.rate, b.rate)};
}

/// Of `inverse` = A⁻¹ at the point.
inline MatrixJet inverse_jet(const MatrixJet& a, const linalg::DenseMatrix& inverse) {
  return {inverse, -1.0 * (inverse * a.rate * inverse)};
}

inline MatrixJet continued_kernel(const MatrixJet& a, const linalg::DenseMatrix& kernel) {
  return {kernel, -1.0 * (linalg::moore_penrose(a.value) * a.rate * kernel)};
}

/// The part of A'·N outside of range A, whose complement `corange` spans: zero where the rank is constant.
inline double leaves_kernel(const MatrixJet& a, const linalg::DenseMatrix& corange,
                            const linalg::DenseMatrix& kernel) {
  return transpose_times(corange, a.rate * kernel).largest_entry();
}

}  // namespace saltus::reduce
