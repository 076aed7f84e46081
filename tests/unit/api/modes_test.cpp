// Models with modes, clauses and sliding through the public interface: limits, modes and variables of single modes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "saltus/simulate.hpp"

namespace saltus {
namespace {

// Up with slope 1 to x = 1, then down with slope 2 to x = 0, and so on: periods of 1.5.
constexpr const char* kTriangle = R"(model Triangle
  Real x(start = 0, fixed = true);
initial mode up
  Real height;
  equation
    der(x) = 1;
    height = 10*x;
  transition to down when x > 1;
end up;
mode down
  equation
    der(x) = -2;
  transition to up when x < 0;
end down;
annotation(experiment(StopTime = 4, Interval = 0.25));
end Triangle;
)";

// Both modes push towards x = 1; on it the flow along y is the mean that keeps ẋ = 0: α·1 + (1 - α)·(-2) = 0, so
// y' = α·3 + (1 - α)·0 = 2.
constexpr const char* kPair = R"(model Pair
  Real x(start = 0, fixed = true), y(start = 0, fixed = true);
initial mode below
  equation
    der(x) = 1;
    der(y) = 3;
  transition to above when x > 1;
end below;
mode above
  equation
    der(x) = -2;
    der(y) = 0;
  transition to below when x < 1;
end above;
annotation(experiment(StopTime = 3));
end Pair;
)";

TEST(Modes, TimelineEventsAndLimits) {
  const Model model = Model::from_text("triangle.saltus", kTriangle).value();
  EXPECT_EQ(model.n_equations(), 2U);
  const SimulationResult result = simulate(model).value();
  ASSERT_EQ(result.status, SimulationStatus::success) << result.message;
  const std::vector<double> times{1.0, 1.5, 2.5, 3.0, 4.0};
  ASSERT_EQ(result.events.size(), times.size());
  for (std::size_t k = 0; k < times.size(); ++k) {
    const Event event = result.events[k];
    EXPECT_NEAR(event.time, times[k], 1e-9);
    EXPECT_EQ(event.kind, EventKind::transition);
    EXPECT_EQ(event.from, k % 2 == 0 ? "up" : "down");
    EXPECT_EQ(event.to, k % 2 == 0 ? "down" : "up");
  }
  ASSERT_GE(result.modes.size(), 5U);
  EXPECT_EQ(result.modes[1].mode, "down");
  EXPECT_EQ(result.modes[1].from, result.events[0].time);
  EXPECT_EQ(result.modes[1].to, result.events[1].time);
  EXPECT_EQ(result.modes[0].a, 1);  // height exists in `up` only
  EXPECT_EQ(result.modes[1].a, 0);
  const Trajectory& trajectory = result.trajectory;
  EXPECT_NEAR(trajectory.at(0.75, "height"), 7.5, 1e-9);
  EXPECT_TRUE(std::isnan(trajectory.at(1.25, "height")));
  EXPECT_NEAR(trajectory.before(result.events[0].time, "height"), 10.0, 1e-8);
  EXPECT_TRUE(std::isnan(trajectory.at(result.events[0].time, "height")));
  EXPECT_NEAR(trajectory.at(2.0, "height"), 5.0, 1e-8);  // back in `up`
}

TEST(Modes, TwoModesSlideOnTheirSurfaceAndCanBeAskedLater) {
  const Model model = Model::from_text("pair.saltus", kPair).value();
  const SimulationResult result = simulate(model, {.tolerance = 1e-9}).value();
  ASSERT_EQ(result.status, SimulationStatus::success) << result.message;
  EXPECT_NEAR(result.final_value("x"), 1.0, 1e-12);
  EXPECT_NEAR(result.final_value("y"), 3.0 + 2.0 * 2.0, 1e-8);
  EXPECT_NEAR(result.trajectory.at(2.0, "y"), 5.0, 1e-8);
  EXPECT_NEAR(result.trajectory.at(0.5, "y"), 1.5, 1e-8);
  EXPECT_THAT(result.modes.back().mode, ::testing::HasSubstr(" sliding on "));
  EXPECT_EQ(result.trajectory.mode(result.trajectory.n_rows() - 1), result.modes.back().mode);
}

TEST(Modes, SampledValuesBetweenEvents) {
  const Model model =
      Model::from_text(
          "sampled.mo",
          "model Sampled Real x(start = 0, fixed = true); discrete Real u(start = 0, fixed = true);"
          " equation der(x) = 1; when sample(0.5, 0.5) then u = x; end when;"
          " annotation(experiment(StopTime = 2)); end Sampled;")
          .value();
  const SimulationResult result = simulate(model).value();
  ASSERT_EQ(result.status, SimulationStatus::success) << result.message;
  ASSERT_EQ(result.events.size(), 4U);
  for (const Event event : result.events) {
    EXPECT_EQ(event.kind, EventKind::time);
    EXPECT_EQ(std::fmod(event.time, 0.5), 0.0);
  }
  EXPECT_NEAR(result.trajectory.at(1.3, "u"), 1.0, 1e-9);
  EXPECT_NEAR(result.trajectory.before(1.0, "u"), 0.5, 1e-9);
  EXPECT_NEAR(result.trajectory.at(1.0, "u"), 1.0, 1e-9);
  EXPECT_NEAR(result.trajectory.at(2.0, "u"), 2.0, 1e-9);  // at the stop: handled and recorded
  EXPECT_NEAR(result.final_value("u"), 2.0, 1e-9);
}

TEST(Modes, AKinkLeavesNoTraceButRightValues) {
  const Model model =
      Model::from_text(
          "kink.mo",
          "model Kink Real x(start = -1, fixed = true), y = abs(x), z = smooth(6, if x > 0 then x^7 else 0);"
          " equation der(x) = 1 + 0*z; annotation(experiment(StopTime = 2, Interval = 0.1)); end Kink;")
          .value();
  const SimulationResult result = simulate(model).value();
  ASSERT_EQ(result.status, SimulationStatus::success) << result.message;
  EXPECT_EQ(result.events.size(), 0U);
  ASSERT_EQ(result.trajectory.n_rows(), 21U);
  for (std::size_t k = 0; k < 21; ++k) {
    const auto row = result.trajectory.row(k);
    EXPECT_NEAR(row[1], std::abs(row[0]), 1e-9) << k;
    EXPECT_EQ(result.trajectory.segment(k), 0);
  }
  EXPECT_NEAR(result.final_value("z"), 1.0, 1e-9);
  EXPECT_NEAR(result.trajectory.at(1.9, "z"), std::pow(0.9, 7), 1e-6);
}

}  // namespace
}  // namespace saltus
