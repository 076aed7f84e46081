#include <gtest/gtest.h>

#include "lang/suggestions.hpp"

namespace saltus::lang {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsReplacementsExchanges) {
  EXPECT_EQ(edit_distance("velocity", "velocity", 3), 0);
  EXPECT_EQ(edit_distance("velocty", "velocity", 3), 1);
  EXPECT_EQ(edit_distance("rihgt", "right", 3), 1);
  EXPECT_EQ(edit_distance("abc", "xyz", 2), 3);
  EXPECT_EQ(edit_distance("a", "abcdef", 2), 3);
}

TEST(DidYouMean, NamesTheNearestAndOnlyIfNear) {
  EXPECT_EQ(did_you_mean("strat", {"start", "fixed"}), "did you mean 'start'?");
  EXPECT_EQ(did_you_mean("zzz", {"start", "fixed"}), "");
  EXPECT_EQ(did_you_mean("x", {"y"}), "");
}

}  // namespace
}  // namespace saltus::lang
