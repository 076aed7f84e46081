#include "structure/initialization.hpp"

#include <gtest/gtest.h>

#include "structure/causalize.hpp"
#include "unit/structure/model_maker.hpp"

namespace saltus::structure {
namespace {

InitializationProblem initial_problem(ModelMaker& m) {
  auto causalized = causalize(m.finish());
  if (!causalized) {
    ADD_FAILURE() << render_text(causalized.error());
    return {};
  }
  auto problem = initialization(m.model, *causalized);
  if (!problem) {
    ADD_FAILURE() << render_text(problem.error());
    return {};
  }
  return std::move(*problem);
}

std::vector<std::string> warning_codes(const InitializationProblem& problem) {
  std::vector<std::string> codes;
  for (const Diagnostic& warning : problem.warnings.items()) {
    codes.push_back(warning.code);
  }
  return codes;
}

TEST(Initialization, FixedStartsAreTakenOver) {
  ModelMaker m;
  const VariableId x = m.variable("x", 3.0, true);
  const VariableId y = m.variable("y", 7.0);
  m.equation(m.der(x), m.value(y));
  m.equation(m.value(y), m.multiply(m.number(2.0), m.value(x)));
  const InitializationProblem problem = initial_problem(m);
  Values values;
  BlockRunner(m.model, values).run(problem.blocks);
  EXPECT_EQ(at(values, x), 3.0);
  EXPECT_EQ(at(values, y), 6.0);
  EXPECT_EQ(at(values, x, 1), 6.0);
  EXPECT_TRUE(problem.warnings.empty());
  EXPECT_TRUE(problem.checks.empty());
}

TEST(Initialization, InitialEquationsOverruleWishes) {
  // Steady state of der(x) = 4 - 2·x.
  ModelMaker m;
  const VariableId x = m.variable("x", 1.0);
  m.equation(m.der(x), m.subtract(m.number(4.0), m.multiply(m.number(2.0), m.value(x))));
  m.initial_equation(m.der(x), m.number(0.0));
  const InitializationProblem problem = initial_problem(m);
  Values values;
  BlockRunner(m.model, values).run(problem.blocks);
  EXPECT_DOUBLE_EQ(at(values, x), 2.0);
  EXPECT_EQ(at(values, x, 1), 0.0);
  EXPECT_EQ(problem.starts_dropped, (std::vector<Unknown>{{x, 0}}));
  EXPECT_EQ(warning_codes(problem), (std::vector<std::string>{"start-overruled"}));
}

TEST(Initialization, AFixedAlgebraicVariableDeterminesAState) {
  ModelMaker m;
  const VariableId x = m.variable("x", 1.0);
  const VariableId y = m.variable("y", 10.0, true);
  m.equation(m.der(x), m.negate(m.value(x)));
  m.equation(m.value(y), m.multiply(m.number(4.0), m.value(x)));
  const InitializationProblem problem = initial_problem(m);
  Values values;
  BlockRunner(m.model, values).run(problem.blocks);
  EXPECT_EQ(at(values, x), 2.5);
  EXPECT_EQ(problem.starts_dropped, (std::vector<Unknown>{{x, 0}}));
}

TEST(Initialization, TooManyFixedValuesBecomeChecks) {
  ModelMaker m;
  const VariableId x = m.variable("x", 1.0, true);
  const VariableId y = m.variable("y", 4.0, true);
  m.equation(m.der(x), m.negate(m.value(x)));
  m.equation(m.value(y), m.multiply(m.number(4.0), m.value(x)));
  m.initial_equation(m.der(x), m.number(-1.0));
  const InitializationProblem problem = initial_problem(m);
  Values values;
  BlockRunner(m.model, values).run(problem.blocks);
  ASSERT_EQ(problem.checks.size(), 2U);
  for (const EquationId check : problem.checks) {
    const flat::Equation& equation = problem.equations[check.index()];
    const BlockRunner runner(m.model, values);
    EXPECT_DOUBLE_EQ(runner.evaluate(equation.left), runner.evaluate(equation.right));
  }
}

TEST(Initialization, StartsThatAreNotFixedOrMissingAreListed) {
  ModelMaker m;
  const VariableId x = m.variable("x", 1.0);
  const VariableId y = m.variable("y");
  const VariableId s = m.variable("s", 2.0, true);
  m.equation(m.der(x), m.value(y));
  m.equation(m.der(y), m.value(x));
  m.equation(m.der(s, 2), m.value(x));
  const InitializationProblem problem = initial_problem(m);
  EXPECT_EQ(problem.starts_used, (std::vector<Unknown>{{x, 0}}));
  EXPECT_EQ(problem.defaults_used, (std::vector<Unknown>{{y, 0}, {s, 1}}));
  EXPECT_EQ(warning_codes(problem), (std::vector<std::string>{"start-not-fixed", "start-missing"}));
  Values values;
  BlockRunner(m.model, values).run(problem.blocks);
  EXPECT_EQ(at(values, s), 2.0);
  EXPECT_EQ(at(values, s, 1), 0.0);
  EXPECT_EQ(at(values, y, 1), 1.0);
}

TEST(Initialization, TheStartOfAnAliasCounts) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y", 5.0);
  m.equation(m.der(x), m.value(x));
  m.equation(m.value(y), m.negate(m.value(x)));
  const InitializationProblem problem = initial_problem(m);
  Values values;
  BlockRunner(m.model, values).run(problem.blocks);
  EXPECT_EQ(at(values, x), -5.0);
  EXPECT_EQ(at(values, y), 5.0);
  EXPECT_TRUE(problem.defaults_used.empty());
}

TEST(Initialization, NonlinearConditionsAreSolvedFromTheStarts) {
  // der(x) = -x, with x² = 2 at the start and the guess -1: the negative root.
  ModelMaker m;
  const VariableId x = m.variable("x", -1.0);
  m.equation(m.der(x), m.negate(m.value(x)));
  m.initial_equation(m.multiply(m.value(x), m.value(x)), m.number(2.0));
  const InitializationProblem problem = initial_problem(m);
  Values values;
  BlockRunner(m.model, values).run(problem.blocks);
  EXPECT_DOUBLE_EQ(at(values, x), -std::sqrt(2.0));
}

TEST(Initialization, DerivativesThatDoNotExistAreRefused) {
  ModelMaker m;
  const VariableId x = m.variable("x", 1.0, true);
  const VariableId y = m.variable("y");
  m.equation(m.der(x), m.value(y));
  m.equation(m.value(y), m.value(x));
  m.initial_equation(m.der(y), m.number(0.0));
  auto causalized = causalize(m.finish());
  ASSERT_TRUE(causalized.has_value());
  const auto problem = initialization(m.model, *causalized);
  ASSERT_FALSE(problem.has_value());
  EXPECT_EQ(problem.error().items()[0].code, "derivative-not-available");
}

}  // namespace
}  // namespace saltus::structure
