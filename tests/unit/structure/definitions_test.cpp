#include "structure/match/definitions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "expr/dependency.hpp"
#include "structure/causalize.hpp"
#include "structure/match/names.hpp"
#include "structure/start_problem.hpp"
#include "structure/structural_report.hpp"
#include "unit/structure/causalized_model.hpp"

namespace saltus::structure {
namespace {

using testing::ElementsAre;

// A pendulum of length 1 on a pivot at (p, 0), p = sin(time) unless said otherwise.
struct MovedPendulum {
  ModelMaker m;
  VariableId x = m.variable("x");
  VariableId y = m.variable("y");
  VariableId lambda = m.variable("lambda");
  VariableId p;

  explicit MovedPendulum(std::optional<double> start = std::nullopt) : p(m.variable("p", start)) {
    const NodeId arm = m.subtract(m.value(x), m.value(p));
    m.equation(m.der(x, 2), m.multiply(m.value(lambda), arm), "0");
    m.equation(m.der(y, 2), m.subtract(m.multiply(m.value(lambda), m.value(y)), m.number(9.81)), "1");
    m.equation(m.add(m.multiply(arm, arm), m.multiply(m.value(y), m.value(y))), m.number(1.0), "2");
  }
  void pivot_is(NodeId formula) { m.equation(m.value(p), formula, "p = …"); }
};

TEST(Definitions, AFormulaOfTimeIsNoState) {
  MovedPendulum pendulum;
  ModelMaker& m = pendulum.m;
  pendulum.pivot_is(m.sin(m.model.graph.time()));
  const Causalized result = causalized(m);
  EXPECT_THAT(names(m.model, result.states), ElementsAre("x", "der(x)", "y", "der(y)"));
  EXPECT_EQ(result.differentiations, (std::vector<int>{0, 0, 2, 0}));
  EXPECT_EQ(result.highest_orders, (std::vector<int>{2, 2, 0, 0}));
  EXPECT_EQ(result.constraints.size(), 2U);
  EXPECT_EQ(result.degrees_of_freedom, 2);
  EXPECT_EQ(result.written.size(), 4U);
  // What is told is about the equations as they stand: the definition has c = d = 2.
  const StructuralReport report = structural_report(m.model, result);
  EXPECT_EQ(report.structural_index, 3);
  EXPECT_EQ(report.degrees_of_freedom, 2);
  EXPECT_EQ(report.equations[3].differentiations, 2);
  EXPECT_EQ(report.variables[3].highest_order, 2);
}

// (x - p)·(x'' - p'') + (x' - p')² + y·y'' + y'² = 0 with p = 3·x·y: the blocks satisfy the equations.
TEST(Definitions, AFormulaOfStatesIsDifferentiatedWithThem) {
  MovedPendulum pendulum;
  ModelMaker& m = pendulum.m;
  const VariableId q = m.variable("q");
  pendulum.pivot_is(m.multiply(m.number(3.0), m.value(q)));
  m.equation(m.multiply(m.value(pendulum.x), m.value(pendulum.y)), m.value(q), "x*y = q");
  const Causalized result = causalized(m);
  EXPECT_THAT(names(m.model, result.states), ElementsAre("x", "der(x)", "y", "der(y)"));
  Values values;
  const double x = at(values, pendulum.x) = 0.3;
  const double y = at(values, pendulum.y) = -0.8;
  const double u = at(values, pendulum.x, 1) = 1.6;
  const double v = at(values, pendulum.y, 1) = 1.2;
  BlockRunner(m.model, values).run(result.blocks);
  const double a = at(values, pendulum.x, 2);
  const double b = at(values, pendulum.y, 2);
  const double rate = 3.0 * (u * y + x * v);
  const double second = 3.0 * (a * y + 2.0 * u * v + x * b);
  EXPECT_NEAR((x - 3.0 * x * y) * (a - second) + (u - rate) * (u - rate) + y * b + v * v, 0.0, 1e-13);
  EXPECT_NEAR(a, at(values, pendulum.lambda) * (x - 3.0 * x * y), 1e-13);
  EXPECT_EQ(at(values, q), x * y);
  EXPECT_EQ(at(values, pendulum.p), 3.0 * (x * y));
}

TEST(Definitions, AStartStaysAGuess) {
  MovedPendulum pendulum(5.0);
  ModelMaker& m = pendulum.m;
  pendulum.pivot_is(m.sin(m.model.graph.time()));
  const Causalized result = causalized(m);
  EXPECT_EQ(result.states.size(), 4U);
  const auto problem = start_problem(m.model, result);
  ASSERT_TRUE(problem);
  const auto slot = std::find_if(problem->slots.begin(), problem->slots.end(), [&](const StartSlot& s) {
    return s.quantity == Unknown{.variable = pendulum.p, .order = 0};
  });
  ASSERT_NE(slot, problem->slots.end());
  EXPECT_EQ(slot->tier, GuessTier::other);
  EXPECT_EQ(expr::evaluate(m.model.graph, slot->guess, {}), 5.0);
  EXPECT_TRUE(std::any_of(problem->rows.begin(), problem->rows.end(), [](const StartRow& row) {
    return row.kind == StartRow::Kind::model && row.origin.equation == 3 && row.origin.order == 0;
  }));
}

// der(p) has to exist: p keeps its derivatives, as states with constraints.
TEST(Definitions, ADerivativeThatIsAskedForIsThere) {
  MovedPendulum pendulum;
  ModelMaker& m = pendulum.m;
  pendulum.pivot_is(m.sin(m.model.graph.time()));
  m.initial_equation(m.der(pendulum.x), m.der(pendulum.p));
  const Causalized result = causalized(m);
  EXPECT_EQ(result.highest_orders[pendulum.p.index()], 2);
  EXPECT_TRUE(start_problem(m.model, result));
}

TEST(Definitions, WhatDefinesItselfInACircleIsKept) {
  MovedPendulum pendulum;
  ModelMaker& m = pendulum.m;
  const VariableId q = m.variable("q");
  pendulum.pivot_is(m.add(m.multiply(m.number(0.5), m.value(q)), m.value(pendulum.x)));
  m.equation(m.value(q), m.sin(m.value(pendulum.p)), "q = sin(p)");
  const Causalized result = causalized(m);
  EXPECT_EQ(static_cast<int>(result.states.size() - result.constraints.size()), result.degrees_of_freedom);
  EXPECT_EQ(result.degrees_of_freedom, 2);
}

// s_i = s_(i-1) + x_i·x_i with a row for each s_i: put in without limit the rows would have n²/2 unknowns.
TEST(Definitions, ChainsGrowTheGraphLinearly) {
  const auto nodes_for = [](int n) {
    ModelMaker m;
    std::vector<VariableId> s;
    std::vector<VariableId> x;
    for (int i = 0; i < n; ++i) {
      s.push_back(m.variable("s" + std::to_string(i)));
      x.push_back(m.variable("x" + std::to_string(i)));
    }
    std::vector<flat::Equation> rows;
    std::vector<VariableId> defines;
    for (int i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const NodeId square = m.multiply(m.value(x[k]), m.value(x[k]));
      rows.push_back({m.value(s[k]), i == 0 ? square : m.add(m.value(s[k - 1]), square), {}});
      defines.push_back(s[k]);
      rows.push_back({m.der(x[k]), m.sin(m.value(s[k])), {}});
      defines.emplace_back();
    }
    const std::vector<std::uint8_t> is_unknown(m.model.variables.size(), 1);
    EXPECT_GT(put_in_definitions(m.model.graph, defines, is_unknown, rows), static_cast<std::size_t>(n / 2));
    std::size_t most = 0;
    for (const flat::Equation& row : rows) {
      const NodeId right = row.right;
      most = std::max(most, expr::leaves_of(m.model.graph, std::span(&right, 1)).size());
    }
    EXPECT_LE(most, kMostNodes);
    return m.model.graph.size();
  };
  const std::size_t once = nodes_for(1000);
  EXPECT_LE(nodes_for(4000), 4 * once + 100);
}

// Formulas of time have no unknowns: a chain of any length goes in.
TEST(Definitions, ALongChainOfFormulasOfTimeGoesIn) {
  MovedPendulum pendulum;
  ModelMaker& m = pendulum.m;
  VariableId last = pendulum.p;
  constexpr int kLength = 3000;
  for (int i = 0; i < kLength; ++i) {
    const VariableId next = m.variable("q" + std::to_string(i));
    m.equation(m.value(last), m.add(m.sin(m.value(next)), m.model.graph.time()));
    last = next;
  }
  m.equation(m.value(last), m.sin(m.model.graph.time()));
  const Causalized result = causalized(m);
  EXPECT_EQ(result.states.size(), 4U);
  EXPECT_EQ(result.constraints.size(), 2U);
  EXPECT_LE(m.model.graph.size(), 60U * kLength);
}

}  // namespace
}  // namespace saltus::structure
