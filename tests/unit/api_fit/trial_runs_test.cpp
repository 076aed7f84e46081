// Residuals and Jacobians of trial values.
#include "api/fit/trial_runs.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "api/fit/fit_setup.hpp"
#include "seeded_data.hpp"

namespace saltus::api {
namespace {

using test::ball_height;

// The Jacobian of the height by g and e, beside differences of the solution by hand.
TEST(TrialRuns, JacobianOfABallAcrossBounces) {
  const Model model = Model::from_text("m.mo", test::kBallText).value();
  const FitData data = test::noisy("h", test::times_to(2.0, 25), 0.0, 1, [](double) { return 0.0; });
  const std::vector<FitData> all{data};
  FitOptions options{.parameters = {{"e"}, {"g"}, {"h"}}, .sigma = {{"h", 0.5}}};
  options.simulation.tolerance = 1e-10;
  const PreparedFit prepared = prepare_fit(model, all, options).value();
  TrialRuns runs(prepared.setup);
  LeastSquaresPoint point;
  point.x = {0.8, 9.81, 1.1};
  ASSERT_EQ(runs.evaluate(point), PointOutcome::good) << runs.problem();
  EXPECT_EQ(runs.n_runs(), 1);
  constexpr double kStep = 1e-6;
  for (Index i = 0; i < 25; ++i) {
    const double t = data.times[static_cast<std::size_t>(i)];
    EXPECT_NEAR(point.residuals[static_cast<std::size_t>(i)], 2.0 * ball_height(t, 0.8, 9.81, 1.1), 1e-7);
    const double by_e =
        (ball_height(t, 0.8 + kStep, 9.81, 1.1) - ball_height(t, 0.8 - kStep, 9.81, 1.1)) / kStep;
    const double by_g =
        (ball_height(t, 0.8, 9.81 + kStep, 1.1) - ball_height(t, 0.8, 9.81 - kStep, 1.1)) / kStep;
    const double by_h =
        (ball_height(t, 0.8, 9.81, 1.1 + kStep) - ball_height(t, 0.8, 9.81, 1.1 - kStep)) / kStep;
    EXPECT_NEAR(point.jacobian(i, 0), by_e, 1e-5);
    EXPECT_NEAR(point.jacobian(i, 1), by_g, 1e-5);
    EXPECT_NEAR(point.jacobian(i, 2), by_h, 1e-5);
  }
}

// Which of two switches comes first decides where the other one acts: at a = 0.5 the slope to a is another on each side.
TEST(TrialRuns, WhatIsUndefinedComesFromDifferences) {
  const Model model = Model::from_text("m.mo", R"(model Order
  parameter Real a = 0.5, b = 1;
  Real x(start = 0, fixed = true), y(start = 0, fixed = true), z(start = 1, fixed = true);
equation
  der(x) = 1;
  der(y) = if x > a then 3 else 1;
  der(z) = b*(if x > a then 2 else 1)*(if y > 0.5 then z else -1);
end Order;
)")
                          .value();
  const FitData data = test::noisy("z", test::times_to(1.0, 8), 0.0, 1, [](double t) { return t; });
  const std::vector<FitData> all{data};
  FitOptions options{.parameters = {{"b"}, {"a", 0.5, 0.0, 1.0}}};
  const PreparedFit prepared = prepare_fit(model, all, options).value();
  TrialRuns runs(prepared.setup);
  LeastSquaresPoint point;
  point.x = {1.0, 0.5};
  ASSERT_EQ(runs.evaluate(point), PointOutcome::good) << runs.problem();
  EXPECT_EQ(runs.n_differences(), 1);  // b does not move the switches
  EXPECT_EQ(runs.n_runs(), 3);
  EXPECT_NE(runs.undefined().find("order"), std::string::npos) << runs.undefined();
  const auto value_at_end = [&](double a) {
    return simulate(model, {.stop = 1.0, .tolerance = 1e-10, .set = {{"a", a}}}).value().final_value("z");
  };
  const double h = 0.005;  // ∛1e-6 of 0.5
  EXPECT_NEAR(point.jacobian(7, 1), (value_at_end(0.5 + h) - value_at_end(0.5 - h)) / (2.0 * h), 1e-3);
  EXPECT_NEAR(point.jacobian(7, 0), 0.0, 1e-3);   // z = (1 - b/2)·exp(b)
  EXPECT_NEAR(point.jacobian(3, 0), -0.5, 1e-5);  // before the switches
  // The fit says so.
  options.max_iterations = 0;
  const FitResult result = fit(model, {data}, options).value();
  EXPECT_EQ(result.statistics.difference_columns, 1);
  EXPECT_NE(render_text(result.diagnostics).find("[sensitivity-undefined]"), std::string::npos);
}

}  // namespace
}  // namespace saltus::api
