#include "base/disjoint_sets.hpp"

#include <gtest/gtest.h>

namespace saltus {
namespace {

TEST(DisjointSets, TheSmallestMemberStandsForItsSet) {
  DisjointSets sets(6);
  sets.join(5, 3);
  sets.join(4, 5);
  sets.join(1, 2);
  EXPECT_EQ(sets.of(0), 0U);
  EXPECT_EQ(sets.of(2), 1U);
  EXPECT_EQ(sets.of(4), 3U);
  EXPECT_EQ(sets.of(5), 3U);
  sets.join(2, 4);
  EXPECT_EQ(sets.of(5), 1U);
}

}  // namespace
}  // namespace saltus
