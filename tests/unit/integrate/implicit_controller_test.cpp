#include "integrate/step/implicit_controller.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/integration_fixture.hpp"

namespace saltus::integrate {
namespace {

class Advice final : public StepEstimates {
 public:
  [[nodiscard]] StepAdvice advice() const override { return given; }

  StepAdvice given;
};

class ImplicitControl : public testing::Test {
 protected:
  Advice advice;
  ImplicitController controller{advice, 3};
};

TEST_F(ImplicitControl, FirstStepFollowsItsErrorWithinBounds) {
  EXPECT_NEAR(controller.after_accepted(1.0, 0.5), 0.9 * std::pow(0.5, -0.25), 1e-15);
  controller.restart();
  EXPECT_EQ(controller.after_accepted(1.0, 1e-12), 8.0);
  controller.restart();
  EXPECT_EQ(controller.after_accepted(1.0, 0.0), 8.0);
}

TEST_F(ImplicitControl, LaterStepsPredictFromTheTrendOfTheError) {
  (void)controller.after_accepted(1.0, 0.02);
  // The error has grown fivefold with the same size: it will again.
  const double predicted = 0.9 * std::pow(0.02 / (0.1 * 0.1), 0.25);
  EXPECT_NEAR(controller.after_accepted(1.0, 0.1), predicted, 1e-15);
  EXPECT_LT(predicted, 0.9 * std::pow(0.1, -0.25));
}

TEST_F(ImplicitControl, EffortOfTheIterationShrinksTheStep) {
  advice.given.effort_factor = 0.8;
  EXPECT_NEAR(controller.after_accepted(1.0, 0.5), 0.8 * 0.9 * std::pow(0.5, -0.25), 1e-15);
}

TEST_F(ImplicitControl, LittleGrowthIsLeftOut) {
  advice.given.idle_growth = 1.2;
  EXPECT_EQ(controller.after_accepted(1.0, 0.5), 1.0);
  controller.restart();
  EXPECT_GT(controller.after_accepted(1.0, 0.2), 1.2);
  controller.restart();
  EXPECT_LT(controller.after_accepted(1.0, 0.9), 1.0) << "a step that must shrink does";
}

TEST_F(ImplicitControl, RejectionsShrinkAndForbidGrowth) {
  EXPECT_DOUBLE_EQ(controller.after_rejected(1.0, 16.0), 0.1) << "the first step";
  EXPECT_EQ(controller.after_accepted(0.1, 1e-6), 0.1);
  EXPECT_NEAR(controller.after_rejected(1.0, 16.0), 0.45, 1e-15);
  advice.given.failure_factor = 0.7;
  EXPECT_DOUBLE_EQ(controller.after_failed_iteration(1.0), 0.7);
  EXPECT_DOUBLE_EQ(controller.after_failed_evaluation(1.0), 0.2);
}

}  // namespace
}  // namespace saltus::integrate
