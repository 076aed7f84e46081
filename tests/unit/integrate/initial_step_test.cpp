#include "integrate/step/initial_step.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/integration_fixture.hpp"
#include "support/problems/arenstorf.hpp"
#include "support/problems/pleiades.hpp"

namespace saltus::integrate {
namespace {

double first_step(const test::Problem& problem, double tolerance, double h_max, double direction = 1.0) {
  test::Integration run(problem, "dopri5", test::tolerances(problem.size(), tolerance, tolerance));
  std::vector<double> scratch(2 * problem.size());
  return initial_step(run.stepper, direction, h_max, scratch);
}

test::Problem decay(double rate) {
  test::Problem problem;
  problem.x_start = {1.0};
  problem.rhs = [rate](double, std::span<const double> x, std::span<double> xdot) { xdot[0] = -rate * x[0]; };
  return problem;
}

TEST(InitialStep, IsAcceptedAtOnceAndNotTimid) {
  for (const test::Problem& problem :
       {test::arenstorf(), test::pleiades(), decay(1.0), decay(1e6), decay(1e-6)}) {
    for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
      test::Integration run(problem, "dopri5", test::tolerances(problem.size(), tolerance, tolerance));
      std::vector<double> scratch(2 * problem.size());
      const double h = initial_step(run.stepper, 1.0, 1e9, scratch);
      const StepAttempt attempt = run.stepper.attempt(h);
      EXPECT_TRUE(attempt.good()) << problem.name << " " << tolerance << " error " << attempt.error;
      EXPECT_GT(attempt.error, 1e-9) << problem.name << " " << tolerance;
    }
  }
}

TEST(InitialStep, ScalesWithTheTimeOfTheProblem) {
  for (const int exponent : {-60, -20, 20, 60}) {
    const double scale = std::ldexp(1.0, exponent);
    EXPECT_EQ(first_step(decay(1.0 / scale), 1e-6, 1e3 * scale), scale * first_step(decay(1.0), 1e-6, 1e3));
  }
}

TEST(InitialStep, NeverExceedsTheLargestStep) {
  EXPECT_LE(first_step(decay(1.0), 1e-3, 1e-5), 1e-5);
  EXPECT_GT(first_step(decay(1.0), 1e-3, 1e-5), 0.0);
}

TEST(InitialStep, CopesWithZeroStateAndZeroSlope) {
  test::Problem problem;
  problem.x_start = {0.0, 0.0};
  problem.rhs = [](double t, std::span<const double>, std::span<double> xdot) {
    xdot[0] = 0.0;
    xdot[1] = t;
  };
  const double h = first_step(problem, 1e-6, 1.0);
  EXPECT_GT(h, 0.0);
  EXPECT_LE(h, 1.0);
}

TEST(InitialStep, LooksBackwardInABackwardRun) {
  test::Problem problem;
  problem.x_start = {1.0};
  problem.rhs = [](double t, std::span<const double>, std::span<double> xdot) {
    xdot[0] = t > 0.0 ? std::numeric_limits<double>::quiet_NaN() : 1.0;
  };
  const double h = first_step(problem, 1e-6, 1.0, -1.0);
  EXPECT_GT(h, 1e-4);
}

TEST(InitialStep, ShrinksWhenTheProbeCannotBeEvaluated) {
  test::Problem problem;
  problem.x_start = {1.0};
  problem.rhs = [](double t, std::span<const double>, std::span<double> xdot) {
    xdot[0] = t > 1e-4 ? std::numeric_limits<double>::quiet_NaN() : 1.0;
  };
  EXPECT_LE(first_step(problem, 1e-6, 1.0), 1.1e-2);
}

}  // namespace
}  // namespace saltus::integrate
