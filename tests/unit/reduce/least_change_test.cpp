#include "reduce/nonlinear/least_change.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace saltus::reduce {
namespace {

system::RectangularPattern full_pattern(Index m, Index n) {
  system::RectangularPattern pattern;
  pattern.n_rows = m;
  pattern.n_columns = n;
  pattern.column_starts.push_back(0);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < m; ++i) {
      pattern.rows.push_back(i);
    }
    pattern.column_starts.push_back(static_cast<Index>(pattern.rows.size()));
  }
  return pattern;
}

// One condition 3a + 4b = 5 from 0: the nearest point in the plain measure is (0.6, 0.8).
TEST(LeastChange, IsTheNearestPointOfALine) {
  const auto pattern = full_pattern(1, 2);
  for (const auto algebra : {LeastChange::Algebra::dense, LeastChange::Algebra::sparse}) {
    LeastChange least(pattern, std::vector<double>{1.0, 1.0}, algebra);
    ASSERT_TRUE(least.factorize(std::vector<double>{3.0, 4.0}));
    std::vector<double> change(2);
    least.solve(std::vector<double>{-5.0}, change);
    EXPECT_NEAR(change[0], 0.6, 1e-11);
    EXPECT_NEAR(change[1], 0.8, 1e-11);
    EXPECT_FALSE(least.is_redundant());
  }
}

TEST(LeastChange, HoldsAnUnknownOfScaleZero) {
  const auto pattern = full_pattern(1, 2);
  for (const auto algebra : {LeastChange::Algebra::dense, LeastChange::Algebra::sparse}) {
    LeastChange least(pattern, std::vector<double>{0.0, 1.0}, algebra);
    ASSERT_TRUE(least.factorize(std::vector<double>{3.0, 4.0}));
    std::vector<double> change(2);
    least.solve(std::vector<double>{-5.0}, change);
    EXPECT_EQ(change[0], 0.0);
    EXPECT_NEAR(change[1], 1.25, 1e-11);
  }
}

// The second row is twice the first: it must neither count twice nor make the matrix singular.
TEST(LeastChange, CountsARepeatedRowOnce) {
  const auto pattern = full_pattern(2, 3);
  for (const auto algebra : {LeastChange::Algebra::dense, LeastChange::Algebra::sparse}) {
    LeastChange least(pattern, std::vector<double>{1.0, 1.0, 1.0}, algebra);
    ASSERT_TRUE(least.factorize(std::vector<double>{1.0, 2.0, 2.0, 4.0, 2.0, 4.0}));
    EXPECT_TRUE(least.is_redundant());
    std::vector<double> change(3);
    least.solve(std::vector<double>{-9.0, -18.0}, change);
    EXPECT_NEAR(change[0], 1.0, 1e-9);
    EXPECT_NEAR(change[1], 2.0, 1e-9);
    EXPECT_NEAR(change[2], 2.0, 1e-9);
  }
}

TEST(LeastChange, DenseAndSparseAgree) {
  constexpr unsigned kSeed = 20;
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  const auto pattern = full_pattern(4, 9);
  std::vector<double> scale(9);
  std::vector<double> entries(36);
  std::vector<double> residual(4);
  for (double& s : scale) {
    s = std::exp(3.0 * number(random));
  }
  for (double& e : entries) {
    e = number(random);
  }
  for (double& r : residual) {
    r = number(random);
  }
  std::vector<double> one(9);
  std::vector<double> other(9);
  LeastChange dense(pattern, scale, LeastChange::Algebra::dense);
  LeastChange sparse(pattern, scale, LeastChange::Algebra::sparse);
  ASSERT_TRUE(dense.factorize(entries) && sparse.factorize(entries));
  dense.solve(residual, one);
  sparse.solve(residual, other);
  for (std::size_t j = 0; j < 9; ++j) {
    EXPECT_NEAR(one[j], other[j], 1e-9) << "seed " << kSeed;
  }
}

TEST(LeastChange, RefusesWhatIsNotFinite) {
  const auto pattern = full_pattern(1, 1);
  LeastChange least(pattern, std::vector<double>{1.0});
  EXPECT_FALSE(least.factorize(std::vector<double>{std::numeric_limits<double>::quiet_NaN()}));
}

}  // namespace
}  // namespace saltus::reduce
