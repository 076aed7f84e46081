// Systems given by C++ functions: the same options, the same result.
#include "saltus/callback_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "saltus/contract.hpp"

namespace saltus {
namespace {

using ::testing::HasSubstr;

constexpr double kGravity = 9.81;

CallbackModel bouncing_ball() {
  CallbackModel model;
  model.name = "Ball";
  model.states = {{.name = "h", .start = 1.0, .unit = "m"}, {.name = "v"}};
  model.discrete = {{.name = "bounces"}};
  model.guards = {{.name = "h",
                   .type = CallbackGuard::Type::unilateral,
                   .affine = CallbackGuard::Affine{{1.0, 0.0}, 0.0, 0.0},
                   .in_equations = false,
                   .reset_side = -1.0,
                   .reset = [](const CallbackPoint& at, std::span<double> x, std::span<double> discrete) {
                     x[0] = 0.0;
                     x[1] = -0.5 * at.x[1];
                     discrete[0] += 1.0;
                   }}};
  model.rhs = [](const CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = at.x[1];
    xdot[1] = -kGravity;
  };
  model.output_names = {"energy"};
  model.outputs = [](const CallbackPoint& at, std::span<double> outputs) {
    outputs[0] = kGravity * at.x[0] + 0.5 * at.x[1] * at.x[1];
  };
  return model;
}

// x'' = -sign(x) from (0, 1): parabolas of length 2, x(t) = s·(τ - τ²/2) with τ = t mod 2.
CallbackModel relay() {
  CallbackModel model;
  model.name = "Relay";
  model.states = {{.name = "x"}, {.name = "v", .start = 1.0}};
  model.guards = {{.name = "x", .affine = CallbackGuard::Affine{{1.0, 0.0}, 0.0, 0.0}}};
  model.rhs = [](const CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = at.x[1];
    xdot[1] = -at.sides[0];
  };
  return model;
}

TEST(CallbackModel, ResetsOfABallAreAtTheirTimes) {
  const double fall = std::sqrt(2.0 / kGravity);  // then bounces of length 2·fall·0.5^k
  const SimulationResult result = simulate(bouncing_ball(), {.stop = 1.2, .tolerance = 1e-9}).value();
  ASSERT_EQ(result.status, SimulationStatus::success) << result.message;
  ASSERT_EQ(result.variables.size(), 4U);
  EXPECT_EQ(result.variables[2].name, "energy");
  EXPECT_TRUE(result.variables[3].is_discrete);
  ASSERT_EQ(result.events.size(), 3U);
  double expected = fall;
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(result.events[k].time, expected, 1e-8) << k;
    EXPECT_EQ(result.events[k].kind, EventKind::when);
    expected += 2.0 * fall * std::pow(0.5, static_cast<double>(k + 1));
  }
  EXPECT_EQ(result.final_value("bounces"), 3.0);
  EXPECT_NEAR(result.final_value("energy"), kGravity / 64.0, 1e-7);
}

TEST(CallbackModel, LeftAndRightLimitsOfTheDenseSolution) {
  const SimulationResult result = simulate(bouncing_ball(), {.stop = 0.8, .tolerance = 1e-9}).value();
  const double t = result.events[0].time;
  const double speed = std::sqrt(2.0 * kGravity);
  EXPECT_NEAR(result.trajectory.before(t, "v"), -speed, 1e-7);
  EXPECT_NEAR(result.trajectory.at(t, "v"), 0.5 * speed, 1e-7);
  EXPECT_EQ(result.trajectory.before(t, "bounces"), 0.0);
  EXPECT_EQ(result.trajectory.at(t, "bounces"), 1.0);
  EXPECT_EQ(result.trajectory.at(0.5 * t, "bounces"), 0.0);
}

TEST(CallbackModel, RelayKeepsItsParabolas) {
  const SimulationResult result =
      simulate(relay(), {.stop = 201.0, .interval = 0.5, .tolerance = 1e-9}).value();
  ASSERT_EQ(result.status, SimulationStatus::success) << result.message;
  EXPECT_EQ(result.statistics.events, 101);  // the first at the start: x leaves zero
  for (std::size_t k = 0; k < result.trajectory.n_rows(); ++k) {
    const double t = result.trajectory.times()[k];
    const double tau = std::fmod(t, 2.0);
    const double side = std::fmod(t, 4.0) < 2.0 ? 1.0 : -1.0;
    EXPECT_NEAR(std::abs(result.trajectory.row(k)[0]), tau - 0.5 * tau * tau, 1e-8) << t;
    if (tau > 0.1 && tau < 1.9) {
      EXPECT_EQ(std::signbit(result.trajectory.row(k)[0]), side < 0.0) << t;
    }
  }
}

TEST(CallbackModel, SlidesWhereBothSidesPush) {
  // v' = cos(t) - 2·side(v): at rest from v = 0.5 on; |cos| < 2 never lets it go.
  CallbackModel model;
  model.states = {{.name = "v", .start = 0.5}};
  model.guards = {{.name = "v", .affine = CallbackGuard::Affine{{1.0}, 0.0, 0.0}}};
  model.rhs = [](const CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = std::cos(at.time) - 2.0 * at.sides[0];
  };
  model.output_names = {"friction"};
  model.outputs = [](const CallbackPoint& at, std::span<double> outputs) { outputs[0] = 2.0 * at.sides[0]; };
  const SimulationResult result = simulate(model, {.stop = 3.0, .tolerance = 1e-8}).value();
  ASSERT_EQ(result.status, SimulationStatus::success) << result.message;
  ASSERT_EQ(result.events.size(), 1U);
  EXPECT_EQ(result.events[0].kind, EventKind::slide_enter);
  EXPECT_NEAR(result.final_value("v"), 0.0, 1e-14);
  EXPECT_NEAR(result.final_value("friction"), std::cos(3.0), 1e-9);
  ASSERT_EQ(result.modes.size(), 2U);
  EXPECT_EQ(result.modes[1].mode, "main sliding on v");
  EXPECT_EQ(result.modes[1].d, 0);
  EXPECT_EQ(result.modes[1].index, 1);
  // The past can be asked while sliding, and the rows say the same.
  EXPECT_NEAR(result.trajectory.at(2.0, "friction"), std::cos(2.0), 1e-9);
  EXPECT_EQ(result.trajectory.mode(result.trajectory.n_rows() - 1), "main sliding on v");
}

TEST(CallbackModel, OptionsAreTheSame) {
  const SimulationResult few = simulate(relay(), {.stop = 100.0, .max_events = 5}).value();
  EXPECT_EQ(few.status, SimulationStatus::stopped);
  EXPECT_EQ(few.reason, "event_limit");
  const SimulationResult moved =
      simulate(bouncing_ball(), {.stop = 0.1, .set = {{"h", 5.0}, {"bounces", 7.0}}}).value();
  EXPECT_NEAR(moved.final_value("h"), 5.0 - 0.5 * kGravity * 0.01, 1e-9);
  EXPECT_EQ(moved.final_value("bounces"), 7.0);
  EXPECT_EQ(*moved.variables[0].start, 5.0);
}

TEST(CallbackModel, WhatIsWrongIsNamed) {
  CallbackModel model = bouncing_ball();
  model.states[1].name = "h";
  model.states[1].nominal = 0.0;
  model.guards[0].affine->coefficients = {1.0};
  model.guards.push_back({.name = "late"});
  model.outputs = {};
  const Diagnostics problems = validate(model, {.tolerance = -1.0, .set = {{"hh", 1.0}}});
  std::string all = render_text(problems);
  for (const char* part : {"the name 'h' occurs twice", "nominal value of 'h' must be positive",
                           "guard 'h' has 1 coefficients for 2 states", "guard 'late' has no value",
                           "no function outputs", "--tolerance must be a positive", "did you mean 'h'?"}) {
    EXPECT_THAT(all, HasSubstr(part));
  }
  EXPECT_EQ(problems.items()[0].code, "wrong-callback-model");
  EXPECT_FALSE(simulate(model).has_value());
  EXPECT_TRUE(validate(bouncing_ball()).empty());
}

TEST(CallbackModel, AFunctionThatThrowsEndsTheRunAndKeepsWhatWasComputed) {
  CallbackModel model = relay();
  model.rhs = [](const CallbackPoint& at, std::span<double> xdot) {
    if (at.time > 0.5) {
      throw std::runtime_error("no more");
    }
    xdot[0] = 1.0;
    xdot[1] = 0.0;
  };
  const SimulationResult result =
      simulate(model, {.stop = 1.0, .interval = 0.01, .initial_step = 0.01}).value();
  EXPECT_EQ(result.status, SimulationStatus::failed);
  EXPECT_EQ(result.reason, "function_failed");
  EXPECT_THAT(result.message, HasSubstr("the function rhs has thrown: no more"));
  EXPECT_GT(result.end, 0.0);
  EXPECT_NEAR(result.trajectory.row(1)[0], 0.01, 1e-12);
  model.rhs = [](const CallbackPoint&, std::span<double>) { throw 7; };
  const SimulationResult at_start = simulate(model).value();
  EXPECT_EQ(at_start.reason, "function_failed");
  EXPECT_THAT(at_start.message, HasSubstr("no std::exception"));
  // Outputs, guards and resets too; a run without memory stays one.
  CallbackModel ball = bouncing_ball();
  ball.guards[0].reset = [](const CallbackPoint&, std::span<double>, std::span<double>) {
    throw std::out_of_range("reset");
  };
  const SimulationResult until_reset = simulate(ball, {.stop = 1.0}).value();
  EXPECT_THAT(until_reset.message, HasSubstr("the reset of guard 'h' has thrown: reset"));
  EXPECT_NEAR(until_reset.end, std::sqrt(2.0 / kGravity), 1e-6);
  ball = bouncing_ball();
  ball.outputs = [](const CallbackPoint& at, std::span<double> outputs) {
    outputs[0] = at.time < 0.2 ? 0.0 : throw std::logic_error("late");
  };
  const SimulationResult until_output =
      simulate(ball, {.stop = 1.0, .interval = 0.05, .max_step = 0.02}).value();
  EXPECT_EQ(until_output.reason, "function_failed");
  EXPECT_GE(until_output.trajectory.n_rows(), 4U);
}

TEST(CallbackModel, FunctionsThatAreNotRepeatableAreRefused) {
  CallbackModel model = relay();
  int calls = 0;
  model.rhs = [&calls](const CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = at.x[1];
    xdot[1] = 1e-9 * ++calls;
  };
  const Result<SimulationResult> result = simulate(model, {.stop = 1.0});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().items()[0].code, "callback-not-repeatable");
  EXPECT_THAT(result.error().items()[0].message, HasSubstr("the function rhs"));
}

TEST(CallbackModel, WrongGradientsAreNamed) {
  CallbackModel model = relay();
  model.guards = {{.name = "x*x - v"}};
  model.guard_values = [](const CallbackPoint& at, std::span<double> values) {
    values[0] = at.x[0] * at.x[0] - at.x[1];
  };
  model.guard_gradient = [](std::size_t, const CallbackPoint& at, std::span<double> gradient,
                            double& by_time) {
    gradient[0] = 2.0 * at.x[0];
    gradient[1] = 1.0;
    by_time = 0.0;
  };
  const SimulationResult result = simulate(model, {.stop = 0.1}).value();
  EXPECT_THAT(render_text(result.diagnostics), HasSubstr("the gradient of guard 'x*x - v' has 1 for v"));
  EXPECT_EQ(result.diagnostics.items()[0].code, "jacobian-mismatch");
}

// A guard or a reset that gives no number ends the run by its name.
TEST(CallbackModel, ValuesThatAreNotFiniteEndTheRunByName) {
  CallbackModel ball = bouncing_ball();
  ball.guards[0].reset = [](const CallbackPoint&, std::span<double> x, std::span<double>) {
    x[1] = std::nan("");
  };
  const SimulationResult reset = simulate(ball, {.stop = 1.0}).value();
  EXPECT_EQ(reset.reason, "not_finite");
  EXPECT_THAT(reset.message, HasSubstr("v is not finite"));
  EXPECT_NEAR(reset.end, std::sqrt(2.0 / kGravity), 1e-6);
  CallbackModel roots = relay();
  roots.guards[0].affine.reset();
  roots.guards[0].name = "root";
  roots.guard_values = [](const CallbackPoint& at, std::span<double> values) {
    values[0] = std::sqrt(0.4 - at.time) + 1.0;
  };
  const SimulationResult guard = simulate(roots, {.stop = 1.0}).value();
  EXPECT_EQ(guard.status, SimulationStatus::failed);
  EXPECT_THAT(guard.message, HasSubstr("the guard 'root' is not finite"));
  EXPECT_GT(guard.end, 0.3);
}

TEST(CallbackModel, ParametersReachTheFunctionsAndAreSet) {
  CallbackModel model;
  model.states = {{.name = "x", .start = 1.0}};
  model.parameters = {{.name = "k", .start = 2.0}};
  model.rhs = [](const CallbackPoint& at, std::span<double> xdot) { xdot[0] = -at.parameters[0] * at.x[0]; };
  EXPECT_NEAR(simulate(model, {.stop = 1.0, .tolerance = 1e-9}).value().final_value("x"), std::exp(-2.0),
              1e-8);
  EXPECT_NEAR(simulate(model, {.stop = 1.0, .tolerance = 1e-9, .set = {{"k", 3.0}}}).value().final_value("x"),
              std::exp(-3.0), 1e-8);
  EXPECT_THAT(render_text(validate(model, {.set = {{"kk", 3.0}}})), HasSubstr("did you mean 'k'?"));
}

}  // namespace
}  // namespace saltus
