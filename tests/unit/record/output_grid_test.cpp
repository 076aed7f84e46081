#include "record/output_grid.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace saltus::record {
namespace {

TEST(OutputGrid, CountsTheStopOnceDespiteRounding) {
  const OutputGrid grid(0.0, 1.0, 0.1);  // ten times 0.1 is not 1 in doubles when added up
  ASSERT_EQ(grid.size(), 11);
  EXPECT_EQ(grid.time(3), 0.1 * 3);
  EXPECT_EQ(grid.time(10), 1.0);
}

TEST(OutputGrid, EndsAtAStopBetweenGridTimes) {
  const OutputGrid grid(0.0, 1.0, 0.3);
  ASSERT_EQ(grid.size(), 5);
  EXPECT_EQ(grid.time(4), 1.0);
  const OutputGrid coarse(0.0, 1.0, 5.0);
  ASSERT_EQ(coarse.size(), 2);
  EXPECT_EQ(coarse.time(0), 0.0);
  EXPECT_EQ(coarse.time(1), 1.0);
}

TEST(OutputGrid, RunsBackwards) {
  const OutputGrid grid(1.0, -1.0, 0.5);
  ASSERT_EQ(grid.size(), 5);
  EXPECT_EQ(grid.time(1), 0.5);
  EXPECT_EQ(grid.time(4), -1.0);
}

TEST(OutputGrid, GivenTimesHaveStartAndStopBesideThem) {
  const OutputGrid grid(0.0, 1.0, std::vector<double>{0.25, 0.3});
  ASSERT_EQ(grid.size(), 4);
  EXPECT_EQ(grid.time(0), 0.0);
  EXPECT_EQ(grid.time(1), 0.25);
  EXPECT_EQ(grid.time(3), 1.0);
  // Those that are start and stop stand once, to the last bit.
  const OutputGrid whole(2.0, 1.0, std::vector<double>{2.0, 1.5, std::nextafter(1.0, 2.0)});
  ASSERT_EQ(whole.size(), 3);
  EXPECT_EQ(whole.time(1), 1.5);
  EXPECT_EQ(whole.time(2), 1.0);
  EXPECT_EQ(OutputGrid(1.0, 1.0, std::vector<double>{1.0}).size(), 1);
  EXPECT_FALSE(OutputGrid::times_are_usable(0.0, 1.0, {0.5, 0.4}));
  EXPECT_FALSE(OutputGrid::times_are_usable(0.0, 1.0, {0.5, std::nextafter(0.5, 1.0)}));
  EXPECT_FALSE(OutputGrid::times_are_usable(0.0, 1.0, {1.1}));
  EXPECT_TRUE(OutputGrid::times_are_usable(1.0, 0.0, {0.5, 0.4}));
}

TEST(OutputGrid, OneTimeWhenNothingPasses) {
  const OutputGrid grid(2.0, 2.0, 0.5);
  ASSERT_EQ(grid.size(), 1);
  EXPECT_EQ(grid.time(0), 2.0);
}

// 1e6 intervals of 0.1: an accumulated sum would be off by about 1e-6 at the end.
TEST(OutputGrid, DoesNotAccumulateErrors) {
  const OutputGrid grid(1e9, 1e9 + 1e5, 0.1);
  ASSERT_EQ(grid.size(), 1'000'001);
  for (const std::int64_t k : {1, 777'777, 999'999}) {
    // long double is at least as wide as what is needed to see one rounding on the machines that run this test
    EXPECT_EQ(grid.time(k), static_cast<double>(1e9L + static_cast<long double>(k) * 0.1));
  }
}

TEST(OutputGrid, RefusesTimesThatCannotBeToldApart) {
  EXPECT_FALSE(OutputGrid::interval_is_usable(1e9, 1e9 + 1, 1e-9));
  EXPECT_TRUE(OutputGrid::interval_is_usable(1e9, 1e9 + 1, 1e-3));
  EXPECT_FALSE(OutputGrid::interval_is_usable(0, 1, 0.0));
  EXPECT_TRUE(OutputGrid::interval_is_usable(0, 1e-300, 1e-303));
}

}  // namespace
}  // namespace saltus::record
