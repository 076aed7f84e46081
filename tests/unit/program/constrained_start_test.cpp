// The start of modes with constraints or reduced by ranks, as a problem for the numeric tower.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "support/equation_check.hpp"
#include "support/text_system.hpp"

namespace saltus::program {
namespace {

using system::StartTier;
using test::build_text;
using test::EquationCheck;
using testing::HasSubstr;

std::map<std::string, std::size_t> places(const system::EquationSet& equations) {
  std::map<std::string, std::size_t> result;
  for (std::size_t i = 0; i < equations.slots().size(); ++i) {
    result.emplace(equations.slots()[i].name, i);
  }
  return result;
}

TEST(ConstrainedStart, PendulumOfSecondOrder) {
  const auto system = build_text(R"(
model Pendulum
  parameter Real L = 2;
  Real x(start = L, fixed = true);
  Real y(start = 0.1);
  Real lambda;
initial equation
  der(y) = 1;
equation
  der(der(x)) = -lambda*x;
  der(der(y)) = -lambda*y - 10;
  x^2 + y^2 = L^2;
end Pendulum;)");
  ASSERT_TRUE(system) << render_text(system.error());
  const auto point = (*system)->initial(0.0);
  ASSERT_TRUE(point) << render_text(point.error());
  ASSERT_NE(point->problem, nullptr);
  const system::InitialProblem& problem = *point->problem;
  const system::EquationSet& equations = *problem.equations;
  // Two equations of motion, the constraint with its first and second derivative, the initial equation.
  EXPECT_EQ(equations.n_rows(), 6);
  EXPECT_EQ(problem.n_initial_equations, 1);
  // x, y to order 2, λ
  ASSERT_EQ(equations.n_slots(), 7);
  auto place = places(equations);
  EXPECT_EQ(problem.tier[place.at("x")], StartTier::fixed);
  EXPECT_EQ(problem.tier[place.at("y")], StartTier::differential);
  EXPECT_EQ(problem.tier[place.at("lambda")], StartTier::free);
  EXPECT_EQ(problem.tier[place.at("der(x)")], StartTier::free);
  EXPECT_EQ(problem.guess[place.at("x")], 2.0);
  EXPECT_EQ(problem.guess[place.at("y")], 0.1);
  // x = 2, y = 0, y' = 1: x' = 0, x'' = -y'²/x = -2λ, y'' = -10.
  EquationCheck check(problem.equations);
  check.set_slot("x", 2.0);
  check.set_slot("der(y)", 1.0);
  check.set_slot("der(der(x))", -0.5);
  check.set_slot("lambda", 0.25);
  check.set_slot("der(der(y))", -10.0);
  for (const double value : check.residual()) {
    EXPECT_NEAR(value, 0.0, 1e-15);
  }
  check.expect_jacobian_of_differences();
  // Every state is a slot under its name.
  for (const system::StateInfo& state : (*system)->lock(ModeId(0U)).value()->states()) {
    EXPECT_TRUE(place.count(state.name) == 1) << state.name;
  }
  ASSERT_EQ(point->guess.size(), problem.slot_of_guess.size());
  // The values of what blocks determine come from slots.
  const auto evaluator = (*system)->lock(ModeId(0U)).value()->make_evaluator(point->guess);
  std::vector<double> outputs((*system)->variables().size());
  ASSERT_TRUE(evaluator->outputs(0.0, std::vector{2.0, 0.0, 0.0, 1.0}, outputs).ok());
  EXPECT_NEAR(outputs[2], 0.25, 1e-15);
}

TEST(ConstrainedStart, ConditionsAndDiscreteValuesAtTheGuess) {
  const auto system = build_text(R"(
model M
  Real x(start = 3);
  Real y(start = -1);
  Real u;
  discrete Real k(start = 4);
equation
  der(x) = u;
  der(y) = if y > 0 then 1 else -k;
  x + y = if x > 2 then k else time;
  when y > 100 then
    k = 1;
  end when;
end M;)");
  ASSERT_TRUE(system) << render_text(system.error());
  const auto point = (*system)->initial(0.0);
  ASSERT_TRUE(point) << render_text(point.error());
  ASSERT_NE(point->problem, nullptr);
  EXPECT_EQ(point->problem->configuration.discrete, std::vector<double>{4.0});
  EXPECT_EQ(point->configuration, point->problem->configuration);
  EquationCheck check(point->problem->equations);
  check.runner->set_configuration(point->problem->configuration);
  // x = 5, y = -1: x + y = k = 4; y' = -4, x' = u = 4 by the derivative of the constraint.
  check.set_slot("x", 5.0);
  check.set_slot("y", -1.0);
  check.set_slot("u", 4.0);
  check.set_slot("der(x)", 4.0);
  check.set_slot("der(y)", -4.0);
  for (const double value : check.residual()) {
    EXPECT_EQ(value, 0.0);
  }
}

Result<std::shared_ptr<const system::HybridSystem>> build_by_ranks(const std::string& text) {
  return build_system(
      std::make_shared<const flat::Model>(saltus::test::compile_text(text, lang::Dialect::modelica)), {},
      {.by_ranks = {ModeId(0U)}});
}

TEST(RankModes, StatesAreTheUnknownsAsWritten) {
  const auto system = build_by_ranks(R"(
model M
  Real x(start = 1);
  Real y(start = 2);
  Real z;
initial equation
  y = 5;
equation
  der(der(x)) + der(y) = z;
  der(y) = if x > 0 then 1 else 2;
  z = x + y;
end M;)");
  ASSERT_TRUE(system) << render_text(system.error());
  const auto locked = (*system)->lock(ModeId(0U)).value();
  EXPECT_EQ(locked->reduction(), system::Reduction::ranks);
  ASSERT_EQ(locked->states().size(), 4U);
  EXPECT_EQ(locked->states()[1].name, "der(x)");
  EXPECT_EQ(locked->states()[3].name, "z");
  const auto evaluator = locked->make_evaluator();
  const std::vector<double> x = {1.5, 0.0, 2.5, 3.5};
  std::vector<double> xdot(4);
  EXPECT_FALSE(evaluator->rhs(0.0, x, xdot).ok());
  EXPECT_EQ(evaluator->residual_runner(), nullptr);
  std::vector<double> outputs(3);
  ASSERT_TRUE(evaluator->outputs(0.0, x, outputs).ok());
  EXPECT_EQ(outputs, (std::vector<double>{1.5, 2.5, 3.5}));
  ASSERT_TRUE(locked->watches(0));
  double guard = 0.0;
  ASSERT_TRUE(evaluator->guards(std::vector<Index>{0}, 0.0, x, std::span(&guard, 1)).ok());
  EXPECT_EQ(guard, 1.5);
  // Level 0 rows and the initial equation.
  const auto point = (*system)->initial(0.0);
  ASSERT_TRUE(point);
  ASSERT_NE(point->problem, nullptr);
  EXPECT_EQ(point->problem->equations->n_rows(), 4);
  EXPECT_EQ(point->problem->n_initial_equations, 1);
}

TEST(RankModes, ARelationOverADerivativeIsRefused) {
  const auto system = build_by_ranks(R"(
model M
  Real x(start = 1);
  Real y;
equation
  der(x) = -x;
  y = if der(x) > 0 then 1 else 2;
end M;)");
  ASSERT_FALSE(system);
  EXPECT_THAT(render_text(system.error()), HasSubstr("derivative-not-a-state"));
  EXPECT_THAT(render_text(system.error()), HasSubstr("der(x)"));
}

TEST(RankModes, ABodyThatReadsADerivativeIsRefused) {
  const auto system = build_by_ranks(R"(
model M
  Real x(start = 1);
  discrete Real k;
equation
  der(x) = -x;
  when time > 1 then
    k = der(x);
  end when;
end M;)");
  ASSERT_FALSE(system);
  EXPECT_THAT(render_text(system.error()), HasSubstr("the new value of k reads der(x)"));
}

}  // namespace
}  // namespace saltus::program
