#include "base/name_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace saltus {
namespace {

using ::testing::ElementsAre;

TEST(NameList, CommasSeparateOutsideOfBracketsParenthesesAndQuotesOnly) {
  EXPECT_THAT(split_names("x"), ElementsAre("x"));
  EXPECT_THAT(split_names(" x ,\ty[1,2], z"), ElementsAre("x", "y[1,2]", "z"));
  EXPECT_THAT(split_names("der(a[1,2]),f(x,y)"), ElementsAre("der(a[1,2])", "f(x,y)"));
  EXPECT_THAT(split_names("'r.k[1,2]','a, b',c"), ElementsAre("'r.k[1,2]'", "'a, b'", "c"));
  EXPECT_THAT(split_names(R"('it\'s, so',x)"), ElementsAre(R"('it\'s, so')", "x"));
  EXPECT_THAT(split_names("'a[', b"), ElementsAre("'a['", "b"));
}

TEST(NameList, EmptyItemsAndUnbalancedBracketsAreKept) {
  EXPECT_THAT(split_names(""), ElementsAre(""));
  EXPECT_THAT(split_names("x,,y,"), ElementsAre("x", "", "y", ""));
  EXPECT_THAT(split_names("x],y"), ElementsAre("x]", "y"));
  EXPECT_THAT(split_names("x[1,y"), ElementsAre("x[1,y"));
  EXPECT_THAT(split_names(R"('a\)"), ElementsAre(R"('a\)"));
}

TEST(NameList, QuotesAroundAWholeNameComeOff) {
  EXPECT_EQ(unquoted("'r.k[1,2]'"), "r.k[1,2]");
  EXPECT_EQ(unquoted("x"), "x");
  EXPECT_EQ(unquoted("'a'.'b'"), "'a'.'b'");
  EXPECT_EQ(unquoted("''"), "''");
  EXPECT_EQ(unquoted("'"), "'");
}

TEST(NameList, StarsMatchAnything) {
  EXPECT_TRUE(matches("a.*", "a.b.c[1]"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("*.v", "body.frame.v"));
  EXPECT_TRUE(matches("a*b*c", "aXbYbZc"));
  EXPECT_TRUE(matches("**", "x"));
  EXPECT_FALSE(matches("a.*", "ab.c"));
  EXPECT_FALSE(matches("a*b", "aXbY"));
  EXPECT_FALSE(matches("", "x"));
}

}  // namespace
}  // namespace saltus
