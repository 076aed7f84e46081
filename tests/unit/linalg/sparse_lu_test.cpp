#include "linalg/sparse_lu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {

// A random pattern with a nonzero diagonal and about `fill` further entries in each column.
SparsePattern random_pattern(Index n, double fill, std::mt19937_64& random) {
  std::bernoulli_distribution present(fill / static_cast<double>(n));
  SparsePattern pattern{.n = n, .column_starts = {0}, .rows = {}};
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      if (i == j || present(random)) {
        pattern.rows.push_back(i);
      }
    }
    pattern.column_starts.push_back(static_cast<Index>(pattern.rows.size()));
  }
  return pattern;
}

std::vector<double> random_values(const SparsePattern& pattern, std::mt19937_64& random) {
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  std::vector<double> values(pattern.n_entries());
  for (std::size_t j = 0; j < static_cast<std::size_t>(pattern.n); ++j) {
    for (auto k = static_cast<std::size_t>(pattern.column_starts[j]);
         k < static_cast<std::size_t>(pattern.column_starts[j + 1]); ++k) {
      const bool diagonal = pattern.rows[k] == static_cast<Index>(j);
      values[k] = entry(random) + (diagonal ? 4.0 : 0.0);
    }
  }
  return values;
}

std::vector<double> multiply(const SparsePattern& pattern, const std::vector<double>& values,
                             const std::vector<double>& x) {
  std::vector<double> b(x.size(), 0.0);
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (auto k = static_cast<std::size_t>(pattern.column_starts[j]);
         k < static_cast<std::size_t>(pattern.column_starts[j + 1]); ++k) {
      b[static_cast<std::size_t>(pattern.rows[k])] += values[k] * x[j];
    }
  }
  return b;
}

std::vector<double> multiply_transposed(const SparsePattern& pattern, const std::vector<double>& values,
                                        const std::vector<double>& x) {
  std::vector<double> b(x.size(), 0.0);
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (auto k = static_cast<std::size_t>(pattern.column_starts[j]);
         k < static_cast<std::size_t>(pattern.column_starts[j + 1]); ++k) {
      b[j] += values[k] * x[static_cast<std::size_t>(pattern.rows[k])];
    }
  }
  return b;
}

class SparseLu : public testing::TestWithParam<SparseBackend> {
 protected:
  void SetUp() override {
    if (GetParam() == SparseBackend::klu && default_sparse_backend() != SparseBackend::klu) {
      GTEST_SKIP() << "KLU is not built in";
    }
  }
  std::shared_ptr<const SparseLuSymbolic> analyze(SparsePattern pattern) const {
    return std::make_shared<const SparseLuSymbolic>(std::move(pattern), GetParam());
  }
};

TEST_P(SparseLu, SolvesManyMatricesOfOnePattern) {
  constexpr unsigned kSeed = 7;
  std::mt19937_64 random(kSeed);
  for (const Index n : {1, 3, 40, 300}) {
    SCOPED_TRACE(n);
    const SparsePattern pattern = random_pattern(n, 3.0, random);
    SparseLuNumeric lu(analyze(pattern));
    for (int repetition = 0; repetition < 4; ++repetition) {
      const std::vector<double> values = random_values(pattern, random);
      std::vector<double> x(static_cast<std::size_t>(n));
      std::iota(x.begin(), x.end(), 1.0);
      std::vector<double> b = multiply(pattern, values, x);
      ASSERT_TRUE(lu.factorize(values).ok());
      EXPECT_GT(lu.reciprocal_condition(), 1e-6);
      lu.solve(b);
      for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_NEAR(b[i], x[i], 1e-9 * x[i]);
      }
      std::vector<double> c = multiply_transposed(pattern, values, x);
      lu.solve_transposed(c);
      for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_NEAR(c[i], x[i], 1e-9 * x[i]);
      }
    }
  }
}

// The second matrix makes the pivots of the first one useless.
TEST_P(SparseLu, ChoosesPivotsAnewWhenTheOldOnesFail) {
  const SparsePattern pattern{.n = 2, .column_starts = {0, 2, 4}, .rows = {0, 1, 0, 1}};
  SparseLuNumeric lu(analyze(pattern));
  ASSERT_TRUE(lu.factorize(std::vector<double>{1.0, 0.1, 0.1, 1.0}).ok());
  for (const double small : {0.0, 1e-18}) {
    ASSERT_TRUE(lu.factorize(std::vector<double>{small, 1.0, 1.0, small}).ok());
    std::vector<double> b = {3.0, 4.0};
    lu.solve(b);
    EXPECT_DOUBLE_EQ(b[0], 4.0);
    EXPECT_DOUBLE_EQ(b[1], 3.0);
  }
}

TEST_P(SparseLu, SaysThatAMatrixIsSingular) {
  const SparsePattern pattern{.n = 2, .column_starts = {0, 2, 4}, .rows = {0, 1, 0, 1}};
  SparseLuNumeric lu(analyze(pattern));
  EXPECT_EQ(lu.factorize(std::vector<double>{1.0, 2.0, 2.0, 4.0}).kind, FactorStatus::Kind::singular);
  EXPECT_EQ(lu.factorize(std::vector<double>{1.0, std::nan(""), 2.0, 4.0}).kind,
            FactorStatus::Kind::not_finite);
  std::vector<double> b = {1.0, 1.0};
  EXPECT_THROW(lu.solve(b), ContractViolation);
  ASSERT_TRUE(lu.factorize(std::vector<double>{1.0, 2.0, 3.0, 4.0}).ok());
}

TEST_P(SparseLu, SaysThatAPatternIsStructurallySingular) {
  // Rows 1 and 2 have entries in column 0 only.
  const SparsePattern pattern{.n = 3, .column_starts = {0, 3, 4, 5}, .rows = {0, 1, 2, 0, 0}};
  SparseLuNumeric lu(analyze(pattern));
  EXPECT_EQ(lu.factorize(std::vector<double>(5, 1.0)).kind, FactorStatus::Kind::singular);
  const SparsePattern empty_column{.n = 2, .column_starts = {0, 2, 2}, .rows = {0, 1}};
  SparseLuNumeric second(analyze(empty_column));
  EXPECT_EQ(second.factorize(std::vector<double>(2, 1.0)).kind, FactorStatus::Kind::singular);
}

// Several diagonal blocks with entries above them, as well as one.
TEST_P(SparseLu, SolvesSeveralRightSidesAtOnce) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  for (const double fill : {0.3, 1.0, 4.0}) {
    const SparsePattern pattern = random_pattern(40, fill, random);
    SparseLuNumeric lu(analyze(pattern));
    // The second one may keep the pivots of the first.
    for (int time = 0; time < 2; ++time) {
      ASSERT_TRUE(lu.factorize(random_values(pattern, random)).ok());
      for (const Index n_right : {1, 2, 7}) {
        std::vector<double> rows(static_cast<std::size_t>(40 * n_right));
        std::generate(rows.begin(), rows.end(), [&] { return entry(random); });
        std::vector<double> together = rows;
        lu.solve_rows(together, n_right);
        for (std::size_t k = 0; k < static_cast<std::size_t>(n_right); ++k) {
          std::vector<double> one;
          for (std::size_t i = 0; i < 40; ++i) {
            one.push_back(rows[i * static_cast<std::size_t>(n_right) + k]);
          }
          lu.solve(one);
          for (std::size_t i = 0; i < 40; ++i) {
            EXPECT_NEAR(together[i * static_cast<std::size_t>(n_right) + k], one[i], 1e-13);
          }
        }
      }
    }
  }
}

TEST_P(SparseLu, OrderZeroIsLegal) {
  SparseLuNumeric lu(analyze({.n = 0, .column_starts = {0}, .rows = {}}));
  EXPECT_TRUE(lu.factorize({}).ok());
  lu.solve({});
}

TEST_P(SparseLu, RefusesAPatternOutOfOrder) {
  EXPECT_THROW(analyze({.n = 2, .column_starts = {0, 2, 2}, .rows = {1, 0}}), ContractViolation);
  EXPECT_THROW(analyze({.n = 2, .column_starts = {0, 1, 2}, .rows = {0, 2}}), ContractViolation);
}

INSTANTIATE_TEST_SUITE_P(Backends, SparseLu, testing::Values(SparseBackend::klu, SparseBackend::eigen),
                         [](const auto& backend) {
                           return backend.param == SparseBackend::klu ? "klu" : "eigen";
                         });

}  // namespace
}  // namespace saltus::linalg
