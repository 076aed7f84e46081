#include "linalg/parted_least_squares.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace saltus::linalg {
namespace {

// x₀ + x₁ = 2 and x₂ + x₃ = 6, the columns of the two parts in turn; a stronger and a weaker group.
TEST(PartedLeastSquares, EveryPartHasItsOwnLeastChange) {
  const std::array<Index, 1> first_rows{1};
  const std::array<Index, 1> second_rows{0};
  const std::array<Index, 2> first_columns{0, 2};
  const std::array<Index, 2> second_columns{1, 3};
  const std::vector<PartedLeastSquares::PartLists> parts{{first_rows, first_columns},
                                                         {second_rows, second_columns}};
  const std::vector<int> group{0, 0, 1, 0};
  PartedLeastSquares solver(2, group, 2, parts);
  solver.clear();
  solver.set(1, 0, 1.0);
  solver.set(1, 2, 1.0);
  solver.set(0, 1, 1.0);
  solver.set(0, 3, 1.0);
  ASSERT_TRUE(solver.factorize(1e-12));
  EXPECT_EQ(solver.rank(0), 1);
  EXPECT_EQ(solver.rank(1), 1);
  std::vector<Index> ranks;
  solver.ranks(ranks);
  EXPECT_EQ(ranks, (std::vector<Index>{0, 1, 1, 0}));
  std::vector<double> x(4, 0.0);
  solver.solve(std::vector<double>{6.0, 2.0}, x);
  EXPECT_NEAR(x[0], 0.0, 1e-15);  // the weaker group does it
  EXPECT_NEAR(x[2], 2.0, 1e-15);
  EXPECT_NEAR(x[1], 3.0, 1e-15);
  EXPECT_NEAR(x[3], 3.0, 1e-15);
}

TEST(PartedLeastSquares, ColumnsWithoutAGroupAreLeftAlone) {
  const std::array<Index, 1> rows{0};
  const std::array<Index, 2> columns{0, 1};
  const std::vector<PartedLeastSquares::PartLists> parts{{rows, columns}};
  PartedLeastSquares solver(1, std::vector<int>{-1, 0}, 1, parts);
  EXPECT_FALSE(solver.has_column(0));
  solver.clear();
  solver.set(0, 1, 2.0);
  ASSERT_TRUE(solver.factorize(1e-12));
  std::vector<double> x{7.0, 0.0};
  solver.solve(std::vector<double>{4.0}, x);
  EXPECT_EQ(x[0], 7.0);
  EXPECT_NEAR(x[1], 2.0, 1e-15);
}

}  // namespace
}  // namespace saltus::linalg
