#include "reduce/ranks/frozen_elimination.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace saltus::reduce {
namespace {

std::vector<double> pivots_of(FrozenElimination& elimination, const std::vector<double>& matrix) {
  std::vector<double> values(static_cast<std::size_t>(elimination.n_pivots()));
  elimination.pivots(matrix, values);
  return values;
}

// t·x' = x and its derivative, columns x, x', x'': both pivots are t.
std::vector<double> singular_at_zero(double t) {
  return {-1.0, 0.0, t, 0.0, 0.0, t};
}

TEST(FrozenElimination, PivotsChangeTheirSignsAtSingularPoints) {
  FrozenElimination elimination;
  const std::vector<Index> groups = {1, 1, 1};
  const std::vector<Index> ranks = {0, 1, 1};
  elimination.freeze(singular_at_zero(-2.0), 2, groups, ranks);
  ASSERT_EQ(elimination.n_pivots(), 2);
  EXPECT_EQ(pivots_of(elimination, singular_at_zero(-2.0)), (std::vector<double>{-2.0, -2.0}));
  EXPECT_EQ(pivots_of(elimination, singular_at_zero(0.5)), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(pivots_of(elimination, singular_at_zero(0.0)), (std::vector<double>{0.0, 0.0}));
}

TEST(FrozenElimination, OrderIsKeptAndGroupsAreSeparate) {
  FrozenElimination elimination;
  const std::vector<Index> groups = {1, 2};
  const std::vector<Index> ranks = {1, 1};
  // Columns (1, 1), (3, 6), (2, 4): the last two are dependent, the largest entry is 6.
  elimination.freeze(std::vector<double>{1.0, 1.0, 3.0, 6.0, 2.0, 4.0}, 2, groups, ranks);
  ASSERT_EQ(elimination.n_pivots(), 2);
  EXPECT_EQ(pivots_of(elimination, {1.0, 1.0, 3.0, 6.0, 2.0, 4.0}), (std::vector<double>{6.0, 0.5}));
  // Now 1 - 3·1/(-2) with the same places.
  EXPECT_EQ(pivots_of(elimination, {1.0, 1.0, 3.0, -2.0, 2.0, 4.0}), (std::vector<double>{-2.0, 2.5}));
}

TEST(FrozenElimination, RanksThatAreNotThereHaveNoPivots) {
  FrozenElimination elimination;
  const std::vector<Index> groups = {2};
  const std::vector<Index> ranks = {2};
  elimination.freeze(std::vector<double>{1.0, 2.0, 2.0, 4.0}, 2, groups, ranks);
  EXPECT_EQ(elimination.n_pivots(), 1);
}

}  // namespace
}  // namespace saltus::reduce
