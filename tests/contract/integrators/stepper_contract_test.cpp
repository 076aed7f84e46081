// What every integration method must do, whatever its order: the contract of integrate/step/stepper.hpp and advance.hpp.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <new>
#include <string>

#include "support/allocation_guard.hpp"
#include "support/integration_fixture.hpp"
#include "support/problems/arenstorf.hpp"
#include "support/problems/rotating_decay.hpp"

namespace saltus::test {
namespace {

using integrate::AdvanceOptions;
using integrate::AdvanceOutcome;
using integrate::DenseOutput;
using integrate::EndReason;
using integrate::StepAttempt;
using trajectory::CompensatedTime;
using trajectory::SegmentView;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Runs with error control where the method has an estimate, otherwise with 200 fixed steps.
class Integrators : public testing::TestWithParam<const integrate::Method*> {
 protected:
  static std::string_view method() { return GetParam()->name; }
  static bool is_adaptive() { return GetParam()->has_error_estimate; }
  // How far apart two results of one step may be: the iteration of an implicit method ends within its tolerance, and where it
  // begins depends on the attempts before.
  static double iteration_error() { return GetParam()->is_implicit() ? 1e-9 : 0.0; }

  static Integration start(const Problem& problem, double tolerance = 1e-6, AdvanceOptions options = {}) {
    if (is_adaptive()) {
      return {problem, method(), tolerances(problem.size(), tolerance, tolerance), std::move(options)};
    }
    options.fixed_step = std::abs(problem.t_end - problem.t_start) / 200.0;
    options.initial_step = 0.0;
    if (options.fixed_step == 0.0) {
      options.fixed_step = 1.0;
    }
    return {problem, method(), no_error_test(problem.size()), std::move(options)};
  }
};

TEST_P(Integrators, SystemWithoutStatesReachesTheEnd) {
  Problem problem;
  problem.t_end = 3.0;
  problem.rhs = [](double, std::span<const double>, std::span<double>) {};
  Integration run = start(problem);
  RecordingSink sink;
  EXPECT_TRUE(run.advance.to(problem.t_end, sink).reached_end());
  EXPECT_EQ(run.stepper.time().value(), 3.0);
  EXPECT_EQ(sink.trajectory.end_time(), 3.0);
}

TEST_P(Integrators, IntervalOfLengthZeroTakesNoStep) {
  Problem problem = rotating_decay();
  problem.t_end = problem.t_start;
  Integration run = start(problem);
  RecordingSink sink;
  EXPECT_TRUE(run.advance.to(problem.t_end, sink).reached_end());
  EXPECT_TRUE(sink.trajectory.empty());
  EXPECT_EQ(run.stepper.statistics().accepted, 0);
}

TEST_P(Integrators, EndIsReachedToTheLastBitAndNotOvershot) {
  for (const double t_end : {2.0, 1.0 / 3.0, 0.1, 1e-9, 1.7976}) {
    Problem problem = rotating_decay();
    problem.t_end = t_end;
    const RhsFunction inner = problem.rhs;
    double latest = 0.0;
    problem.rhs = [&](double t, std::span<const double> x, std::span<double> xdot) {
      latest = std::max(latest, t);
      inner(t, x, xdot);
    };
    Integration run = start(problem);
    IgnoringSink sink;
    ASSERT_TRUE(run.advance.to(t_end, sink).reached_end());
    EXPECT_EQ(run.stepper.time().value(), t_end);
    EXPECT_EQ(run.stepper.time().low(), 0.0);
    EXPECT_LE(latest, t_end);
    EXPECT_LT(distance(run.stepper.state(), problem.exact(t_end)), 1e-4);
  }
}

TEST_P(Integrators, BackwardInTimeReturnsToTheStart) {
  const Problem problem = rotating_decay();
  Integration run = start(problem);
  RecordingSink there;
  ASSERT_TRUE(run.advance.to(problem.t_end, there).reached_end());
  RecordingSink back;
  ASSERT_TRUE(run.advance.to(problem.t_start, back).reached_end());
  EXPECT_LT(distance(run.stepper.state(), problem.x_start), 1e-4);
  EXPECT_TRUE(back.trajectory.is_backward());
  std::vector<double> x(2);
  back.trajectory.evaluate(1.0, x);
  EXPECT_LT(distance(x, problem.exact(1.0)), 1e-4);
}

TEST_P(Integrators, RejectedAttemptLeavesThePointUntouched) {
  const Problem problem = rotating_decay();
  Integration run = start(problem, 1e-9);
  const auto step_once = [&] {
    const StepAttempt attempt = run.stepper.attempt(1e-3);
    ASSERT_TRUE(attempt.good());
    run.stepper.accept();
  };
  step_once();
  const std::vector<double> x(run.stepper.state().begin(), run.stepper.state().end());
  const std::vector<double> f(run.stepper.derivative().begin(), run.stepper.derivative().end());
  const double t = run.stepper.time().value();
  const StepAttempt large = run.stepper.attempt(1.5);
  if (is_adaptive()) {
    EXPECT_FALSE(large.good());
    if (!GetParam()->is_implicit()) {
      EXPECT_EQ(large.status, StepAttempt::Status::error_too_large);
      EXPECT_GT(large.error, 1.0);
    }
  }
  run.stepper.reject();
  EXPECT_EQ(run.stepper.time().value(), t);
  EXPECT_EQ(std::vector<double>(run.stepper.state().begin(), run.stepper.state().end()), x);
  EXPECT_EQ(std::vector<double>(run.stepper.derivative().begin(), run.stepper.derivative().end()), f);

  // The step after a rejection is the step that would have been taken without it, bit for bit.
  step_once();
  const std::vector<double> after(run.stepper.state().begin(), run.stepper.state().end());
  Integration clean = start(problem, 1e-9);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(clean.stepper.attempt(1e-3).good());
    clean.stepper.accept();
  }
  EXPECT_LE(distance(clean.stepper.state(), after), iteration_error());
}

TEST_P(Integrators, FailedAttemptLeavesThePointUntouched) {
  Problem problem = rotating_decay();
  bool broken = false;
  const RhsFunction inner = problem.rhs;
  problem.rhs = [&](double t, std::span<const double> x, std::span<double> xdot) {
    inner(t, x, xdot);
    if (broken) {
      xdot[1] = kNan;
    }
  };
  Integration run = start(problem);
  ASSERT_TRUE(run.stepper.attempt(1e-3).good());
  run.stepper.accept();
  const std::vector<double> x(run.stepper.state().begin(), run.stepper.state().end());
  broken = true;
  const StepAttempt attempt = run.stepper.attempt(1e-3);
  EXPECT_EQ(attempt.status, StepAttempt::Status::evaluation_failed);
  EXPECT_EQ(attempt.evaluation.status, system::Evaluation::Status::not_finite);
  EXPECT_EQ(attempt.evaluation.culprit, 1);
  run.stepper.reject();
  EXPECT_EQ(std::vector<double>(run.stepper.state().begin(), run.stepper.state().end()), x);
  broken = false;
  EXPECT_TRUE(run.stepper.attempt(1e-3).good());
}

TEST_P(Integrators, RestartForgetsThePast) {
  const Problem problem = rotating_decay();
  Integration run = start(problem);
  ASSERT_TRUE(run.stepper.attempt(0.01).good());
  run.stepper.accept();
  ASSERT_TRUE(run.stepper.restart(CompensatedTime(problem.t_start), problem.x_start).ok());
  EXPECT_EQ(run.stepper.time().value(), problem.t_start);
  ASSERT_TRUE(run.stepper.attempt(0.005).good());
  run.stepper.accept();
  Integration fresh = start(problem);
  ASSERT_TRUE(fresh.stepper.attempt(0.005).good());
  fresh.stepper.accept();
  EXPECT_EQ(distance(run.stepper.state(), fresh.stepper.state()), 0.0);
}

TEST_P(Integrators, RestartMayBeGivenTheSteppersOwnState) {
  const Problem problem = rotating_decay();
  Integration run = start(problem);
  ASSERT_TRUE(run.stepper.attempt(0.01).good());
  run.stepper.accept();
  const std::vector<double> x(run.stepper.state().begin(), run.stepper.state().end());
  ASSERT_TRUE(run.stepper.restart(run.stepper.time(), run.stepper.state()).ok());
  EXPECT_EQ(std::vector<double>(run.stepper.state().begin(), run.stepper.state().end()), x);
  EXPECT_EQ(run.stepper.time().value(), 0.01);
}

TEST_P(Integrators, NotFiniteAtTheStartIsReportedByRestart) {
  Problem problem;
  problem.x_start = {1.0, 0.0};
  problem.rhs = [](double t, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = -x[0];
    xdot[1] = 1.0 / t;
  };
  Integration run = start(problem);
  EXPECT_EQ(run.start.status, system::Evaluation::Status::not_finite);
  EXPECT_EQ(run.start.culprit, 1);
}

// ẋ = -1/(2√(1 - t)): the solution √(1 - t) ends at t = 1, beyond which nothing can be evaluated.
TEST_P(Integrators, NotFiniteOnTheWayEndsWithReasonCulpritAndTime) {
  Problem problem;
  problem.t_end = 2.0;
  problem.x_start = {5.0, 1.0};
  problem.rhs = [](double t, std::span<const double> /*x*/, std::span<double> xdot) {
    xdot[0] = 0.0;
    xdot[1] = t < 1.0 ? 1.0 : kNan;
  };
  Integration run = start(problem);
  IgnoringSink sink;
  const AdvanceOutcome outcome = run.advance.to(2.0, sink);
  EXPECT_EQ(outcome.reason, EndReason::not_finite);
  EXPECT_EQ(outcome.evaluation.culprit, 1);
  EXPECT_LT(outcome.t, 1.0);
  EXPECT_EQ(outcome.t, run.stepper.time().value());
  EXPECT_NEAR(outcome.t, 1.0, is_adaptive() ? 1e-13 : 0.0201);
  EXPECT_NEAR(run.stepper.state()[1], 1.0 + outcome.t, 1e-12);
}

TEST_P(Integrators, OverflowOfTheStateIsNotAccepted) {
  Problem problem;
  problem.t_end = 2.0;
  problem.x_start = {1.0};
  problem.rhs = [](double /*t*/, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = x[0] * x[0];
  };
  Integration run = start(problem);
  IgnoringSink sink;
  const AdvanceOutcome outcome = run.advance.to(2.0, sink);  // x = 1/(1 - t)
  EXPECT_FALSE(outcome.reached_end());
  EXPECT_TRUE(std::isfinite(run.stepper.state()[0]));
  if (is_adaptive()) {
    EXPECT_NEAR(outcome.t, 1.0, 1e-4);
  }
}

TEST_P(Integrators, StartTimeOfABillionChangesNothing) {
  const Problem problem = rotating_decay();
  Problem shifted = problem;
  shifted.t_start = 1e9;
  shifted.t_end = 1e9 + problem.t_end;
  shifted.rhs = [&](double t, std::span<const double> x, std::span<double> xdot) {
    problem.rhs(t - 1e9, x, xdot);
  };
  Integration run = start(shifted);
  RecordingSink sink;
  ASSERT_TRUE(run.advance.to(shifted.t_end, sink).reached_end());
  EXPECT_EQ(run.stepper.time().value(), shifted.t_end);
  // Stage times are rounded to 1.2e-7 there, which f sees.
  EXPECT_LT(distance(run.stepper.state(), problem.x_end), 1e-4);
  std::vector<double> x(2);
  sink.trajectory.evaluate(1e9 + 1.0, x);
  EXPECT_LT(distance(x, problem.exact(1.0)), 1e-4);
}

TEST_P(Integrators, AutonomousProblemAtABillionIsAsAccurateAsAtZero) {
  Problem problem;
  problem.t_start = 1e9;
  problem.t_end = 1e9 + 1.0;
  problem.x_start = {1.0};
  problem.rhs = [](double /*t*/, std::span<const double> x, std::span<double> xdot) { xdot[0] = -x[0]; };
  Integration run = start(problem);
  Problem at_zero = problem;
  at_zero.t_start = 0.0;
  at_zero.t_end = 1.0;
  Integration zero = start(at_zero);
  IgnoringSink sink;
  ASSERT_TRUE(run.advance.to(problem.t_end, sink).reached_end());
  ASSERT_TRUE(zero.advance.to(1.0, sink).reached_end());
  EXPECT_NEAR(run.stepper.state()[0], zero.stepper.state()[0], 1e-14);
}

TEST_P(Integrators, DenormalTimesAndStatesAreIntegrated) {
  Problem problem;
  problem.t_end = 1e-310;
  problem.x_start = {1e-300};
  problem.rhs = [](double /*t*/, std::span<const double> x, std::span<double> xdot) { xdot[0] = x[0]; };
  if (GetParam()->is_implicit()) {
    return;  // 1/h is not a number
  }
  Integration run = is_adaptive() ? Integration(problem, method(), tolerances(1, 1e-6, 1e-306))
                                  : fixed_step_integration(problem, method(), 1e-311);
  IgnoringSink sink;
  EXPECT_TRUE(run.advance.to(problem.t_end, sink).reached_end());
  EXPECT_EQ(run.stepper.time().value(), 1e-310);
  EXPECT_NEAR(run.stepper.state()[0] / 1e-300, 1.0, 1e-9);
}

TEST_P(Integrators, TwoRunsGiveTheSameBits) {
  const Problem problem = arenstorf();
  std::vector<std::vector<double>> states[2];
  for (auto& kept : states) {
    Problem part = problem;
    part.t_end = 2.0;
    Integration run = start(part);
    RecordingSink sink;
    ASSERT_TRUE(run.advance.to(part.t_end, sink).reached_end());
    kept = sink.states;
  }
  EXPECT_EQ(states[0], states[1]);
}

// Scaling time by 2^k scales f by 2^-k and every step by 2^k: no bit of any state may change, the first step included.
TEST_P(Integrators, ScalingTimeByAPowerOfTwoChangesNoBit) {
  Problem problem = rotating_decay();
  for (const int exponent : {-40, -3, 1, 30}) {
    const double scale = std::ldexp(1.0, exponent);
    Problem scaled = problem;
    scaled.t_end = problem.t_end * scale;
    scaled.rhs = [&, scale](double t, std::span<const double> x, std::span<double> xdot) {
      problem.rhs(t / scale, x, xdot);
      for (double& value : xdot) {
        value /= scale;
      }
    };
    Integration plain = start(problem);
    Integration other = start(scaled);
    RecordingSink plain_sink;
    RecordingSink other_sink;
    ASSERT_TRUE(plain.advance.to(problem.t_end, plain_sink).reached_end());
    ASSERT_TRUE(other.advance.to(scaled.t_end, other_sink).reached_end());
    EXPECT_EQ(plain_sink.states, other_sink.states) << "2^" << exponent;
  }
}

TEST_P(Integrators, ScalingStatesByAPowerOfTwoChangesNoBit) {
  Problem problem;
  problem.t_end = 3.0;
  problem.x_start = {1.0, 0.25};
  problem.rhs = [](double t, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = x[1] * (1.0 + 0.1 * std::sin(t));
    xdot[1] = -x[0] - 0.1 * x[1];
  };
  Problem scaled = problem;
  const double scale = std::ldexp(1.0, 20);
  for (double& value : scaled.x_start) {
    value *= scale;
  }
  Integration plain = start(problem);
  Integration other =
      is_adaptive() ? Integration(scaled, method(), tolerances(2, 1e-6, 1e-6 * scale)) : start(scaled);
  RecordingSink plain_sink;
  RecordingSink other_sink;
  ASSERT_TRUE(plain.advance.to(problem.t_end, plain_sink).reached_end());
  ASSERT_TRUE(other.advance.to(problem.t_end, other_sink).reached_end());
  ASSERT_EQ(plain_sink.times, other_sink.times);
  for (std::size_t step = 0; step < plain_sink.states.size(); ++step) {
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(plain_sink.states[step][i] * scale, other_sink.states[step][i]);
    }
  }
}

TEST_P(Integrators, DenseOutputJoinsTheStepsWithValueAndSlope) {
  const Problem problem = rotating_decay();
  for (const DenseOutput which : {DenseOutput::standard, DenseOutput::full}) {
    Integration run = start(problem);
    RecordingSink sink(which);
    ASSERT_TRUE(run.advance.to(problem.t_end, sink).reached_end());
    std::vector<double> x(2);
    std::vector<double> slope(2);
    std::vector<double> f(2);
    for (Index i = 0; i < sink.trajectory.size(); ++i) {
      const SegmentView segment = sink.trajectory.segment(i);
      segment.evaluate(1.0, x);
      EXPECT_LT(distance(x, sink.states[static_cast<std::size_t>(i)]), 1e-13);
      segment.derivative(1.0, slope);
      problem.rhs(segment.end_time(), sink.states[static_cast<std::size_t>(i)], f);
      // The slope of an implicit method comes from its stages, which the iteration leaves within a part of the tolerance.
      EXPECT_LT(distance(slope, f), GetParam()->is_implicit() ? 5e-6 / segment.step() : 1e-9);
      segment.evaluate(0.0, x);
      if (i > 0) {
        EXPECT_EQ(distance(x, sink.states[static_cast<std::size_t>(i) - 1]), 0.0);
      }
    }
  }
}

TEST_P(Integrators, DenseOutputIsOpenBeforeAndAfterAccept) {
  const Problem problem = rotating_decay();
  Integration run = start(problem);
  ASSERT_TRUE(run.stepper.attempt(0.01).good());
  SegmentView before;
  ASSERT_TRUE(run.stepper.dense_output(DenseOutput::full, before).ok());
  const double value = before.value(0, 0.5);
  const std::int64_t evaluations = run.stepper.statistics().rhs.dense_output;
  EXPECT_EQ(run.stepper.time().value(), 0.0);
  run.stepper.accept();
  SegmentView after;
  ASSERT_TRUE(run.stepper.dense_output(DenseOutput::full, after).ok());
  EXPECT_EQ(after.value(0, 0.5), value);
  EXPECT_EQ(run.stepper.statistics().rhs.dense_output, evaluations) << "extra stages are evaluated once";
  EXPECT_EQ(after.start_time(), 0.0);
  EXPECT_EQ(after.end_time(), 0.01);
}

TEST_P(Integrators, StepLoopDoesNotAllocate) {
  const Problem problem = rotating_decay();
  Integration run = start(problem);
  IgnoringSink sink;
  SegmentView segment;
  ASSERT_TRUE(run.stepper.attempt(1e-3).good());
  run.stepper.accept();
  const AllocationGuard guard;
  const AdvanceOutcome outcome = run.advance.to(problem.t_end, sink);
  (void)run.stepper.dense_output(DenseOutput::full, segment);
  (void)run.stepper.restart(CompensatedTime(0.0), problem.x_start);
  EXPECT_EQ(guard.count(), 0);
  EXPECT_TRUE(outcome.reached_end());
}

TEST(AllocationGuard, SeesAnAllocation) {
  const AllocationGuard guard;
  // A direct call: a compiler may leave out the allocation of a new-expression or a container that is not used.
  ::operator delete(::operator new(100));
  EXPECT_EQ(guard.count(), 1);
}

INSTANTIATE_TEST_SUITE_P(AllMethods, Integrators, testing::ValuesIn(every_method()),
                         [](const auto& method) { return std::string(method.param->name); });

}  // namespace
}  // namespace saltus::test
