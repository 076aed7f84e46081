#include <gtest/gtest.h>

#include <numbers>

#include "callback_runs.hpp"

namespace saltus::hybrid::test {
namespace {

// A block under a force sin(t) with friction 0.8·sign(v): v' = sin(t) - 0.8 s.
callback::CallbackModel block(double v) {
  callback::CallbackModel model;
  model.states = {"v"};
  model.initial = {v};
  model.guards.resize(1);
  model.guards[0].name = "v";
  model.guards[0].affine = {{1.0}, 0.0, 0.0};
  model.rhs = [](const callback::CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = std::sin(at.t) - (at.sides[0] > 0.0 ? 0.8 : at.sides[0] < 0.0 ? -0.8 : 0.0);
  };
  return model;
}

// From rest the block sticks until sin(t) = 0.8.
TEST(Sliding, StartsStickingAndSlipsAtTheRootOfTheWeight) {
  Recorder recorder;
  const RunOutcome outcome = run_callbacks(block(0.0), options_to(1.0, 1), recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::success) << outcome.message;
  ASSERT_EQ(recorder.events.size(), 2U) << recorder.log();
  EXPECT_EQ(recorder.events[0].kind, EventKind::slide_enter);
  EXPECT_EQ(recorder.events[0].time, 0.0);
  EXPECT_EQ(recorder.events[1].kind, EventKind::slide_exit);
  EXPECT_NEAR(recorder.events[1].time, std::asin(0.8), 1e-8);
  const double t0 = std::asin(0.8);
  EXPECT_NEAR(outcome.final_values[0], std::cos(t0) - std::cos(1.0) - 0.8 * (1.0 - t0), 1e-8);
  ASSERT_EQ(recorder.stretches.size(), 2U);
  EXPECT_EQ(recorder.stretches[0].mode, "main sliding on v");
  EXPECT_EQ(recorder.stretches[1].mode, "main");
}

TEST(Sliding, BlockStopsSticksAndGoesTheOtherWay) {
  Recorder recorder;
  const RunOutcome outcome = run_callbacks(block(0.0), options_to(20.0, 1), recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::success) << outcome.message;
  const auto enters = recorder.times(EventKind::slide_enter);
  const auto exits = recorder.times(EventKind::slide_exit);
  // A periodic motion: it slips at sin t = ±0.8 of every half period, and stops before the next.
  ASSERT_GE(exits.size(), 6U) << recorder.log();
  for (std::size_t k = 0; k < exits.size(); ++k) {
    EXPECT_NEAR(exits[k], std::asin(0.8) + static_cast<double>(k) * std::numbers::pi, 1e-6) << recorder.log();
  }
  EXPECT_GE(enters.size(), exits.size());
  EXPECT_TRUE(recorder.times(EventKind::condition).empty()) << recorder.log();
  EXPECT_GT(outcome.counters.accepted_sliding, 0);
}

// x' = -sign(x) from 1/2 meets the surface at t = 1/2 and stays.
TEST(Sliding, ComingFromOneSideItStaysOnTheSurface) {
  callback::CallbackModel model = block(0.5);
  model.rhs = [](const callback::CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = at.sides[0] > 0.0 ? -1.0 : 1.0;
  };
  Recorder recorder;
  const RunOutcome outcome = run_callbacks(model, options_to(2.0, 1), recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::success) << outcome.message;
  ASSERT_EQ(recorder.events.size(), 1U) << recorder.log();
  EXPECT_EQ(recorder.events[0].kind, EventKind::slide_enter);
  EXPECT_NEAR(recorder.events[0].time, 0.5, 1e-14);
  EXPECT_EQ(outcome.final_values[0], 0.0);
  ASSERT_EQ(recorder.rows.size(), 2U);
  EXPECT_EQ(recorder.rows[1].mode, "main sliding on v");
}

TEST(Sliding, RepellingSurfaceAtTheStartIsReported) {
  callback::CallbackModel model = block(0.0);
  model.rhs = [](const callback::CallbackPoint& at, std::span<double> xdot) { xdot[0] = at.sides[0]; };
  model.rhs_takes_weights = true;
  Recorder recorder;
  const RunOutcome outcome = run_callbacks(model, options_to(1.0, 1), recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::success) << outcome.message;
  ASSERT_EQ(recorder.warnings.size(), 1U);
  EXPECT_EQ(recorder.warnings[0].code, "repelling-surface");
}

// Two surfaces that repel, both left at once from where they meet: four ways out and rest.
TEST(Sliding, SeveralMotionsFromAnIntersectionAreReportedOnce) {
  callback::CallbackModel model;
  model.states = {"x", "y"};
  model.initial = {0.0, 0.0};
  model.guards.resize(2);
  model.guards[0].name = "x";
  model.guards[0].affine = {{1.0, 0.0}, 0.0, 0.0};
  model.guards[1].name = "y";
  model.guards[1].affine = {{0.0, 1.0}, 0.0, 0.0};
  model.rhs = [](const callback::CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = at.sides[0];
    xdot[1] = at.sides[1];
  };
  model.rhs_takes_weights = true;
  Recorder recorder;
  const RunOutcome outcome = run_callbacks(model, options_to(1.0, 2), recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::success) << outcome.message;
  ASSERT_EQ(recorder.warnings.size(), 1U);
  EXPECT_EQ(recorder.warnings[0].code, "ambiguous-sliding");
  EXPECT_EQ(outcome.final_values[0], 0.0);  // as written: sign is 0 there
}

// x'' = -2 sign(x) - sign(x') spirals into the origin in finite time and stays there.
TEST(Sliding, TwistingEndsOnTheIntersection) {
  callback::CallbackModel model;
  model.states = {"x", "v"};
  model.initial = {1.0, 0.0};
  model.guards.resize(2);
  model.guards[0].name = "x";
  model.guards[0].affine = {{1.0, 0.0}, 0.0, 0.0};
  model.guards[1].name = "v";
  model.guards[1].affine = {{0.0, 1.0}, 0.0, 0.0};
  model.rhs_takes_weights = true;
  model.rhs = [](const callback::CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = at.x[1];
    xdot[1] = -2.0 * at.sides[0] - at.sides[1];
  };
  Recorder recorder;
  const RunOutcome outcome = run_callbacks(model, options_to(10.0, 2), recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::success) << outcome.message << "\n" << recorder.log();
  EXPECT_LT(recorder.events.size(), 300U);
  EXPECT_NEAR(outcome.final_values[0], 0.0, 1e-12);
  EXPECT_NEAR(outcome.final_values[1], 0.0, 1e-12);
  ASSERT_FALSE(recorder.stretches.empty());
  EXPECT_EQ(recorder.stretches.back().mode, "main sliding on x, v");
}

// Exits at which the weight reaches its bound and the guard leaves with zero rate: none may be taken back.
TEST(Sliding, TangentialExitsAreNotReentered) {
  Recorder recorder;
  recorder.wants_segments = false;
  const double half_periods = 1000.0;
  const RunOutcome outcome =
      run_callbacks(block(0.0), options_to(half_periods * std::numbers::pi, 1, 1e-7), recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::success) << outcome.message;
  const auto exits = recorder.times(EventKind::slide_exit);
  const auto enters = recorder.times(EventKind::slide_enter);
  EXPECT_EQ(exits.size(), 1000U);
  EXPECT_EQ(recorder.events.size(), exits.size() + enters.size());
  EXPECT_LE(enters.size(), exits.size() + 1);
}

TEST(Sliding, SwitchedOffItChattersAndSaysSo) {
  Recorder recorder;
  Options options = options_to(1.0, 1);
  options.sliding = Sliding::off;
  const RunOutcome outcome = run_callbacks(block(0.0), options, recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::success) << outcome.message;
  ASSERT_EQ(recorder.warnings.size(), 1U);
  EXPECT_EQ(recorder.warnings[0].code, "chattering");
  EXPECT_GT(recorder.events.size(), 100U);
  EXPECT_LT(recorder.events.size(), 400000U);
  const double t0 = std::asin(0.8);
  EXPECT_NEAR(outcome.final_values[0], std::cos(t0) - std::cos(1.0) - 0.8 * (1.0 - t0), 1e-4);
}

TEST(Sliding, ChatteringCanStopTheRun) {
  Recorder recorder;
  Options options = options_to(1.0, 1);
  options.sliding = Sliding::off;
  options.chattering = Chattering::stop;
  const RunOutcome outcome = run_callbacks(block(0.0), options, recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::stopped);
  EXPECT_EQ(outcome.reason, "chattering");
  EXPECT_LT(recorder.events.size(), 10U);
}

TEST(Sliding, DwellBoundsTheNumberOfSwitches) {
  Recorder recorder;
  Options options = options_to(0.4, 1);
  options.sliding = Sliding::off;
  options.dwell = 0.01;
  const RunOutcome outcome = run_callbacks(block(0.0), options, recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::success) << outcome.message;
  EXPECT_GT(recorder.events.size(), 10U);
  EXPECT_LE(recorder.events.size(), 41U);
  for (std::size_t k = 1; k < recorder.events.size(); ++k) {
    EXPECT_GE(recorder.events[k].time - recorder.events[k - 1].time, 0.01 - 1e-12);
  }
}

}  // namespace
}  // namespace saltus::hybrid::test
