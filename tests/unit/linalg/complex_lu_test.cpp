// The complex factorisations, dense and sparse: both libraries against the equation itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <vector>

#include "linalg/dense_lu.hpp"
#include "linalg/sparse_lu.hpp"

namespace saltus::linalg {
namespace {

using Complex = std::complex<double>;

// A cyclic matrix with three entries per column and a permuted diagonal, complex and without symmetry.
SparsePattern ring(Index n) {
  SparsePattern pattern{n, {0}, {}};
  for (Index j = 0; j < n; ++j) {
    std::vector<Index> rows = {(j + 1) % n, (j + 3) % n, (j + n / 2 + 2) % n};
    std::sort(rows.begin(), rows.end());
    pattern.rows.insert(pattern.rows.end(), rows.begin(), rows.end());
    pattern.column_starts.push_back(static_cast<Index>(pattern.rows.size()));
  }
  return pattern;
}

std::vector<Complex> values_of(const SparsePattern& pattern, double phase) {
  std::vector<Complex> values;
  for (std::size_t k = 0; k < pattern.rows.size(); ++k) {
    const auto x = static_cast<double>(k);
    values.emplace_back(1.0 + std::sin(3.0 * x + phase), std::cos(7.0 * x - phase));
  }
  return values;
}

double residual(const SparsePattern& pattern, const std::vector<Complex>& values,
                const std::vector<Complex>& x, std::vector<Complex> b) {
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (auto k = pattern.column_starts[j]; k < pattern.column_starts[j + 1]; ++k) {
      b[static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(k)])] -=
          values[static_cast<std::size_t>(k)] * x[j];
    }
  }
  double largest = 0.0;
  for (const Complex& value : b) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

double transposed_residual(const SparsePattern& pattern, const std::vector<Complex>& values,
                           const std::vector<Complex>& x, const std::vector<Complex>& b) {
  double largest = 0.0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    Complex rest = b[j];
    for (auto k = pattern.column_starts[j]; k < pattern.column_starts[j + 1]; ++k) {
      rest -= values[static_cast<std::size_t>(k)] *
              x[static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(k)])];
    }
    largest = std::max(largest, std::abs(rest));
  }
  return largest;
}

TEST(ComplexLu, SparseAndDenseSolveTheSameSystems) {
  constexpr Index kOrder = 40;
  const SparsePattern pattern = ring(kOrder);
  std::vector<Complex> b(kOrder);
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] = {static_cast<double>(i % 5), 1.0};
  }
  for (const SparseBackend backend : {default_sparse_backend(), SparseBackend::eigen}) {
    ComplexSparseLuNumeric lu(std::make_shared<SparseLuSymbolic>(pattern, backend));
    // The second and third matrix reuse the pivots of the first where that is stable.
    for (const double phase : {0.0, 0.4, 2.0}) {
      const std::vector<Complex> values = values_of(pattern, phase);
      ASSERT_TRUE(lu.factorize(values).ok());
      std::vector<Complex> x = b;
      lu.solve(x);
      EXPECT_LT(residual(pattern, values, x, b), 1e-11) << phase;
      x = b;
      lu.solve_transposed(x);
      EXPECT_LT(transposed_residual(pattern, values, x, b), 1e-10) << phase;
    }
  }
  const std::vector<Complex> values = values_of(pattern, 0.4);
  ComplexDenseLu dense(kOrder);
  for (std::size_t j = 0; j < b.size(); ++j) {
    for (auto k = pattern.column_starts[j]; k < pattern.column_starts[j + 1]; ++k) {
      const auto row = static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(k)]);
      dense.matrix()[row + j * b.size()] = values[static_cast<std::size_t>(k)];
    }
  }
  ASSERT_TRUE(dense.factorize().ok());
  std::vector<Complex> x = b;
  dense.solve(x);
  EXPECT_LT(residual(pattern, values, x, b), 1e-11);
  x = b;
  dense.solve_transposed(x);
  EXPECT_LT(transposed_residual(pattern, values, x, b), 1e-11);
}

TEST(ComplexLu, SingularAndNotFiniteAreValues) {
  const SparsePattern pattern{2, {0, 2, 4}, {0, 1, 0, 1}};
  const std::vector<Complex> dependent = {{1.0, 1.0}, {2.0, 2.0}, {0.0, 1.0}, {0.0, 2.0}};
  std::vector<Complex> broken = dependent;
  broken[2] = {0.0, std::numeric_limits<double>::quiet_NaN()};
  for (const SparseBackend backend : {default_sparse_backend(), SparseBackend::eigen}) {
    ComplexSparseLuNumeric lu(std::make_shared<SparseLuSymbolic>(pattern, backend));
    EXPECT_EQ(lu.factorize(dependent).kind, FactorStatus::Kind::singular);
    EXPECT_EQ(lu.factorize(broken).kind, FactorStatus::Kind::not_finite);
  }
  ComplexDenseLu dense(2);
  std::copy(dependent.begin(), dependent.end(), dense.matrix().begin());
  EXPECT_EQ(dense.factorize().kind, FactorStatus::Kind::singular);
  std::copy(broken.begin(), broken.end(), dense.matrix().begin());
  EXPECT_EQ(dense.factorize().kind, FactorStatus::Kind::not_finite);
}

}  // namespace
}  // namespace saltus::linalg
