#include "integrate/step/step_controller.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "saltus/contract.hpp"

namespace saltus::integrate {
namespace {

TEST(PiController, FollowsTheFormulaOfDopri5) {
  PiController controller(4);
  // err^(0.2 - 0.03) / err_old^0.04 / 0.9, err_old = 1e-4 at first, then the error before.
  EXPECT_DOUBLE_EQ(controller.after_accepted(2.0, 0.5),
                   2.0 / (std::pow(0.5, 0.17) / std::pow(1e-4, 0.04) / 0.9));
  EXPECT_DOUBLE_EQ(controller.after_accepted(2.0, 0.3),
                   2.0 / (std::pow(0.3, 0.17) / std::pow(0.5, 0.04) / 0.9));
}

TEST(PiController, LimitsGrowthAndShrinking) {
  PiController controller(4);
  EXPECT_DOUBLE_EQ(controller.after_accepted(1.0, 0.0), 10.0);
  EXPECT_DOUBLE_EQ(controller.after_rejected(1.0, 1e30), 0.2);
  EXPECT_DOUBLE_EQ(controller.after_failed_evaluation(1.0), 0.2);
}

TEST(PiController, DoesNotGrowDirectlyAfterARejection) {
  PiController controller(4);
  const double h = controller.after_rejected(1.0, 8.0);
  EXPECT_LT(h, 1.0);
  EXPECT_EQ(controller.after_accepted(h, 1e-6), h);
  EXPECT_GT(controller.after_accepted(h, 1e-6), h);
}

TEST(PiController, ForgetsAtARestart) {
  PiController fresh(4);
  PiController used(4);
  (void)used.after_accepted(1.0, 0.9);
  (void)used.after_rejected(1.0, 2.0);
  used.restart();
  EXPECT_EQ(used.after_accepted(1.0, 0.2), fresh.after_accepted(1.0, 0.2));
}

TEST(PiController, NeedsAnEstimate) {
  EXPECT_THROW(PiController(0), ContractViolation);
}

TEST(CompereController, FollowsHisRuleWithTheExponentGiven) {
  CompereController printed;
  EXPECT_DOUBLE_EQ(printed.after_accepted(0.1, 0.5), 0.8 * 0.1 * std::pow(2.0, 1.0 / 6.0));
  EXPECT_DOUBLE_EQ(printed.after_rejected(0.1, 64.0), 0.8 * 0.1 * 0.5);
  CompereController textbook({.exponent = 0.2});
  EXPECT_DOUBLE_EQ(textbook.after_accepted(0.1, 0.5), 0.8 * 0.1 * std::pow(2.0, 0.2));
}

TEST(CompereController, OnlyTheLargestStepLimitsGrowth) {
  CompereController controller({.largest_step = 0.25});
  EXPECT_EQ(controller.after_accepted(0.1, 0.0), 0.25);
  CompereController unlimited;
  EXPECT_NEAR(unlimited.after_accepted(1.0, 0.0), 0.8 * std::pow(1e16, 1.0 / 6.0), 1e-9);
}

}  // namespace
}  // namespace saltus::integrate
