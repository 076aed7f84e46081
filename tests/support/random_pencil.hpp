// Pencils λE - A with a prescribed Kronecker structure and exactly representable numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <random>
#include <vector>

#include "linalg/dense_matrix.hpp"

namespace saltus::test {

using IntegerMatrix = std::vector<std::vector<std::int64_t>>;

inline IntegerMatrix integer_zeros(std::size_t m, std::size_t n) {
  return IntegerMatrix(m, std::vector<std::int64_t>(n, 0));
}

/// Blocks in ascending order of size; `e` and `a` are (P·E₀·Q) and (P·A₀·Q) with integer P and Q of determinant ±1, before scales by powers of 2.
struct RandomPencil {
  std::vector<std::complex<double>> eigenvalues;
  std::vector<int> infinite;
  std::vector<int> right;
  std::vector<int> left;
  IntegerMatrix q;                  ///< y = Q·x are the coordinates of the blocks
  std::vector<char> is_consistent;  ///< by coordinate: of a finite or a right block
  linalg::DenseMatrix e;
  linalg::DenseMatrix a;
  std::vector<double> column_scale;
  double time = 1.0;      ///< eigenvalues of (e, a) are those above times this
  bool is_exact = false;  ///< every integer is a double
  bool is_simple = true;  ///< no eigenvalue twice
};

class PencilGenerator {
 public:
  explicit PencilGenerator(std::uint32_t seed) : random_(seed) {}

  /// At most about `size` columns; entries of P and Q by `mixing` operations for each row; scales within 2^±`scales`.
  RandomPencil make(int size, int mixing, int scales) {
    RandomPencil pencil;
    std::size_t m = 0;
    std::size_t n = 0;
    IntegerMatrix e = integer_zeros(kMost, kMost);
    IntegerMatrix a = integer_zeros(kMost, kMost);
    const bool is_regular = draw(0, 2) == 0;
    while (static_cast<int>(std::max(m, n)) < size) {
      switch (draw(0, is_regular ? 2 : 4)) {
        case 0: {
          const int root = draw(-4, 4);
          add_root(pencil, root);
          e[m][n] = 1;
          a[m++][n++] = root;
          pencil.is_consistent.push_back(1);
          break;
        }
        case 1: {
          const int real = draw(-2, 2);
          const int imaginary = draw(1, 3);
          add_root(pencil, {static_cast<double>(real), static_cast<double>(imaginary)});
          add_root(pencil, {static_cast<double>(real), -static_cast<double>(imaginary)});
          e[m][n] = e[m + 1][n + 1] = 1;
          a[m][n] = a[m + 1][n + 1] = real;
          a[m][n + 1] = imaginary;
          a[m + 1][n] = -imaginary;
          m += 2;
          n += 2;
          pencil.is_consistent.insert(pencil.is_consistent.end(), 2, 1);
          break;
        }
        case 2: {
          const int k = draw(1, 4);
          pencil.infinite.push_back(k);
          for (int i = 0; i < k; ++i) {
            a[m][n] = 1;
            if (i + 1 < k) {
              e[m][n + 1] = 1;
            }
            ++m;
            ++n;
            pencil.is_consistent.push_back(0);
          }
          break;
        }
        case 3: {
          const int k = draw(0, 3);
          pencil.right.push_back(k);
          for (int i = 0; i < k; ++i) {
            e[m][n] = 1;
            a[m++][n + 1] = 1;
            ++n;
          }
          ++n;
          pencil.is_consistent.insert(pencil.is_consistent.end(), static_cast<std::size_t>(k) + 1, 1);
          break;
        }
        default: {
          const int k = draw(0, 3);
          pencil.left.push_back(k);
          for (int i = 0; i < k; ++i) {
            e[m][n] = 1;
            a[m + 1][n++] = 1;
            ++m;
          }
          ++m;
          pencil.is_consistent.insert(pencil.is_consistent.end(), static_cast<std::size_t>(k), 0);
        }
      }
    }
    for (std::vector<int>* list : {&pencil.infinite, &pencil.right, &pencil.left}) {
      std::sort(list->begin(), list->end());
    }
    mix(pencil, e, a, m, n, mixing);
    scale(pencil, e, a, m, n, scales);
    return pencil;
  }

  int draw(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

 private:
  static constexpr std::size_t kMost = 64;

  static void add_root(RandomPencil& pencil, std::complex<double> root) {
    for (const std::complex<double>& other : pencil.eigenvalues) {
      pencil.is_simple = pencil.is_simple && other != root;
    }
    pencil.eigenvalues.push_back(root);
  }

  void mix(RandomPencil& pencil, IntegerMatrix& e, IntegerMatrix& a, std::size_t m, std::size_t n,
           int mixing) {
    pencil.q = integer_zeros(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      pencil.q[i][i] = 1;
    }
    for (std::size_t k = 0; m > 1 && k < static_cast<std::size_t>(mixing) * m; ++k) {
      const auto to = static_cast<std::size_t>(draw(0, static_cast<int>(m) - 1));
      const auto from = static_cast<std::size_t>(draw(0, static_cast<int>(m) - 1));
      const int factor = draw(0, 1) == 0 ? 1 : -1;
      for (std::size_t j = 0; to != from && j < n; ++j) {
        e[to][j] += factor * e[from][j];
        a[to][j] += factor * a[from][j];
      }
    }
    for (std::size_t k = 0; n > 1 && k < static_cast<std::size_t>(mixing) * n; ++k) {
      const auto to = static_cast<std::size_t>(draw(0, static_cast<int>(n) - 1));
      const auto from = static_cast<std::size_t>(draw(0, static_cast<int>(n) - 1));
      const int factor = draw(0, 1) == 0 ? 1 : -1;
      for (IntegerMatrix* matrix : {&e, &a, &pencil.q}) {
        for (std::size_t i = 0; to != from && i < matrix->size(); ++i) {
          (*matrix)[i][to] += factor * (*matrix)[i][from];
        }
      }
    }
  }

  void scale(RandomPencil& pencil, const IntegerMatrix& e, const IntegerMatrix& a, std::size_t m,
             std::size_t n, int scales) {
    std::vector<double> rows(m);
    pencil.column_scale.resize(n);
    for (std::vector<double>* list : {&rows, &pencil.column_scale}) {
      for (double& entry : *list) {
        entry = std::ldexp(1.0, draw(-scales, scales));
      }
    }
    pencil.time = std::ldexp(1.0, draw(-scales, scales));
    pencil.is_exact = true;
    pencil.e = linalg::DenseMatrix(static_cast<Index>(m), static_cast<Index>(n));
    pencil.a = pencil.e;
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        constexpr std::int64_t kLargest = std::int64_t{1} << 53;
        pencil.is_exact = pencil.is_exact && std::abs(e[i][j]) < kLargest && std::abs(a[i][j]) < kLargest;
        const double factor = rows[i] * pencil.column_scale[j];
        pencil.e(static_cast<Index>(i), static_cast<Index>(j)) = factor * static_cast<double>(e[i][j]);
        pencil.a(static_cast<Index>(i), static_cast<Index>(j)) =
            factor * pencil.time * static_cast<double>(a[i][j]);
      }
    }
  }

  std::mt19937 random_;
};

}  // namespace saltus::test
