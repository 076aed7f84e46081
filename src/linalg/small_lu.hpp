/// LU factorisation of small dense matrices without the overhead of a library; private to src/linalg.
///
/// Problem    P·A = L·U in place, A of order n, column-major; then L·U·x = P·b
/// Method     partial pivoting, right-looking by columns ([GVL13] 3.4): every inner loop runs down a column
/// Choices    complex products are written out: the language's own multiply tests every result for NaN. Pivots of complex
///            columns are chosen by |re| + |im|, which is within √2 of the absolute value and needs no root.
/// Checked by tests/unit/linalg/dense_lu_test.cpp, tests/unit/linalg/complex_lu_test.cpp
#pragma once

#include <cmath>
#include <complex>
#include <utility>

#include "base/ids.hpp"

namespace saltus::linalg::small_lu {

inline double size_of(double value) {
  return std::abs(value);
}
inline double size_of(const std::complex<double>& value) {
  return std::abs(value.real()) + std::abs(value.imag());
}

inline double product(double a, double b) {
  return a * b;
}
inline std::complex<double> product(const std::complex<double>& a, const std::complex<double>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// What divides by the pivot: real numbers are divided, complex ones multiplied by the inverse.
struct RealDivisor {
  explicit RealDivisor(double pivot) : pivot_(pivot) {}
  double operator()(double value) const { return value / pivot_; }

 private:
  double pivot_;
};
struct ComplexDivisor {
  explicit ComplexDivisor(const std::complex<double>& pivot) : inverse_(1.0 / pivot) {}
  std::complex<double> operator()(const std::complex<double>& value) const {
    return product(value, inverse_);
  }

 private:
  std::complex<double> inverse_;
};
inline RealDivisor divisor(double pivot) {
  return RealDivisor(pivot);
}
inline ComplexDivisor divisor(const std::complex<double>& pivot) {
  return ComplexDivisor(pivot);
}

/// target -= factor · column, n numbers.
template <class Scalar>
void subtract(Scalar* __restrict__ target, const Scalar* __restrict__ column, Scalar factor, Index n) {
  for (Index i = 0; i < n; ++i) {
    target[i] -= product(column[i], factor);
  }
}

/// `exchanged`: row that was exchanged with row k. Returns the first column without a pivot, or n.
template <class Scalar>
Index factorize(Scalar* a, Index* exchanged, Index n) {
  for (Index k = 0; k < n; ++k) {
    Scalar* const column = a + k * n;
    Index best = k;
    double largest = size_of(column[k]);
    for (Index i = k + 1; i < n; ++i) {
      if (const double size = size_of(column[i]); size > largest) {
        largest = size;
        best = i;
      }
    }
    // Also false for NaN, which the caller tells from zero.
    if (!(largest > 0.0) || !std::isfinite(largest)) {
      return k;
    }
    exchanged[k] = best;
    if (best != k) {
      for (Index j = 0; j < n; ++j) {
        std::swap(a[k + j * n], a[best + j * n]);
      }
    }
    const auto divide = divisor(column[k]);
    for (Index i = k + 1; i < n; ++i) {
      column[i] = divide(column[i]);
    }
    for (Index j = k + 1; j < n; ++j) {
      Scalar* const other = a + j * n;
      subtract(other + k + 1, column + k + 1, other[k], n - k - 1);
    }
  }
  return n;
}

template <class Scalar>
void solve(const Scalar* a, const Index* exchanged, Index n, Scalar* b) {
  for (Index k = 0; k < n; ++k) {
    if (exchanged[k] != k) {
      std::swap(b[k], b[exchanged[k]]);
    }
  }
  for (Index k = 0; k + 1 < n; ++k) {
    subtract(b + k + 1, a + k * n + k + 1, b[k], n - k - 1);
  }
  for (Index k = n; k-- > 0;) {
    b[k] = divisor(a[k + k * n])(b[k]);
    subtract(b, a + k * n, b[k], k);
  }
}

}  // namespace saltus::linalg::small_lu
