#include "integrate/step/implicit_controller.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/integration_fixture.hpp"

namespace saltus::integrate {
namespace {

// A stepper of which only order and advice matter.
class AdvisingStepper final : public Stepper {
 public:
  [[nodiscard]] Index n_states() const override { return 0; }
  [[nodiscard]] int order() const override { return 5; }
  [[nodiscard]] int embedded_order() const override { return 3; }
  [[nodiscard]] const Tolerances& tolerances() const override { return tolerances_; }
  [[nodiscard]] const trajectory::CompensatedTime& time() const override { return time_; }
  [[nodiscard]] std::span<const double> state() const override { return {}; }
  [[nodiscard]] std::span<const double> derivative() const override { return {}; }
  system::Evaluation restart(const trajectory::CompensatedTime& /*t*/,
                             std::span<const double> /*x*/) override {
    return {};
  }
  system::Evaluation restart(const trajectory::CompensatedTime& /*t*/, std::span<const double> /*x*/,
                             std::span<const double> /*xdot*/) override {
    return {};
  }
  void set_evaluator(system::Evaluator& /*evaluator*/) override {}
  void accept() override {}
  void reject() override {}
  void retract() override {}
  [[nodiscard]] std::span<const double> step_start_state() const override { return {}; }
  [[nodiscard]] std::span<const double> step_end_state() const override { return {}; }
  [[nodiscard]] const trajectory::CompensatedTime& step_start_time() const override { return time_; }
  [[nodiscard]] double step_size() const override { return 0.0; }
  void enclose_step(std::span<const Index> /*states*/, std::span<Interval> /*ranges*/) const override {}
  system::Evaluation dense_output(DenseOutput /*which*/, trajectory::SegmentView& /*segment*/) override {
    return {};
  }
  [[nodiscard]] int dense_order(DenseOutput /*which*/) const override { return 3; }
  [[nodiscard]] StepAdvice advice() const override { return given; }
  [[nodiscard]] Index worst_state() const override { return -1; }
  system::Evaluation probe(double /*t*/, std::span<const double> /*x*/, std::span<double> /*xdot*/) override {
    return {};
  }
  [[nodiscard]] const Statistics& statistics() const override { return statistics_; }

  StepAdvice given;

 private:
  StepAttempt do_attempt(double /*h*/, const trajectory::CompensatedTime& /*end*/) override { return {}; }
  Tolerances tolerances_;
  trajectory::CompensatedTime time_;
  Statistics statistics_;
};

class ImplicitControl : public testing::Test {
 protected:
  AdvisingStepper stepper;
  ImplicitController controller{stepper};
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
  stepper.given.effort_factor = 0.8;
  EXPECT_NEAR(controller.after_accepted(1.0, 0.5), 0.8 * 0.9 * std::pow(0.5, -0.25), 1e-15);
}

TEST_F(ImplicitControl, LittleGrowthIsLeftOut) {
  stepper.given.idle_growth = 1.2;
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
  stepper.given.failure_factor = 0.7;
  EXPECT_DOUBLE_EQ(controller.after_failed_iteration(1.0), 0.7);
  EXPECT_DOUBLE_EQ(controller.after_failed_evaluation(1.0), 0.2);
}

}  // namespace
}  // namespace saltus::integrate
