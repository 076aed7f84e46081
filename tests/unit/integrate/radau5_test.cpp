#include "integrate/implicit/radau5.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "integrate/step/implicit_controller.hpp"
#include "support/implicit_fixture.hpp"
#include "support/integration_fixture.hpp"
#include "support/problems/stiff_problems.hpp"

namespace saltus::test {
namespace {

using integrate::Radau5;
using integrate::Statistics;
using trajectory::CompensatedTime;

struct Outcome {
  std::vector<double> x;
  Statistics statistics;
};

template <class Function>
Outcome solve(Function function, StiffProblem problem, Index n_states, const integrate::Tolerances& tolerance,
              double h, bool with_form = true) {
  const auto n_y = static_cast<Index>(problem.x_start.size());
  problem.probe.resize(static_cast<std::size_t>(n_y + n_states));
  const GenericDae dae(function, n_states, n_y, problem.probe);
  const auto evaluator = dae.make_evaluator();
  Radau5 stepper(*evaluator, with_form ? &dae : nullptr, n_states, tolerance);
  integrate::ImplicitController controller(stepper, stepper.embedded_order());
  integrate::Advance advance(stepper, controller, {.initial_step = h});
  problem.x_start.resize(static_cast<std::size_t>(n_states));
  EXPECT_TRUE(stepper.restart(CompensatedTime(0.0), problem.x_start).ok());
  IgnoringSink sink;
  EXPECT_TRUE(advance.to(problem.t_end, sink).reached_end());
  return {{stepper.state().begin(), stepper.state().end()}, stepper.statistics()};
}

double relative_error(const std::vector<double>& x, const std::vector<double>& exact) {
  double largest = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::abs(x[i] - exact[i]) / std::abs(exact[i]));
  }
  return largest;
}

// Counts of RADAU5 for the same start, tolerances and first step, as published with the sources of a port that reproduces them
// (cpmech/russell, tests of russell_ode): 280 steps, 242 accepted, 8 rejected, 162 Jacobians, 253 factorisations, 668
// iterations.
TEST(Radau5, NeedsTheWorkOfTheFortranCodeOnVanDerPol) {
  StiffProblem problem = van_der_pol();
  problem.x_start = {2.0, -0.6};
  const Outcome outcome = solve(kVanDerPol, problem, 2, tolerances(2, 1e-4, 1e-4), 1e-6);
  const Statistics& s = outcome.statistics;
  // Fewer are rejected: what is small by chance lets no step leap.
  EXPECT_NEAR(static_cast<double>(s.attempted()), 280.0, 42.0);
  EXPECT_NEAR(static_cast<double>(s.accepted), 242.0, 24.0);
  EXPECT_LE(s.rejected_by_error, 12);
  EXPECT_NEAR(static_cast<double>(s.jacobians), 162.0, 16.0);
  EXPECT_NEAR(static_cast<double>(s.factorizations), 253.0, 38.0);
  EXPECT_NEAR(static_cast<double>(s.newton_iterations), 668.0, 67.0);
  EXPECT_NEAR(outcome.x[0], 1.706163410178079, 1e-4);
}

// RADAU5 from the same source: 17 steps, 15 accepted, 8 Jacobians, 15 factorisations, 24 iterations. Steps that end there with their first
// correction have a second one here, and its rate asks for Jacobians: 28 and 11.
TEST(Radau5, NeedsTheWorkOfTheFortranCodeOnRobertson) {
  StiffProblem problem = robertson();
  problem.t_end = 0.3;
  const Outcome outcome = solve(kRobertson, problem, 3, tolerances(3, 1e-2, 1e-8), 1e-6);
  const Statistics& s = outcome.statistics;
  EXPECT_LE(s.attempted(), 18);
  EXPECT_NEAR(static_cast<double>(s.jacobians), 11.0, 2.0);
  EXPECT_NEAR(static_cast<double>(s.factorizations), 15.0, 2.0);
  EXPECT_NEAR(static_cast<double>(s.newton_iterations), 28.0, 3.0);
  EXPECT_NEAR(outcome.x[0], 9.886740138499884e-01, 1e-4);
}

TEST(Radau5, StiffProblemsAreSolvedToTheirTolerances) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    EXPECT_LT(relative_error(solve(kVanDerPol, van_der_pol(), 2, tolerances(2, tolerance, tolerance), 1e-6).x,
                             van_der_pol().x_end),
              10.0 * tolerance);
    EXPECT_LT(
        relative_error(solve(kRobertson, robertson(), 3, tolerances(3, tolerance, 1e-6 * tolerance), 1e-6).x,
                       robertson().x_end),
        10.0 * tolerance);
    EXPECT_LT(relative_error(solve(kHires, hires(), 8, tolerances(8, tolerance, 1e-4 * tolerance), 1e-6).x,
                             hires().x_end),
              10.0 * tolerance);
  }
}

TEST(Radau5, AlgebraicEquationCostsNothingMore) {
  const integrate::Tolerances two = tolerances(2, 1e-6, 1e-12);
  const Outcome dae = solve(kRobertsonDae, robertson(), 2, two, 1e-6);
  const Outcome ode = solve(kRobertson, robertson(), 3, tolerances(3, 1e-6, 1e-12), 1e-6);
  EXPECT_LT(relative_error(dae.x, robertson().x_end), 1e-5);
  EXPECT_NEAR(static_cast<double>(dae.statistics.accepted), static_cast<double>(ode.statistics.accepted),
              0.05 * static_cast<double>(ode.statistics.accepted));
}

// A pendulum whose force follows from accelerations: in the iteration it moves by 1/h as much as the velocities.
TEST(Radau5, ForcesOfConstraintsDoNotHoldTheIterationUp) {
  const auto function = [](double, auto y, auto ydot, auto r) {
    r[0] = ydot[0] - y[2];
    r[1] = ydot[1] - y[3];
    r[2] = ydot[2] + y[4] * y[0];
    r[3] = ydot[3] + y[4] * y[1] + 9.81;
    r[4] = y[2] * y[2] + y[0] * ydot[2] + y[3] * y[3] + y[1] * ydot[3];
  };
  const StiffProblem pendulum{
      5.0, {1.0, 0.0, 0.0, 0.0, 0.0}, {}, {1.1, 0.3, 0.2, 0.7, 0.5, 0.6, 0.4, 0.35, 0.25}};
  const Outcome outcome = solve(function, pendulum, 4, tolerances(4, 1e-6, 1e-6), 1e-3);
  EXPECT_LT(outcome.statistics.rejected_by_iteration, outcome.statistics.accepted / 10);
  EXPECT_LT(outcome.statistics.accepted, 200);
  EXPECT_NEAR(std::hypot(outcome.x[0], outcome.x[1]), 1.0, 1e-4) << "drift, not projected here";
}

TEST(Radau5, DifferencedRightHandSideTakesTheSameSteps) {
  const Outcome form = solve(kHires, hires(), 8, tolerances(8, 1e-6, 1e-10), 1e-6);
  const Outcome differenced = solve(kHires, hires(), 8, tolerances(8, 1e-6, 1e-10), 1e-6, false);
  EXPECT_NEAR(static_cast<double>(differenced.statistics.accepted),
              static_cast<double>(form.statistics.accepted), 3.0);
  EXPECT_LT(relative_error(differenced.x, hires().x_end), 1e-5);
}

TEST(Radau5, EstimateIsOfOrderFour) {
  const auto function = [](double t, auto y, auto ydot, auto r) {
    r[0] = ydot[0] - (-y[0] * y[0] + std::sin(t));
  };
  const GenericDae dae(function, 1, 1, {0.7, 0.2});
  double last = 0.0;
  for (int k = 0; k < 5; ++k) {
    const auto evaluator = dae.make_evaluator();
    Radau5 stepper(*evaluator, &dae, 1, tolerances(1, 1e-9, 1e-9));
    ASSERT_TRUE(stepper.restart(CompensatedTime(0.3), std::vector<double>{1.0}).ok());
    (void)stepper.attempt(0.1 / (1 << k));
    const double estimate = std::abs(stepper.error_estimate()[0]);
    if (k > 0) {
      EXPECT_NEAR(std::log2(last / estimate), 4.0, 0.3) << k;
    }
    last = estimate;
    stepper.reject();
  }
}

// Far off the smooth solution of a stiff system the estimate sees the distance, not the distance times the stiffness.
TEST(Radau5, EstimateIsBoundedInStiffParts) {
  const auto function = [](double t, auto y, auto ydot, auto r) {
    r[0] = ydot[0] + 1e8 * (y[0] - std::cos(t)) + std::sin(t);
  };
  const GenericDae dae(function, 1, 1, {0.7, 0.2});
  const auto evaluator = dae.make_evaluator();
  Radau5 stepper(*evaluator, &dae, 1, tolerances(1, 1e-6, 1e-6));
  constexpr double kDistance = 1e-8;
  ASSERT_TRUE(stepper.restart(CompensatedTime(0.0), std::vector<double>{1.0 + kDistance}).ok());
  ASSERT_TRUE(stepper.attempt(0.01).good());
  EXPECT_LT(std::abs(stepper.error_estimate()[0]), 2.0 * kDistance);
  stepper.accept();
  EXPECT_NEAR(stepper.state()[0], std::cos(0.01), 1e-12);
  // Full dense output does not follow the slope of the transient, which would bend it by 0.04·h·1e8·1e-8.
  trajectory::SegmentView segment;
  ASSERT_TRUE(stepper.dense_output(integrate::DenseOutput::full, segment).ok());
  EXPECT_NEAR(segment.value(0, 0.2), std::cos(0.002), 1e-7);
}

// RADAU5 tests its estimate beside 0.1 τ^(2/3), 46 τ here; where x follows the equations at once the error is that of the estimate.
TEST(Radau5, EndsOfStepsAreWithinTheToleranceWhereXFollows) {
  constexpr double kTolerance = 1e-8;
  for (const double rate : {30.0, 300.0, 3e3, 3e5}) {
    Problem problem;
    problem.x_start = {0.0};
    problem.rhs = [rate](double t, std::span<const double> x, std::span<double> xdot) {
      xdot[0] = 2.0 * std::cos(2.0 * t) - rate * (x[0] - std::sin(2.0 * t));
    };
    Integration run(problem, "radau5", tolerances(1, kTolerance, kTolerance));
    double largest = 0.0;
    while (run.stepper.time().value() < 8.0) {
      ASSERT_NE(run.advance.step(8.0).reason, integrate::EndReason::step_size_too_small);
      largest =
          std::max(largest, std::abs(run.stepper.state()[0] - std::sin(2.0 * run.stepper.time().value())));
    }
    EXPECT_LT(largest, 5.0 * kTolerance) << rate;
  }
}

TEST(Radau5, JacobianIsKeptOnLinearProblems) {
  const auto function = [](double, auto y, auto ydot, auto r) {
    r[0] = ydot[0] - y[1];
    r[1] = ydot[1] + y[0];
  };
  const GenericDae dae(function, 2, 2, {0.7, 0.2, 0.3, 0.4});
  const auto evaluator = dae.make_evaluator();
  Radau5 stepper(*evaluator, &dae, 2, tolerances(2, 1e-6, 1e-6));
  integrate::ImplicitController controller(stepper, stepper.embedded_order());
  integrate::Advance advance(stepper, controller, {});
  ASSERT_TRUE(stepper.restart(CompensatedTime(0.0), std::vector<double>{1.0, 0.0}).ok());
  IgnoringSink sink;
  ASSERT_TRUE(advance.to(20.0, sink).reached_end());
  EXPECT_LE(stepper.statistics().jacobians, 2);
  EXPECT_LT(stepper.statistics().factorizations, stepper.statistics().accepted / 2);
  EXPECT_NEAR(stepper.state()[0], std::cos(20.0), 1e-5);
}

TEST(Radau5, RestartMayChangeTheNumberOfAlgebraicUnknowns) {
  const GenericDae with(
      [](double, auto y, auto ydot, auto r) {
        r[0] = ydot[0] + y[1];
        r[1] = y[1] - y[0];
      },
      1, 2, {0.7, 0.2, 0.3});
  const GenericDae without([](double, auto y, auto ydot, auto r) { r[0] = ydot[0] - y[0]; }, 1, 1,
                           {0.7, 0.2});
  const auto first = with.make_evaluator();
  const auto second = without.make_evaluator();
  Radau5 stepper(*first, &with, 1, tolerances(1, 1e-8, 1e-8));
  ASSERT_TRUE(stepper.restart(CompensatedTime(0.0), std::vector<double>{1.0}).ok());
  ASSERT_TRUE(stepper.attempt(0.01).good());
  stepper.accept();
  EXPECT_NEAR(stepper.algebraic()[0], std::exp(-0.01), 1e-9);
  for (int i = 0; i < 3; ++i) {
    stepper.set_system(*second, without);
    EXPECT_EQ(stepper.time().value(), i == 0 ? 0.01 : 0.02);
    ASSERT_TRUE(stepper.restart(CompensatedTime(0.01), std::vector<double>{std::exp(-0.01)}).ok());
    ASSERT_TRUE(stepper.attempt(0.01).good());
    stepper.accept();
    EXPECT_NEAR(stepper.state()[0], 1.0, 1e-9);
    stepper.set_system(*first, with);
    ASSERT_TRUE(stepper.restart(CompensatedTime(0.01), std::vector<double>{std::exp(-0.01)}).ok());
    ASSERT_TRUE(stepper.attempt(0.01).good());
    stepper.accept();
    EXPECT_NEAR(stepper.state()[0], std::exp(-0.02), 1e-9);
  }
}

// y² = 2 - t has no solution beyond t = 2: the iteration cannot converge and says so.
TEST(Radau5, IterationThatCannotConvergeFailsTheAttempt) {
  const GenericDae dae(
      [](double t, auto y, auto ydot, auto r) {
        r[0] = ydot[0] - y[1];
        r[1] = y[1] * y[1] - (2.0 - t);
      },
      1, 2, {0.7, 0.2, 0.3}, {1.4});
  const auto evaluator = dae.make_evaluator();
  Radau5 stepper(*evaluator, &dae, 1, tolerances(1, 1e-6, 1e-6));
  ASSERT_TRUE(stepper.restart(CompensatedTime(0.0), std::vector<double>{0.0}).ok());
  const integrate::StepAttempt attempt = stepper.attempt(3.0);
  EXPECT_EQ(attempt.status, integrate::StepAttempt::Status::iteration_failed);
  EXPECT_LT(stepper.advice().failure_factor, 1.0);
  EXPECT_EQ(stepper.statistics().rejected_by_iteration, 1);
  stepper.reject();
  EXPECT_TRUE(stepper.attempt(0.01).good());
}

}  // namespace
}  // namespace saltus::test
