// Estimates of the global error beside errors that are known.
#include "saltus/error_estimate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "saltus/simulate.hpp"
#include "support/source_folder.hpp"

namespace saltus {
namespace {

using ::testing::HasSubstr;

Model model_of(const std::string& declarations, const std::string& equations) {
  return Model::from_text("m.mo", "model M\n" + declarations + "equation\n" + equations + "end M;\n").value();
}

/// x = cos t, v = -sin t, y = x².
Model oscillator() {
  return model_of("  Real x(start = 1, fixed = true), v(start = 0, fixed = true);\n  Real y = x^2;\n",
                  "  der(x) = v;\n  der(v) = -x;\n");
}

void expect_known_errors(const SimulationResult& result, double part) {
  ASSERT_TRUE(result.error_estimate.has_value());
  const ErrorEstimate& estimate = *result.error_estimate;
  const Trajectory& trajectory = result.trajectory;
  ASSERT_EQ(estimate.values.size(), 3 * trajectory.n_rows());
  double largest = 0.0;
  for (std::size_t k = 0; k < trajectory.n_rows(); ++k) {
    largest = std::max(largest, std::abs(trajectory.row(k)[0] - std::cos(trajectory.times()[k])));
  }
  EXPECT_GT(largest, 1e-9);
  for (std::size_t k = 0; k < trajectory.n_rows(); ++k) {
    const double t = trajectory.times()[k];
    EXPECT_NEAR(estimate.row(k)[0], std::abs(trajectory.row(k)[0] - std::cos(t)), part * largest) << t;
    EXPECT_NEAR(estimate.row(k)[2], std::abs(trajectory.row(k)[2] - std::cos(t) * std::cos(t)),
                2 * part * largest)
        << t;
  }
  EXPECT_NEAR(estimate.largest[0].error, largest, part * largest);
  const double t = estimate.largest[0].time;
  const auto row =
      std::find(trajectory.times().begin(), trajectory.times().end(), t) - trajectory.times().begin();
  EXPECT_EQ(estimate.row(static_cast<std::size_t>(row))[0], estimate.largest[0].error);
}

TEST(ErrorEstimate, IsTheErrorWithinAFewPercent) {
  for (const char* method : {"dopri5", "radau5", "sdirk4", "bdf"}) {
    SCOPED_TRACE(method);
    const SimulationResult result =
        simulate(oscillator(), {.stop = 10.0, .tolerance = 1e-5, .method = method, .error_estimate = true})
            .value();
    expect_known_errors(result, 0.05);
    EXPECT_EQ(result.error_estimate->factor, 0.01);
    EXPECT_FALSE(result.error_estimate->by_step);
    EXPECT_TRUE(result.diagnostics.empty()) << render_text(result.diagnostics);
  }
}

TEST(ErrorEstimate, WithAFixedStepHalvesIt) {
  const SimulationResult result =
      simulate(oscillator(), {.stop = 10.0, .method = "rk4", .step = 0.1, .error_estimate = true}).value();
  expect_known_errors(result, 0.08);
  EXPECT_TRUE(result.error_estimate->by_step);
  EXPECT_EQ(result.error_estimate->factor, 0.5);
}

TEST(ErrorEstimate, IsThereOnlyIfAskedFor) {
  EXPECT_FALSE(simulate(oscillator()).value().error_estimate.has_value());
  // Rows are kept for it, whatever is asked for.
  const SimulationResult result =
      simulate(oscillator(), {.error_estimate = true, .keep_rows = false}).value();
  EXPECT_EQ(result.error_estimate->values.size(), 3 * result.trajectory.n_rows());
  EXPECT_GT(result.trajectory.n_rows(), 0U);
}

/// A pendulum that strikes a wall again and again: the times of the two runs differ, and rows lie between them.
TEST(ErrorEstimate, ComparesTheSameSidesOfEvents) {
  const Model model = model_of("  Real x(start = 1, fixed = true), v(start = 0, fixed = true);\n",
                               "  der(x) = v;\n  der(v) = -sin(x);\n"
                               "  when x < 0 and v < 0 then\n    reinit(v, -0.9*pre(v));\n  end when;\n");
  const SimulationResult result =
      simulate(model, {.stop = 20.0, .interval = 1e-4, .tolerance = 1e-4, .error_estimate = true}).value();
  const ErrorEstimate& estimate = *result.error_estimate;
  EXPECT_GE(result.events.size(), 5U);
  EXPECT_EQ(estimate.events_compared, static_cast<std::int64_t>(result.events.size()));
  EXPECT_FALSE(estimate.events_differ.has_value());
  EXPECT_GT(estimate.event_time, 2e-4);  // so that whole rows lie between
  EXPECT_LT(estimate.event_time, 1e-2);
  // v jumps by nearly 2: a comparison by time would find that.
  EXPECT_LT(estimate.largest[1].error, 2.0 * estimate.event_time + 1e-3);
  EXPECT_GT(estimate.largest[1].error, 1e-5);
}

/// Two diodes that change together do so in one order or the other.
TEST(ErrorEstimate, EventsOfOneRoundHaveNoOrder) {
  const Model model = Model::load(test::source_folder() + "/examples/bridge_rectifier.mo").value();
  const SimulationResult result = simulate(model, {.tolerance = 1e-6, .error_estimate = true}).value();
  EXPECT_GT(result.events.size(), 10U);
  EXPECT_EQ(result.error_estimate->events_compared, static_cast<std::int64_t>(result.events.size()));
  EXPECT_FALSE(result.error_estimate->events_differ.has_value());
}

/// The first run drifts over the level, the second does not.
TEST(ErrorEstimate, SaysFromWhenEventsDiffer) {
  const Model model = model_of(
      "  Real x(start = 1, fixed = true), v(start = 0, fixed = true);\n  Integer n(start = 0, fixed = "
      "true);\n",
      "  der(x) = v;\n  der(v) = -x;\n  when abs(x^2 + v^2 - 1) > 1e-4 then\n    n = pre(n) + 1;\n  end "
      "when;\n");
  const SimulationResult result =
      simulate(model, {.stop = 50.0, .tolerance = 1e-3, .method = "dopri5", .error_estimate = true}).value();
  ASSERT_GE(result.final_value("n"), 1.0);
  ASSERT_TRUE(result.error_estimate->events_differ.has_value());
  EXPECT_EQ(*result.error_estimate->events_differ, result.events[0].time);
  EXPECT_THAT(render_text(result.diagnostics), HasSubstr("[error-estimate-events]"));
  // Values are compared all the same.
  EXPECT_GE(result.error_estimate->largest[2].error, 1.0);
  EXPECT_LT(result.error_estimate->largest[0].error, 1.0);
}

TEST(ErrorEstimate, HasNoValuesAfterTheEndOfTheSecondRun) {
  const SimulationResult first = simulate(oscillator(), {.stop = 10.0, .tolerance = 1e-5}).value();
  const SimulationResult result = simulate(oscillator(), {.stop = 10.0,
                                                          .tolerance = 1e-5,
                                                          .max_steps = first.statistics.accepted_steps +
                                                                       first.statistics.rejected_steps + 2,
                                                          .error_estimate = true})
                                      .value();
  EXPECT_EQ(result.status, SimulationStatus::success);
  EXPECT_EQ(result.error_estimate->reason, "step_limit");
  EXPECT_LT(result.error_estimate->end, 10.0);
  EXPECT_FALSE(std::isnan(result.error_estimate->row(0)[0]));
  EXPECT_TRUE(std::isnan(result.error_estimate->row(result.trajectory.n_rows() - 1)[0]));
  EXPECT_THAT(render_text(result.diagnostics), HasSubstr("[error-estimate-incomplete]"));
}

/// What a run computed before it failed is estimated too; one that did not begin has nothing to estimate.
TEST(ErrorEstimate, OfRunsThatEndEarly) {
  const Model breaks = model_of("  Real x(start = 0, fixed = true);\n", "  der(x) = sqrt(1 - time);\n");
  const SimulationResult broken = simulate(breaks, {.stop = 2.0, .error_estimate = true}).value();
  EXPECT_EQ(broken.status, SimulationStatus::failed);
  ASSERT_TRUE(broken.error_estimate.has_value());
  EXPECT_LT(broken.error_estimate->row(10)[0], 1e-5);
  const Model none = model_of("  Real x(start = 1);\n", "  x^2 = -1;\n");
  const SimulationResult unborn = simulate(none, {.error_estimate = true}).value();
  EXPECT_EQ(unborn.reason, "initialization_failed");
  EXPECT_FALSE(unborn.error_estimate.has_value());
  const Model ends =
      model_of("  Real x(start = 0, fixed = true);\n",
               "  der(x) = 1 + 0.1*sin(7*x);\n  when x > 2 then\n    terminate(\"done\");\n  end when;\n");
  const SimulationResult ended =
      simulate(ends, {.stop = 9.0, .tolerance = 1e-4, .error_estimate = true}).value();
  EXPECT_EQ(ended.status, SimulationStatus::terminated);
  EXPECT_FALSE(std::isnan(ended.error_estimate->row(ended.trajectory.n_rows() - 1)[0]));
  EXPECT_LT(ended.error_estimate->largest[0].error, 1e-2);
  EXPECT_EQ(ended.error_estimate->reason, "");
}

TEST(ErrorEstimate, TwoRunsCanBeCompared) {
  const SimulationResult rough =
      simulate(oscillator(), {.stop = 10.0, .tolerance = 1e-5, .method = "bdf"}).value();
  const SimulationResult fine =
      simulate(oscillator(), {.stop = 10.0, .tolerance = 1e-12, .method = "dopri5"}).value();
  const ErrorEstimate errors = differences(rough, fine);
  for (std::size_t k = 0; k < rough.trajectory.n_rows(); ++k) {
    EXPECT_NEAR(errors.row(k)[0],
                std::abs(rough.trajectory.row(k)[0] - std::cos(rough.trajectory.times()[k])), 1e-9);
  }
}

TEST(ErrorEstimate, IsAnOptionOfTheModelToo) {
  const Model model =
      Model::from_text("m.mo",
                       "model M\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -x;\n"
                       "  annotation(__saltus(error_estimate = \"on\"));\nend M;\n")
          .value();
  EXPECT_TRUE(simulate(model).value().error_estimate.has_value());
  EXPECT_FALSE(simulate(model, {.error_estimate = false}).value().error_estimate.has_value());
  SimulationOptions options;
  EXPECT_EQ(set_option(options, "error-estimate", "maybe").n_errors(), 1U);
}

}  // namespace
}  // namespace saltus
