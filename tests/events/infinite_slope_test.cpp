// Right-hand sides whose slope is infinite, or zero times infinite, at the point where a run begins or rests: every method goes on from there.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

class InfiniteSlope : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Methods, InfiniteSlope,
                         ::testing::Values("dopri5", "radau5", "bdf", "sdirk4", "rk23"),
                         [](const auto& given) { return given.param; });

std::string one_state(const std::string& rate, const std::string& start) {
  return "model M\n Real x(start = " + start + ", fixed = true);\nequation\n der(x) = " + rate +
         ";\nend M;\n";
}

// An empty tank into which nothing flows yet; from t = 1 on x' = (t - 1) - √x, x = (t - 1)²/4.
TEST_P(InfiniteSlope, AnEmptyTankWaits) {
  const HybridRun run = run_text(one_state("max(time - 1, 0) - sqrt(max(x, 0))", "0"),
                                 {{"stop", "2"}, {"tolerance", "1e-8"}, {"method", GetParam()}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log() << run.words();
  for (const RowRecord& row : run.rows) {
    if (row.time < 1.0) {
      ASSERT_EQ(run.value(row, "x"), 0.0) << "at " << row.time;
    }
  }
  EXPECT_NEAR(run.final("x"), 0.25, 1e-6);
}

// 0 = sqrt(u) with u held at zero by a corner: the slope is 0·∞.
TEST_P(InfiniteSlope, ARootOfWhatACornerHoldsAtZero) {
  const HybridRun run = run_text(one_state("1 - sqrt(max(x, 2) - 2)", "0"),
                                 {{"stop", "1.5"}, {"tolerance", "1e-8"}, {"method", GetParam()}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log() << run.words();
  EXPECT_NEAR(run.final("x"), 1.5, 1e-12);
}

TEST_P(InfiniteSlope, WhatHasNoValueBeyondAPointNamesItsEquation) {
  const HybridRun run = run_text(one_state("-sqrt(x)", "1"), {{"stop", "3"}, {"method", GetParam()}});
  EXPECT_EQ(run.result.status, SimulationStatus::failed);
  EXPECT_TRUE(run.says("line 4: 'der(x) = -sqrt(x)'")) << run.words();
}

}  // namespace
}  // namespace saltus::test
