/// LU factorisation of dense matrices in plain loops; private to src/linalg.
///
/// Problem    P·A = L·U in place, A of order n, column-major; then L·U·x = P·b, or Uᵀ·Lᵀ·P·x = b
/// Method     partial pivoting, right-looking by columns ([GVL13] 3.4): every inner loop runs down a column. Panels of kPanel columns are
///            factorised first and then taken out of the columns behind them, four at once ([GVL13] 3.4.7): the same sums in
///            the same order, with a quarter of the traffic between processor and memory
/// Choices    complex products are written out: the language's own multiply tests every result for NaN. Pivots of complex
///            columns are chosen by |re| + |im|, which is within √2 of the absolute value and needs no root.
///            Equations of a model leave most factors zero: NonZeros lists the others, so that a solution skips these. The sums
///            are the same to the last bit.
/// Checked by tests/unit/linalg/dense_lu_test.cpp, tests/unit/linalg/complex_lu_test.cpp
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/ids.hpp"

namespace saltus::linalg::plain_lu {

inline double size_of(double value) {
  return std::abs(value);
}
inline double size_of(const std::complex<double>& value) {
  return std::abs(value.real()) + std::abs(value.imag());
}

inline bool is_finite(double value) {
  return std::isfinite(value);
}
inline bool is_finite(const std::complex<double>& value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
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

/// Up to this order there is one panel. Of 16, 32 and 64 the fastest at orders 100 to 500.
inline constexpr Index kPanel = 32;

/// target -= factors[0]·columns[0] + … + factors[3]·columns[3] one after the other; the columns are `stride` apart.
template <class Scalar>
void subtract_four(Scalar* __restrict__ target, const Scalar* __restrict__ columns, Index stride,
                   const Scalar* factors, Index n) {
  const Scalar f0 = factors[0];
  const Scalar f1 = factors[1];
  const Scalar f2 = factors[2];
  const Scalar f3 = factors[3];
  const Scalar* __restrict__ const c1 = columns + stride;
  const Scalar* __restrict__ const c2 = c1 + stride;
  const Scalar* __restrict__ const c3 = c2 + stride;
  for (Index i = 0; i < n; ++i) {
    target[i] =
        target[i] - product(columns[i], f0) - product(c1[i], f1) - product(c2[i], f2) - product(c3[i], f3);
  }
}

/// Takes the columns begin to end, which are factorised, out of those behind them.
template <class Scalar>
void subtract_panel(Scalar* a, Index n, Index begin, Index end) {
  for (Index j = end; j < n; ++j) {
    Scalar* const other = a + j * n;
    for (Index k = begin; k < end; ++k) {
      if (other[k] != Scalar{}) {
        subtract(other + k + 1, a + k * n + k + 1, other[k], end - k - 1);
      }
    }
    Index k = begin;
    for (; k + 4 <= end; k += 4) {
      if (std::any_of(other + k, other + k + 4, [](const Scalar& factor) { return factor != Scalar{}; })) {
        // A copy: the compiler need not know that the factors lie above what is changed.
        const Scalar factors[4] = {other[k], other[k + 1], other[k + 2], other[k + 3]};
        subtract_four(other + end, a + k * n + end, n, factors, n - end);
      }
    }
    for (; k < end; ++k) {
      subtract(other + end, a + k * n + end, other[k], n - end);
    }
  }
}

/// `exchanged`: row that was exchanged with row k. Returns the first column without a pivot, or n.
template <class Scalar>
Index factorize(Scalar* a, Index* exchanged, Index n) {
  for (Index begin = 0; begin < n; begin += kPanel) {
    const Index end = std::min(begin + kPanel, n);
    for (Index k = begin; k < end; ++k) {
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
      for (Index j = k + 1; j < end; ++j) {
        Scalar* const other = a + j * n;
        if (other[k] != Scalar{}) {  // most are zero in equations of a model
          subtract(other + k + 1, column + k + 1, other[k], n - k - 1);
        }
      }
    }
    subtract_panel(a, n, begin, end);
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

/// Aᵀ·x = b: Uᵀ·Lᵀ·P·x = b.
template <class Scalar>
void solve_transposed(const Scalar* a, const Index* exchanged, Index n, Scalar* b) {
  const auto dot = [](const Scalar* column, const Scalar* values, Index count) {
    Scalar sum{};
    for (Index i = 0; i < count; ++i) {
      sum += product(column[i], values[i]);
    }
    return sum;
  };
  for (Index k = 0; k < n; ++k) {
    b[k] = divisor(a[k + k * n])(b[k] - dot(a + k * n, b, k));
  }
  for (Index k = n; k-- > 0;) {
    b[k] -= dot(a + k * n + k + 1, b + k + 1, n - k - 1);
  }
  for (Index k = n; k-- > 0;) {
    if (exchanged[k] != k) {
      std::swap(b[k], b[exchanged[k]]);
    }
  }
}

/// The same for `n_right` right sides at once, b [row][right side]: every inner loop runs over the right sides.
template <class Scalar>
void solve_rows(const Scalar* a, const Index* exchanged, Index n, Scalar* b, Index n_right) {
  for (Index k = 0; k < n; ++k) {
    if (exchanged[k] != k) {
      std::swap_ranges(b + k * n_right, b + (k + 1) * n_right, b + exchanged[k] * n_right);
    }
  }
  const auto eliminate = [&](Index k, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      if (a[i + k * n] != Scalar{}) {
        subtract(b + i * n_right, b + k * n_right, a[i + k * n], n_right);
      }
    }
  };
  for (Index k = 0; k + 1 < n; ++k) {
    eliminate(k, k + 1, n);
  }
  for (Index k = n; k-- > 0;) {
    std::transform(b + k * n_right, b + (k + 1) * n_right, b + k * n_right, divisor(a[k + k * n]));
    eliminate(k, 0, k);
  }
}

/// The factors L and U without their zeros, for solutions with one factorisation after the other.
template <class Scalar>
class NonZeros {
 public:
  /// Makes room for matrices of order n.
  void reserve(Index n) {
    entries_.resize(static_cast<std::size_t>(n * n));
    ends_.resize(static_cast<std::size_t>(2 * n));
  }
  /// Takes over factors; false: so many entries are not zero that plain loops are faster.
  bool compress(const Scalar* a, Index n) {
    const std::size_t most = static_cast<std::size_t>(n * n) / kFewerThan;
    std::size_t count = 0;
    std::size_t column = 0;
    const auto take = [&](Index begin, Index end, const Scalar* values) {
      for (Index i = begin; i < end; ++i) {
        if (values[i] != Scalar{}) {
          entries_[count++] = {values[i], i};
        }
      }
      ends_[column++] = count;
      return count <= most;
    };
    for (Index k = 0; k < n; ++k) {
      if (!take(k + 1, n, a + k * n)) {
        return false;
      }
    }
    for (Index k = n; k-- > 0;) {
      if (!take(0, k, a + k * n)) {
        return false;
      }
    }
    return true;
  }
  /// As plain_lu::solve with the factors that were compressed.
  void solve(const Scalar* a, const Index* exchanged, Index n, Scalar* b) const {
    for (Index k = 0; k < n; ++k) {
      if (exchanged[k] != k) {
        std::swap(b[k], b[exchanged[k]]);
      }
    }
    const Entry* entry = entries_.data();
    const std::size_t* end = ends_.data();
    const auto subtract_column = [&](Scalar factor) {
      for (const Entry* const stop = entries_.data() + *end++; entry != stop; ++entry) {
        b[entry->row] -= product(entry->value, factor);
      }
    };
    for (Index k = 0; k < n; ++k) {
      subtract_column(b[k]);
    }
    for (Index k = n; k-- > 0;) {
      b[k] = divisor(a[k + k * n])(b[k]);
      subtract_column(b[k]);
    }
  }

 private:
  struct Entry {
    Scalar value;
    Index row;
  };
  // Plain loops do two entries at once.
  static constexpr std::size_t kFewerThan = 3;

  std::vector<Entry> entries_;     // columns of L, then those of U from the last to the first
  std::vector<std::size_t> ends_;  // of each column
};

}  // namespace saltus::linalg::plain_lu
