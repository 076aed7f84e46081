#include "integrate/step/forbidden_crossing.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/function_evaluator.hpp"
#include "support/integration_fixture.hpp"

namespace saltus::test {
namespace {

using integrate::ForbiddenCrossing;
using trajectory::CompensatedTime;

// A step of Kutta's method with three stages, which is as coarse as one likes.
class CoarseStep {
 public:
  CoarseStep(RhsFunction f, std::vector<double> x, double h)
      : evaluator_(std::move(f)),
        stepper_(integrate::kutta3_table(), evaluator_, static_cast<Index>(x.size()), coarse(x.size())) {
    EXPECT_TRUE(stepper_.restart(CompensatedTime(0.0), x).ok());
    EXPECT_TRUE(stepper_.attempt(h).good());
    stepper_.accept();
  }
  integrate::Stepper& stepper() { return stepper_; }

 private:
  static integrate::Tolerances coarse(std::size_t n) {
    integrate::Tolerances result = tolerances(n, 1e-3, 1e-3);
    result.test_error = false;
    return result;
  }
  FunctionEvaluator evaluator_;
  integrate::ExplicitRungeKutta stepper_;
};

void quadratic(double /*t*/, std::span<const double> x, std::span<double> f) {
  f[0] = -x[0] * x[0];
}

TEST(ForbiddenCrossing, SolutionsThatComeToRestAtZeroDoNotPassIt) {
  // x = 0.1/(1 + 0.1 t), by a step of 40.
  CoarseStep step(quadratic, {1e-1}, 40.0);
  ASSERT_LT(step.stepper().state()[0], 0.0);
  ForbiddenCrossing crossing(1);
  EXPECT_TRUE(crossing.is_there(step.stepper()));
}

TEST(ForbiddenCrossing, RepeatsAreLimited) {
  CoarseStep step(quadratic, {1e-1}, 40.0);
  ForbiddenCrossing crossing(1);
  int n_times = 0;
  while (crossing.is_there(step.stepper())) {
    ASSERT_LT(++n_times, 100);
  }
  EXPECT_EQ(n_times, 4);
  EXPECT_FALSE(crossing.is_there(step.stepper())) << "it did not help: not before the next restart";
  crossing.restart();
  EXPECT_TRUE(crossing.is_there(step.stepper()));
}

TEST(ForbiddenCrossing, WhatTheEquationsCarryThroughZeroPasses) {
  CoarseStep falling([](double, auto, auto f) { f[0] = -1.0; }, {0.1}, 0.2);
  EXPECT_FALSE(ForbiddenCrossing(1).is_there(falling.stepper()));
  // In mirror image, and backwards in time.
  CoarseStep rising([](double, auto, auto f) { f[0] = 1.0; }, {-0.1}, 0.2);
  EXPECT_FALSE(ForbiddenCrossing(1).is_there(rising.stepper()));
  CoarseStep back([](double, auto, auto f) { f[0] = 1.0; }, {0.1}, -0.2);
  EXPECT_FALSE(ForbiddenCrossing(1).is_there(back.stepper()));
  // A swing: the velocity carries the position through.
  CoarseStep swing(
      [](double, auto x, auto f) {
        f[0] = x[1];
        f[1] = -x[0];
      },
      {0.1, -1.0}, 0.2);
  EXPECT_FALSE(ForbiddenCrossing(2).is_there(swing.stepper()));
}

TEST(ForbiddenCrossing, ZeroThatAttractsFromBothSidesIsHarmless) {
  CoarseStep decay([](double, auto x, auto f) { f[0] = -x[0]; }, {0.1}, 3.0);
  ASSERT_LT(decay.stepper().state()[0], 0.0);
  EXPECT_FALSE(ForbiddenCrossing(1).is_there(decay.stepper()));
}

TEST(ForbiddenCrossing, FarBeyondTheToleranceNothingIsAnError) {
  CoarseStep far(quadratic, {100.0}, 0.06);
  ASSERT_LT(far.stepper().state()[0], -1e3 * 1e-3);
  EXPECT_FALSE(ForbiddenCrossing(1).is_there(far.stepper()));
}

}  // namespace
}  // namespace saltus::test
