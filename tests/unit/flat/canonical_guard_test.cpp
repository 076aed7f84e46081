#include <gtest/gtest.h>

#include "flat/canonical_guard.hpp"

namespace saltus::flat {
namespace {

class CanonicalGuardTest : public testing::Test {
 protected:
  expr::Graph graph;
  GuardCanonicalizer canonicalizer{graph};
  NodeId x = graph.variable(VariableId(0U));
  NodeId y = graph.variable(VariableId(1U));
  NodeId zero = graph.constant(0.0);
  NodeId number(double value) { return graph.constant(value); }
};

TEST_F(CanonicalGuardTest, BothOrdersAreOneGuardWithOppositeSigns) {
  const CanonicalGuard a = canonicalizer.canonical(x, y);
  const CanonicalGuard b = canonicalizer.canonical(y, x);
  EXPECT_EQ(a.expression, b.expression);
  EXPECT_EQ(a.expression, graph.subtract(x, y));
  EXPECT_FALSE(a.flipped);
  EXPECT_TRUE(b.flipped);
}

TEST_F(CanonicalGuardTest, PositiveFactorsAreRemovedWhereThatIsExact) {
  const NodeId difference = graph.subtract(x, y);
  EXPECT_EQ(canonicalizer.canonical(graph.multiply(number(3.0), difference), zero).expression, difference);
  EXPECT_EQ(canonicalizer.canonical(graph.multiply(number(2.0), x), number(6.0)).expression,
            graph.subtract(x, number(3.0)));
  // 3x > 1 is not x > 1/3 in doubles: the surface stays where it is written.
  const CanonicalGuard inexact = canonicalizer.canonical(graph.multiply(number(3.0), x), number(1.0));
  EXPECT_EQ(inexact.expression, graph.subtract(graph.multiply(number(3.0), x), number(1.0)));
}

TEST_F(CanonicalGuardTest, NegativeFactorFlips) {
  const CanonicalGuard guard = canonicalizer.canonical(graph.multiply(number(-2.0), x), zero);
  EXPECT_EQ(guard.expression, x);
  EXPECT_TRUE(guard.flipped);
}

TEST_F(CanonicalGuardTest, EqualTermsAreMerged) {
  const CanonicalGuard guard = canonicalizer.canonical(graph.add(x, y), graph.subtract(y, x));
  EXPECT_EQ(guard.expression, x);
  const CanonicalGuard nothing = canonicalizer.canonical(graph.add(x, number(2.0)), x);
  EXPECT_TRUE(graph.is_constant(nothing.expression, 2.0));
}

// (a + b) - a - b is 5.6e-17 for these: no surface, and no constant beside one.
TEST_F(CanonicalGuardTest, WhatCancelsButForRoundingIsZero) {
  const auto times = [this](double factor) { return graph.multiply(number(factor), x); };
  const NodeId once = graph.add(times(-0.184), times(-0.358));
  const CanonicalGuard nothing = canonicalizer.canonical(graph.subtract(once, times(-0.184)), times(-0.358));
  EXPECT_TRUE(graph.is_constant(nothing.expression, 0.0));
  const NodeId shifted = graph.add(graph.add(x, number(0.1)), number(0.2));
  EXPECT_EQ(canonicalizer.canonical(shifted, number(0.3)).expression, x);
  EXPECT_EQ(canonicalizer.canonical(shifted, number(0.29999999999999)).expression,
            graph.add(x, number(0.1 + 0.2 - 0.29999999999999)));
}

TEST_F(CanonicalGuardTest, IsCanonicalAgain) {
  const NodeId product = graph.multiply(x, y);
  const NodeId sine = graph.unary(expr::Op::sin, x);
  for (const NodeId left : {product, graph.subtract(sine, product), graph.add(graph.time(), product)}) {
    const CanonicalGuard once = canonicalizer.canonical(left, graph.multiply(number(0.1), y));
    const CanonicalGuard twice = canonicalizer.canonical(once.expression, zero);
    EXPECT_EQ(once.expression, twice.expression);
    EXPECT_FALSE(twice.flipped);
  }
}

TEST(CanonicalGuardOrder, DoesNotDependOnTheOrderOfBuilding) {
  const auto leading_is_sine = [](bool sine_first) {
    expr::Graph graph;
    const NodeId x = graph.variable(VariableId(0U));
    const NodeId y = graph.variable(VariableId(1U));
    NodeId sine;
    NodeId product;
    if (sine_first) {
      sine = graph.unary(expr::Op::sin, x);
      product = graph.multiply(x, y);
    } else {
      product = graph.multiply(x, y);
      sine = graph.unary(expr::Op::sin, x);
    }
    GuardCanonicalizer canonicalizer(graph);
    return !canonicalizer.canonical(sine, product).flipped;
  };
  EXPECT_EQ(leading_is_sine(true), leading_is_sine(false));
}

}  // namespace
}  // namespace saltus::flat
