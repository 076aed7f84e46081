#include <gtest/gtest.h>

#include "callback_runs.hpp"

namespace saltus::hybrid::test {
namespace {

TEST(Limits, EventsEndTheRunWithAName) {
  Recorder recorder;
  Options options = options_to(100.0, 2);
  options.max_events = 5;
  const RunOutcome outcome = run_callbacks(relay(0.5, 0.0), options, recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::stopped);
  EXPECT_EQ(outcome.reason, "event_limit");
  EXPECT_EQ(recorder.events.size(), 5U);
  EXPECT_NEAR(outcome.t, 9.0, 1e-12);
}

TEST(Limits, StepsEndTheRunWithAName) {
  Recorder recorder;
  Options options = options_to(100.0, 2);
  options.steps.max_steps = 7;
  const RunOutcome outcome = run_callbacks(relay(0.5, 0.0), options, recorder);
  EXPECT_EQ(outcome.reason, "step_limit");
  EXPECT_LE(recorder.n_steps, 7);
}

TEST(Limits, TheObserverEndsTheRunAtTheLastPointItWasTold) {
  Recorder recorder;
  recorder.stop_after = 6;
  const RunOutcome outcome = run_callbacks(relay(0.5, 0.0), options_to(100.0, 2), recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::stopped);
  EXPECT_EQ(outcome.t, recorder.last_t);
}

// A body that sets off its own clause again and again.
TEST(Limits, RoundsThatNeverSettleNameTheClause) {
  callback::CallbackModel model = relay(0.5, 0.0);
  model.guards[0].in_equations = false;
  model.guards[0].reset = [](const callback::CallbackPoint& at, std::span<double> x, std::span<double>) {
    x[0] = at.sides[0] > 0.0 ? -1.0 : 1.0;
  };
  Options options = options_to(10.0, 2);
  options.max_rounds = 20;
  model.rhs = [](const callback::CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = at.x[1];
    xdot[1] = -1.0;
  };
  Recorder recorder;
  const RunOutcome outcome = run_callbacks(model, options, recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::stopped);
  EXPECT_EQ(outcome.reason, "round_limit");
  EXPECT_NE(outcome.message.find("x < 0"), std::string::npos) << outcome.message;
  EXPECT_NEAR(outcome.t, 1.0, 1e-12);
}

TEST(Limits, AFailureLeavesTheRecordWholeAndNamesTheCause) {
  callback::CallbackModel model = relay(0.5, 0.0);
  model.rhs = [](const callback::CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = at.x[1];
    xdot[1] = at.t > 4.5 ? std::nan("") : -at.sides[0];
  };
  Recorder recorder;
  const RunOutcome outcome = run_callbacks(model, options_to(10.0, 2), recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::failed);
  EXPECT_EQ(outcome.reason, "not_finite");
  EXPECT_NE(outcome.message.find("der(v)"), std::string::npos) << outcome.message;
  EXPECT_EQ(recorder.events.size(), 2U);
  EXPECT_NEAR(outcome.t, 4.5, 1e-6);
  EXPECT_EQ(outcome.t, recorder.last_t);
  EXPECT_EQ(outcome.final_values[0], recorder.last_x[0]);
}

// h' = -√h is not defined for h < 0: the surface is reached from its own side, h = (1 - t/2)².
TEST(Limits, ASideWithoutValuesBeyondItsSurfaceIsApproachedFromWithin) {
  callback::CallbackModel model;
  model.states = {"h"};
  model.initial = {1.0};
  model.guards.resize(1);
  model.guards[0].name = "h";
  model.guards[0].affine = {{1.0}, 0.0, 0.0};
  model.rhs = [](const callback::CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = at.sides[0] > 0.0 ? -std::sqrt(at.x[0]) : 0.0;
  };
  Recorder recorder;
  const RunOutcome outcome = run_callbacks(model, options_to(5.0, 1, 1e-8), recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::success) << outcome.message;
  EXPECT_EQ(outcome.final_values[0], 0.0);
  ASSERT_EQ(recorder.events.size(), 1U);
  EXPECT_NEAR(recorder.events[0].time, 2.0, 1e-4);
  EXPECT_LT(recorder.n_steps, 300);
}

TEST(Explain, TheDecisionIsPutInWords) {
  Recorder recorder;
  Options options = options_to(10.0, 2);
  options.explain_event = 2;
  const RunOutcome outcome = run_callbacks(relay(0.5, 0.0), options, recorder);
  EXPECT_NE(outcome.explanation.find("guard x"), std::string::npos) << outcome.explanation;
  EXPECT_NE(outcome.explanation.find("t = 3"), std::string::npos) << outcome.explanation;
}

// A kink (|x|) is crossed without a row, an entry or a number.
TEST(Kinks, LeaveNoTrace) {
  for (const int continuity : {0, 5}) {
    callback::CallbackModel model;
    model.states = {"x", "y"};
    model.initial = {-1.0, 0.0};
    model.guards.resize(1);
    model.guards[0].name = "x";
    model.guards[0].affine = {{1.0, 0.0}, 0.0, 0.0};
    model.guards[0].continuity = continuity;
    const double power = continuity == 0 ? 1.0 : 6.0;
    model.rhs = [power](const callback::CallbackPoint& at, std::span<double> xdot) {
      xdot[0] = 1.0;
      xdot[1] = at.sides[0] * std::pow(at.x[0], power);  // |x|, or x⁶·sign(x) with five derivatives
    };
    Recorder recorder;
    const RunOutcome outcome = run_callbacks(model, options_to(2.0, 2), recorder);
    EXPECT_EQ(outcome.status, RunOutcome::Status::success) << outcome.message;
    EXPECT_TRUE(recorder.events.empty());
    EXPECT_TRUE(recorder.rows.empty());
    EXPECT_EQ(recorder.stretches.back().segment, 0);
    EXPECT_NEAR(outcome.final_values[1], continuity == 0 ? 1.0 : 0.0, 1e-8);
    EXPECT_EQ(outcome.counters.kinks_without_restart, continuity == 0 ? 0 : 1);
    EXPECT_EQ(outcome.counters.restarts, continuity == 0 ? 2 : 1);
  }
}

}  // namespace
}  // namespace saltus::hybrid::test
