// --expect-index: characteristic values that the user states are verified at the start and where modes and structures are entered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "saltus/analysis.hpp"
#include "saltus/callback_model.hpp"
#include "saltus/simulate.hpp"

namespace saltus {
namespace {

using ::testing::HasSubstr;

Model model_of(const std::string& text, const std::string& name = "m.mo") {
  return Model::from_text(name, text).value();
}

const char* const kPendulum = R"(model Pendulum
  Real x(start = 0.6, fixed = true), y(start = -0.8), vx(start = 0, fixed = true), vy, f;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -f*x;
  der(vy) = -f*y - 9.81;
  x^2 + y^2 = 1;
end Pendulum;
)";

const char* const kStop = R"(model EndStop
  Real x(start = 0, fixed = true), v(start = 1, fixed = true), force;
equation
  der(x) = v;
  der(v) = 1 - force;
initial mode free
  equation
    force = 0;
  transition to stopped when x > 0.3 then
    v = 0;
  end transition;
end free;
mode stopped
  equation
    x = 0.3;
end stopped;
end EndStop;
)";

ExpectedIndex values_of(const ModeAnalysis& mode) {
  return {mode.name, mode.index.value(), mode.d, mode.a, mode.u, mode.v};
}

TEST(ExpectIndex, WhatAnalyzeSaysHolds) {
  const Model pendulum = model_of(kPendulum);
  ExpectedIndex values = values_of(analyze(pendulum).value().modes[0]);
  EXPECT_EQ(values.index, 2);
  EXPECT_EQ(values.d, 2);
  EXPECT_TRUE(simulate(pendulum, {.expect_index = {values}}).value().ok());
  values.mode = "";
  EXPECT_TRUE(simulate(pendulum, {.expect_index = {values}}).value().ok());
  const Model stop = model_of(kStop, "m.saltus");
  const Analysis analysis = analyze(stop).value();
  std::vector<ExpectedIndex> all;
  for (const ModeAnalysis& mode : analysis.modes) {
    all.push_back(values_of(mode));
  }
  ASSERT_EQ(all.size(), 2U);
  EXPECT_NE(all[0].index, all[1].index);
  EXPECT_TRUE(simulate(stop, {.stop = 1.0, .expect_index = all}).value().ok());
}

TEST(ExpectIndex, ADifferenceEndsTheRunWhereItIsMet) {
  const Model pendulum = model_of(kPendulum);
  const SimulationResult wrong = simulate(pendulum, {.expect_index = {{.index = 1, .d = 2, .a = 3}}}).value();
  EXPECT_EQ(wrong.status, SimulationStatus::failed);
  EXPECT_EQ(wrong.reason, "index_mismatch");
  EXPECT_EQ(wrong.end, 0.0);
  EXPECT_THAT(wrong.message, HasSubstr("mode 'main' are (2, 2, 3, 0, 0)"));
  EXPECT_THAT(wrong.message, HasSubstr("stated as (1, 2, 3, 0, 0)"));

  const Model stop = model_of(kStop, "m.saltus");
  const ModeAnalysis free = analyze(stop).value().modes[0];
  ExpectedIndex everywhere = values_of(free);
  everywhere.mode = "";
  const SimulationResult late = simulate(stop, {.stop = 1.0, .expect_index = {everywhere}}).value();
  EXPECT_EQ(late.reason, "index_mismatch");
  EXPECT_GT(late.end, 0.2);
  EXPECT_LT(late.end, 0.3);
  EXPECT_THAT(late.message, HasSubstr("mode 'stopped'"));
  EXPECT_GT(late.trajectory.n_rows(), 2U) << "what was computed is there";
  EXPECT_TRUE(simulate(stop, {.stop = 0.1, .expect_index = {everywhere}}).value().ok())
      << "the other mode is not entered";
}

// The equation holds der(x) or x itself: another structure of the same mode.
TEST(ExpectIndex, StructuresOfAModeAreLookedAtToo) {
  const Model model = model_of(R"(model RateOrValue
  Real x(start = 0, fixed = true);
equation
  (if time < 1 then der(x) else x) = 1;
end RateOrValue;
)");
  const SimulationResult run =
      simulate(model, {.stop = 2.0, .expect_index = {{.index = 0, .d = 1, .a = 0}}}).value();
  EXPECT_EQ(run.reason, "index_mismatch") << run.message;
  EXPECT_EQ(run.end, 1.0);
  EXPECT_THAT(run.message, HasSubstr("(0, 0, 1, 0, 0)"));
}

TEST(ExpectIndex, AsTextAndInModels) {
  SimulationOptions options;
  EXPECT_TRUE(set_option(options, "expect-index", "2,2,3,0,0").empty());
  EXPECT_TRUE(set_option(options, "expect-index", "stopped = 1, 0, 3, 0, 0").empty());
  EXPECT_TRUE(set_option(options, "expect-index", "2,2,4,0,0").empty());
  ASSERT_EQ(options.expect_index.size(), 2U) << "the later statement about the same counts";
  EXPECT_EQ(options.expect_index[0].mode, "stopped");
  EXPECT_EQ(options.expect_index[1].a, 4);
  for (const char* const wrong :
       {"", "1,2,3", "1,2,3,4,5,6", "1,2,x,0,0", "1,-2,3,0,0", "=1,2,3,0,0", "0.5,1,1,0,0", "1,2,,0,0"}) {
    EXPECT_EQ(set_option(options, "expect-index", wrong).items().size(), 1U) << wrong;
  }
  const Model stop = model_of(kStop, "m.saltus");
  const auto no_mode = simulate(stop, {.expect_index = {{.mode = "stoped"}}});
  ASSERT_FALSE(no_mode);
  EXPECT_EQ(no_mode.error().items()[0].code, "no-such-mode");
  const Model annotated = model_of(R"--(model Annotated
  Real x(start = 1, fixed = true);
equation
  der(x) = -x;
  annotation(__saltus(expect_index = "1,1,0,0,0"));
end Annotated;
)--");
  EXPECT_EQ(simulate(annotated).value().reason, "index_mismatch");
  EXPECT_TRUE(simulate(annotated, {.expect_index = {{.d = 1}}}).value().ok()) << "the options win";
  CallbackModel decay;
  decay.states = {{.name = "x", .start = 1.0}};
  decay.rhs = [](const CallbackPoint& at, std::span<double> xdot) { xdot[0] = -at.x[0]; };
  EXPECT_TRUE(simulate(decay, {.expect_index = {{.d = 1}}}).value().ok());
  EXPECT_EQ(simulate(decay, {.expect_index = {{.d = 1, .a = 1}}}).value().reason, "index_mismatch");
}

}  // namespace
}  // namespace saltus
