#include "linalg/dense_lu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "linalg/plain_lu.hpp"
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
  for (const Index n : {1, 2, 5, 31, 32, 33, 60, 64, 130}) {
    SCOPED_TRACE(n);
    DenseLu lu(n);
    for (int repetition = 0; repetition < 3; ++repetition) {
      std::vector<double> a(static_cast<std::size_t>(n * n));
      std::generate(a.begin(), a.end(), [&] { return entry(random); });
      std::vector<double> x(static_cast<std::size_t>(n));
      std::generate(x.begin(), x.end(), [&] { return entry(random); });
      const std::vector<double> b = multiply(a, x);
      std::copy(a.begin(), a.end(), lu.matrix().begin());
      ASSERT_TRUE(lu.factorize().ok());
      std::vector<double> solution = b;
      lu.solve(solution);
      // Backward stable: the residual is small whatever the condition.
      const std::vector<double> product = multiply(a, solution);
      double largest = 0.0;
      for (const double value : solution) {
        largest = std::max(largest, std::abs(value));
      }
      for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_NEAR(product[i], b[i], 1e-15 * static_cast<double>(n * n) * largest);
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
      if (plain_lu::factorize(factors.data(), exchanged.data(), n) < n) {
        continue;
      }
      ASSERT_TRUE(lu.factorize().ok());
      plain_lu::NonZeros<double> non_zeros;
      non_zeros.reserve(n);
      n_compressed += non_zeros.compress(factors.data(), n) ? 1 : 0;
      std::vector<double> b(static_cast<std::size_t>(n));
      std::generate(b.begin(), b.end(), [&] { return entry(random); });
      std::vector<double> plain = b;
      plain_lu::solve(factors.data(), exchanged.data(), n, plain.data());
      for (int solved = 0; solved < 4; ++solved) {
        std::vector<double> x = b;
        lu.solve(x);
        EXPECT_EQ(x, plain);
      }
    }
  }
  EXPECT_GE(n_compressed, 20);
}

// Panels change the order of the work and not the sums: a factor for a factor those of elimination as books write it.
template <class Scalar, class Entry>
void expect_factors_of_plain_elimination(Index n, Entry entry) {
  std::vector<Scalar> a(static_cast<std::size_t>(n * n));
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = i % 13 == 3 ? Scalar{} : entry();
  }
  std::vector<Scalar> expected = a;
  const auto at = [&](Index i, Index j) -> Scalar& { return expected[static_cast<std::size_t>(i + j * n)]; };
  for (Index k = 0; k < n; ++k) {
    Index best = k;
    for (Index i = k; i < n; ++i) {
      best = plain_lu::size_of(at(i, k)) > plain_lu::size_of(at(best, k)) ? i : best;
    }
    for (Index j = 0; j < n; ++j) {
      std::swap(at(k, j), at(best, j));
    }
    const auto divide = plain_lu::divisor(at(k, k));
    for (Index i = k + 1; i < n; ++i) {
      at(i, k) = divide(at(i, k));
      for (Index j = k + 1; j < n; ++j) {
        at(i, j) -= plain_lu::product(at(i, k), at(k, j));
      }
    }
  }
  std::vector<Index> exchanged(static_cast<std::size_t>(n));
  ASSERT_EQ(plain_lu::factorize(a.data(), exchanged.data(), n), n);
  EXPECT_EQ(a, expected) << n;
}

TEST(DenseLu, PanelsChangeNoBit) {
  constexpr unsigned kSeed = 20240613;
  std::mt19937_64 random(kSeed);
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  for (const Index n : {3, 32, 33, 34, 35, 36, 37, 64, 97}) {
    expect_factors_of_plain_elimination<double>(n, [&] { return entry(random); });
    expect_factors_of_plain_elimination<std::complex<double>>(
        n, [&] { return std::complex<double>(entry(random), entry(random)); });
  }
}

// ⟨w, A⁻¹·b⟩ = ⟨A⁻ᵀ·w, b⟩, and Aᵀ·y = w itself.
TEST(DenseLu, SolvesTransposedSystems) {
  constexpr unsigned kSeed = 20240612;
  std::mt19937_64 random(kSeed);
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  for (const Index n : {1, 2, 5, 31, 33, 64}) {
    SCOPED_TRACE(n);
    DenseLu lu(n);
    std::vector<double> a(static_cast<std::size_t>(n * n));
    std::generate(a.begin(), a.end(), [&] { return entry(random); });
    std::vector<double> w(static_cast<std::size_t>(n));
    std::generate(w.begin(), w.end(), [&] { return entry(random); });
    std::copy(a.begin(), a.end(), lu.matrix().begin());
    ASSERT_TRUE(lu.factorize().ok());
    std::vector<double> y = w;
    lu.solve_transposed(y);
    std::vector<double> transposed(a.size());
    for (std::size_t i = 0; i < w.size(); ++i) {
      for (std::size_t j = 0; j < w.size(); ++j) {
        transposed[j + i * w.size()] = a[i + j * w.size()];
      }
    }
    double largest = 0.0;
    for (const double value : y) {
      largest = std::max(largest, std::abs(value));
    }
    const std::vector<double> product = multiply(transposed, y);
    for (std::size_t i = 0; i < w.size(); ++i) {
      EXPECT_NEAR(product[i], w[i], 1e-15 * static_cast<double>(n * n) * largest);
    }
  }
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

TEST(DenseLu, SolvesSeveralRightSidesAtOnceAsOneByOne) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  for (const Index n : {1, 3, 12, 40}) {
    DenseLu lu(n);
    std::generate(lu.matrix().begin(), lu.matrix().end(), [&] { return entry(random); });
    ASSERT_TRUE(lu.factorize().ok());
    constexpr std::size_t kRight = 5;
    std::vector<double> rows(static_cast<std::size_t>(n) * kRight);
    std::generate(rows.begin(), rows.end(), [&] { return entry(random); });
    std::vector<double> together = rows;
    lu.solve_rows(together, kRight);
    for (std::size_t k = 0; k < kRight; ++k) {
      std::vector<double> one;
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        one.push_back(rows[i * kRight + k]);
      }
      lu.solve(one);
      for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_NEAR(together[i * kRight + k], one[i], 1e-12 * (1.0 + std::abs(one[i])));
      }
    }
  }
}

TEST(DenseLu, OrderZeroIsLegal) {
  DenseLu lu(0);
  EXPECT_TRUE(lu.factorize().ok());
  lu.solve({});
  EXPECT_EQ(lu.pivot_ratio(), 1.0);
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
