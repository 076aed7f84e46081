// --interval steps, sizes and orders of steps in the statistics, accuracy of event times, limit of immediate transitions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "saltus/simulate.hpp"
#include "support/source_folder.hpp"

namespace saltus {
namespace {

using ::testing::HasSubstr;

Model model_of(const std::string& text, const std::string& name = "m.mo") {
  return Model::from_text(name, text).value();
}

const char* const kBall = R"(model Ball
  Real h(start = 1, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h <= 0 then
    reinit(v, -0.8*pre(v));
  end when;
  annotation(experiment(StopTime = 1.5, Interval = 0.1));
end Ball;
)";

TEST(StepRows, EveryAcceptedStepHasARowAndEventsHaveBothSides) {
  const Model model = model_of(kBall);
  for (const char* const method : {"dopri5", "radau5", "bdf"}) {
    const SimulationResult result = simulate(model, {.rows_at_steps = true, .method = method}).value();
    const Trajectory& rows = result.trajectory;
    const std::vector<double> ends = rows.step_ends();
    for (const double end : ends) {
      EXPECT_TRUE(std::binary_search(rows.times().begin(), rows.times().end(), end)) << method << " " << end;
    }
    EXPECT_EQ(rows.n_rows(), 1U + ends.size() + result.events.size()) << "one row more for each event";
    EXPECT_EQ(static_cast<std::size_t>(result.statistics.accepted_steps), ends.size());
    EXPECT_EQ(rows.times().back(), 1.5);
    std::size_t n_jumps = 0;
    for (std::size_t k = 1; k < rows.n_rows(); ++k) {
      EXPECT_TRUE(rows.times()[k] > rows.times()[k - 1] || rows.segment(k) == rows.segment(k - 1) + 1);
      n_jumps += rows.times()[k] == rows.times()[k - 1] ? 1U : 0U;
    }
    EXPECT_EQ(n_jumps, result.events.size());
    EXPECT_GE(n_jumps, 2U);
  }
}

TEST(StepRows, BackwardsInConstraintsAndWhileSliding) {
  const Model pendulum = model_of(R"(model Pendulum
  Real x(start = 0.6, fixed = true), y(start = -0.8), vx(start = 0, fixed = true), vy, f;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -f*x;
  der(vy) = -f*y - 9.81;
  x^2 + y^2 = 1;
end Pendulum;
)");
  const SimulationResult back =
      simulate(pendulum, {.start = 2.0, .stop = 0.0, .rows_at_steps = true}).value();
  EXPECT_EQ(back.trajectory.n_rows(), 1U + static_cast<std::size_t>(back.statistics.accepted_steps));
  EXPECT_EQ(back.trajectory.times().back(), 0.0);
  for (std::size_t k = 0; k < back.trajectory.n_rows(); ++k) {
    const auto row = back.trajectory.row(k);
    EXPECT_NEAR(row[0] * row[0] + row[1] * row[1], 1.0, 1e-12);
  }
  const Model block = model_of(R"(model Block
  Real v(start = 1, fixed = true);
equation
  der(v) = 0.8*sin(time) - (if v > 0 then 0.5 else -0.5);
end Block;
)");
  const SimulationResult stuck = simulate(block, {.stop = 8.0, .rows_at_steps = true}).value();
  std::size_t n_sliding = 0;
  for (std::size_t k = 0; k < stuck.trajectory.n_rows(); ++k) {
    n_sliding += stuck.trajectory.mode(k).find("sliding") != std::string_view::npos ? 1U : 0U;
  }
  EXPECT_GE(n_sliding, static_cast<std::size_t>(stuck.statistics.accepted_sliding_steps));
}

TEST(StepRows, TheOptionIsAWordOrANumberAndTheLastOneCounts) {
  SimulationOptions options;
  EXPECT_TRUE(set_option(options, "interval", "0.5").empty());
  EXPECT_TRUE(set_option(options, "interval", "steps").empty());
  EXPECT_TRUE(options.rows_at_steps.value_or(false) && !options.interval);
  EXPECT_TRUE(set_option(options, "interval", "0.5").empty());
  EXPECT_TRUE(!options.rows_at_steps && options.interval == 0.5);
  EXPECT_THAT(set_option(options, "interval", "step").items()[0].message, HasSubstr("the word steps"));
  const Model model = model_of(kBall);
  const auto both = simulate(model, {.interval = 0.1, .rows_at_steps = true});
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().items()[0].code, "conflicting-options");
  const Model annotated = model_of(R"--(model Annotated
  Real x(start = 1, fixed = true);
equation
  der(x) = -x;
  annotation(experiment(Interval = 0.25), __saltus(interval = "steps"));
end Annotated;
)--");
  const SimulationResult steps = simulate(annotated).value();
  EXPECT_EQ(steps.trajectory.n_rows(), 1U + static_cast<std::size_t>(steps.statistics.accepted_steps));
  EXPECT_EQ(simulate(annotated, {.interval = 0.5}).value().trajectory.n_rows(), 3U);
}

TEST(StepStatistics, SizesAndOrders) {
  const Model model = model_of(R"(model Decay
  Real x(start = 1, fixed = true);
equation
  der(x) = -50*(x - cos(time));
end Decay;
)");
  const Statistics fixed = simulate(model, {.method = "rk4", .step = 0.01}).value().statistics;
  EXPECT_NEAR(fixed.smallest_step, 0.01, 1e-15);
  EXPECT_NEAR(fixed.largest_step, 0.01, 1e-15);
  ASSERT_EQ(fixed.orders.size(), 1U);
  EXPECT_EQ(fixed.orders[0].order, 4);
  EXPECT_EQ(fixed.orders[0].accepted_steps, fixed.accepted_steps);

  const SimulationResult run =
      simulate(model, {.rows_at_steps = true, .method = "bdf", .max_order = 3}).value();
  const Statistics& bdf = run.statistics;
  double smallest = 1.0;
  double largest = 0.0;
  const auto times = run.trajectory.times();
  for (std::size_t k = 1; k < times.size(); ++k) {
    smallest = std::min(smallest, times[k] - times[k - 1]);
    largest = std::max(largest, times[k] - times[k - 1]);
  }
  EXPECT_NEAR(bdf.smallest_step, smallest, 1e-12);
  EXPECT_NEAR(bdf.largest_step, largest, 1e-12);
  EXPECT_NEAR(bdf.last_step, times.back() - times[times.size() - 2], 1e-12);
  EXPECT_GT(bdf.next_step, 0.0);
  std::int64_t n = 0;
  for (const StepsOfOrder& item : bdf.orders) {
    EXPECT_TRUE(item.order <= 3 || item.order == 5) << "radau5 starts";
    n += item.accepted_steps;
  }
  EXPECT_EQ(n, bdf.accepted_steps);
  EXPECT_GE(bdf.orders.size(), 2U);
  EXPECT_EQ(simulate(model, {.stop = 0.0}).value().statistics.largest_step, 0.0) << "no step";
}

// h = 1 - 4.905 t², so the first impact is at √(1/4.905).
TEST(EventTolerance, TimesAreAsAccurateAsAskedAndBeyondTheSurface) {
  const Model model = model_of(kBall);
  const double exact = std::sqrt(1.0 / 4.905);
  for (const char* const method : {"dopri5", "radau5"}) {
    for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
      const SimulationResult run =
          simulate(model, {.tolerance = 1e-9, .method = method, .event_tolerance = tolerance}).value();
      ASSERT_EQ(run.events.size(), 2U);
      EXPECT_GE(run.events[0].time, exact - 1e-9) << method << " " << tolerance;
      EXPECT_LE(run.events[0].time, exact + tolerance + 1e-9) << method << " " << tolerance;
    }
  }
  EXPECT_NEAR(simulate(model).value().events[0].time, exact, 1e-14);
  for (const double wrong : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_FALSE(simulate(model, {.event_tolerance = wrong}));
  }
}

TEST(EventTolerance, EventsThatAreCloserAreOneInstant) {
  const Model model = model_of(R"(model Two
  Real x(start = 0, fixed = true);
  Integer n(start = 0, fixed = true);
  Integer m(start = 0, fixed = true);
equation
  der(x) = 1;
  when x > 0.5 then
    n = pre(n) + 1;
  end when;
  when x > 0.5000001 then
    m = pre(m) + 1;
  end when;
end Two;
)");
  EXPECT_EQ(simulate(model).value().statistics.instants, 2);
  EXPECT_EQ(simulate(model, {.event_tolerance = 1e-9}).value().statistics.instants, 2);
  const SimulationResult together = simulate(model, {.event_tolerance = 1e-5}).value();
  EXPECT_EQ(together.statistics.instants, 1);
  EXPECT_EQ(together.final_value("n"), 1.0);
  EXPECT_EQ(together.final_value("m"), 1.0);
}

// What the equations read, and what modes slide on, is located on its surface whatever is asked: the solution may stay there.
TEST(EventTolerance, NothingIsBesideASurfaceThatMayHoldTheSolution) {
  for (const char* const example : {"carver.mo", "six_pulse_rectifier.mo", "stick_slip.mo",
                                    "half_wave_rectifier.mo", "belt_modes.saltus", "ideal_bridge.mo"}) {
    const Model model = Model::load(test::source_folder() + "/examples/" + example).value();
    const SimulationResult exact = simulate(model).value();
    ASSERT_TRUE(exact.ok()) << example;
    for (const double tolerance : {1e-9, 1e-5, 1e-3}) {
      const SimulationResult run = simulate(model, {.event_tolerance = tolerance}).value();
      EXPECT_EQ(run.status, exact.status) << example << " " << tolerance << " " << run.message;
      ASSERT_EQ(run.events.size(), exact.events.size()) << example << " " << tolerance;
      for (std::size_t k = 0; k < run.events.size(); ++k) {
        EXPECT_NEAR(run.events[k].time, exact.events[k].time, 2.0 * tolerance) << example << " " << k;
      }
    }
  }
}

TEST(MaxImmediate, IsTheLimitOfTransitionsThatHoldOnEntry) {
  const Model model = model_of(R"(model Endless
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
initial mode a
  transition to b when x > 0.5;
end a;
mode b
  transition to c when x > 0.25;
end b;
mode c
  transition to b when x > 0.1;
end c;
end Endless;
)",
                               "m.saltus");
  for (const std::int64_t limit : {1, 7, 200}) {
    const SimulationResult run = simulate(model, {.max_immediate = limit}).value();
    EXPECT_EQ(run.reason, "immediate_limit");
    EXPECT_EQ(run.status, SimulationStatus::stopped);
    EXPECT_THAT(run.message, HasSubstr(std::to_string(limit)));
    std::int64_t n = 0;
    for (const Event event : run.events) {
      n += event.kind == EventKind::immediate ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(n), static_cast<double>(limit), 1.0);
  }
  EXPECT_FALSE(simulate(model, {.max_immediate = 0}));
}

}  // namespace
}  // namespace saltus
