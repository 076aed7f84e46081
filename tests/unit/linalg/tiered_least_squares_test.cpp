#include "linalg/tiered_least_squares.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "linalg/dense_matrix.hpp"
#include "linalg/generalized_inverse.hpp"
#include "linalg/rank_decision.hpp"

namespace saltus::linalg {
namespace {

DenseMatrix random_matrix(std::mt19937& random, Index rows, Index columns) {
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  DenseMatrix a(rows, columns);
  for (double& value : a.entries()) {
    value = entry(random);
  }
  return a;
}

void fill(TieredLeastSquares& solver, const DenseMatrix& a) {
  std::copy(a.entries().begin(), a.entries().end(), solver.matrix().begin());
}

// The definition, with projectors: the first group sees what the second cannot do.
TEST(TieredLeastSquares, AgreesWithItsDefinition) {
  std::mt19937 random(5);
  for (const auto& [m, n, k, rank] : std::vector<std::array<Index, 4>>{
           {6, 3, 5, 4}, {6, 5, 3, 3}, {4, 0, 5, 3}, {4, 6, 0, 0}, {5, 4, 4, 2}}) {
    const DenseMatrix first = random_matrix(random, m, n);
    const DenseMatrix second = random_matrix(random, m, rank) * random_matrix(random, rank, k);
    const DenseMatrix b = random_matrix(random, m, 1);
    const DenseMatrix corange = rank_bases(second).corange;
    const DenseMatrix x0 = moore_penrose(transpose_times(corange, first)) * transpose_times(corange, b);
    const DenseMatrix x1 = moore_penrose(second) * (b - first * x0);
    TieredLeastSquares solver(m, {n, k});
    fill(solver, beside(first, second));
    ASSERT_TRUE(solver.factorize(1e-10));
    EXPECT_EQ(solver.rank(1), rank);
    std::vector<double> x(static_cast<std::size_t>(n + k), 0.0);
    solver.solve(b.entries(), x);
    for (Index j = 0; j < n + k; ++j) {
      EXPECT_NEAR(x[static_cast<std::size_t>(j)], j < n ? x0(j, 0) : x1(j - n, 0), 1e-11) << m << n << k;
    }
    const DenseMatrix left = transpose_times(corange, b - first * x0);
    EXPECT_NEAR(solver.remaining(), std::sqrt(transpose_times(left, left)(0, 0)), 1e-12);
  }
}

TEST(TieredLeastSquares, GroupsFromZeroForgetTheirKernelPart) {
  // x₀ + y = 2 with y free only if x is not needed; z is in no equation.
  const DenseMatrix a = {{1.0, 1.0, 1.0, 0.0}, {0.0, 0.0, 1.0, 2.0}};
  TieredLeastSquares solver(2, {2, 2});
  const std::vector<std::uint8_t> from_zero = {1, 1};
  fill(solver, a);
  ASSERT_TRUE(solver.factorize(1e-10));
  std::vector<double> x = {3.0, -3.0, 5.0, 1.0};
  // Residual at x: rows (5, 7) should become (2, 4).
  solver.solve(std::vector<double>{-3.0, -3.0}, x, from_zero);
  EXPECT_NEAR(x[0] + x[1] + x[2], 2.0, 1e-14);
  EXPECT_NEAR(x[2] + 2.0 * x[3], 4.0, 1e-14);
  // The second group has rank 2 and does all: the first is 0 altogether.
  EXPECT_NEAR(x[0], 0.0, 1e-14);
  EXPECT_NEAR(x[1], 0.0, 1e-14);
}

TEST(TieredLeastSquares, KnownRanksHoldBesideNoise) {
  const DenseMatrix a = {{1.0, 1.0, 0.0}, {0.0, 1.0, 1e-9}, {0.0, 1.0, 0.0}};
  TieredLeastSquares solver(3, {1, 2});
  fill(solver, a);
  ASSERT_TRUE(solver.factorize(std::vector<Index>{1, 1}));
  EXPECT_EQ(solver.rank(1), 1);
  EXPECT_NEAR(solver.neglected_pivot(), 1e-9, 1e-9);
  EXPECT_GT(solver.smallest_pivot(), 0.1);
}

}  // namespace
}  // namespace saltus::linalg
