#include "integrate/step/stiffness.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/integration_fixture.hpp"

namespace saltus::integrate {
namespace {

// Steps up to the verdict, or -1.
int steps_until_stiff(StiffnessTest& test, double h_lambda, int most, double h_motion = 1.0) {
  for (int step = 1; step <= most; ++step) {
    if (test.wants_sample() && test.add({h_lambda, h_motion})) {
      return step;
    }
  }
  return -1;
}

TEST(Stiffness, FifteenStepsAtTheBorderAreStiff) {
  StiffnessTest test;
  EXPECT_EQ(steps_until_stiff(test, 3.3, 100), 10 + 14);
  EXPECT_DOUBLE_EQ(test.mean(), 3.3);
}

TEST(Stiffness, StepsWithinTheRegionAreNot) {
  StiffnessTest test;
  EXPECT_EQ(steps_until_stiff(test, 3.2, 10000), -1);
}

TEST(Stiffness, SlowMotionBesideAFastEigenvalueIsStiffToo) {
  StiffnessTest test;
  EXPECT_EQ(steps_until_stiff(test, 1.5, 1000, 0.01), -1);
  EXPECT_EQ(steps_until_stiff(test, 0.9, 1000, 1e-4), -1);
  EXPECT_NE(steps_until_stiff(test, 1.5, 30, 1e-4), -1);
}

TEST(Stiffness, SixCalmStepsInARowForgetTheOthers) {
  StiffnessTest test;
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(steps_until_stiff(test, 3.4, 10 + 13), -1);
    EXPECT_EQ(steps_until_stiff(test, 1.0, 6), -1);
  }
  EXPECT_EQ(steps_until_stiff(test, 3.4, 23), -1);
  EXPECT_EQ(steps_until_stiff(test, 1.0, 5), -1);
  EXPECT_EQ(steps_until_stiff(test, 3.4, 1), 1) << "five calm ones forget nothing";
}

// Two fast unknowns that turn, in variables that are sums of them.
TEST(Stiffness, AQuotientThatSwingsIsStiff) {
  StiffnessTest test;
  int step = 0;
  while (step < 100 && !(test.wants_sample() && test.add({3.4 + 0.7 * std::sin(0.33 * step), 0.4}))) {
    ++step;
  }
  EXPECT_LT(step, 60);
}

TEST(Stiffness, Dopri5SeesTheEigenvalue) {
  test::Problem problem;
  problem.t_end = 10.0;
  problem.x_start = {1.0};
  problem.rhs = [](double, std::span<const double> x, std::span<double> xdot) { xdot[0] = -100.0 * x[0]; };
  test::Integration run(problem, "dopri5", test::tolerances(1, 1e-3, 1e-3));
  ASSERT_TRUE(run.stepper.attempt(0.01).good());
  EXPECT_NEAR(run.stepper.stiffness().h_lambda, 1.0, 1e-9);
  run.stepper.accept();
  EXPECT_NEAR(run.stepper.stiffness().h_lambda, 1.0, 1e-9) << "the step is still open";
  // Under error control the steps settle at the border of the region.
  for (int step = 0; step < 60; ++step) {
    ASSERT_EQ(run.advance.step(problem.t_end).reason, EndReason::stopped);
  }
  double sum = 0.0;
  for (int step = 0; step < 20; ++step) {
    ASSERT_EQ(run.advance.step(problem.t_end).reason, EndReason::stopped);
    sum += run.stepper.stiffness().h_lambda;
  }
  EXPECT_NEAR(sum / 20.0, 3.3, 0.15);
}

TEST(Stiffness, AnOscillationMovesAsFastAsItsEigenvalue) {
  test::Problem problem;
  problem.x_start = {1.0, 0.0};
  problem.rhs = [](double, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = x[1];
    xdot[1] = -x[0];
  };
  test::Integration run(problem, "dopri5", test::tolerances(2, 1e-3, 1e-3));
  ASSERT_TRUE(run.stepper.attempt(0.5).good());
  EXPECT_NEAR(run.stepper.stiffness().h_lambda, 0.5, 0.15);
  EXPECT_NEAR(run.stepper.stiffness().h_motion, 0.5, 0.15);
}

TEST(Stiffness, MethodsWithoutSuchStagesSayNothing) {
  test::Problem problem;
  problem.x_start = {1.0};
  problem.rhs = [](double, std::span<const double> x, std::span<double> xdot) { xdot[0] = -x[0]; };
  for (const char* method : {"fehlberg45", "radau5", "bdf"}) {
    test::Integration run(problem, method, test::tolerances(1, 1e-3, 1e-3));
    ASSERT_TRUE(run.stepper.attempt(0.01).good());
    EXPECT_EQ(run.stepper.stiffness().h_lambda, 0.0);
  }
}

}  // namespace
}  // namespace saltus::integrate
