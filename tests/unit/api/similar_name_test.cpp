#include "api/similar_name.hpp"

#include <gtest/gtest.h>

namespace saltus::api {
namespace {

TEST(SimilarName, FindsASlipAndNothingElse) {
  const std::vector<std::string_view> names{"tolerance", "stop", "start", "max-step", "max-steps"};
  EXPECT_EQ(similar_name("tolerence", names), "tolerance");
  EXPECT_EQ(similar_name("strat", names), "start");
  EXPECT_EQ(similar_name("max_step", names), "max-step");
  EXPECT_EQ(similar_name("maxsteps", names), "max-steps");
  EXPECT_EQ(similar_name("zeno", names), "");
  EXPECT_EQ(similar_name("", {}), "");
  EXPECT_EQ(similar_name_hint("stpo", names), "did you mean 'stop'?");
  EXPECT_EQ(similar_name_hint("something-else", names), "");
}

// Two million characters would take hours if the whole names were compared.
TEST(SimilarName, CutsVeryLongNames) {
  const std::string name(2'000'000, 'a');
  EXPECT_EQ(similar_name(name, {name}), name);
}

}  // namespace
}  // namespace saltus::api
