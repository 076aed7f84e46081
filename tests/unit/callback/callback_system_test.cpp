#include "callback/callback_system.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace saltus::callback {
namespace {

// A block on a table: v' = -s, p' = v; guard 0 is affine, guard 1 is opaque.
CallbackModel block(bool takes_weights) {
  CallbackModel model;
  model.states = {"p", "v"};
  model.initial = {2.0, 0.0};
  model.names = {"mu"};
  model.parameters = {0.5};
  model.guards.resize(2);
  model.guards[0].name = "v";
  model.guards[0].affine = {{0.0, 1.0}, 0.0, 0.0};
  model.guards[1].name = "p^2 - t";
  model.rhs = [](const CallbackPoint& at, std::span<double> xdot) {
    xdot[0] = at.x[1];
    xdot[1] = -at.parameters[0] * at.sides[0];
  };
  model.rhs_takes_weights = takes_weights;
  model.guard_values = [](const CallbackPoint& at, std::span<double> values) {
    values[0] = at.x[1];
    values[1] = at.x[0] * at.x[0] - at.t;
  };
  return model;
}

TEST(CallbackSystem, SidesAtTheStartAreThoseOfTheGuards) {
  const auto system = make_callback_system(block(false));
  const auto point = system->initial(0.0);
  ASSERT_TRUE(point);
  EXPECT_EQ(point->configuration.latched, (std::vector<double>{0.0, 1.0}));
  EXPECT_EQ(point->values, (std::vector<double>{2.0, 0.0, 0.5}));
}

TEST(CallbackSystem, BlendIsTheWeightedMeanOfTheSides) {
  for (const bool takes_weights : {false, true}) {
    const auto system = make_callback_system(block(takes_weights));
    const auto evaluator = (*system->lock(ModeId{std::size_t{0}}))->make_evaluator();
    auto configuration = system->initial(0.0)->configuration;
    evaluator->set_configuration(configuration);
    evaluator->set_latched(0, 0.5);
    std::array<double, 2> xdot{};
    ASSERT_TRUE(evaluator->rhs(0.0, std::array{2.0, 3.0}, xdot).ok());
    EXPECT_EQ(xdot[0], 3.0);
    EXPECT_EQ(xdot[1], -0.25);
  }
}

TEST(CallbackSystem, DifferencesOfAnOpaqueGuardAreWithinTheirNoise) {
  const auto system = make_callback_system(block(false));
  const auto evaluator = (*system->lock(ModeId{std::size_t{0}}))->make_evaluator();
  auto configuration = system->initial(0.0)->configuration;
  configuration.latched[0] = 1.0;
  evaluator->set_configuration(configuration);
  system::GuardDerivatives derivatives;
  // g = p² - t, ġ = 2pv - 1
  ASSERT_TRUE(evaluator->guard_derivatives(1, 0.0, std::array{2.0, 3.0}, derivatives).ok());
  EXPECT_NEAR(derivatives.value[0], 11.0, derivatives.noise[0]);
  EXPECT_LT(derivatives.noise[0], 1e-8);
  // ġ = 0 at v = 1/4: g̈ = 2v² + 2p·v' = 1/8 - 2 decides.
  ASSERT_TRUE(evaluator->guard_derivatives(1, 0.0, std::array{2.0, 0.25}, derivatives).ok());
  ASSERT_EQ(derivatives.n_known, 2);
  EXPECT_NEAR(derivatives.value[1], -1.875, derivatives.noise[1]);
  EXPECT_LT(derivatives.noise[1], 1e-3);
}

TEST(CallbackSystem, SecondDerivativeOfAnAffineGuardComesFromTheField) {
  CallbackModel model = block(false);
  model.guards[0].affine = {{1.0, 0.0}, 0.0, -2.0};  // p - 2, ġ = v, g̈ = -0.5
  const auto system = make_callback_system(std::move(model));
  const auto evaluator = (*system->lock(ModeId{std::size_t{0}}))->make_evaluator();
  auto configuration = system->initial(0.0)->configuration;
  configuration.latched[0] = 1.0;
  evaluator->set_configuration(configuration);
  system::GuardDerivatives derivatives;
  ASSERT_TRUE(evaluator->guard_derivatives(0, 0.0, std::array{2.0, 0.0}, derivatives).ok());
  ASSERT_EQ(derivatives.n_known, 2);
  EXPECT_NEAR(derivatives.value[1], -0.5, derivatives.noise[1]);
  EXPECT_LT(derivatives.noise[1], 1e-6);
}

TEST(CallbackSystem, FiredResetChangesStateAndParameters) {
  CallbackModel model = block(false);
  model.guards[0].reset_side = -1.0;
  model.guards[0].reset = [](const CallbackPoint& at, std::span<double> x, std::span<double> parameters) {
    x[1] = -0.5 * at.x[1];
    parameters[0] += 1.0;
  };
  const auto system = make_callback_system(std::move(model));
  ASSERT_EQ(system->actions().size(), 1U);
  const auto rounds = *system->rounds(ModeId{std::size_t{0}});
  system::RoundSolution solution;
  rounds->prepare(solution);
  system::Configuration configuration = system->initial(0.0)->configuration;
  configuration.latched = {-1.0, 1.0};
  const std::array previous{2.0, -4.0, 0.5};
  const std::array<std::uint8_t, 1> fired{1};
  system::RoundInputs inputs;
  inputs.configuration = &configuration;
  inputs.previous = previous;
  inputs.x_previous = std::span(previous).first(2);
  inputs.fired = fired;
  ASSERT_TRUE(rounds->solve(inputs, solution).ok());
  EXPECT_EQ(solution.values, (std::vector<double>{2.0, 2.0, 1.5}));
  EXPECT_EQ(solution.triggers, std::vector<double>{1.0});
  configuration.latched[0] = 1.0;
  ASSERT_TRUE(rounds->solve(inputs, solution).ok());
  EXPECT_EQ(solution.triggers, std::vector<double>{0.0});
}

TEST(CallbackSystem, InitialValuesThatAreNotFiniteAreReported) {
  CallbackModel model = block(false);
  model.initial[1] = std::nan("");
  const auto point = make_callback_system(std::move(model))->initial(0.0);
  ASSERT_FALSE(point);
  EXPECT_EQ(point.error().items()[0].code, "initial-value-not-finite");
}

TEST(CallbackSystem, HasNoDerivativesOfItsEquations) {
  const auto system = make_callback_system(block(false));
  const auto array = (*system->lock(ModeId{std::size_t{0}}))->derivative_array(0);
  ASSERT_FALSE(array);
  EXPECT_EQ(array.error().items()[0].code, "no-derivative-array");
}

}  // namespace
}  // namespace saltus::callback
