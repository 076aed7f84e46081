#include "integrate/implicit/bdf.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "integrate/advance.hpp"
#include "integrate/implicit/bdf_controller.hpp"
#include "support/implicit_fixture.hpp"
#include "support/integration_fixture.hpp"
#include "support/problems/stiff.hpp"

namespace saltus::integrate {
namespace {

using trajectory::CompensatedTime;

template <class Residual>
struct Solved {
  double error = 0.0;  // largest, relative to the size of each state
  Statistics statistics;
};

template <class Residual>
Solved<Residual> solve(double tolerance, Index n_y, double smallest_size, OrderChoice orders = {}) {
  const std::vector<double> x0 = Residual::start();
  const std::vector<double> end = Residual::at_end();
  const auto n = static_cast<Index>(x0.size());
  const test::GenericDae<Residual> dae({}, n, n_y, Residual::probe());
  const auto evaluator = dae.make_evaluator();
  Tolerances tolerances = test::tolerances(x0.size(), tolerance, tolerance * smallest_size);
  Bdf stepper(*evaluator, &dae, n, tolerances, orders);
  BdfController controller(stepper);
  Advance advance(stepper, controller, {});
  EXPECT_TRUE(stepper.restart(CompensatedTime(0.0), x0).ok());
  test::IgnoringSink sink;
  EXPECT_TRUE(advance.to(Residual::kEnd, sink).reached_end());
  Solved<Residual> result;
  for (std::size_t i = 0; i < end.size(); ++i) {
    result.error =
        std::max(result.error, std::abs(stepper.state()[i] - end[i]) / (std::abs(end[i]) + smallest_size));
  }
  result.statistics = stepper.statistics();
  return result;
}

TEST(Bdf, Robertson) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    EXPECT_LT(solve<test::RobertsonResidual>(tolerance, 3, 1e-6).error, 100 * tolerance);
  }
}

TEST(Bdf, Hires) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    EXPECT_LT(solve<test::HiresResidual>(tolerance, 8, 1e-4).error, 100 * tolerance);
  }
}

TEST(Bdf, VanDerPol) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    EXPECT_LT(solve<test::VanDerPolResidual>(tolerance, 2, 1.0).error, 100 * tolerance);
  }
}

// x' = -50 (x - cos t): smooth after a short while, so the order rises.
test::Problem smooth_problem() {
  test::Problem problem;
  problem.t_end = 3.0;
  problem.x_start = {0.5};
  problem.rhs = [](double t, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = -50.0 * (x[0] - std::cos(t));
  };
  return problem;
}

struct BdfRun {
  explicit BdfRun(const test::Problem& problem, double tolerance, OrderChoice orders = {})
      : evaluator(problem.rhs),
        stepper(evaluator, nullptr, static_cast<Index>(problem.size()),
                test::tolerances(problem.size(), tolerance, tolerance), orders),
        controller(stepper),
        advance(stepper, controller, {}) {
    EXPECT_TRUE(stepper.restart(CompensatedTime(problem.t_start), problem.x_start).ok());
  }
  test::FunctionEvaluator evaluator;
  Bdf stepper;
  BdfController controller;
  Advance advance;
};

TEST(Bdf, StartsAtOrderThreeAndRises) {
  const test::Problem problem = smooth_problem();
  BdfRun run(problem, 1e-8);
  int n_start = 0;
  for (; run.stepper.is_starting(); ++n_start) {
    ASSERT_EQ(run.advance.step(problem.t_end).reason, EndReason::stopped);
  }
  EXPECT_LE(n_start, 6);
  EXPECT_EQ(run.stepper.step_order(), 3);
  int highest = 0;
  for (int step = 0; step < 24; ++step) {
    ASSERT_EQ(run.advance.step(problem.t_end).reason, EndReason::stopped);
    highest = std::max(highest, run.stepper.step_order());
  }
  EXPECT_EQ(highest, 5);
}

TEST(Bdf, RetractRestoresTheHistory) {
  const test::Problem problem = smooth_problem();
  BdfRun plain(problem, 1e-6);
  BdfRun other(problem, 1e-6);
  for (int step = 0; step < 30; ++step) {
    ASSERT_EQ(plain.advance.step(problem.t_end).reason, EndReason::stopped);
    ASSERT_EQ(other.advance.step(problem.t_end).reason, EndReason::stopped);
  }
  const int order = other.stepper.step_order();
  const double h = plain.stepper.step_size();
  ASSERT_TRUE(other.stepper.attempt(0.5 * h).good());
  other.stepper.accept();
  other.stepper.retract();
  EXPECT_EQ(other.stepper.state()[0], plain.stepper.state()[0]);
  EXPECT_EQ(other.stepper.derivative()[0], plain.stepper.derivative()[0]);
  for (BdfRun* run : {&plain, &other}) {
    run->stepper.set_next_order(order);
    ASSERT_TRUE(run->stepper.attempt(h).good());
    run->stepper.accept();
  }
  EXPECT_NEAR(other.stepper.state()[0], plain.stepper.state()[0], 1e-7) << "but for the iteration";
}

TEST(Bdf, DenseOutputIsAsGoodAsTheSteps) {
  test::Problem problem = smooth_problem();
  problem.x_start = {(2500.0 * std::cos(0.0)) / 2501.0};
  const auto exact = [](double t) { return (2500.0 * std::cos(t) + 50.0 * std::sin(t)) / 2501.0; };
  constexpr double kTolerance = 1e-7;
  BdfRun run(problem, kTolerance);
  std::vector<double> x(1);
  while (run.stepper.time().since(problem.t_end) != 0.0) {
    const EndReason reason = run.advance.step(problem.t_end).reason;
    ASSERT_TRUE(reason == EndReason::stopped || reason == EndReason::reached_end);
    trajectory::SegmentView segment;
    ASSERT_TRUE(run.stepper.dense_output(DenseOutput::standard, segment).ok());
    const Index state = 0;
    Interval range;
    run.stepper.enclose_step({&state, 1}, {&range, 1});
    for (const double theta : {0.0, 0.1, 0.35, 0.5, 0.8, 1.0}) {
      segment.evaluate(theta, x);
      EXPECT_NEAR(x[0], exact(segment.start_time() + theta * segment.step()), 20.0 * kTolerance);
      EXPECT_GE(x[0], range.lower);
      EXPECT_LE(x[0], range.upper);
    }
    EXPECT_LT(range.upper - range.lower, 10.0 * (std::abs(segment.step()) + kTolerance));
  }
}

// The slope jumps without an event: the history is dropped, not crept away from.
TEST(Bdf, JumpsInTheRightHandSideAreSurvived) {
  test::Problem problem;
  problem.t_end = 2.0;
  problem.x_start = {0.0};
  problem.rhs = [](double t, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = (t < 1.0 ? 1.0 : -3.0) * std::exp(-0.1 * x[0]);
  };
  BdfRun run(problem, 1e-7);
  test::IgnoringSink sink;
  ASSERT_TRUE(run.advance.to(problem.t_end, sink).reached_end());
  // e^(0.1 x) is 1 + 0.1 t, then falls by 0.3 per unit of time.
  EXPECT_NEAR(run.stepper.state()[0], 10.0 * std::log(0.8), 1e-5);
  EXPECT_LT(run.stepper.statistics().accepted, 250);
}

TEST(Bdf, OrderCanBeHeld) {
  const test::Problem problem = smooth_problem();
  BdfRun run(problem, 1e-5, {.max_order = 5, .fixed_order = 2});
  test::IgnoringSink sink;
  ASSERT_TRUE(run.advance.to(problem.t_end, sink).reached_end());
  EXPECT_EQ(run.stepper.step_order(), 2);
  EXPECT_NEAR(run.stepper.state()[0], (2500.0 * std::cos(3.0) + 50.0 * std::sin(3.0)) / 2501.0, 1e-4);
}

}  // namespace
}  // namespace saltus::integrate
