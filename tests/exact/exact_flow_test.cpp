// The stepper of the method `exact` alone: steps of any size, its polynomial between, sizes that it asks for.
#include "integrate/exact/exact_flow.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "integrate/advance.hpp"
#include "integrate/exact/exact_controller.hpp"
#include "support/function_evaluator.hpp"

namespace saltus::integrate {
namespace {

using test::FunctionEvaluator;

struct Report {
  double at_ends = 0.0;
  double between = 0.0;
  double slopes = 0.0;
  double enclosed = 0.0;  ///< how far the polynomial leaves the ranges that are said to hold it
  int steps = 0;
};

// Steps to the end; the largest errors of the first state, of its polynomial between the steps, and of its slope there.
Report follow(const test::RhsFunction& rhs, std::vector<double> x0, double t_end,
              const std::function<double(double)>& solution, const std::function<double(double)>& slope) {
  FunctionEvaluator evaluator(rhs);
  const auto n = static_cast<Index>(x0.size());
  Tolerances tolerances;
  tolerances.rtol = 1e-13;
  tolerances.atol.assign(x0.size(), 1e-13);
  ExactFlow stepper(evaluator, n, tolerances);
  ExactController controller;
  Advance advance(stepper, controller, {});
  EXPECT_TRUE(stepper.restart(trajectory::CompensatedTime(0.0), x0).ok());
  Report report;
  while (stepper.time().value() != t_end) {
    const AdvanceOutcome outcome = advance.step(t_end);
    if (outcome.reason != EndReason::stopped && outcome.reason != EndReason::reached_end) {
      ADD_FAILURE() << reason_text(outcome.reason) << " at " << outcome.t;
      break;
    }
    ++report.steps;
    report.at_ends =
        std::max(report.at_ends, std::abs(stepper.state()[0] - solution(stepper.time().value())));
    trajectory::SegmentView segment;
    EXPECT_TRUE(stepper.dense_output(DenseOutput::full, segment).ok());
    const std::vector<Index> states{0};
    std::vector<Interval> ranges(1);
    stepper.enclose_step(states, ranges);
    std::vector<double> rates(x0.size());
    for (const double theta : {0.0, 0.013, 0.1, 0.37, 0.5, 0.77, 0.97, 1.0}) {
      const double t = segment.start_time() + theta * segment.step();
      const double value = segment.value(0, theta);
      report.between = std::max(report.between, std::abs(value - solution(t)));
      report.enclosed = std::max({report.enclosed, ranges[0].lower - value, value - ranges[0].upper});
      segment.derivative(theta, rates);
      report.slopes = std::max(report.slopes, std::abs(rates[0] - slope(t)) * std::abs(segment.step()));
    }
  }
  return report;
}

TEST(ExactFlow, WithoutForcing) {
  const Report report = follow(
      [](double, std::span<const double> x, std::span<double> r) {
        r[0] = x[1];
        r[1] = -x[0];
      },
      {1.0, 0.0}, 30.0, [](double t) { return std::cos(t); }, [](double t) { return -std::sin(t); });
  EXPECT_LT(report.at_ends, 1e-14);
  EXPECT_LT(report.between, 1e-14);
  EXPECT_LT(report.slopes, 1e-12);
  EXPECT_EQ(report.enclosed, 0.0);
  EXPECT_LT(report.steps, 140);
  std::printf("oscillator: %.1e %.1e %.1e, %d steps\n", report.at_ends, report.between, report.slopes,
              report.steps);
}

// A polynomial of degree 9 is exact in one step of any size.
TEST(ExactFlow, PolynomialsInLongSteps) {
  const Report report = follow([](double t, std::span<const double>,
                                  std::span<double> r) { r[0] = 9.0 * std::pow(t, 8) - 4.0 * t * t * t; },
                               {0.5}, 1.0, [](double t) { return 0.5 + std::pow(t, 9) - std::pow(t, 4); },
                               [](double t) { return 9.0 * std::pow(t, 8) - 4.0 * t * t * t; });
  EXPECT_LT(report.between, 4e-15);
  EXPECT_EQ(report.enclosed, 0.0);
}

TEST(ExactFlow, Resonance) {
  const Report report = follow(
      [](double t, std::span<const double> x, std::span<double> r) {
        r[0] = x[1];
        r[1] = -4.0 * x[0] + std::cos(2.0 * t);
      },
      {0.0, 0.0}, 40.0, [](double t) { return 0.25 * t * std::sin(2.0 * t); },
      [](double t) { return 0.25 * std::sin(2.0 * t) + 0.5 * t * std::cos(2.0 * t); });
  EXPECT_LT(report.between, 2e-13);
  std::printf("resonance: %.1e %.1e %.1e, %d steps\n", report.at_ends, report.between, report.slopes,
              report.steps);
}

// The transient of a fast rate is followed with short steps, and then forgotten.
TEST(ExactFlow, StiffDecay) {
  const Report report = follow([](double t, std::span<const double> x,
                                  std::span<double> r) { r[0] = -1e5 * (x[0] - std::cos(t)) - std::sin(t); },
                               {2.0}, 10.0, [](double t) { return std::cos(t) + std::exp(-1e5 * t); },
                               [](double t) { return -std::sin(t) - 1e5 * std::exp(-1e5 * t); });
  EXPECT_LT(report.between, 1e-13);
  EXPECT_LT(report.steps, 250);
  std::printf("stiff: %.1e %.1e %.1e, %d steps\n", report.at_ends, report.between, report.slopes,
              report.steps);
}

// Undamped turning that every node would see at the same phase, at rest: 18 turns in a step of 1.
TEST(ExactFlow, FastTurningIsNotTakenForRest) {
  constexpr double kOmega = 36.0 * std::numbers::pi;
  FunctionEvaluator evaluator([](double, std::span<const double> x, std::span<double> r) {
    r[0] = kOmega * x[1];
    r[1] = -kOmega * x[0];
  });
  Tolerances tolerances;
  tolerances.rtol = 1e-13;
  tolerances.atol = {1e-13, 1e-13};
  ExactFlow stepper(evaluator, 2, tolerances);
  ASSERT_TRUE(stepper.restart(trajectory::CompensatedTime(0.0), std::vector<double>{1.0, 0.0}).ok());
  const StepAttempt attempt = stepper.attempt(1.0);
  EXPECT_EQ(attempt.status, StepAttempt::Status::error_too_large);
  stepper.reject();
  EXPECT_TRUE(stepper.attempt(1.0 / 512.0).good());
}

}  // namespace
}  // namespace saltus::integrate
