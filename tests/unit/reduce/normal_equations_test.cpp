#include "reduce/nonlinear/normal_equations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "reduce/nonlinear/least_change.hpp"
#include "support/allocation_guard.hpp"

namespace saltus::reduce {
namespace {

// Columns with the rows given.
system::RectangularPattern pattern_of(Index n_rows, const std::vector<std::vector<Index>>& columns) {
  system::RectangularPattern pattern;
  pattern.n_rows = n_rows;
  pattern.n_columns = static_cast<Index>(columns.size());
  pattern.column_starts.push_back(0);
  for (const std::vector<Index>& rows : columns) {
    pattern.rows.insert(pattern.rows.end(), rows.begin(), rows.end());
    pattern.column_starts.push_back(static_cast<Index>(pattern.rows.size()));
  }
  return pattern;
}

TEST(NormalEquations, IsTheLeastChangeOfTheOrthogonalDecomposition) {
  constexpr unsigned kSeed = 7;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  const auto pattern = pattern_of(3, {{0, 1, 2}, {0, 2}, {1}, {0, 1, 2}, {2}, {0, 1}});
  std::vector<double> scale(6);
  std::vector<double> entries(pattern.n_entries());
  std::vector<double> residual(3);
  for (auto* list : {&scale, &entries, &residual}) {
    for (double& value : *list) {
      value = number(random);
    }
  }
  for (double& s : scale) {
    s = std::exp(2.0 * s);
  }
  NormalEquations normal(pattern, scale);
  LeastChange least(pattern, scale, LeastChange::Algebra::dense);
  const test::AllocationGuard guard;
  ASSERT_TRUE(normal.factorize(entries));
  std::vector<double> change(6);
  normal.solve(residual, change);
  EXPECT_EQ(guard.count(), 1) << "only the test's own list";
  ASSERT_TRUE(least.factorize(entries));
  std::vector<double> expected(6);
  least.solve(residual, expected);
  for (std::size_t i = 0; i < change.size(); ++i) {
    EXPECT_NEAR(change[i], expected[i], 1e-11 * scale[i]);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(normal.row_scale()[i], least.row_scale()[i], 1e-14 * least.row_scale()[i]);
  }
}

TEST(NormalEquations, LeavesNearlyRedundantRowsToOthers) {
  const auto pattern = pattern_of(2, {{0, 1}, {0, 1}});
  NormalEquations normal(pattern, std::vector<double>{1.0, 1.0});
  EXPECT_TRUE(normal.factorize(std::vector<double>{1.0, 1.0, 0.0, 1e-2}));
  EXPECT_FALSE(normal.factorize(std::vector<double>{1.0, 1.0, 0.0, 1e-4}))
      << "1e-8 is left of the second row";
  EXPECT_FALSE(normal.factorize(std::vector<double>{1.0, 2.0, 1.0, 2.0}));
  EXPECT_FALSE(normal.factorize(std::vector<double>{1.0, 0.0, 1.0, 0.0})) << "a row of zeros";
  EXPECT_FALSE(normal.factorize(std::vector<double>{1.0, std::numeric_limits<double>::infinity(), 1.0, 0.0}));
}

}  // namespace
}  // namespace saltus::reduce
