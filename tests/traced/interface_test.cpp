// A traced model has what a text model has: parameters, inputs, clauses, modes, analysis, a simulation in one's hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "saltus/analysis.hpp"
#include "saltus/input_table.hpp"
#include "saltus/linearization.hpp"
#include "saltus/simulate.hpp"
#include "saltus/simulation.hpp"
#include "saltus/traced_model.hpp"

namespace saltus {
namespace {

using ::testing::HasSubstr;

TracedModel switched_by_parameter() {
  TracedModel model("Switched");
  model.state("x", {.start = 1});
  model.parameter("mode", 1.0);
  model.parameter("k", 2.0);
  model.residual([](const State& s, std::span<Real> r) {
    Real rate = s.parameter("k");
    if (s.parameter("mode") > 0) {
      rate = -rate;
    }
    r[0] = s.der("x") - rate * s("x");
  });
  return model;
}

TEST(TracedModels, ConditionsOfParametersFollowTheirValues) {
  const Model model = switched_by_parameter().build().value();
  const SimulationResult own = simulate(model, {.stop = 1.0, .tolerance = 1e-9}).value();
  EXPECT_NEAR(own.final_value("x"), std::exp(-2.0), 1e-7);
  EXPECT_EQ(own.events.size(), 0u);
  const SimulationResult other =
      simulate(model, {.stop = 1.0, .tolerance = 1e-9, .set = {{"mode", -1.0}, {"k", 1.0}}}).value();
  EXPECT_NEAR(other.final_value("x"), std::exp(1.0), 1e-7);
  EXPECT_EQ(other.events.size(), 0u);
}

TEST(TracedModels, StartsAreSetFromOutside) {
  const Model model = switched_by_parameter().build().value();
  EXPECT_NEAR(simulate(model, {.stop = 1.0, .tolerance = 1e-9, .set = {{"x", 3.0}}}).value().final_value("x"),
              3.0 * std::exp(-2.0), 1e-6);
}

TracedModel thermostat() {
  TracedModel model("Thermostat");
  const Expression temperature = model.state("temperature", {.start = 18});
  model.input("outside", {.start = 5});
  const Expression on = model.boolean("on", {.start = true, .fixed = true});
  model.when(temperature > 20, [&](Body& body) { body.set(on, false); })
      .elsewhen(temperature < 19, [&](Body& body) { body.set(on, true); });
  model.residual([](const State& s, std::span<Real> r) {
    Real heat = 0;
    if (s.is("on")) {
      heat = 3;
    }
    r[0] = s.der("temperature") - (heat - 0.1 * (s("temperature") - s("outside")));
  });
  return model;
}

TEST(TracedModels, DiscreteVariablesInputsAndClauses) {
  const TracedModel tracer = thermostat();
  const Model model = tracer.build().value();
  EXPECT_TRUE(tracer.statistics().is_complete);
  const InputTable weather{.times = {0, 5, 10}, .columns = {{"outside", {5, -5, 10}}}};
  const SimulationOptions options{.stop = 10.0, .tolerance = 1e-8, .inputs = {weather}};
  const SimulationResult found = simulate(model, options).value();
  const Model text =
      Model::from_text("t.mo",
                       "model T Real temperature(start = 18, fixed = true); input Real outside(start = 5); "
                       "Boolean on(start = true, fixed = true);"
                       " equation der(temperature) = (if on then 3 else 0) - 0.1*(temperature - outside);"
                       " when temperature > 20 then on = false; elsewhen temperature < 19 then on = true; "
                       "end when; end T;")
          .value();
  const SimulationResult expected = simulate(text, options).value();
  ASSERT_EQ(found.status, SimulationStatus::success) << found.message;
  EXPECT_GT(found.events.size(), 4u);
  EXPECT_EQ(found.events.size(), expected.events.size());
  EXPECT_NEAR(found.final_value("temperature"), expected.final_value("temperature"), 1e-9);
}

TEST(TracedModels, AreLedStepByStep) {
  const Model model = thermostat().build().value();
  Simulation simulation = std::move(Simulation::begin(model, {.stop = 4.0}).value());
  ASSERT_TRUE(simulation.set({{"outside", 19.5}}));
  while (!simulation.has_ended() && simulation.step()) {
  }
  const SimulationResult result = simulation.finish();
  EXPECT_EQ(result.status, SimulationStatus::success) << result.message;
  EXPECT_NEAR(result.final_value("temperature"), 19.8, 0.3);
}

TEST(TracedModels, ParametersChangeWhileTheyRun) {
  const Model model = switched_by_parameter().build().value();
  Simulation simulation =
      std::move(Simulation::begin(model, {.stop = 2.0, .tolerance = 1e-9}, {"mode"}).value());
  ASSERT_TRUE(simulation.advance_to(1.0));
  ASSERT_TRUE(simulation.set({{"mode", -1.0}}));
  (void)simulation.advance_to(2.0);
  EXPECT_NEAR(simulation.finish().final_value("x"), 1.0, 1e-6);
}

TracedModel pendulum() {
  TracedModel model("Pendulum");
  model.algebraic("x", {.start = 0.6});
  model.algebraic("y", {.start = -0.8});
  model.algebraic("u", {.start = 0});
  model.algebraic("v", {.start = 0});
  model.algebraic("force");
  model.residual([](const State& s, std::span<Real> r) {
    const Real drag = s("x") > 0 ? 0.2 : 0.0;
    r[0] = s.der("x") - s("u");
    r[1] = s.der("y") - s("v");
    r[2] = s.der("u") - (-s("force") * s("x") - drag * s("u"));
    r[3] = s.der("v") - (-s("force") * s("y") - drag * s("v") - 9.81);
    r[4] = s("x") * s("x") + s("y") * s("y") - 1;
  });
  return model;
}

TEST(TracedModels, AreAnalysedAndLinearised) {
  const Model model = pendulum().build().value();
  EXPECT_TRUE(model.check().empty());
  const Analysis analysis = analyze(model).value();
  EXPECT_EQ(analysis.modes.at(0).index, 2);  // as for the text: of the strangeness index
  const Linearization linear = linearize(model).value();
  EXPECT_EQ(linear.states.size(), 2u);
}

TEST(TracedModels, ModesAreThoseOfTheBuilder) {
  TracedModel model("Modes");
  const Expression x = model.state("x", {.start = 0});
  const Expression v = model.algebraic("v");
  model.residual(
      1, [](const State& s, std::span<Real> r) { r[0] = s.der("x") - (s("x") > 0.5 ? 2.0 : 1.0) * s("v"); });
  model.initial_mode("up", [&](ModeBuilder& mode) {
    mode.equation(v, 1);
    mode.transition_to("down", x > 1);
  });
  model.mode("down", [&](ModeBuilder& mode) {
    mode.equation(v, -1);
    mode.transition_to("up", x < 0);
  });
  const SimulationResult result = simulate(model.build().value(), {.stop = 1.0}).value();
  ASSERT_EQ(result.status, SimulationStatus::success) << result.message;
  // Up to 0.5 in 0.5, to 1 in 0.25, and down for another quarter of a second.
  EXPECT_NEAR(result.final_value("x"), 0.5, 1e-6);
}

TEST(TracedModels, WrongDeclarationsAreSaidAsOfAText) {
  TracedModel model("M");
  model.state("x", {.start = Expression::text("nowhere")});
  model.residual([](const State& s, std::span<Real> r) { r[0] = s.der("x"); });
  const Result<Model> built = model.build();
  ASSERT_FALSE(built);
  EXPECT_THAT(built.error().items()[0].message, HasSubstr("nowhere"));
}

// A residual that determines nothing more is named.
TEST(TracedModels, ResidualsAreNamedInMessages) {
  TracedModel model("M");
  model.state("x", {.start = 1});
  model.algebraic("y");
  model.residual([](const State& s, std::span<Real> r) {
    r[0] = s.der("x") - s("x");
    r[1] = s.der("x") - 2 * s("x");
  });
  const Diagnostics problems = model.build().value().check();
  ASSERT_FALSE(problems.empty());
  EXPECT_THAT(render_text(problems), HasSubstr("r[1]"));
}

// == is neither less nor greater.
TEST(TracedModels, EqualityIsTwoComparisons) {
  TracedModel model("M");
  model.state("x", {.start = 1});
  model.residual([](const State& s, std::span<Real> r) { r[0] = s.der("x") - (s("x") == 0 ? 5.0 : -1.0); });
  const Model built = model.build().value();
  EXPECT_EQ(model.statistics().n_comparisons, 2u);
  EXPECT_NEAR(simulate(built, {.stop = 0.5}).value().final_value("x"), 0.5, 1e-9);
}

}  // namespace
}  // namespace saltus
