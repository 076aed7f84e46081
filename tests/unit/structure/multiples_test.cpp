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

// √(y²) is y, and |x| is x, wherever all numbers are positive.
TEST(Multiples, BranchesAreNotJudgedByOneOfThem) {
  Terms t;
  t.expect(t.y, t.y, 1.0);
  t.expect(t.x, t.x, 1.0);
  const NodeId root = t.g.unary(expr::Op::sqrt, t.g.multiply(t.y, t.y));
  const NodeId size = t.g.unary(expr::Op::abs, t.x);
  t.expect(root, root, 1.0);
  t.expect(size, size, 1.0);
}

}  // namespace
}  // namespace saltus::structure
