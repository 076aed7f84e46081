#include "reduce/consistent/state_choice.hpp"

#include <gtest/gtest.h>

namespace saltus::reduce {
namespace {

// A pendulum hanging straight down moves sideways: x is the state, not y.
TEST(ChooseStates, TakesTheUnknownThatMovesMost) {
  EXPECT_EQ(choose_states({{1.0}, {0.0}}), std::vector<Index>{0});
  EXPECT_EQ(choose_states({{0.1}, {-0.9}}), std::vector<Index>{1});
}

TEST(ChooseStates, TheChoiceIsIndependent) {
  // Unknowns 0 and 1 move together, so only one of them can be chosen.
  EXPECT_EQ(choose_states({{2.0, 1.0}, {2.0, 1.0}, {0.5, -1.0}}), (std::vector<Index>{0, 2}));
}

TEST(ChooseStates, PreferredUnknownsComeFirst) {
  // The force (row 2) moves most, but a position will do; where the positions do not suffice it is taken.
  EXPECT_EQ(choose_states({{0.1}, {0.0}, {5.0}}, {1, 1, 0}), std::vector<Index>{0});
  EXPECT_EQ(choose_states({{0.0}, {0.0}, {5.0}}, {1, 1, 0}), std::vector<Index>{2});
}

TEST(ChooseStates, EmptyBases) {
  EXPECT_TRUE(choose_states(linalg::DenseMatrix(3, 0)).empty());
  EXPECT_TRUE(choose_states(linalg::DenseMatrix(0, 0)).empty());
}

TEST(MovedUnknowns, AreTheRowsThatAreNotZero) {
  EXPECT_EQ(moved_unknowns({{0.0, 1.0}, {1e-14, 0.0}, {0.3, 0.3}}), (std::vector<Index>{0, 2}));
  EXPECT_TRUE(moved_unknowns(linalg::DenseMatrix(3, 0)).empty());
}

}  // namespace
}  // namespace saltus::reduce
