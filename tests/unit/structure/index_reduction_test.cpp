#include "structure/index/index_reduction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "structure/causalize.hpp"
#include "structure/initialization.hpp"
#include "structure/match/names.hpp"
#include "structure/solve_instant.hpp"
#include "unit/structure/causalized_model.hpp"

namespace saltus::structure {
namespace {

using testing::ElementsAre;

// Every leaf up to its highest order is a state or computed once, and blocks use rows once.
void expect_complete(const flat::Model& model, const Causalized& causalized) {
  std::vector<Unknown> known = causalized.states;
  std::vector<std::uint8_t> is_used(causalized.equations.size(), 0);
  for (const Block& block : causalized.blocks) {
    known.insert(known.end(), block.unknowns.begin(), block.unknowns.end());
    EXPECT_EQ(block.unknowns.size(), block.equations.size());
    for (const EquationId equation : block.equations) {
      EXPECT_EQ(is_used[equation.index()]++, 0);
    }
  }
  std::sort(known.begin(), known.end());
  std::vector<Unknown> expected;
  for (std::size_t i = 0; i < model.variables.size(); ++i) {
    EXPECT_GE(causalized.highest_orders[i], causalized.written_orders[i]);
    for (int k = 0; k <= causalized.highest_orders[i]; ++k) {
      expected.push_back({.variable = VariableId(i), .order = k});
    }
  }
  EXPECT_EQ(names(model, known), names(model, expected));
  EXPECT_EQ(static_cast<int>(causalized.states.size()) - static_cast<int>(causalized.constraints.size()),
            causalized.degrees_of_freedom);
  EXPECT_EQ(causalized.origins.size(), causalized.equations.size());
}

// Largest |left - right| of the equations the blocks solved.
double residual(const flat::Model& model, const Causalized& causalized, Values& values) {
  const BlockRunner runner(model, values);
  double largest = 0.0;
  for (const flat::Equation& equation : causalized.equations) {
    largest = std::max(largest, std::abs(runner.evaluate(equation.left) - runner.evaluate(equation.right)));
  }
  return largest;
}

struct PendulumModel {
  ModelMaker m;
  VariableId x = m.variable("x");
  VariableId y = m.variable("y");
  VariableId lambda = m.variable("lambda");

  void add_length() {
    m.equation(m.add(m.multiply(m.value(x), m.value(x)), m.multiply(m.value(y), m.value(y))), m.number(1.0),
               "x^2 + y^2 = 1");
  }
};

TEST(IndexReduction, PendulumOfSecondOrder) {
  PendulumModel p;
  ModelMaker& m = p.m;
  m.equation(m.der(p.x, 2), m.multiply(m.value(p.lambda), m.value(p.x)));
  m.equation(m.der(p.y, 2), m.subtract(m.multiply(m.value(p.lambda), m.value(p.y)), m.number(9.81)));
  p.add_length();
  const Causalized result = causalized(m);
  EXPECT_THAT(names(m.model, result.states), ElementsAre("x", "der(x)", "y", "der(y)"));
  EXPECT_EQ(result.differentiations, (std::vector<int>{0, 0, 2}));
  EXPECT_EQ(result.highest_orders, (std::vector<int>{2, 2, 0}));
  ASSERT_EQ(result.constraints.size(), 2U);
  EXPECT_EQ(result.constraints[0].origin.equation, 2U);
  EXPECT_EQ(result.constraints[1].origin.order, 1);
  expect_complete(m.model, result);
  EXPECT_EQ(quote(m.model, result.equations[2], result.origins[2].order),
            "the second derivative of 'x^2 + y^2 = 1'");
  // At (0.6, -0.8) with velocity 2 along the circle: x·x'' + y·y'' = -|v|², λ = g·y - |v|² for a rod of length 1.
  Values values;
  at(values, p.x) = 0.6;
  at(values, p.y) = -0.8;
  at(values, p.x, 1) = 1.6;
  at(values, p.y, 1) = 1.2;
  BlockRunner(m.model, values).run(result.blocks);
  EXPECT_NEAR(at(values, p.lambda), -9.81 * 0.8 - 4.0, 1e-13);
  EXPECT_LT(residual(m.model, result, values), 1e-13);
  for (const Constraint& constraint : result.constraints) {
    const BlockRunner runner(m.model, values);
    EXPECT_NEAR(runner.evaluate(constraint.equation.left), runner.evaluate(constraint.equation.right), 1e-15);
  }
}

// der(x) = vx takes no part in the analysis: the same four states under the names that the model has.
TEST(IndexReduction, PendulumOfFirstOrderHasNoMoreStates) {
  PendulumModel p;
  ModelMaker& m = p.m;
  const VariableId vx = m.variable("vx");
  const VariableId vy = m.variable("vy");
  m.equation(m.der(p.x), m.value(vx), "der(x) = vx");
  m.equation(m.negate(m.der(p.y)), m.value(vy), "-der(y) = vy");
  m.equation(m.der(vx), m.multiply(m.value(p.lambda), m.value(p.x)));
  m.equation(m.negate(m.der(vy)), m.subtract(m.multiply(m.value(p.lambda), m.value(p.y)), m.number(9.81)));
  p.add_length();
  const Causalized result = causalized(m);
  EXPECT_THAT(names(m.model, result.states), ElementsAre("x", "y", "vx", "vy"));
  EXPECT_EQ(result.differentiations, (std::vector<int>{-1, -1, 0, 0, 2}));
  EXPECT_EQ(result.constraints.size(), 2U);
  EXPECT_EQ(result.degrees_of_freedom, 2);
  expect_complete(m.model, result);
  Values values;
  at(values, p.x) = 0.6;
  at(values, p.y) = -0.8;
  at(values, vx) = 1.6;
  at(values, vy) = -1.2;
  BlockRunner(m.model, values).run(result.blocks);
  EXPECT_NEAR(at(values, p.lambda), -9.81 * 0.8 - 4.0, 1e-13);
  EXPECT_EQ(at(values, p.y, 1), 1.2);
  EXPECT_LT(residual(m.model, result, values), 1e-13);
  // The row of der(x) := vx is the equation as written, that of der(der(x)) := der(vx) its derivative.
  for (std::size_t row = 0; row < result.equations.size(); ++row) {
    if (result.origins[row].equation == 0) {
      const auto order = m.model.graph[result.equations[row].left].second;
      EXPECT_EQ(result.origins[row].order, static_cast<int>(order) - 1);
    }
  }
}

TEST(IndexReduction, EqualVariablesThatAreBothDifferentiatedCostNoConstraint) {
  ModelMaker m;
  const VariableId x = m.variable("x", 2.0, true);
  const VariableId y = m.variable("y");
  const VariableId f = m.variable("f");
  m.equation(m.der(x), m.value(f));
  m.equation(m.der(y), m.add(m.number(1.0), m.value(f)));
  m.equation(m.value(x), m.negate(m.value(y)), "x = -y");
  const Causalized result = causalized(m);
  EXPECT_THAT(names(m.model, result.states), ElementsAre("x"));  // y is -x
  EXPECT_TRUE(result.constraints.empty());
  ASSERT_EQ(result.aliases.size(), 3U);  // der(x) = f, y = -x, der(y) = -f
  EXPECT_EQ(result.aliases[1].quantity, (Unknown{y, 0}));
  EXPECT_EQ(result.aliases[1].target, (Unknown{x, 0}));
  EXPECT_TRUE(result.aliases[1].negative);
  expect_complete(m.model, result);
  Values values;
  at(values, x) = 2.0;
  BlockRunner(m.model, values).run(result.blocks);
  EXPECT_NEAR(at(values, f), -0.5, 1e-15);
  EXPECT_NEAR(at(values, y, 1), 0.5, 1e-15);
  EXPECT_EQ(at(values, y), -2.0);
  // Without constraints the start is found by structure, as ever.
  const auto start = initialization(m.model, result);
  ASSERT_TRUE(start.has_value()) << render_text(start.error());
  Values initial;
  BlockRunner(m.model, initial).run(start->blocks);
  EXPECT_EQ(at(initial, y), -2.0);
}

TEST(IndexReduction, DerivativeOfAnAlgebraicVariable) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y");
  const VariableId z = m.variable("z");
  m.equation(m.der(x), m.negate(m.value(x)));
  m.equation(m.value(y), m.multiply(m.value(x), m.value(x)), "y = x^2");
  m.equation(m.value(z), m.der(y), "z = der(y)");
  const Causalized result = causalized(m);
  EXPECT_EQ(result.degrees_of_freedom, 1);
  expect_complete(m.model, result);
  Values values;
  at(values, x) = 3.0;
  at(values, y) = 9.0;
  BlockRunner(m.model, values).run(result.blocks);
  EXPECT_EQ(at(values, z), -18.0);
  EXPECT_LT(residual(m.model, result, values), 1e-14);
}

// x1 = sin(t), x_(k+1) = der(x_k), five of them.
TEST(IndexReduction, AChainOfDerivativesIsOneVariable) {
  ModelMaker m;
  std::vector<VariableId> x;
  for (int i = 0; i < 5; ++i) {
    x.push_back(m.variable("x" + std::to_string(i + 1)));
  }
  m.equation(m.value(x[0]), m.model.graph.time());
  for (std::size_t i = 1; i < 5; ++i) {
    m.equation(m.value(x[i]), m.der(x[i - 1]));
  }
  m.model.equations[0].right = m.sin(m.model.graph.time());
  const Causalized result = causalized(m);
  EXPECT_THAT(names(m.model, result.states), ElementsAre("x1", "x2", "x3", "x4"));
  EXPECT_EQ(result.differentiations, (std::vector<int>{4, -1, -1, -1, -1}));
  EXPECT_EQ(result.constraints.size(), 4U);
  EXPECT_EQ(result.degrees_of_freedom, 0);
  expect_complete(m.model, result);
}

// Five particles on a chain of rods, in coordinates of second order: a system with many constraints in one block.
TEST(IndexReduction, ChainOfRods) {
  constexpr std::size_t kSize = 5;
  ModelMaker m;
  std::vector<VariableId> x;
  std::vector<VariableId> y;
  std::vector<VariableId> tension;
  for (std::size_t i = 0; i < kSize; ++i) {
    x.push_back(m.variable("x"));
    y.push_back(m.variable("y"));
    tension.push_back(m.variable("tension"));
  }
  const auto difference = [&](const std::vector<VariableId>& q, std::size_t i) {
    return i == 0 ? m.value(q[0]) : m.subtract(m.value(q[i]), m.value(q[i - 1]));
  };
  const auto pull = [&](const std::vector<VariableId>& q, std::size_t i) {
    return i < kSize ? m.multiply(m.value(tension[i]), difference(q, i)) : m.number(0.0);
  };
  for (std::size_t i = 0; i < kSize; ++i) {
    m.equation(m.der(x[i], 2), m.subtract(pull(x, i + 1), pull(x, i)));
    m.equation(m.der(y[i], 2), m.subtract(m.subtract(pull(y, i + 1), pull(y, i)), m.number(9.81)));
    m.equation(
        m.add(m.multiply(difference(x, i), difference(x, i)), m.multiply(difference(y, i), difference(y, i))),
        m.number(1.0));
  }
  const Causalized result = causalized(m);
  EXPECT_EQ(result.states.size(), 4 * kSize);
  EXPECT_EQ(result.constraints.size(), 2 * kSize);
  expect_complete(m.model, result);
  Values values;
  for (std::size_t i = 0; i < kSize; ++i) {  // hanging straight down, at rest: tensions carry what is below
    at(values, x[i]) = 0.0;
    at(values, y[i]) = -1.0 - static_cast<double>(i);
    at(values, x[i], 1) = at(values, y[i], 1) = 0.0;
  }
  BlockRunner(m.model, values).run(result.blocks);
  for (std::size_t i = 0; i < kSize; ++i) {
    EXPECT_NEAR(at(values, tension[i]), 9.81 * static_cast<double>(kSize - i), 1e-11);
    EXPECT_NEAR(at(values, y[i], 2), 0.0, 1e-12);
  }
}

// A prescribed velocity that is chosen by a condition, and a discrete variable: both rest while they are held.
TEST(IndexReduction, ConditionsAndDiscreteVariablesRest) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId force = m.variable("force");
  const VariableId n = m.variable("n");
  m.model.variables[n.index()].variability = flat::Variability::discrete;
  flat::WhenClause clause;
  clause.branches.emplace_back();
  clause.branches[0].body.assignments.push_back({.variable = n, .value = m.number(2.0), .span = {}});
  m.model.when_clauses.push_back(clause);
  expr::Graph& graph = m.model.graph;
  const NodeId condition = graph.condition(ConditionId(0U));
  m.model.conditions.emplace_back();
  m.equation(m.der(x, 2), m.value(force));
  m.equation(m.der(x), graph.select(condition, m.multiply(m.value(n), graph.time()), m.sin(m.value(x))));
  const Causalized result = causalized(m);
  EXPECT_EQ(result.differentiations, (std::vector<int>{-1, 1}));  // der(der(x)) is called force
  ASSERT_EQ(result.constraints.size(), 1U);
  const NodeId derivative = result.blocks[0].formula;
  expr::LeafValues leaves;
  const double condition_value = 1.0;
  leaves.other = [&](const expr::Node& leaf) {
    return leaf.op == expr::Op::condition ? condition_value : leaf.op == expr::Op::time ? 5.0 : 3.0;
  };
  EXPECT_EQ(expr::evaluate(graph, derivative, leaves), 3.0);  // d(n·t)/dt = n
}

TEST(IndexReduction, AnInputWithoutEquationRestsToo) {
  ModelMaker m;
  const VariableId u = m.variable("u", 4.0);
  const VariableId x = m.variable("x");
  const VariableId f = m.variable("f");
  m.model.variables[u.index()].causality = flat::Causality::input;
  m.equation(m.der(x), m.value(f));
  m.equation(m.multiply(m.number(2.0), m.value(x)), m.value(u), "2*x = u");
  const Causalized result = causalized(m);
  ASSERT_EQ(result.warnings.items().size(), 1U);
  EXPECT_EQ(result.warnings.items()[0].code, "input-without-value");
  EXPECT_EQ(result.written.size(), 3U);
  EXPECT_EQ(result.n_given, result.equations.size() - 1);
  expect_complete(m.model, result);
  Values values;
  at(values, x) = 2.0;
  at(values, u) = 4.0;
  BlockRunner(m.model, values).run(result.blocks);
  EXPECT_EQ(at(values, f), 0.0);
}

// As in a round of an event: states are given by equations of their own, the differentiated equations give the rest.
TEST(IndexReduction, TheEquationsOfAnInstantAreTheDifferentiatedOnes) {
  PendulumModel p;
  ModelMaker& m = p.m;
  const VariableId vx = m.variable("vx");
  m.equation(m.der(p.x), m.value(vx), "der(x) = vx");
  m.equation(m.der(vx), m.multiply(m.value(p.lambda), m.value(p.x)));
  m.equation(m.der(p.y, 2), m.subtract(m.multiply(m.value(p.lambda), m.value(p.y)), m.number(9.81)));
  p.add_length();
  const Causalized result = causalized(m);
  InstantSystem instant{.equations = result.equations, .unknowns = {}, .first_representative = 0};
  for (const Block& block : result.blocks) {
    instant.unknowns.insert(instant.unknowns.end(), block.unknowns.begin(), block.unknowns.end());
  }
  instant.first_representative = instant.unknowns.size();
  const std::vector<double> before = {0.6, -0.8, 1.2, 1.6};  // x, y, der(y), vx
  ASSERT_THAT(names(m.model, result.states), ElementsAre("x", "y", "der(y)", "vx"));
  for (std::size_t i = 0; i < result.states.size(); ++i) {
    instant.unknowns.push_back(result.states[i]);
    instant.equations.push_back(
        {m.der(result.states[i].variable, result.states[i].order), m.number(before[i]), {}});
  }
  const auto blocks = solve_instant(m.model, instant);
  ASSERT_TRUE(blocks.has_value());
  Values values;
  BlockRunner(m.model, values).run(*blocks);
  EXPECT_NEAR(at(values, p.lambda), -9.81 * 0.8 - 4.0, 1e-13);
  EXPECT_EQ(at(values, p.x, 1), 1.6);
}

TEST(IndexReduction, RanksWhenAskedFor) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y");
  m.equation(m.der(x, 2), m.value(y));
  m.equation(m.value(y), m.value(x));
  const auto result = causalize(m.finish(), {}, {.force_ranks = true});
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->needs_ranks);
  EXPECT_TRUE(result->warnings.empty());
  EXPECT_THAT(names(m.model, result->states), ElementsAre("x", "der(x)", "y"));
  EXPECT_THAT(names(m.model, result->derivatives), ElementsAre("der(x)", "der(der(x))", "der(y)"));
  EXPECT_EQ(result->equations.size(), 2U);
}

}  // namespace
}  // namespace saltus::structure
