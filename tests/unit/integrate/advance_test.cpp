#include "integrate/advance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "saltus/contract.hpp"
#include "support/integration_fixture.hpp"
#include "support/problems/arenstorf.hpp"
#include "support/problems/kepler.hpp"
#include "support/problems/pendulum.hpp"
#include "support/problems/rotating_decay.hpp"

namespace saltus::test {
namespace {

using integrate::AdvanceOptions;
using integrate::AdvanceOutcome;
using integrate::EndReason;
using integrate::Poll;
using integrate::SinkAnswer;

class CountingSink final : public integrate::StepSink {
 public:
  explicit CountingSink(int stop_after) : stop_after_(stop_after) {}
  SinkAnswer accepted_step(integrate::Stepper& /*stepper*/) override {
    return ++count_ == stop_after_ ? SinkAnswer::stop : SinkAnswer::go_on;
  }
  [[nodiscard]] int count() const { return count_; }

 private:
  int stop_after_;
  int count_ = 0;
};

TEST(Advance, StopsWhenTheSinkSaysSoAndGoesOnWithTheSameBits) {
  const Problem problem = rotating_decay();
  Integration whole(problem, "dopri5", tolerances(2, 1e-7, 1e-7));
  IgnoringSink ignore;
  ASSERT_TRUE(whole.advance.to(problem.t_end, ignore).reached_end());

  Integration parts(problem, "dopri5", tolerances(2, 1e-7, 1e-7));
  CountingSink three(3);
  const AdvanceOutcome outcome = parts.advance.to(problem.t_end, three);
  EXPECT_EQ(outcome.reason, EndReason::stopped);
  EXPECT_EQ(parts.stepper.statistics().accepted, 3);
  EXPECT_EQ(outcome.t, parts.stepper.time().value());
  ASSERT_TRUE(parts.advance.to(problem.t_end, ignore).reached_end());
  EXPECT_EQ(distance(parts.stepper.state(), whole.stepper.state()), 0.0);
}

TEST(Advance, StepLimitCountsAttempts) {
  const Problem problem = arenstorf();
  Integration run(problem, "dopri5", tolerances(4, 1e-9, 1e-9), {.max_steps = 20});
  IgnoringSink sink;
  const AdvanceOutcome outcome = run.advance.to(problem.t_end, sink);
  EXPECT_EQ(outcome.reason, EndReason::step_limit);
  EXPECT_EQ(run.stepper.statistics().attempted(), 20);
  EXPECT_GT(outcome.t, 0.0);
}

TEST(Advance, PollEndsTheRunBetweenSteps) {
  for (const auto& [answer, reason] : {std::pair(Poll::interrupted, EndReason::interrupted),
                                       std::pair(Poll::time_limit, EndReason::time_limit)}) {
    int asked = 0;
    AdvanceOptions options;
    options.poll = [&asked, answer = answer] { return ++asked == 4 ? answer : Poll::go_on; };
    const Problem problem = rotating_decay();
    Integration run(problem, "dopri5", tolerances(2, 1e-9, 1e-9), options);
    IgnoringSink sink;
    EXPECT_EQ(run.advance.to(problem.t_end, sink).reason, reason);
    EXPECT_EQ(run.stepper.statistics().accepted, 3);
  }
}

TEST(Advance, LargestStepAndInitialStepAreKept) {
  const Problem problem = rotating_decay();
  Integration run(problem, "dopri5", tolerances(2, 1e-3, 1e-3), {.initial_step = 1e-3, .largest_step = 0.05});
  RecordingSink sink;
  ASSERT_TRUE(run.advance.to(problem.t_end, sink).reached_end());
  EXPECT_EQ(sink.trajectory.segment(0).step(), 1e-3);
  EXPECT_EQ(run.stepper.statistics().rhs.initial_step, 0);
  for (Index i = 0; i < sink.trajectory.size(); ++i) {
    EXPECT_LE(sink.trajectory.segment(i).step(), 1.011 * 0.05);
  }
}

// Contact with damping that begins like the fourth root of the depth: ẋ = -30 t^¼ x, x = exp(-24 t^(5/4)). The estimate of
// the first step is five to fifty times too small, whatever its size.
TEST(Advance, FirstStepAfterARestartIsNotTrustedToItsEstimateAlone) {
  Problem problem;
  problem.t_end = 1.0;
  problem.x_start = {1.0};
  problem.rhs = [](double t, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = -30.0 * std::sqrt(std::sqrt(t)) * x[0];
  };
  for (const double tolerance : {1e-3, 1e-5, 1e-7}) {
    const auto error_of_first_step = [&](bool is_restart) {
      Integration run(problem, "dopri5", tolerances(1, 0.0, tolerance));
      run.advance.set_next_step(0.05);
      if (is_restart) {
        run.advance.restarted();
      }
      EXPECT_EQ(run.advance.step(problem.t_end).reason, EndReason::stopped);
      const double t = run.stepper.time().value();
      return std::abs(run.stepper.state()[0] - std::exp(-24.0 * std::pow(t, 1.25))) / tolerance;
    };
    EXPECT_LE(error_of_first_step(true), 3.0) << tolerance;
    EXPECT_GE(error_of_first_step(false), 5.0) << tolerance;
  }
}

// The second test is for sizes that come from before the restart, and a clear estimate needs none.
TEST(Advance, OnlyTheFirstStepWithAForeignSizeIsTestedTwice) {
  const Problem problem = rotating_decay();
  Integration run(problem, "dopri5", tolerances(2, 1e-7, 1e-7));
  run.advance.restarted();
  ASSERT_EQ(run.advance.step(problem.t_end).reason, EndReason::stopped);
  EXPECT_EQ(run.stepper.statistics().rhs.dense_output, 0);
  run.advance.set_next_step(0.05);
  run.advance.restarted();
  ASSERT_EQ(run.advance.step(problem.t_end).reason, EndReason::stopped);
  EXPECT_EQ(run.stepper.statistics().rhs.dense_output, 2);
  ASSERT_EQ(run.advance.step(problem.t_end).reason, EndReason::stopped);
  EXPECT_EQ(run.stepper.statistics().rhs.dense_output, 2);
  run.advance.set_next_step(1e-4);
  run.advance.restarted();
  ASSERT_EQ(run.advance.step(problem.t_end).reason, EndReason::stopped);
  EXPECT_EQ(run.stepper.statistics().rhs.dense_output, 2);
}

// A size from before the restart that is far too large here: one rejection, then the step a run would begin with, which may
// grow at once.
TEST(Advance, ForeignSizeThatFailsIsReplacedByThatOfABeginning) {
  Problem problem;
  problem.t_end = 1.0;
  problem.x_start = {1.0, 0.0};
  problem.rhs = [](double, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = 100.0 * x[1];
    xdot[1] = -100.0 * x[0];
  };
  Integration run(problem, "dopri5", tolerances(2, 1e-5, 1e-5));
  run.advance.set_next_step(0.3);
  run.advance.restarted();
  ASSERT_EQ(run.advance.step(problem.t_end).reason, EndReason::stopped);
  EXPECT_EQ(run.stepper.statistics().rejected_by_error, 1);
  EXPECT_EQ(run.stepper.statistics().rhs.initial_step, 1);
  EXPECT_GT(run.advance.next_step(), 1.5 * run.stepper.time().value());
  // The same size without a restart is cut by the controller alone.
  Integration other(problem, "dopri5", tolerances(2, 1e-5, 1e-5));
  other.advance.set_next_step(0.3);
  ASSERT_EQ(other.advance.step(problem.t_end).reason, EndReason::stopped);
  EXPECT_GT(other.stepper.statistics().rejected_by_error, 1);
  EXPECT_EQ(other.stepper.statistics().rhs.initial_step, 0);
}

TEST(Advance, SolutionThatBlowsUpEndsWithTheStateNamed) {
  Problem problem;
  problem.t_end = 2.0;
  problem.x_start = {0.0, 1.0};
  problem.rhs = [](double, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = 1.0;
    xdot[1] = x[1] * x[1];  // 1/(1 - t)
  };
  Integration run(problem, "dopri5", tolerances(2, 1e-8, 1e-8));
  IgnoringSink sink;
  const AdvanceOutcome outcome = run.advance.to(2.0, sink);
  EXPECT_EQ(outcome.reason, EndReason::step_size_too_small);
  EXPECT_EQ(outcome.culprit, 1);
  EXPECT_NEAR(outcome.t, 1.0, 1e-6);
  EXPECT_LT(std::abs(outcome.h), 1e-14);
}

TEST(Advance, OneSidedFunctionIsApproachedFromItsSide) {
  // ẋ = -√x reaches 0 at t = 2 and cannot be evaluated for x < 0.
  Problem problem;
  problem.t_end = 1.99;
  problem.x_start = {1.0};
  problem.rhs = [](double, std::span<const double> x, std::span<double> xdot) { xdot[0] = -std::sqrt(x[0]); };
  Integration run(problem, "dopri5", tolerances(1, 1e-6, 1e-9));
  IgnoringSink sink;
  ASSERT_TRUE(run.advance.to(problem.t_end, sink).reached_end());
  EXPECT_NEAR(run.stepper.state()[0], std::pow(1.0 - 1.99 / 2.0, 2), 1e-6);
}

TEST(Advance, FixedStepsAreEqualButForTheLast) {
  const Problem problem = rotating_decay();
  Integration run = fixed_step_integration(problem, "dopri5", 0.3);
  RecordingSink sink;
  ASSERT_TRUE(run.advance.to(2.0, sink).reached_end());
  ASSERT_EQ(sink.trajectory.size(), 7);
  for (Index i = 0; i < 6; ++i) {
    EXPECT_EQ(sink.trajectory.segment(i).step(), 0.3);
  }
  EXPECT_NEAR(sink.trajectory.segment(6).step(), 0.2, 1e-15);
  EXPECT_EQ(sink.times.back(), 2.0);
}

TEST(Advance, FixedStepsThatDivideTheIntervalMakeNoTinyLastStep) {
  Problem problem = rotating_decay();
  for (const int n : {3, 7, 10, 30, 49, 1000}) {
    Integration run = fixed_step_integration(problem, "rk4", problem.t_end / n);
    IgnoringSink sink;
    ASSERT_TRUE(run.advance.to(problem.t_end, sink).reached_end());
    EXPECT_EQ(run.stepper.statistics().accepted, n);
  }
}

TEST(Advance, GoesOnAfterAnIntermediateEndWithTheSizeThatWorked) {
  const Problem problem = kepler();
  Integration run(problem, "dopri5", tolerances(4, 1e-9, 1e-9));
  IgnoringSink sink;
  ASSERT_TRUE(run.advance.to(3.0, sink).reached_end());
  const double planned = run.advance.next_step();
  const std::int64_t before = run.stepper.statistics().attempted();
  ASSERT_TRUE(run.advance.to(3.0 + 1e-6, sink).reached_end());
  EXPECT_EQ(run.stepper.statistics().attempted(), before + 1);
  EXPECT_GE(run.advance.next_step(), planned) << "a step cut by t_end must not make the next one small";
}

TEST(Advance, CountsEvaluationsByCause) {
  const Problem problem = kepler();
  Integration run(problem, "dopri5", tolerances(4, 1e-6, 1e-6));
  RecordingSink sink(integrate::DenseOutput::full);
  ASSERT_TRUE(run.advance.to(problem.t_end, sink).reached_end());
  const integrate::Statistics& statistics = run.stepper.statistics();
  EXPECT_EQ(statistics.rhs.restarts, 1);
  EXPECT_EQ(statistics.rhs.initial_step, 1);
  EXPECT_EQ(statistics.rhs.stages, 6 * statistics.attempted());
  EXPECT_EQ(statistics.rhs.dense_output, 2 * statistics.accepted);
  EXPECT_EQ(statistics.rhs.total(), run.evaluator.n_calls());
}

TEST(Advance, CompereControlSolvesThePendulum) {
  const Problem problem = pendulum();
  FunctionEvaluator evaluator(problem.rhs);
  integrate::Tolerances tolerance = tolerances(2, 1e-8, 1e-8);
  tolerance.norm = integrate::ErrorNorm::compere;
  integrate::ExplicitRungeKutta stepper(integrate::dopri5_table(), evaluator, 2, tolerance);
  integrate::CompereController controller({.largest_step = 0.1});
  // His defaults: h_max = 0.1, h₀ = 1e-5 of the interval.
  integrate::Advance advance(stepper, controller, {.initial_step = 5e-5, .largest_step = 0.1});
  ASSERT_TRUE(stepper.restart(trajectory::CompensatedTime(0.0), problem.x_start).ok());
  IgnoringSink sink;
  ASSERT_TRUE(advance.to(problem.t_end, sink).reached_end());
  EXPECT_LT(distance(stepper.state(), problem.x_end), 1e-6);
  // His cost identity without events: 1 + 6 (accepted + rejected).
  EXPECT_EQ(evaluator.n_calls(), 1 + 6 * stepper.statistics().attempted());
}

TEST(Advance, ReasonsHaveStableWords) {
  EXPECT_EQ(integrate::reason_text(EndReason::reached_end), "reached_end");
  EXPECT_EQ(integrate::reason_text(EndReason::step_size_too_small), "step_size_too_small");
  EXPECT_EQ(integrate::reason_text(EndReason::iteration_failed), "iteration_failed");
  EXPECT_EQ(integrate::reason_text(EndReason::not_finite), "not_finite");
}

TEST(Advance, MisuseIsReported) {
  const Problem problem = rotating_decay();
  EXPECT_THROW(Integration(problem, "dopri5", tolerances(2, 1e-6, 1e-6), {.fixed_step = 0.1}),
               ContractViolation);
  EXPECT_THROW(Integration(problem, "dopri5", no_error_test(2)), ContractViolation);
  EXPECT_THROW(Integration(problem, "dopri5", tolerances(2, 1e-6, 1e-6), {.largest_step = 0.0}),
               ContractViolation);
  Integration run(problem, "dopri5", tolerances(2, 1e-6, 1e-6));
  IgnoringSink sink;
  EXPECT_THROW((void)run.advance.to(std::numeric_limits<double>::infinity(), sink), ContractViolation);
  EXPECT_THROW(run.stepper.accept(), ContractViolation);
  trajectory::SegmentView segment;
  EXPECT_THROW((void)run.stepper.dense_output(integrate::DenseOutput::standard, segment), ContractViolation);
}

// Problem headers say what they claim: the closed form solves the equations.
TEST(Problems, ClosedFormsSolveTheirEquations) {
  for (const Problem& problem : {kepler(), rotating_decay()}) {
    for (const double t : {0.1, 0.9, 1.7, 3.0}) {
      constexpr double kStep = 1e-3;
      std::vector<double> f(problem.size());
      problem.rhs(t, problem.exact(t), f);
      const auto p2 = problem.exact(t + 2 * kStep);
      const auto p1 = problem.exact(t + kStep);
      const auto m1 = problem.exact(t - kStep);
      const auto m2 = problem.exact(t - 2 * kStep);
      for (std::size_t i = 0; i < f.size(); ++i) {
        // Central difference of order 4.
        EXPECT_NEAR((8.0 * (p1[i] - m1[i]) - (p2[i] - m2[i])) / (12.0 * kStep), f[i], 1e-9) << problem.name;
      }
    }
    EXPECT_LT(distance(problem.exact(problem.t_start), problem.x_start), 1e-15);
  }
}

}  // namespace
}  // namespace saltus::test
