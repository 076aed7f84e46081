#include "linalg/singular_values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

DenseMatrix random_matrix(std::mt19937& random, Index rows, Index columns) {
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  DenseMatrix a(rows, columns);
  for (double& value : a.entries()) {
    value = entry(random);
  }
  return a;
}

double distance_from_orthogonal(const DenseMatrix& q) {
  return (transpose_times(q, q) - DenseMatrix::identity(q.columns())).largest_entry();
}

// The factors give the matrix back, are orthogonal, and the values descend and are not negative.
void expect_decomposition(const DenseMatrix& a, const std::string& what) {
  SCOPED_TRACE(what);
  const SingularValues svd = singular_values(a);
  ASSERT_EQ(static_cast<Index>(svd.values.size()), std::min(a.rows(), a.columns()));
  EXPECT_TRUE(std::is_sorted(svd.values.rbegin(), svd.values.rend()));
  EXPECT_GE(svd.values.back(), 0.0);
  ASSERT_EQ(svd.left.columns(), a.rows());
  ASSERT_EQ(svd.right.columns(), a.columns());
  DenseMatrix scaled = svd.left.middle_columns(0, static_cast<Index>(svd.values.size()));
  for (Index j = 0; j < scaled.columns(); ++j) {
    for (Index i = 0; i < scaled.rows(); ++i) {
      scaled(i, j) *= svd.values[static_cast<std::size_t>(j)];
    }
  }
  const auto order = static_cast<double>(std::max(a.rows(), a.columns()));
  const DenseMatrix product = scaled * svd.right.middle_columns(0, scaled.columns()).transposed();
  EXPECT_LE((product - a).largest_entry(), 20.0 * kEpsilon * order * svd.values.front());
  EXPECT_LE(distance_from_orthogonal(svd.left), 10.0 * kEpsilon * order);
  EXPECT_LE(distance_from_orthogonal(svd.right), 10.0 * kEpsilon * order);
}

// Behind the rank of a matrix with equal rows by the hundred, reflections leave dust that falls by ε in every turn, until
// it is below the normal numbers and nothing is small beside its neighbours any more.
TEST(SingularValues, DustBelowTheNormalNumbers) {
  constexpr Index kSize = 60;
  DenseMatrix a(kSize, kSize);
  for (Index i = 0; i < kSize; ++i) {
    // Nine denormal numbers at most beside each other: squares of them vanish, and so do their parts of ε.
    a(i, i) = i == 0 ? 1.0 : (2.0 + static_cast<double>(i % 7)) * std::numeric_limits<double>::denorm_min();
    if (i + 1 < kSize) {
      a(i, i + 1) = i == 0 ? 0.5 : std::numeric_limits<double>::denorm_min();
    }
  }
  const SingularValues svd = singular_values(a);
  EXPECT_NEAR(svd.values[0], std::sqrt(1.25), 4.0 * kEpsilon);
  EXPECT_LE(svd.values[1], 1e-290);
  expect_decomposition(a, "dust");
}

TEST(SingularValues, MatricesOfAllShapesAndRanks) {
  constexpr unsigned kSeed = 3;
  std::mt19937 random(kSeed);
  RecordProperty("seed", kSeed);
  for (const auto& [m, n, r] : std::vector<std::array<Index, 3>>{{1, 1, 1},
                                                                 {1, 6, 1},
                                                                 {6, 1, 1},
                                                                 {2, 2, 2},
                                                                 {5, 5, 3},
                                                                 {4, 9, 2},
                                                                 {9, 4, 4},
                                                                 {12, 12, 1},
                                                                 {30, 17, 11},
                                                                 {17, 30, 17},
                                                                 {60, 60, 60},
                                                                 {130, 120, 119}}) {
    const DenseMatrix a = random_matrix(random, m, r) * random_matrix(random, r, n);
    expect_decomposition(a, std::to_string(m) + " × " + std::to_string(n) + " of rank " + std::to_string(r));
    const SingularValues svd = singular_values(a);
    EXPECT_GT(svd.values[static_cast<std::size_t>(r) - 1], 1e-6 * svd.values.front());
    if (r < std::min(m, n)) {
      EXPECT_LT(svd.values[static_cast<std::size_t>(r)], 1e-13 * svd.values.front());
    }
  }
}

// Many equal values, which made a library's bisection return wrong factors, zeros on and beside the diagonal, and graded matrices.
TEST(SingularValues, StructuredMatrices) {
  for (const Index n : {1, 2, 3, 7, 32, 120}) {
    DenseMatrix zero(n, n);
    expect_decomposition(zero, "zero");
    expect_decomposition(DenseMatrix::identity(n), "unit matrix");
    DenseMatrix ring(n, n);
    DenseMatrix shift(n, n);
    DenseMatrix ones(n, n);
    DenseMatrix graded(n, n);
    DenseMatrix jordan(n, n);
    for (Index j = 0; j < n; ++j) {
      ring(j, j) += 1.0;
      ring((j + 1) % n, j) -= 1.0;
      jordan(j, j) = j % 3 == 0 ? 0.0 : 2.0;
      if (j + 1 < n) {
        shift(j, j + 1) = 1.0;
        jordan(j, j + 1) = 1.0;
      }
      for (Index i = 0; i < n; ++i) {
        ones(i, j) = 1.0;
        graded(i, j) = std::pow(10.0, -static_cast<double>((i + 2 * j) % 30));
      }
    }
    const std::string order = " of order " + std::to_string(n);
    expect_decomposition(ring, "ring" + order);
    expect_decomposition(shift, "shift" + order);
    expect_decomposition(ones, "ones" + order);
    expect_decomposition(graded, "graded" + order);
    expect_decomposition(jordan, "bidiagonal with zeros" + order);
  }
}

// 1 beside 1 has the values √(n²) and zeros; the second difference those of sines ([GVL13] 4.8.6).
TEST(SingularValues, KnownValues) {
  constexpr Index kOrder = 50;
  DenseMatrix difference(kOrder, kOrder);
  for (Index j = 0; j < kOrder; ++j) {
    difference(j, j) = 2.0;
    if (j > 0) {
      difference(j - 1, j) = -1.0;
      difference(j, j - 1) = -1.0;
    }
  }
  const SingularValues svd = singular_values(difference);
  for (Index k = 0; k < kOrder; ++k) {
    const double sine = std::sin(M_PI * static_cast<double>(kOrder - k) / (2.0 * (kOrder + 1)));
    EXPECT_NEAR(svd.values[static_cast<std::size_t>(k)], 4.0 * sine * sine, 1e-14);
  }
  const DenseMatrix ones = {{1.0, 1.0, 1.0}, {1.0, 1.0, 1.0}};
  EXPECT_NEAR(singular_values(ones).values[0], std::sqrt(6.0), 1e-15);
  EXPECT_LT(singular_values(ones).values[1], 1e-15);
}

// Powers of two change no digit; numbers near the ends of the range neither overflow nor vanish.
TEST(SingularValues, UnitsDoNotMatter) {
  constexpr unsigned kSeed = 4;
  std::mt19937 random(kSeed);
  const DenseMatrix a = random_matrix(random, 8, 6);
  const SingularValues svd = singular_values(a);
  for (const int exponent : {-1000, -3, 5, 1000}) {
    const double factor = std::scalbn(1.0, exponent);
    const SingularValues other = singular_values(factor * a);
    EXPECT_EQ(other.left, svd.left) << exponent;
    EXPECT_EQ(other.right, svd.right) << exponent;
    for (std::size_t i = 0; i < svd.values.size(); ++i) {
      EXPECT_EQ(other.values[i], factor * svd.values[i]) << exponent;
    }
  }
}

// Parts that share no row and column stay apart: a diagonal matrix has unit vectors for factors.
TEST(SingularValues, UnitVectorsOfDiagonalMatrices) {
  const DenseMatrix a = {{0.0, 0.0, 0.0}, {0.0, -3.0, 0.0}, {0.0, 0.0, 2.0}};
  const SingularValues svd = singular_values(a);
  EXPECT_EQ(svd.values, (std::vector<double>{3.0, 2.0, 0.0}));
  EXPECT_EQ(svd.left, (DenseMatrix{{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}));
}

TEST(SingularValues, NumbersMustBeFinite) {
  DenseMatrix a = DenseMatrix::identity(2);
  a(1, 0) = std::numeric_limits<double>::infinity();
  EXPECT_THROW((void)singular_values(a), ContractViolation);
}

}  // namespace
}  // namespace saltus::linalg
