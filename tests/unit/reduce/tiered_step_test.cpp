#include "reduce/nonlinear/tiered_step.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace saltus::reduce {
namespace {

// Rows: a + b = 2 and b + c = 6 in columns a, b, c.
system::RectangularPattern two_rows() {
  system::RectangularPattern pattern;
  pattern.n_rows = 2;
  pattern.n_columns = 3;
  pattern.column_starts = {0, 1, 3, 4};
  pattern.rows = {0, 0, 1, 1};
  return pattern;
}

const std::vector<double> kEntries{1.0, 1.0, 1.0, 1.0};
const std::vector<double> kResidual{-2.0, -6.0};
const std::vector<double> kOnes{1.0, 1.0, 1.0};

std::vector<double> step_of(const std::vector<int>& level, LeastChange::Algebra algebra) {
  const system::RectangularPattern pattern = two_rows();
  TieredStep step(pattern, level, kOnes, {}, algebra);
  EXPECT_TRUE(step.factorize(kEntries));
  std::vector<double> change(3);
  step.solve(kResidual, change);
  return change;
}

TEST(TieredStep, TheWeakestLevelDoesAllItCan) {
  for (const auto algebra : {LeastChange::Algebra::dense, LeastChange::Algebra::sparse}) {
    const double tolerance = algebra == LeastChange::Algebra::dense ? 1e-14 : 1e-3;
    const std::vector<double> b_moves_least = step_of({1, 0, 1}, algebra);
    EXPECT_NEAR(b_moves_least[0], 2.0, tolerance);
    EXPECT_NEAR(b_moves_least[1], 0.0, tolerance);
    EXPECT_NEAR(b_moves_least[2], 6.0, tolerance);
    const std::vector<double> a_least = step_of({0, 1, 2}, algebra);
    EXPECT_NEAR(a_least[0], 0.0, tolerance);
    EXPECT_NEAR(a_least[1], 2.0, tolerance);
    EXPECT_NEAR(a_least[2], 4.0, tolerance);
  }
}

TEST(TieredStep, WhatIsHeldDoesNotMove) {
  for (const auto algebra : {LeastChange::Algebra::dense, LeastChange::Algebra::sparse}) {
    const std::vector<double> change = step_of({kHeldLevel, 0, 0}, algebra);
    EXPECT_EQ(change[0], 0.0);
    EXPECT_NEAR(change[1], 2.0, 1e-11);
    EXPECT_NEAR(change[2], 4.0, 1e-11);
  }
}

TEST(TieredStep, GoesBackTowardsTheGuess) {
  const system::RectangularPattern pattern = two_rows();
  TieredStep step(pattern, std::vector<int>{0, 0, 1}, kOnes, {}, LeastChange::Algebra::dense);
  ASSERT_TRUE(step.factorize(kEntries));
  EXPECT_EQ(step.rank(), 2);
  // From the guess 0 the point (2, 0, 6) was reached: both rows are met, (1, 1, 5) is nearer in a and b.
  std::vector<double> change(3);
  step.toward(std::vector<double>{0.0, 0.0}, std::vector<double>{2.0, 0.0, 6.0}, 1, change);
  EXPECT_NEAR(change[0], -1.0, 1e-14);
  EXPECT_NEAR(change[1], 1.0, 1e-14);
  EXPECT_NEAR(change[2], -1.0, 1e-14);
}

// As many copies of the two rows as make it larger than what is dense at once: each is what one is, to rounding.
TEST(TieredStep, CopiesDoWhatOneDoes) {
  constexpr int kCopies = 150;
  system::RectangularPattern pattern;
  pattern.n_rows = 2 * kCopies;
  pattern.n_columns = 3 * kCopies;
  pattern.column_starts = {0};
  std::vector<int> level;
  std::vector<double> entries;
  std::vector<double> residual;
  for (Index k = 0; k < kCopies; ++k) {
    for (const Index row : {0, 0, 1, 1}) {
      pattern.rows.push_back(2 * k + row);
      entries.push_back(1.0);
    }
    for (const Index end : {1, 3, 4}) {
      pattern.column_starts.push_back(4 * k + end);
    }
    level.insert(level.end(), {0, 1, 2});
    residual.insert(residual.end(), {-2.0, -6.0});
  }
  TieredStep step(pattern, level, std::vector<double>(level.size(), 1.0), {},
                  LeastChange::Algebra::automatic);
  EXPECT_TRUE(step.is_dense());
  ASSERT_TRUE(step.factorize(entries));
  EXPECT_EQ(step.rank(), 2 * kCopies);
  std::vector<double> change(level.size());
  step.solve(residual, change);
  for (std::size_t k = 0; k < kCopies; ++k) {
    EXPECT_NEAR(change[3 * k], 0.0, 1e-14);
    EXPECT_NEAR(change[3 * k + 1], 2.0, 1e-14);
    EXPECT_NEAR(change[3 * k + 2], 4.0, 1e-14);
  }
}

}  // namespace
}  // namespace saltus::reduce
