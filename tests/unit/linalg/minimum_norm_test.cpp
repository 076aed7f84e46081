#include "linalg/minimum_norm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace saltus::linalg {
namespace {

std::vector<double> solve(Index rows, Index columns, const std::vector<double>& matrix, std::vector<double> b,
                          Index* rank = nullptr) {
  MinimumNorm solver(rows, columns);
  std::copy(matrix.begin(), matrix.end(), solver.matrix().begin());
  EXPECT_TRUE(solver.factorize());
  std::vector<double> x(static_cast<std::size_t>(columns));
  solver.solve(b, x);
  if (rank != nullptr) {
    *rank = solver.rank();
  }
  return x;
}

TEST(MinimumNorm, RegularSystemsAreSolved) {
  const std::vector<double> x = solve(2, 2, {0.0, 2.0, 4.0, 1.0}, {6.0, 7.0});
  EXPECT_NEAR(x[0], 1.0, 1e-15);
  EXPECT_NEAR(x[1], 3.0, 1e-15);
}

TEST(MinimumNorm, OfManySolutionsTheSmallestIsTaken) {
  // 2x + y = 5 in two rows: the nearest point to 0 is (2, 1).
  Index rank = 0;
  const std::vector<double> x = solve(2, 2, {2.0, 1.0, 2.0, 1.0}, {5.0, 5.0}, &rank);
  EXPECT_EQ(rank, 1);
  EXPECT_NEAR(x[0], 2.0, 1e-14);
  EXPECT_NEAR(x[1], 1.0, 1e-14);
}

TEST(MinimumNorm, ZeroMatrixHasRankZeroAndAnswerZero) {
  Index rank = 7;
  EXPECT_EQ(solve(2, 3, std::vector<double>(6, 0.0), {1.0, 2.0}, &rank),
            (std::vector<double>{0.0, 0.0, 0.0}));
  EXPECT_EQ(rank, 0);
}

TEST(MinimumNorm, EntriesThatAreNotFiniteAreRefused) {
  MinimumNorm solver(1, 1);
  solver.matrix()[0] = std::nan("");
  EXPECT_FALSE(solver.factorize());
}

// The four conditions of Penrose for x = A⁺b, tested as: Aᵀ(Ax - b) = 0 and x in the range of Aᵀ, for random matrices of known
// rank.
TEST(MinimumNorm, RandomMatricesOfAnyRank) {
  constexpr unsigned kSeed = 20261115;
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int trial = 0; trial < 300; ++trial) {
    const Index m = 1 + trial % 5;
    const Index n = 1 + (trial / 5) % 5;
    const Index r = std::min({m, n, Index{1} + (trial / 25) % 4});
    std::vector<double> left(static_cast<std::size_t>(m * r));
    std::vector<double> right(static_cast<std::size_t>(r * n));
    std::vector<double> a(static_cast<std::size_t>(m * n), 0.0);
    for (double& value : left) {
      value = uniform(random);
    }
    for (double& value : right) {
      value = uniform(random);
    }
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) {
        for (Index l = 0; l < r; ++l) {
          a[static_cast<std::size_t>(i * n + j)] +=
              left[static_cast<std::size_t>(i * r + l)] * right[static_cast<std::size_t>(l * n + j)];
        }
      }
    }
    std::vector<double> b(static_cast<std::size_t>(m));
    for (double& value : b) {
      value = uniform(random);
    }
    Index rank = 0;
    const std::vector<double> x = solve(m, n, a, b, &rank);
    ASSERT_EQ(rank, r) << "seed " << kSeed << " trial " << trial;
    for (Index j = 0; j < n; ++j) {
      double normal = 0.0;
      for (Index i = 0; i < m; ++i) {
        double residual = -b[static_cast<std::size_t>(i)];
        for (Index l = 0; l < n; ++l) {
          residual += a[static_cast<std::size_t>(i * n + l)] * x[static_cast<std::size_t>(l)];
        }
        normal += a[static_cast<std::size_t>(i * n + j)] * residual;
      }
      ASSERT_NEAR(normal, 0.0, 1e-11) << "seed " << kSeed << " trial " << trial;
    }
    // x = Aᵀu has a solution u: the smallest-norm answer for that leaves no residual.
    std::vector<double> transposed(a.size());
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) {
        transposed[static_cast<std::size_t>(j * m + i)] = a[static_cast<std::size_t>(i * n + j)];
      }
    }
    const std::vector<double> u = solve(n, m, transposed, x);
    for (Index j = 0; j < n; ++j) {
      double value = 0.0;
      for (Index i = 0; i < m; ++i) {
        value += transposed[static_cast<std::size_t>(j * m + i)] * u[static_cast<std::size_t>(i)];
      }
      const double size = 1.0 + std::abs(x[static_cast<std::size_t>(j)]);
      ASSERT_NEAR(value, x[static_cast<std::size_t>(j)], 1e-9 * size)
          << "seed " << kSeed << " trial " << trial;
    }
  }
}

}  // namespace
}  // namespace saltus::linalg
