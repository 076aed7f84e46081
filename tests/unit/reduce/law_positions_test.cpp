#include "reduce/consistent/law_positions.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace saltus::reduce {
namespace {

using Rows = std::vector<SparseRow>;

// p1, p2 (0, 1) and the momentum 2·v1 + 3·v2 (2, 3) stay; the constraints are p1 = p2 and v1 = v2.
const Rows kBodies{{{0, 1.0}}, {{1, 1.0}}, {{2, 2.0}, {3, 3.0}}};
const Rows kJoined{{{0, 1.0}, {1, -1.0}}, {{2, 1.0}, {3, -1.0}}};

TEST(LawPositions, AreWhatTheLawKeepsAndTheConstraintsMove) {
  const LawPositions found = find_law_positions(kBodies, kJoined, 4);
  ASSERT_EQ(found.rows.size(), 1U);
  ASSERT_EQ(found.rows[0].size(), 2U);
  EXPECT_DOUBLE_EQ(found.rows[0].at(0), -found.rows[0].at(1));
  EXPECT_EQ(found.is_dropped[0] + found.is_dropped[1], 1);
  EXPECT_EQ(found.is_dropped[2], 0);
}

TEST(LawPositions, AreNoneWhereLawAndConstraintsAgree) {
  EXPECT_TRUE(find_law_positions(kBodies, {kJoined[1]}, 4).rows.empty());
}

// A row that repeats another is dropped without being a position, rounding or not.
TEST(LawPositions, RowsThatSayTheSameAreNone) {
  const LawPositions found = find_law_positions({{{0, 0.3}, {1, 1.0}}, {{0, 0.1 + 0.2}, {1, 1.0}}}, {}, 2);
  EXPECT_TRUE(found.rows.empty());
  EXPECT_EQ(found.is_dropped[0] + found.is_dropped[1], 1);
}

// Columns that are not the law's are eliminated: u0 = y, y = u1.
TEST(LawPositions, AreFoundThroughOtherUnknowns) {
  const Rows constraints{{{0, 1.0}, {2, -1.0}}, {{2, 2.0}, {1, -2.0}}};
  const LawPositions found = find_law_positions({{{0, 1.0}}, {{1, 1.0}}}, constraints, 3);
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.rows[0].count(2), 0U);
}

// Constraints that repeat each other within rounding determine no more than one of them.
TEST(LawPositions, ConstraintsThatRepeatOthersCountOnce) {
  const Rows constraints{{{0, 1.0}, {1, 1.0}, {2, 1.0}}, {{0, 1.0}, {1, 1.0}, {2, 1.0 + 1e-13}}};
  EXPECT_TRUE(find_law_positions({{{0, 1.0}, {1, 1.0}}}, constraints, 3).rows.empty());
}

TEST(LawPositions, MoveByTheLeastChange) {
  const std::vector<double> moved = move_positions(
      {{{0, 1.0}, {1, -1.0}}}, std::vector<double>{0.0, 1.0, 5.0}, std::vector<double>{7.0, 7.0, 0.0});
  ASSERT_EQ(moved.size(), 3U);
  EXPECT_NEAR(moved[0], 0.5, 1e-15);
  EXPECT_NEAR(moved[1], 0.5, 1e-15);
  EXPECT_EQ(moved[2], 5.0);
}

// A chain of 400: each link 1.1 long is to be 1, and the middle stays.
TEST(LawPositions, MoveByTheLeastChangeInLargeSystemsToo) {
  constexpr std::size_t kN = 400;
  Rows links;
  std::vector<double> from;
  std::vector<double> to;
  for (std::size_t k = 0; k < kN; ++k) {
    from.push_back(1.1 * static_cast<double>(k));
    to.push_back(static_cast<double>(k));
    if (k > 0) {
      links.push_back({{static_cast<Index>(k), 1.0}, {static_cast<Index>(k) - 1, -1.0}});
    }
  }
  const std::vector<double> moved = move_positions(links, from, to);
  for (std::size_t k = 0; k < kN; ++k) {
    EXPECT_NEAR(moved[k], to[k] + 0.05 * (kN - 1), 1e-10);
  }
}

}  // namespace
}  // namespace saltus::reduce
