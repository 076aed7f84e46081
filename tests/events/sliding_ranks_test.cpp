// Sliding in modes whose structure does not show their index: states are all unknowns, friction forces among them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

// Two bodies on one circle (index 3) with dry friction between them, one of them driven, as in sliding_dae_test.cpp; the first has its
// constraint twice, so that only the sum of two multipliers is determined.
std::string redundant_circle(const std::string& friction) {
  return "model M\n Real x1(start = 0, fixed = true), y1(start = 1), u1(start = 0, fixed = true), v1(start = "
         "0), l1, m1;\n"
         " Real x2(start = 0, fixed = true), y2(start = 1), u2(start = 0, fixed = true), v2(start = 0), l2;\n"
         " Real w1 = y1*u1 - x1*v1, w2 = y2*u2 - x2*v2;\n Real friction = " +
         friction +
         ";\nequation\n der(x1) = u1; der(y1) = v1; der(x2) = u2; der(y2) = v2;\n"
         " der(u1) = -(l1 + m1)*x1 + y1*(sin(time) - friction);\n"
         " der(v1) = -(l1 + m1)*y1 - x1*(sin(time) - friction);\n"
         " der(u2) = -l2*x2 + y2*friction;\n der(v2) = -l2*y2 - x2*friction;\n"
         " x1^2 + y1^2 = 1;\n x2^2 + y2^2 = 1;\n 2*x1^2 + 2*y1^2 = 2;\nend M;\n";
}

const double kFirstExit = std::asin(0.8);
// Of sliding_dae_test.cpp.
constexpr double kSlipEnd = 2.8870039066;

TEST(SlidingByRanks, ForcesFollowTheWeights) {
  for (const auto& [method, stop] : {std::pair{"dopri5", "3"}, std::pair{"radau5", "1"}}) {
    const HybridRun run =
        run_text(redundant_circle("0.4*sign(w1 - w2)"),
                 {{"stop", stop}, {"tolerance", "1e-7"}, {"interval", "0.1"}, {"method", method}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    ASSERT_TRUE(run.says("reduced-by-ranks")) << run.words();
    EXPECT_THAT(run.times("slide_exit"), ElementsAre(DoubleNear(kFirstExit, 1e-6))) << method << run.log();
    EXPECT_EQ(run.times("slide_enter").front(), 0.0);
    EXPECT_NEAR(run.times("slide_enter").back(), run.result.end > kSlipEnd ? kSlipEnd : 0.0, 1e-5);
    for (const RowRecord& row : run.rows) {
      EXPECT_NEAR(std::hypot(run.value(row, "x1"), run.value(row, "y1")), 1.0, 1e-9) << row.time;
      if (row.segment > 0 && row.time < 0.9) {
        EXPECT_NEAR(run.value(row, "friction"), 0.5 * std::sin(row.time), 1e-7) << method << " " << row.time;
        EXPECT_NEAR(run.value(row, "w1") - run.value(row, "w2"), 0.0, 1e-11) << row.time;
      }
    }
    EXPECT_LT(run.result.statistics.accepted_steps, 300);
  }
}

// The gradient of the guard is nearly that of the constraint, which is written twice: on it the guard is 0.1*b.
TEST(SlidingByRanks, SurfaceAndConstraintsHoldTogether) {
  const std::string text =
      "model M\n Real a(start = 0.5), b(start = 0.5, fixed = true), F, G;\n Real friction = -2*sign(a + "
      "1.1*b - "
      "cos(time));\n"
      "equation\n der(a) = -friction + F + G + sin(3*time);\n der(b) = friction + F + G;\n a + b = "
      "cos(time);\n"
      " 2*a + 2*b = 2*cos(time);\nend M;\n";
  for (const char* method : {"dopri5", "radau5", "bdf"}) {
    const HybridRun run =
        run_text(text, {{"stop", "3"}, {"tolerance", "1e-8"}, {"interval", "0.1"}, {"method", method}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    ASSERT_EQ(run.count("slide_enter"), 1U) << run.log();
    for (const RowRecord& row : run.rows) {
      if (row.segment > 0) {
        EXPECT_NEAR(run.value(row, "b"), 0.0, 1e-13) << method << " " << row.time;
        EXPECT_NEAR(run.value(row, "a"), std::cos(row.time), 1e-13) << method << " " << row.time;
        EXPECT_NEAR(run.value(row, "friction"), 0.5 * (std::sin(row.time) + std::sin(3 * row.time)), 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace saltus::test
