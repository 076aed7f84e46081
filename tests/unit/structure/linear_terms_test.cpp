#include "structure/match/linear_terms.hpp"

#include <gtest/gtest.h>

#include <map>

#include "unit/structure/model_maker.hpp"

namespace saltus::structure {
namespace {

std::map<std::size_t, double> factors_of(const std::vector<LinearTerm>& terms) {
  std::map<std::size_t, double> factors;
  for (const LinearTerm& term : terms) {
    EXPECT_EQ(factors.count(term.expression.index()), 0U);
    factors[term.expression.index()] = term.factor;
  }
  return factors;
}

TEST(LinearTerms, FactorsReachWhatIsNoSum) {
  ModelMaker m;
  const NodeId x = m.value(m.variable("x"));
  const NodeId y = m.value(m.variable("y"));
  const NodeId sine = m.sin(x);
  // 2·(x - 3·(y + sin x)) - (x + 5) = y / 4
  const NodeId inner = m.subtract(x, m.multiply(m.number(3.0), m.add(y, sine)));
  m.equation(m.subtract(m.multiply(m.number(2.0), inner), m.add(x, m.number(5.0))),
             m.model.graph.divide(y, m.number(4.0)));
  const auto factors = factors_of(linear_terms(m.model.graph, m.model.equations[0]));
  ASSERT_EQ(factors.size(), 4U);
  EXPECT_EQ(factors.at(x.index()), 1.0);
  EXPECT_EQ(factors.at(y.index()), -6.25);
  EXPECT_EQ(factors.at(sine.index()), -6.0);
  EXPECT_EQ(factors.at(m.number(1.0).index()), -5.0);
}

TEST(LinearTerms, ProductsOfVariablesAreOneTerm) {
  ModelMaker m;
  const NodeId x = m.value(m.variable("x"));
  const NodeId p = m.parameter("p", 2.0);
  const NodeId product = m.multiply(p, m.add(x, m.number(1.0)));
  m.equation(m.multiply(m.number(3.0), product), m.number(0.0));
  const auto factors = factors_of(linear_terms(m.model.graph, m.model.equations[0]));
  ASSERT_EQ(factors.size(), 1U);
  EXPECT_EQ(factors.at(product.index()), 3.0);
}

// A sum of n nodes that are each used twice: 2ⁿ paths, n nodes.
TEST(LinearTerms, SharedSumsCostWhatTheyAre) {
  ModelMaker m;
  NodeId sum = m.value(m.variable("x"));
  for (int i = 0; i < 60; ++i) {
    sum = m.add(m.multiply(m.number(0.25), sum), m.multiply(m.number(0.75), sum));
  }
  m.equation(sum, m.number(0.0));
  const std::vector<LinearTerm> terms = linear_terms(m.model.graph, m.model.equations[0]);
  ASSERT_EQ(terms.size(), 1U);
  EXPECT_NEAR(terms[0].factor, 1.0, 1e-14);
}

TEST(LinearTerms, SumHasTheValueOfTheEquation) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y");
  m.equation(m.multiply(m.number(-0.7), m.subtract(m.value(x), m.multiply(m.number(1.3), m.value(y)))),
             m.add(m.sin(m.value(y)), m.number(0.2)));
  const flat::Equation& equation = m.model.equations[0];
  const NodeId sum = sum_of(m.model.graph, linear_terms(m.model.graph, equation));
  Values values;
  at(values, x) = 0.37;
  at(values, y) = -1.9;
  const BlockRunner runner(m.model, values);
  EXPECT_NEAR(runner.evaluate(sum), runner.evaluate(equation.left) - runner.evaluate(equation.right), 1e-15);
}

TEST(LinearTerms, WhatIsLeftOfACancelledTermIsDropped) {
  ModelMaker m;
  const NodeId x = m.value(m.variable("x"));
  const NodeId y = m.value(m.variable("y"));
  // 0.1·x + 0.2·x - 0.3·x is 5.6e-17·x.
  m.equation(m.add(m.multiply(m.number(0.1), x), m.add(m.multiply(m.number(0.2), x), y)),
             m.multiply(m.number(0.3), x));
  m.equation(m.add(m.multiply(m.number(1e-17), x), y), m.number(1.0));
  std::vector<flat::Equation> equations = m.model.equations;
  ASSERT_EQ(linear_terms(m.model.graph, equations[0]).size(), 2U);
  drop_cancelled_terms(m.model.graph, equations);
  const std::vector<LinearTerm> terms = linear_terms(m.model.graph, equations[0]);
  ASSERT_EQ(terms.size(), 1U);
  EXPECT_EQ(terms[0].expression, y);
  // A small factor that somebody wrote is not one that was left over.
  EXPECT_EQ(equations[1].left, m.model.equations[1].left);
}

}  // namespace
}  // namespace saltus::structure
