#include "linalg/dense_lu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "linalg/small_lu.hpp"
#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {

std::vector<double> multiply(const std::vector<double>& a, const std::vector<double>& x) {
  const std::size_t n = x.size();
  std::vector<double> b(n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      b[i] += a[i + j * n] * x[j];
    }
  }
  return b;
}

TEST(DenseLu, SolvesRandomSystemsBelowAndAboveTheBlockSize) {
  constexpr unsigned kSeed = 20240611;
  std::mt19937_64 random(kSeed);
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  for (const Index n : {1, 2, 5, 16, 17, 60}) {
    SCOPED_TRACE(n);
    DenseLu lu(n);
    for (int repetition = 0; repetition < 3; ++repetition) {
      std::vector<double> a(static_cast<std::size_t>(n * n));
      std::generate(a.begin(), a.end(), [&] { return entry(random); });
      std::vector<double> x(static_cast<std::size_t>(n));
      std::generate(x.begin(), x.end(), [&] { return entry(random); });
      std::vector<double> b = multiply(a, x);
      std::copy(a.begin(), a.end(), lu.matrix().begin());
      ASSERT_TRUE(lu.factorize().ok());
      const double reciprocal_condition = lu.reciprocal_condition();
      lu.solve(b);
      for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_NEAR(b[i], x[i], 1e-14 * static_cast<double>(n) / reciprocal_condition);
      }
    }
  }
}

// Solutions that skip zeros are, bit by bit, those that do not: circuits have as few entries as these.
TEST(DenseLu, SkippingZerosChangesNoBit) {
  constexpr unsigned kSeed = 20240612;
  std::mt19937_64 random(kSeed);
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  int n_compressed = 0;
  for (const Index n : {5, 8, 13, 32}) {
    SCOPED_TRACE(n);
    std::uniform_int_distribution<std::size_t> place(0, static_cast<std::size_t>(n) - 1);
    DenseLu lu(n);
    for (int repetition = 0; repetition < 10; ++repetition) {
      const std::span<double> a = lu.matrix();
      std::fill(a.begin(), a.end(), 0.0);
      for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
        a[(j + 1) % static_cast<std::size_t>(n) + j * static_cast<std::size_t>(n)] =
            1.0 + entry(random) / 2.0;
        a[place(random) + j * static_cast<std::size_t>(n)] = entry(random);
      }
      std::vector<double> factors(a.begin(), a.end());
      std::vector<Index> exchanged(static_cast<std::size_t>(n));
      if (small_lu::factorize(factors.data(), exchanged.data(), n) < n) {
        continue;
      }
      ASSERT_TRUE(lu.factorize().ok());
      small_lu::NonZeros<double> non_zeros;
      non_zeros.reserve(n);
      n_compressed += non_zeros.compress(factors.data(), n) ? 1 : 0;
      std::vector<double> b(static_cast<std::size_t>(n));
      std::generate(b.begin(), b.end(), [&] { return entry(random); });
      std::vector<double> plain = b;
      small_lu::solve(factors.data(), exchanged.data(), n, plain.data());
      for (int solved = 0; solved < 4; ++solved) {
        std::vector<double> x = b;
        lu.solve(x);
        EXPECT_EQ(x, plain);
      }
    }
  }
  EXPECT_GE(n_compressed, 20);
}

TEST(DenseLu, NeedsPivoting) {
  DenseLu lu(2);
  const std::vector<double> swap = {0.0, 1.0, 1.0, 0.0};
  std::copy(swap.begin(), swap.end(), lu.matrix().begin());
  ASSERT_TRUE(lu.factorize().ok());
  std::vector<double> b = {3.0, 4.0};
  lu.solve(b);
  EXPECT_EQ(b, (std::vector<double>{4.0, 3.0}));
}

TEST(DenseLu, SaysThatAMatrixIsSingularOrNotFinite) {
  DenseLu lu(3);
  const std::vector<double> rank_two = {1.0, 2.0, 4.0, 2.0, 4.0, 8.0, 0.0, 1.0, 3.0};
  std::copy(rank_two.begin(), rank_two.end(), lu.matrix().begin());
  FactorStatus status = lu.factorize();
  EXPECT_EQ(status.kind, FactorStatus::Kind::singular);
  EXPECT_EQ(status.column, 1);
  std::vector<double> b(3, 1.0);
  EXPECT_THROW(lu.solve(b), ContractViolation);
  lu.matrix()[0] = std::numeric_limits<double>::quiet_NaN();
  status = lu.factorize();
  EXPECT_EQ(status.kind, FactorStatus::Kind::not_finite);
}

TEST(DenseLu, EstimatesTheCondition) {
  DenseLu lu(2);
  const std::vector<double> diagonal = {1.0, 0.0, 0.0, 1e-10};
  std::copy(diagonal.begin(), diagonal.end(), lu.matrix().begin());
  ASSERT_TRUE(lu.factorize().ok());
  EXPECT_NEAR(lu.reciprocal_condition(), 1e-10, 1e-20);
}

TEST(DenseLu, OrderZeroIsLegal) {
  DenseLu lu(0);
  EXPECT_TRUE(lu.factorize().ok());
  lu.solve({});
  EXPECT_EQ(lu.reciprocal_condition(), 1.0);
}

TEST(DenseLu, PivotRatio) {
  DenseLu lu(2);
  const double entries[] = {4.0, 0.0, 1.0, 0.5};  // upper triangular: the pivots are the diagonal
  std::copy(std::begin(entries), std::end(entries), lu.matrix().begin());
  ASSERT_TRUE(lu.factorize().ok());
  EXPECT_EQ(lu.pivot_ratio(), 0.125);
}

}  // namespace
}  // namespace saltus::linalg
