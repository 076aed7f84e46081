// Rows, segments and modes of a run with events; nothing depends on the output grid.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "saltus/callback_model.hpp"

namespace saltus {
namespace {

// x' = 1 from 0, thrown back to 0 at x = 1: a saw tooth with events at 1, 2, 3, …
CallbackModel saw() {
  CallbackModel model;
  model.states = {{.name = "x"}};
  model.discrete = {{.name = "n"}};
  model.guards = {{.name = "x - 1",
                   .affine = CallbackGuard::Affine{{1.0}, 0.0, -1.0},
                   .in_equations = false,
                   .reset_side = 1.0,
                   .reset = [](const CallbackPoint&, std::span<double> x, std::span<double> discrete) {
                     x[0] = 0.0;
                     discrete[0] += 1.0;
                   }}};
  model.rhs = [](const CallbackPoint&, std::span<double> xdot) { xdot[0] = 1.0; };
  return model;
}

struct Row {
  double time;
  std::int64_t segment;
  double x;
  double n;
};

std::vector<Row> rows_of(const SimulationResult& result) {
  std::vector<Row> rows;
  for (std::size_t k = 0; k < result.trajectory.n_rows(); ++k) {
    rows.push_back({result.trajectory.times()[k], result.trajectory.segment(k), result.trajectory.row(k)[0],
                    result.trajectory.row(k)[1]});
  }
  return rows;
}

TEST(EventRows, BeforeAndAfterEachEventAndNoGridRowThere) {
  const SimulationResult result = simulate(saw(), {.stop = 2.5, .interval = 0.5}).value();
  ASSERT_EQ(result.status, SimulationStatus::success) << result.message;
  // Grid: 0, 0.5, 1, 1.5, 2, 2.5; at 1 and 2 the rows of the events stand alone.
  const std::vector<Row> expected{{0, 0, 0, 0},     {0.5, 0, 0.5, 0}, {1, 0, 1, 0}, {1, 1, 0, 1},
                                  {1.5, 1, 0.5, 1}, {2, 1, 1, 1},     {2, 2, 0, 2}, {2.5, 2, 0.5, 2}};
  const std::vector<Row> rows = rows_of(result);
  ASSERT_EQ(rows.size(), expected.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    EXPECT_NEAR(rows[k].time, expected[k].time, 1e-12) << k;
    EXPECT_EQ(rows[k].segment, expected[k].segment) << k;
    EXPECT_NEAR(rows[k].x, expected[k].x, 1e-12) << k;
    EXPECT_EQ(rows[k].n, expected[k].n) << k;
    EXPECT_EQ(result.trajectory.mode(k), "main");
  }
  EXPECT_EQ(result.statistics.output_rows, 8);
}

TEST(EventRows, AnEventAtTheStopIsHandledAndRecorded) {
  const SimulationResult result = simulate(saw(), {.stop = 2.0, .interval = 0.5}).value();
  ASSERT_EQ(result.status, SimulationStatus::success) << result.message;
  ASSERT_EQ(result.events.size(), 2U);
  const std::vector<Row> rows = rows_of(result);
  EXPECT_EQ(rows.back().n, 2.0);
  EXPECT_EQ(rows.back().x, 0.0);
  EXPECT_EQ(rows.back().segment, 2);
  EXPECT_EQ(result.final_value("n"), 2.0);
  EXPECT_EQ(result.trajectory.at(2.0, "n"), 2.0);
  EXPECT_EQ(result.trajectory.before(2.0, "n"), 1.0);
}

TEST(EventRows, EventsDoNotDependOnTheGrid) {
  std::vector<double> times;
  for (const double interval : {10.0, 1.0, 0.3, 0.01, 1e-4}) {
    const SimulationResult result = simulate(saw(), {.stop = 3.3, .interval = interval}).value();
    std::vector<double> found;
    for (const Event event : result.events) {
      found.push_back(event.time);
    }
    if (times.empty()) {
      times = found;
    }
    EXPECT_EQ(found, times) << interval;
    // Time never goes back, and the segment grows only where it stands still.
    const std::vector<Row> rows = rows_of(result);
    for (std::size_t k = 1; k < rows.size(); ++k) {
      ASSERT_GE(rows[k].time, rows[k - 1].time);
      ASSERT_EQ(rows[k].segment > rows[k - 1].segment, rows[k].time == rows[k - 1].time) << k;
    }
  }
}

TEST(EventRows, BackwardsInTime) {
  CallbackModel model = saw();
  model.rhs = [](const CallbackPoint&, std::span<double> xdot) { xdot[0] = -1.0; };
  const SimulationResult result = simulate(model, {.start = 0.0, .stop = -1.5, .interval = 0.5}).value();
  ASSERT_EQ(result.status, SimulationStatus::success) << result.message;
  ASSERT_EQ(result.events.size(), 1U);
  EXPECT_NEAR(result.events[0].time, -1.0, 1e-12);
  const std::vector<Row> rows = rows_of(result);
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[3].n, 1.0);
  EXPECT_NEAR(result.trajectory.at(-1.25, "x"), 0.25, 1e-12);
}

class Collect final : public OutputSink {
 public:
  bool begin(std::span<const VariableInfo>) override { return true; }
  bool rows(const OutputRows& rows) override {
    for (std::size_t k = 0; k < rows.times.size(); ++k) {
      order.push_back({rows.times[k], rows.segment});
    }
    return static_cast<int>(order.size()) < most_rows;
  }
  void event(const Event& event) override {
    texts.emplace_back(event.guard);
    order.push_back({event.time, -event.segment});  // marked by its sign
  }
  std::vector<std::pair<double, std::int64_t>> order;
  std::vector<std::string> texts;
  int most_rows = 1'000'000;
};

TEST(EventRows, ASinkGetsEventsBetweenTheRowsBeforeAndAfter) {
  Collect sink;
  const SimulationResult result =
      simulate(saw(), {.stop = 1.5, .interval = 0.5, .keep_dense = false, .keep_rows = false, .sink = &sink})
          .value();
  ASSERT_EQ(result.status, SimulationStatus::success) << result.message;
  const std::vector<std::int64_t> expected{0, 0, 0, -1, 1, 1};
  ASSERT_EQ(sink.order.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(sink.order[k].second, expected[k]) << k;
  }
  EXPECT_EQ(sink.texts[0], "x - 1");
  EXPECT_EQ(result.trajectory.n_rows(), 0U);
}

TEST(EventRows, ASinkThatRefusesEndsTheRun) {
  Collect sink;
  sink.most_rows = 5;
  const SimulationResult result = simulate(saw(), {.stop = 10.0, .interval = 0.5, .sink = &sink}).value();
  EXPECT_EQ(result.status, SimulationStatus::stopped);
  EXPECT_EQ(result.reason, "output_failed");
  EXPECT_LE(result.end, 2.0);
}

TEST(EventRows, TextsOfEventsLiveAsLongAsACopyOfTheList) {
  EventList events;
  { events = simulate(saw(), {.stop = 3.5}).value().events; }
  ASSERT_EQ(events.size(), 3U);
  for (const Event event : events) {
    EXPECT_EQ(event.guard, "x - 1");
  }
}

TEST(EventRows, RowsOfOneVariableDoNotDependOnWhatIsKept) {
  const SimulationResult with = simulate(saw(), {.stop = 2.7, .interval = 0.1}).value();
  const SimulationResult without =
      simulate(saw(), {.stop = 2.7, .interval = 0.1, .keep_dense = false}).value();
  EXPECT_EQ(with.trajectory.column("x"), without.trajectory.column("x"));
  EXPECT_EQ(with.final_values, without.final_values);
  EXPECT_FALSE(without.trajectory.is_dense());
}

}  // namespace
}  // namespace saltus
