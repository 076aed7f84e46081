// What is a constant multiple of what, however it is written.
#include "structure/index/multiples.hpp"

#include <gtest/gtest.h>

#include "unit/structure/model_maker.hpp"

namespace saltus::structure {
namespace {

struct Terms {
  ModelMaker m;
  expr::Graph& g = m.model.graph;
  NodeId y = m.value(m.variable("y"));
  NodeId x = m.value(m.variable("x"));
  NodeId wave = m.sin(g.time());
  Multiples multiples{g};

  NodeId number(double value) { return g.constant(value); }
  void expect(NodeId expression, NodeId of, double factor) {
    const Multiples::Multiple found = multiples.of(expression);
    EXPECT_EQ(found.of.index(), of.index());
    EXPECT_NEAR(found.factor, factor, 1e-14 * factor);
  }
};

TEST(Multiples, AreSeenInEverySpelling) {
  Terms t;
  const NodeId factor = t.g.add(t.number(2.0), t.wave);
  const NodeId first = t.g.multiply(factor, t.y);
  t.expect(first, first, 1.0);
  t.expect(first, first, 1.0);
  t.expect(t.g.multiply(t.g.multiply(t.number(0.683), factor), t.y), first, 0.683);
  t.expect(t.g.multiply(t.y, t.g.add(t.number(4.0), t.g.multiply(t.number(2.0), t.wave))), first, 2.0);
  t.expect(t.g.add(t.g.multiply(t.number(2.0), t.y), t.g.multiply(t.y, t.wave)), first, 1.0);
}

TEST(Multiples, WhatDependsOnOtherThingsOrIsAnotherNumberIsNone) {
  Terms t;
  const NodeId first = t.g.multiply(t.x, t.y);
  t.expect(first, first, 1.0);
  for (const NodeId other : {t.g.multiply(first, t.wave), t.g.add(first, t.g.multiply(t.number(1e-12), t.y)),
                             t.g.multiply(first, t.x)}) {
    t.expect(other, other, 1.0);
  }
}

// √(y²) is y, and |x| is x, wherever all numbers are positive; tanh(3·(t - 6)) is -1 wherever t is near 1.
TEST(Multiples, FunctionsAreNotJudgedByTheirValues) {
  Terms t;
  t.expect(t.number(1.0), t.number(1.0), 1.0);
  t.expect(t.y, t.y, 1.0);
  t.expect(t.x, t.x, 1.0);
  const NodeId late = t.g.multiply(t.number(3.0), t.g.subtract(t.g.time(), t.number(6.0)));
  const NodeId saturated = t.g.unary(expr::Op::tanh, late);
  for (const NodeId other : {t.g.unary(expr::Op::sqrt, t.g.multiply(t.y, t.y)), t.g.unary(expr::Op::abs, t.x),
                             saturated, t.g.multiply(t.y, saturated)}) {
    t.expect(other, other, 1.0);
  }
}

// 1 + 1e-14·y is not 1: y may be large.
TEST(Multiples, SmallNumbersMayMeanLargeVariables) {
  Terms t;
  t.expect(t.x, t.x, 1.0);
  const NodeId beside = t.g.add(t.number(1.0), t.g.multiply(t.number(1e-14), t.y));
  t.expect(t.g.multiply(t.x, beside), t.g.multiply(t.x, beside), 1.0);
}

}  // namespace
}  // namespace saltus::structure
