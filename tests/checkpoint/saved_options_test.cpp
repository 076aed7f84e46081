// Runs with options and results of all kinds, in two parts and in one: the same to the last bit.
#include <gtest/gtest.h>

#include <cstring>

#include "checkpoint/saved_runs.hpp"
#include "saltus/simulation.hpp"
#include "support/source_folder.hpp"
#include "support/temporary_folder.hpp"

namespace saltus {
namespace {

using test::bytes_of;
using test::Outputs;
using test::run_into;
using test::TemporaryFolder;

Model read(const std::string& example) {
  return Model::load(test::source_folder() + "/examples/" + example).value();
}

// Where a run is ended, as parts of its steps.
constexpr double kPlaces[] = {0.03, 0.4, 0.77};

void expect_one_piece(const auto& model, const SimulationOptions& options, const std::string& what) {
  const TemporaryFolder temporary;
  const SimulationResult whole = run_into(model(), temporary.file("whole"), options);
  const Outputs expected = Outputs::in(temporary.file("whole"));
  const std::int64_t n_steps = whole.statistics.accepted_steps + whole.statistics.rejected_steps;
  for (const double place : kPlaces) {
    SCOPED_TRACE(what + " at " + std::to_string(place));
    SimulationOptions first = options;
    first.checkpoint = temporary.file("checkpoint");
    first.max_steps =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(place * static_cast<double>(n_steps)));
    ASSERT_EQ(run_into(model(), temporary.file("parts"), first, true).reason, "step_limit");
    SimulationOptions second = options;
    second.resume = first.checkpoint;
    run_into(model(), temporary.file("parts"), second);
    const Outputs found = Outputs::in(temporary.file("parts"));
    EXPECT_TRUE(found.rows == expected.rows);
    EXPECT_TRUE(found.events == expected.events);
    EXPECT_EQ(found.summary, expected.summary);
    EXPECT_TRUE(found.report == expected.report);
  }
}

TEST(SavedOptions, OfSteps) {
  const auto lorenz = [] { return read("lorenz.mo"); };
  expect_one_piece(lorenz, {.stop = 2.0, .step = 0.01}, "fixed steps");
  expect_one_piece(lorenz, {.stop = 2.0, .method = "rk4", .step = 0.01}, "rk4");
  expect_one_piece(lorenz, {.stop = 2.0, .method = "fehlberg45"}, "fehlberg45");
  expect_one_piece(lorenz, {.stop = 2.0, .method = "fehlberg78"}, "fehlberg78");
  expect_one_piece(lorenz, {.stop = 2.0, .method = "rk23"}, "rk23");
  expect_one_piece(lorenz, {.stop = 2.0, .method = "bdf", .step = 0.01}, "bdf with fixed steps");
  expect_one_piece(lorenz, {.stop = 2.0, .rows_at_steps = true}, "rows at steps");
  expect_one_piece(lorenz, {.stop = 2.0, .interval = 1e-3}, "many rows");
  expect_one_piece(lorenz, {.start = 1.0, .stop = 0.0}, "backwards");
  expect_one_piece([] { return read("robertson.mo"); }, {.nonnegative = {"y1", "y2", "y3"}, .method = "bdf"},
                   "bounds");
}

TEST(SavedOptions, OfEvents) {
  const auto stick_slip = [] { return read("stick_slip.mo"); };
  expect_one_piece(stick_slip, {.columns = {"all", "guards"}}, "guards as columns");
  expect_one_piece(stick_slip, {.guard_error = true}, "guards in the error test");
  expect_one_piece(stick_slip, {.sliding_rule = SlidingRule::convex}, "convex");
  expect_one_piece(stick_slip, {.verify = Verify::full}, "verified");
  expect_one_piece(stick_slip, {.event_tolerance = 1e-6}, "event tolerance");
  expect_one_piece(stick_slip, {.explain_event = 2}, "explained");
  expect_one_piece([] { return read("bouncing_ball.mo"); }, {.zeno = Zeno::go_on, .max_events = 100}, "zeno");
  expect_one_piece([] { return read("relay_oscillator.mo"); }, {.sliding = Sliding::off, .dwell = 0.01},
                   "dwell");
  expect_one_piece([] { return read("belt_hysteresis.saltus"); }, {.sliding = Sliding::hysteresis}, "band");
  expect_one_piece([] { return read("two_tanks.mo"); }, {.detection = Detection{Detection::Rule::samples, 3}},
                   "samples");
}

TEST(SavedOptions, OfInputs) {
  const auto driven = [] {
    return Model::from_text("driven.mo",
                            "model Driven\n input Real u(start = 0);\n input Boolean b(start = false);\n "
                            "Real x(start = 0, fixed = true);\n"
                            "equation\n der(x) = (if b then -1 else 1)*u - x;\n "
                            "annotation(experiment(StopTime = 4));\nend Driven;\n")
        .value();
  };
  InputTable table;
  table.times = {0.0, 0.5, 1.0, 1.0, 2.5, 4.0};
  table.columns = {{"u", {0.0, 1.0, 1.0, -1.0, 0.3, 2.0}}};
  InputTable switches;
  switches.times = {0.0, 1.3, 2.2};
  switches.columns = {{"b", {0.0, 1.0, 0.0}}};
  expect_one_piece(driven, {.inputs = {table, switches}}, "linear");
  table.times[3] = 1.5;
  expect_one_piece(driven, {.inputs = {table, switches}, .input_rule = InputRule::hold}, "held");
  expect_one_piece(driven, {.inputs = {table, switches}, .input_rule_of = {{"u", InputRule::cubic}}},
                   "cubic");
}

// What is kept in memory is there again.
TEST(SavedOptions, RowsAndStepsInMemory) {
  for (const std::string method : {"dopri5", "radau5", "bdf"}) {
    const TemporaryFolder temporary;
    SimulationOptions options{.stop = 2.5, .method = method};
    const SimulationResult whole = simulate(read("stick_slip.mo"), options).value();
    options.checkpoint = temporary.file("checkpoint");
    options.max_steps = (whole.statistics.accepted_steps + whole.statistics.rejected_steps) / 2;
    ASSERT_EQ(simulate(read("stick_slip.mo"), options).value().reason, "step_limit");
    options.checkpoint.clear();
    options.max_steps.reset();
    options.resume = temporary.file("checkpoint");
    const SimulationResult result = simulate(read("stick_slip.mo"), options).value();
    ASSERT_EQ(result.trajectory.n_rows(), whole.trajectory.n_rows());
    EXPECT_EQ(result.final_values, whole.final_values);
    EXPECT_EQ(result.events.size(), whole.events.size());
    EXPECT_EQ(result.modes.size(), whole.modes.size());
    std::vector<double> a(whole.variables.size());
    std::vector<double> b(a.size());
    for (std::size_t k = 0; k < whole.trajectory.n_rows(); ++k) {
      ASSERT_EQ(result.trajectory.times()[k], whole.trajectory.times()[k]);
      ASSERT_EQ(result.trajectory.mode(k), whole.trajectory.mode(k));
      ASSERT_EQ(std::memcmp(result.trajectory.row(k).data(), whole.trajectory.row(k).data(),
                            a.size() * sizeof(double)),
                0);
    }
    for (double t = 0.0; t < 2.5; t += 0.0173) {
      whole.trajectory.at(t, a);
      result.trajectory.at(t, b);
      ASSERT_EQ(a, b) << method << " " << t;
    }
  }
}

const char* const kTank =
    "model Tank\n parameter Real leak = 0.1;\n input Real valve(start = 0);\n Real level(start = 1, fixed = "
    "true);\n"
    " Real rate;\nequation\n rate = valve - leak*sqrt(abs(level));\n der(level) = rate;\n "
    "annotation(experiment(StopTime = 5));\nend Tank;\n";

void lead(Simulation& tank, double until) {
  while (tank.time() < until) {
    (void)tank.set({{"valve", tank.value("level") < 1.0 ? 0.5 : 0.0}, {"leak", 0.1 + 0.01 * tank.time()}});
    (void)tank.advance_to(std::min(tank.time() + 0.25, tank.stop_time()));
  }
}

TEST(SavedOptions, ASimulationInTheHand) {
  for (const std::string method : {"dopri5", "radau5", "bdf"}) {
    const TemporaryFolder temporary;
    SimulationOptions options{.method = method};
    const Model model = Model::from_text("tank.mo", kTank).value();
    Simulation whole = std::move(Simulation::begin(model, options, {"leak"}).value());
    lead(whole, 2.0);
    ASSERT_TRUE(whole.save(temporary.file("checkpoint")).empty());
    const std::string bytes = bytes_of(temporary.file("checkpoint"));
    lead(whole, 5.0);
    options.resume = temporary.file("checkpoint");
    const Model again = Model::from_text("tank.mo", kTank).value();
    Simulation second = std::move(Simulation::begin(again, options, {"leak"}).value());
    EXPECT_EQ(second.time(), 2.0);
    // What is loaded is what was saved.
    ASSERT_TRUE(second.save(temporary.file("copy")).empty());
    EXPECT_TRUE(bytes_of(temporary.file("copy")) == bytes);
    lead(second, 5.0);
    EXPECT_EQ(second.values(), whole.values()) << method;
    const SimulationResult a = whole.finish();
    const SimulationResult b = second.finish();
    EXPECT_EQ(a.final_values, b.final_values);
    EXPECT_EQ(a.events.size(), b.events.size());
    EXPECT_EQ(a.statistics.residual_evaluations, b.statistics.residual_evaluations);
    // Other parameters from outside: another simulation.
    EXPECT_FALSE(Simulation::begin(again, options, {}).has_value());
  }
}

// Saved, loaded and saved again: the same bytes, so nothing is lost on the way.
TEST(SavedOptions, LoadedIsWhatWasSaved) {
  for (const char* const example :
       {"stick_slip.mo", "cartesian_pendulum.mo", "ideal_bridge.mo", "boost_converter.saltus",
        "circle_three_equations.mo", "bouncing_ball.mo", "thermostat.saltus", "andrews_squeezer.mo"}) {
    for (const std::string method : {"auto", "radau5", "bdf"}) {
      SCOPED_TRACE(example + (" " + method));
      const TemporaryFolder temporary;
      SimulationOptions options{.method = method};
      Simulation first = std::move(Simulation::begin(read(example), options).value());
      for (int k = 0; k < 60 && first.step(); ++k) {
      }
      if (first.has_ended()) {
        continue;
      }
      ASSERT_TRUE(first.save(temporary.file("first")).empty());
      options.resume = temporary.file("first");
      Simulation second = std::move(Simulation::begin(read(example), options).value());
      ASSERT_TRUE(second.save(temporary.file("second")).empty());
      EXPECT_TRUE(bytes_of(temporary.file("second")) == bytes_of(temporary.file("first")));
    }
  }
}

}  // namespace
}  // namespace saltus
