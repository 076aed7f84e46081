#include <gtest/gtest.h>

#include "callback_runs.hpp"

namespace saltus::hybrid::test {
namespace {

// From height 1/2 with gravity 1: the first impact is at t = 1 with speed 1, the k-th flight lasts 2 eᵏ.
TEST(Ball, ImpactsComeAtTheirTimes) {
  Recorder recorder;
  const double e = 0.8;
  Options options = options_to(5.0, 2);
  const RunOutcome outcome = run_callbacks(ball(0.5, e), options, recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::success) << outcome.message;
  double expected = 1.0;
  double flight = 2.0 * e;
  const auto times = recorder.times(EventKind::when);
  ASSERT_EQ(times.size(), recorder.events.size()) << recorder.log();
  ASSERT_EQ(times.size(), 4U) << recorder.log();
  for (const double time : times) {
    EXPECT_NEAR(time, expected, 1e-12);
    expected += flight;
    flight *= e;
  }
}

TEST(Ball, RowsOfAnImpactAreTheValuesBeforeAndAfter) {
  Recorder recorder;
  (void)run_callbacks(ball(0.5, 0.5), options_to(1.5, 2), recorder);
  ASSERT_EQ(recorder.rows.size(), 2U) << recorder.log();
  EXPECT_NEAR(recorder.rows[0].values[1], -1.0, 1e-12);
  EXPECT_NEAR(recorder.rows[1].values[1], 0.5, 1e-12);
  EXPECT_EQ(recorder.rows[0].segment, 0);
  EXPECT_EQ(recorder.rows[1].segment, 1);
}

TEST(Ball, AccumulationIsNoticedAndStops) {
  Recorder recorder;
  const double e = 0.8;
  Options options = options_to(20.0, 2);
  options.zeno = Zeno::stop;
  const RunOutcome outcome = run_callbacks(ball(0.5, e), options, recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::stopped) << outcome.message;
  EXPECT_EQ(outcome.reason, "zeno");
  // 1 + 2e/(1 - e) = 9
  EXPECT_NEAR(outcome.t, 9.0, 2e-5);
  EXPECT_LT(outcome.t, 9.0);
  EXPECT_NE(outcome.message.find("accumulate at t = 9"), std::string::npos) << outcome.message;
  ASSERT_EQ(recorder.times(EventKind::zeno).size(), 1U);
  // Before the n-th firing lies the interval 2eⁿ⁻¹: the rest eⁿ⁻¹/(1 - e) of the first is under 1e-6 from n = 71 on.
  EXPECT_EQ(recorder.times(EventKind::when).size(), 71U);
}

TEST(Ball, BouncesOfFullHeightNeverAccumulate) {
  Recorder recorder;
  const RunOutcome outcome = run_callbacks(ball(0.5, 1.0), options_to(200.0, 2), recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::success) << outcome.message;
  EXPECT_EQ(recorder.times(EventKind::when).size(), 100U);
  EXPECT_NEAR(outcome.final_values[0], 0.5, 1e-10);
}

TEST(Ball, ContinuingReachesTheStopOrALimit) {
  Recorder recorder;
  Options options = options_to(20.0, 2);
  options.zeno = Zeno::keep_on;
  options.max_events = 2000;
  const RunOutcome outcome = run_callbacks(ball(0.5, 0.8), options, recorder);
  EXPECT_NE(outcome.status, RunOutcome::Status::failed) << outcome.message;
  EXPECT_EQ(recorder.warnings.size(), 1U);
}

// Gravity 12 - t turns upwards at t = 12: the multiplier lets go there, then h = (t - 12)³/6.
TEST(Ball, AtRestUntilTheMultiplierChangesItsSign) {
  callback::CallbackModel model = ball(0.5, 0.5);
  model.rhs = [](const callback::CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = at.x[1];
    xdot[1] = at.t - 12.0;
  };
  Recorder recorder;
  Options options = options_to(13.0, 2);
  const RunOutcome outcome = run_callbacks(model, options, recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::success) << outcome.message;
  EXPECT_EQ(recorder.times(EventKind::zeno).size(), 1U) << recorder.log();
  EXPECT_EQ(recorder.rows.back().values[1], 0.0);
  EXPECT_NEAR(outcome.final_values[0], 1.0 / 6.0, 1e-6);
  EXPECT_NEAR(outcome.final_values[1], 0.5, 1e-6);
}

TEST(Ball, TwoBallsThatLandTogetherBounceTogether) {
  callback::CallbackModel model;
  model.states = {"h1", "v1", "h2", "v2"};
  model.initial = {0.5, 0.0, 0.5, 0.0};
  model.guards.resize(2);
  for (std::size_t k = 0; k < 2; ++k) {
    model.guards[k].name = k == 0 ? "h1" : "h2";
    model.guards[k].affine = {{k == 0 ? 1.0 : 0.0, 0.0, k == 1 ? 1.0 : 0.0, 0.0}, 0.0, 0.0};
    model.guards[k].in_equations = false;
    model.guards[k].reset_side = -1.0;
    model.guards[k].reset = [k](const callback::CallbackPoint& at, std::span<double> x, std::span<double>) {
      x[2 * k + 1] = -0.5 * at.x[2 * k + 1];
    };
  }
  model.rhs = [](const callback::CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = at.x[1];
    xdot[1] = -1.0;
    xdot[2] = at.x[3];
    xdot[3] = -1.0;
  };
  Recorder recorder;
  const RunOutcome outcome = run_callbacks(model, options_to(1.9, 4), recorder);
  EXPECT_EQ(outcome.status, RunOutcome::Status::success) << outcome.message;
  ASSERT_EQ(recorder.events.size(), 2U) << recorder.log();
  EXPECT_EQ(recorder.events[0].time, recorder.events[1].time);
  EXPECT_EQ(recorder.events[0].segment, recorder.events[1].segment);
  EXPECT_EQ(recorder.rows.size(), 2U);
}

}  // namespace
}  // namespace saltus::hybrid::test
