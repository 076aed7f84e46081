// Modes, transitions, jumps and sliding modes from C++ functions, beside the same models as text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "saltus/callback_model.hpp"
#include "saltus/model.hpp"
#include "support/source_folder.hpp"

namespace saltus {
namespace {

using ::testing::HasSubstr;

// The bodies of stick_slip_modes: p1, p2, v1, v2 and the friction as an unknown. The last equation is that of the mode.
CallbackResidual bodies(std::function<double(const CallbackPoint& at)> law) {
  CallbackResidual residual;
  residual.names = {"p1' = v1", "p2' = v2", "force on 1", "force on 2", "law of friction"};
  residual.values = [law = std::move(law)](const CallbackPoint& at, std::span<const double> xdot,
                                           std::span<double> values) {
    values[0] = xdot[0] - at.x[2];
    values[1] = xdot[1] - at.x[3];
    values[2] = xdot[2] - std::sin(at.time) + at.x[4];
    values[3] = xdot[3] - at.x[4];
    values[4] = law(at);
  };
  return residual;
}

CallbackModel stick_slip(bool is_written) {
  CallbackModel model;
  model.states = {{.name = "p1", .start = 1.0},
                  {.name = "p2", .start = 1.0},
                  {.name = "v1"},
                  {.name = "v2"},
                  {.name = "friction"}};
  model.parameters = {{.name = "mu", .start = 0.4}};
  const auto guard = [](std::string name, std::vector<double> coefficients, double constant) {
    CallbackGuard made;
    made.name = std::move(name);
    made.affine = CallbackGuard::Affine{std::move(coefficients), 0.0, constant};
    made.in_equations = false;
    return made;
  };
  model.guards = {guard("v1 - v2", {0.0, 0.0, 1.0, -1.0, 0.0}, 0.0)};
  model.modes = {{.name = "right",
                  .residual = bodies([](const CallbackPoint& at) { return at.x[4] - at.parameters[0]; })},
                 {.name = "left",
                  .residual = bodies([](const CallbackPoint& at) { return at.x[4] + at.parameters[0]; })}};
  model.transitions = {{.from = "right", .to = "left", .guard = "v1 - v2", .side = -1.0},
                       {.from = "left", .to = "right", .guard = "v1 - v2", .side = 1.0}};
  if (is_written) {
    model.guards.push_back(guard("friction - mu", {0.0, 0.0, 0.0, 0.0, 1.0}, -0.4));
    model.guards.push_back(guard("friction + mu", {0.0, 0.0, 0.0, 0.0, 1.0}, 0.4));
    model.modes.push_back({.name = "stick",
                           .residual = bodies([](const CallbackPoint& at) { return at.x[2] - at.x[3]; }),
                           .sliding_between = std::pair("right", "left")});
    model.transitions.push_back({.from = "stick", .to = "right", .guard = "friction - mu", .side = 1.0});
    model.transitions.push_back({.from = "stick", .to = "left", .guard = "friction + mu", .side = -1.0});
  }
  return model;
}

void expect_same(const SimulationResult& result, const SimulationResult& text) {
  ASSERT_EQ(result.status, SimulationStatus::success) << result.message;
  ASSERT_EQ(result.events.size(), text.events.size());
  for (std::size_t k = 0; k < text.events.size(); ++k) {
    EXPECT_NEAR(result.events[k].time, text.events[k].time, 1e-7) << k;
    EXPECT_EQ(result.events[k].kind, text.events[k].kind) << k;
  }
  ASSERT_EQ(result.modes.size(), text.modes.size());
  for (std::size_t k = 0; k < text.modes.size(); ++k) {
    EXPECT_EQ(result.modes[k].mode, text.modes[k].mode);
  }
  for (const char* name : {"p1", "p2", "v1", "v2", "friction"}) {
    EXPECT_NEAR(result.final_value(name), text.final_value(name), 1e-6) << name;
  }
}

// Between two modes with opposite transitions the solution slides by itself.
TEST(CallbackModes, SlidingBetweenModesIsThatOfTheText) {
  const SimulationOptions options{.stop = 10.0, .tolerance = 1e-8};
  const SimulationResult text =
      simulate(Model::load(test::source_folder() + "/examples/stick_slip_modes.saltus").value(), options)
          .value();
  expect_same(simulate(stick_slip(false), options).value(), text);
}

// … or in the mode that the user gives, which has index 2.
TEST(CallbackModes, ASlidingModeOfTheUserTakesItsPlace) {
  const SimulationOptions options{.stop = 10.0, .tolerance = 1e-8};
  const SimulationResult text =
      simulate(Model::load(test::source_folder() + "/examples/stick_slip_written.saltus").value(), options)
          .value();
  expect_same(simulate(stick_slip(true), options).value(), text);
}

// A ball on a string: free flight by a right-hand side, and an index-3 residual while the string is taut.
TEST(CallbackModes, ModesOfDifferentKindsWithJumpsAndConditions) {
  CallbackModel model;
  model.states = {{.name = "x", .start = 1.0}, {.name = "v"}, {.name = "heat"}};
  model.discrete = {{.name = "n"}};
  const auto guard = [](std::string name, std::vector<double> coefficients, double constant, double by_time) {
    CallbackGuard made;
    made.name = std::move(name);
    made.affine = CallbackGuard::Affine{std::move(coefficients), by_time, constant};
    made.in_equations = false;
    return made;
  };
  model.guards = {guard("x", {1.0, 0.0, 0.0}, 0.0, 0.0), guard("v", {0.0, 1.0, 0.0}, 0.0, 0.0),
                  guard("t - 2", {0.0, 0.0, 0.0}, -2.0, 1.0)};
  model.modes.resize(2);
  model.modes[0].name = "up";
  model.modes[0].rhs = [](const CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = at.x[1];
    xdot[1] = -1.0;
    xdot[2] = 0.0;
  };
  model.modes[1].name = "down";
  model.modes[1].residual.values = [](const CallbackPoint& at, std::span<const double> xdot,
                                      std::span<double> values) {
    values[0] = xdot[0] - at.x[1];
    values[1] = xdot[1] + 2.0;
    values[2] = at.x[2] - at.x[1] * at.x[1];
  };
  // Both conditions: behind t = 2 nothing happens any more.
  model.transitions = {
      {.from = "up",
       .to = "down",
       .condition = [](const CallbackPoint& at) { return at.sides[1] < 0.0 && at.sides[2] < 0.0; },
       .name = "falls"},
      {.from = "down",
       .to = "up",
       .guard = "x",
       .side = -1.0,
       .jump = [](const CallbackPoint& at, std::span<double> x, std::span<double> discrete) {
         x[0] = 0.0;
         x[1] = -at.x[1];
         discrete[0] += 1.0;
       }}};
  model.initial_mode = "down";
  const SimulationResult result = simulate(model, {.stop = 5.0, .tolerance = 1e-9}).value();
  ASSERT_TRUE(result.ok()) << result.message;
  // From 1 with acceleration 2: x = 0 at t = 1 with speed 2; up with deceleration 1 until t = 3, which is behind 2.
  ASSERT_EQ(result.modes.size(), 2U);
  EXPECT_EQ(result.modes[0].mode, "down");
  EXPECT_EQ(result.modes[1].mode, "up");
  EXPECT_NEAR(result.modes[1].from, 1.0, 1e-8);
  EXPECT_EQ(result.final_value("n"), 1.0);
  EXPECT_NEAR(result.final_value("x"), 2.0 * 4.0 - 8.0, 1e-7);
  EXPECT_NEAR(result.trajectory.at(0.5, "heat"), 1.0, 1e-8) << "an equation of the residual";
  EXPECT_NEAR(result.final_value("heat"), 4.0, 1e-8) << "constant in the other mode";
}

TEST(CallbackModes, WhatIsWrongIsNamed) {
  CallbackModel model = stick_slip(true);
  model.rhs = [](const CallbackPoint&, std::span<double>) {};
  model.modes.push_back({.name = "right"});
  model.transitions[0].to = "lefd";
  model.transitions[1].guard = "v1 - v3";
  model.transitions[1].side = 0.5;
  model.transitions.push_back({.from = "right", .to = "left"});
  model.initial_mode = "nowhere";
  const std::string all = render_text(validate(model));
  for (const char* part : {"the name 'right' occurs twice", "has modes and equations of its own",
                           "mode 'right' has no equations", "there is no mode 'lefd'", "did you mean 'left'",
                           "there is no guard 'v1 - v3'", "-1 or +1, not 0.5",
                           "either a guard or a condition", "there is no mode 'nowhere'"}) {
    EXPECT_THAT(all, HasSubstr(part));
  }
}

TEST(CallbackModes, AFunctionThatThrowsEndsTheRunWithItsName) {
  CallbackModel model = stick_slip(false);
  model.transitions[1].jump = [](const CallbackPoint&, std::span<double>, std::span<double>) {
    throw std::runtime_error("no way");
  };
  const SimulationResult result = simulate(model, {.stop = 10.0}).value();
  EXPECT_EQ(result.status, SimulationStatus::failed);
  EXPECT_EQ(result.reason, "function_failed");
  EXPECT_THAT(result.message,
              HasSubstr("the jump of the transition from 'left' to 'right' has thrown: no way"));
  EXPECT_GT(result.end, 0.0);
  EXPECT_GT(result.trajectory.n_rows(), 2U);
}

}  // namespace
}  // namespace saltus
