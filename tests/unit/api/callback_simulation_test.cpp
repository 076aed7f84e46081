// Models of C++ functions in one's hand, and what is asked of them there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "saltus/callback_model.hpp"
#include "saltus/contract.hpp"
#include "saltus/simulation.hpp"
#include "support/temporary_folder.hpp"

namespace saltus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

CallbackModel ball() {
  CallbackModel model;
  model.states = {{.name = "h", .start = 1.0}, {.name = "v"}};
  model.discrete = {{.name = "bounces"}};
  model.parameters = {{.name = "e", .start = 0.8}};
  model.guards = {{.name = "h",
                   .type = CallbackGuard::Type::unilateral,
                   .affine = CallbackGuard::Affine{{1.0, 0.0}, 0.0, 0.0},
                   .in_equations = false,
                   .reset_side = -1.0,
                   .reset = [](const CallbackPoint& at, std::span<double> x, std::span<double> discrete) {
                     x[1] = -at.parameters[0] * at.x[1];
                     discrete[0] += 1.0;
                   }}};
  model.rhs = [](const CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = at.x[1];
    xdot[1] = -9.81;
  };
  model.output_names = {"energy"};
  model.outputs = [](const CallbackPoint& at, std::span<double> outputs) {
    outputs[0] = 9.81 * at.x[0] + 0.5 * at.x[1] * at.x[1];
  };
  return model;
}

// A pendulum of unit length, of index 3.
CallbackModel pendulum() {
  CallbackModel model;
  model.states = {
      {.name = "x", .start = 1.0}, {.name = "y"}, {.name = "u"}, {.name = "v"}, {.name = "force"}};
  model.residual.values = [](const CallbackPoint& at, std::span<const double> xdot,
                             std::span<double> values) {
    const auto& z = at.x;
    values[0] = xdot[0] - z[2];
    values[1] = xdot[1] - z[3];
    values[2] = xdot[2] + z[4] * z[0];
    values[3] = xdot[3] + z[4] * z[1] + 9.81;
    values[4] = z[0] * z[0] + z[1] * z[1] - 1.0;
  };
  model.residual.jacobian = [](const CallbackPoint& at, std::span<const double> /*xdot*/,
                               const CallbackJacobian& into) {
    const auto x = [&](std::size_t i, std::size_t j) -> double& { return into.x[5 * i + j]; };
    x(0, 2) = x(1, 3) = -1.0;
    x(2, 0) = x(3, 1) = at.x[4];
    x(2, 4) = at.x[0];
    x(3, 4) = at.x[1];
    x(4, 0) = 2.0 * at.x[0];
    x(4, 1) = 2.0 * at.x[1];
    for (std::size_t i = 0; i < 4; ++i) {
      into.xdot[5 * i + i] = 1.0;
    }
  };
  return model;
}

TEST(CallbackSimulation, LedByStepsItIsTheSameRun) {
  for (const CallbackModel& model : {ball(), pendulum()}) {
    const SimulationOptions options{.stop = 1.5};
    const SimulationResult whole = simulate(model, options).value();
    Simulation led = std::move(Simulation::begin(model, options).value());
    while (led.step()) {
    }
    const SimulationResult result = led.finish();
    EXPECT_EQ(result.status, SimulationStatus::success);
    EXPECT_EQ(result.final_values, whole.final_values);
    EXPECT_EQ(result.events.size(), whole.events.size());
    EXPECT_EQ(result.trajectory.n_rows(), whole.trajectory.n_rows());
  }
}

TEST(CallbackSimulation, GoesToEventsAndIsAsked) {
  Simulation led = std::move(Simulation::begin(ball(), {.stop = 2.0, .set = {{"e", 0.5}}}).value());
  ASSERT_TRUE(led.advance_to_event(2.0));
  const double impact = std::sqrt(2.0 / 9.81);
  EXPECT_NEAR(led.time(), impact, 1e-9);
  EXPECT_NEAR(led.value("v"), 0.5 * 9.81 * impact, 1e-6);
  EXPECT_EQ(led.value("bounces"), 1.0);
  EXPECT_NEAR(led.value("energy"), 0.25 * 9.81, 1e-5);
  EXPECT_NEAR(led.derivative("h"), led.value("v"), 1e-12);
  ASSERT_EQ(led.states().size(), 2U);
  EXPECT_NEAR(led.states()[1].derivative, -9.81, 1e-12);
  ASSERT_EQ(led.guards().size(), 1U);
  EXPECT_EQ(led.guards()[0].name, "h");
  EXPECT_EQ(led.n_events(), 1);
  EXPECT_FALSE(led.rounds().empty());
  ASSERT_TRUE(led.reset().empty());
  EXPECT_EQ(led.time(), 0.0);
  EXPECT_EQ(led.value("bounces"), 0.0);
}

TEST(CallbackSimulation, WhatFunctionsCannotSayIsRefusedByName) {
  const test::TemporaryFolder temporary;
  Simulation led = std::move(Simulation::begin(ball(), {.stop = 2.0}).value());
  ASSERT_TRUE(led.advance_to(0.1));
  const Diagnostics unsaved = led.save(temporary.file("checkpoint"));
  ASSERT_TRUE(unsaved.has_errors());
  EXPECT_EQ(unsaved.items()[0].code, "checkpoint-unsupported");
  const auto derivatives = led.directional_derivative({"der(v)"}, {"h"}, {1.0});
  ASSERT_FALSE(derivatives);
  EXPECT_EQ(derivatives.error().items()[0].code, "no-point-derivative");
  EXPECT_THAT(derivatives.error().items()[0].message, HasSubstr("functions of the user"));
  EXPECT_FALSE(led.dependencies("h").has_value());
  EXPECT_THROW((void)led.set_parameter("e", 0.1), ContractViolation);
  EXPECT_THROW((void)led.value("nothing"), ContractViolation);
  for (const SimulationOptions& wrong :
       {SimulationOptions{.sensitivities = {"e"}},
        SimulationOptions{.inputs = {InputTable{.times = {0.0}, .columns = {{"e", {1.0}}}}}},
        SimulationOptions{.input_functions = {{"e", [](double) { return 1.0; }}}}}) {
    const Result<Simulation> refused = Simulation::begin(ball(), wrong);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().items()[0].code, "option-not-supported");
    EXPECT_FALSE(simulate(ball(), wrong));
  }
}

TEST(CallbackSimulation, AFunctionThatThrowsEndsItAndKeepsWhatWasComputed) {
  CallbackModel model = ball();
  model.rhs = [](const CallbackPoint& at, std::span<double> xdot) {
    if (at.time > 0.2) {
      throw std::runtime_error("no table beyond 0.2");
    }
    xdot[0] = at.x[1];
    xdot[1] = -9.81;
  };
  Simulation led = std::move(Simulation::begin(model, {.stop = 2.0}).value());
  EXPECT_FALSE(led.advance_to(1.0));
  EXPECT_TRUE(led.has_ended());
  const SimulationResult result = led.finish();
  EXPECT_EQ(result.reason, Reason::function_failed);
  EXPECT_THAT(result.message, HasSubstr("no table beyond 0.2"));
  EXPECT_GT(result.trajectory.n_rows(), 0U);
}

// A sink, and what else of the user's is called: it may throw wherever it is asked.
class Thrower : public OutputSink {
 public:
  enum class Where { begin, rows, event };
  explicit Thrower(Where where) : where_(where) {}
  bool begin(std::span<const VariableInfo> /*columns*/) override { return throws(Where::begin); }
  bool rows(const OutputRows& rows) override { return rows.times.back() < 0.3 || throws(Where::rows); }
  void event(const Event& /*event*/) override { (void)throws(Where::event); }

 private:
  [[nodiscard]] bool throws(Where where) const {
    if (where == where_) {
      throw std::runtime_error("the disk is full");
    }
    return true;
  }
  Where where_;
};

TEST(FunctionsOfTheUser, WhatTheyThrowEndsTheRunWithTheirName) {
  const Model model = Model::from_text("test.mo",
                                       "model M\n Real x(start = 0, fixed = true);\nequation\n der(x) = 1;\n"
                                       " when x > 0.5 then\n  reinit(x, 0.1);\n end when;\nend M;\n")
                          .value();
  for (const auto& [where, name] : {std::pair{Thrower::Where::begin, "OutputSink::begin"},
                                    std::pair{Thrower::Where::rows, "OutputSink::rows"},
                                    std::pair{Thrower::Where::event, "OutputSink::event"}}) {
    Thrower sink(where);
    const SimulationResult result = simulate(model, {.stop = 1.0, .sink = &sink}).value();
    EXPECT_EQ(result.reason, Reason::function_failed) << name;
    EXPECT_THAT(result.message, HasSubstr(name));
    EXPECT_THAT(result.message, HasSubstr("the disk is full"));
    if (where == Thrower::Where::rows) {
      EXPECT_GT(result.trajectory.n_rows(), 0U);
    }
    Result<Simulation> begun = Simulation::begin(model, {.stop = 1.0, .sink = &sink});
    if (begun) {
      Simulation led = std::move(*begun);
      EXPECT_FALSE(led.advance_to(1.0));
      EXPECT_EQ(led.finish().reason, Reason::function_failed);
    } else {
      EXPECT_THAT(render_text(begun.error()), HasSubstr("the disk is full"));
    }
  }
}

// Switches that follow each other without end are a warning of the run.
TEST(FunctionsOfTheUser, WarningsAreToldWhenTheyArise) {
  const Model model = Model::from_text("test.mo",
                                       "model M\n Real x(start = 1, fixed = true);\nequation\n"
                                       " der(x) = if x > 0 then -1 else 1;\nend M;\n")
                          .value();
  std::vector<std::string> told;
  SimulationOptions options{.stop = 2.0, .sliding = Sliding::off, .max_events = 50};
  options.log = [&](const Diagnostic& warning) { told.push_back(warning.message); };
  const SimulationResult result = simulate(model, options).value();
  ASSERT_FALSE(told.empty());
  const auto has_it = [&](const Diagnostic& item) { return item.message == told[0]; };
  EXPECT_TRUE(std::any_of(result.diagnostics.items().begin(), result.diagnostics.items().end(), has_it));
  options.log = [](const Diagnostic&) { throw std::runtime_error("no terminal"); };
  const SimulationResult ended = simulate(model, options).value();
  EXPECT_EQ(ended.reason, Reason::function_failed);
  EXPECT_THAT(ended.message, HasSubstr("no terminal"));
}

TEST(CallbackAnalysis, CountsWhatResidualsAndRightHandSidesHave) {
  const Analysis explicit_one = analyze(ball()).value();
  ASSERT_EQ(explicit_one.modes.size(), 1U);
  EXPECT_EQ(explicit_one.modes[0].index, 0);
  EXPECT_EQ(explicit_one.modes[0].d, 2);
  EXPECT_THAT(explicit_one.modes[0].states, ElementsAre("h", "v"));
  for (const Analysis& found :
       {analyze(pendulum()).value(), analyze(pendulum(), {.run_to = 0.3, .projectors = true}).value()}) {
    ASSERT_EQ(found.modes.size(), 1U);
    const ModeAnalysis& mode = found.modes[0];
    EXPECT_EQ(mode.equations, 5U);
    EXPECT_EQ(mode.unknowns, 5U);
    EXPECT_EQ(mode.index, 2);
    EXPECT_EQ(mode.differentiation_index, 3);
    EXPECT_EQ(mode.d, 2);
    EXPECT_EQ(mode.a, 3);
    EXPECT_EQ(mode.u, 0);
    EXPECT_EQ(mode.v, 0);
    EXPECT_EQ(mode.states.size(), 2U);
  }
  EXPECT_TRUE(analyze(pendulum(), {.projectors = true}).value().modes[0].projectors.has_value());
  EXPECT_FALSE(analyze(ball(), {.at = std::nan("")}));
  EXPECT_FALSE(analyze(ball(), {.set = {{"nothing", 1.0}}}));
}

}  // namespace
}  // namespace saltus
