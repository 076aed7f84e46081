#include "base/similar_name.hpp"

#include <gtest/gtest.h>

namespace saltus {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsReplacementsExchanges) {
  EXPECT_EQ(edit_distance("velocity", "velocity", 3), 0);
  EXPECT_EQ(edit_distance("velocty", "velocity", 3), 1);
  EXPECT_EQ(edit_distance("rihgt", "right", 3), 1);
  EXPECT_EQ(edit_distance("abc", "xyz", 2), 3);
  EXPECT_EQ(edit_distance("a", "abcdef", 2), 3);
}

TEST(SimilarName, FindsASlipAndNothingElse) {
  const std::vector<std::string_view> names{"tolerance", "stop", "start", "max-step", "max-steps"};
  EXPECT_EQ(similar_name("tolerence", names), "tolerance");
  EXPECT_EQ(similar_name("strat", names), "start");
  EXPECT_EQ(similar_name("max_step", names), "max-step");
  EXPECT_EQ(similar_name("maxsteps", names), "max-steps");
  EXPECT_EQ(similar_name("zeno", names), "");
  EXPECT_EQ(similar_name("x", {"y"}), "");
  EXPECT_EQ(similar_name("", {}), "");
}

// Two million characters would take hours if the whole names were compared.
TEST(SimilarName, CutsVeryLongNames) {
  const std::string name(2'000'000, 'a');
  EXPECT_EQ(similar_name(name, {name}), name);
}

TEST(DidYouMean, AsksOrSaysNothing) {
  EXPECT_EQ(did_you_mean("strat", {"start", "fixed"}), "did you mean 'start'?");
  EXPECT_EQ(did_you_mean("something-else", {"start", "fixed"}), "");
}

}  // namespace
}  // namespace saltus
