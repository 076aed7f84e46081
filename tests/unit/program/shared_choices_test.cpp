// Which sums are shared out among the sides of a choice, and which are left as they are.
#include "program/shared_choices.hpp"

#include <gtest/gtest.h>

#include "structure/match/linear_terms.hpp"
#include "unit/structure/model_maker.hpp"

namespace saltus::program {
namespace {

using structure::ModelMaker;

struct Choice {
  ModelMaker m;
  expr::Graph& g = m.model.graph;
  VariableId x = m.variable("x");
  NodeId n = m.value(m.variable("n"));
  NodeId h = m.value(x);
  NodeId c;
  NodeId d;

  Choice() {
    m.model.conditions.resize(2);
    c = g.condition(ConditionId(0U));
    d = g.condition(ConditionId(1U));
  }
  NodeId zero() { return m.number(0.0); }
  // What `left = right` becomes.
  flat::Equation shared(NodeId left, NodeId right) {
    m.equation(left, right);
    m.equation(m.der(x), n);
    share_out_choices(m.finish());
    return m.model.equations[0];
  }
};

TEST(SharedChoices, AnUnknownThatCancelsOnOneSide) {
  Choice t;
  const NodeId other = t.g.subtract(t.n, t.h);
  const flat::Equation equation = t.shared(t.n, t.g.select(t.c, other, t.zero()));
  ASSERT_EQ(t.g[equation.left].op, expr::Op::select);
  EXPECT_EQ(NodeId(t.g[equation.left].second), t.h);
  EXPECT_EQ(NodeId(t.g[equation.left].third), t.n);
  EXPECT_TRUE(t.g.is_constant(equation.right, 0.0));
}

TEST(SharedChoices, InAChoiceWithinAChoiceAndTimesANumber) {
  Choice t;
  const NodeId inner = t.g.select(t.d, t.g.subtract(t.n, t.h), t.m.number(0.6));
  const NodeId twice = t.g.multiply(t.m.number(2.0), t.g.select(t.c, t.m.number(-0.6), inner));
  const flat::Equation equation = t.shared(twice, t.g.multiply(t.m.number(2.0), t.n));
  ASSERT_EQ(t.g[equation.left].op, expr::Op::select);
  const NodeId within(t.g[equation.left].third);
  ASSERT_EQ(t.g[within].op, expr::Op::select);
  EXPECT_EQ(structure::linear_terms(t.g, NodeId(t.g[within].second)).size(), 1U);
}

TEST(SharedChoices, WhatDoesNotCancelOrStandsInASumStays) {
  for (const bool is_sum : {false, true}) {
    Choice t;
    const NodeId left = is_sum ? t.g.add(t.n, t.h) : t.n;
    const NodeId side = is_sum ? t.h : t.g.multiply(t.m.number(0.999), t.n);
    const NodeId choice = t.g.select(t.c, side, t.zero());
    const flat::Equation equation = t.shared(left, choice);
    EXPECT_EQ(equation.left, left);
    EXPECT_EQ(equation.right, choice);
  }
}

}  // namespace
}  // namespace saltus::program
