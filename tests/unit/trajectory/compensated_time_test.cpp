#include "trajectory/compensated_time.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace saltus::trajectory {
namespace {

TEST(CompensatedTime, TenMillionStepsEndWhereTheyShould) {
  CompensatedTime time(0.0);
  double plain = 0.0;
  for (int i = 0; i < 10'000'000; ++i) {
    time.advance(0.1);
    plain += 0.1;
  }
  // 1e7 times the double nearest to 0.1 lies 5.6e-11 above 1e6, under half a spacing.
  EXPECT_EQ(time.value(), 1e6);
  EXPECT_GT(std::abs(plain - 1e6), 1e-5) << "plain summation drifts; otherwise this test shows nothing";
}

TEST(CompensatedTime, KeepsStepsBelowTheSpacingOfDoubles) {
  CompensatedTime time(1e9);
  for (int i = 0; i < 1000; ++i) {
    time.advance(1e-8);
  }
  EXPECT_NEAR(time.since(1e9), 1e-5, 1e-18);
}

TEST(CompensatedTime, GoesBackToWhereItCameFrom) {
  CompensatedTime time(3.0);
  time.advance(0.7);
  time.advance(1e-17);
  time.advance(-1e-17);
  time.advance(-0.7);
  EXPECT_EQ(time.value(), 3.0);
  EXPECT_EQ(time.low(), 0.0);
}

}  // namespace
}  // namespace saltus::trajectory
