#include "expr/print.hpp"

#include <gtest/gtest.h>

namespace saltus::expr {
namespace {

class Print : public testing::Test {
 protected:
  Graph g;
  NodeId a = g.variable(VariableId(0U));
  NodeId b = g.variable(VariableId(1U));
  NodeId c = g.variable(VariableId(2U));
  NodeId k(double value) { return g.constant(value); }
  std::string text(NodeId node) { return print(g, node); }
};

TEST_F(Print, ParenthesesStandWhereNeededOnly) {
  EXPECT_EQ(text(g.subtract(g.subtract(a, b), c)), "x0 - x1 - x2");
  EXPECT_EQ(text(g.subtract(a, g.subtract(b, c))), "x0 - (x1 - x2)");
  EXPECT_EQ(text(g.intern({.op = Op::add, .first = a.value(), .second = g.add(b, c).value()})),
            "x0 + (x1 + x2)");
  EXPECT_EQ(text(g.divide(a, g.multiply(b, c))), "x0/(x1*x2)");
  EXPECT_EQ(text(g.multiply(g.add(a, b), c)), "x2*(x0 + x1)");
  EXPECT_EQ(text(g.negate(g.multiply(a, b))), "-x0*x1");
  EXPECT_EQ(text(g.negate(g.add(a, b))), "-(x0 + x1)");
  EXPECT_EQ(text(g.power(g.power(a, b), c)), "(x0^x1)^x2");
  EXPECT_EQ(text(g.negate(g.power(a, k(2)))), "-x0^2");
  EXPECT_EQ(text(g.power(a, k(-2))), "x0^(-2)");
  EXPECT_EQ(text(g.multiply(k(-2), a)), "(-2)*x0");
  EXPECT_EQ(text(g.add(a, k(-2))), "x0 + (-2)");
}

TEST_F(Print, NumbersRoundTrip) {
  EXPECT_EQ(text(k(0.1)), "0.1");
  EXPECT_EQ(text(g.multiply(k(1.0 / 3.0), a)), "0.3333333333333333*x0");
}

TEST_F(Print, ChoicesAndTruth) {
  const NodeId less = g.binary(Op::less, g.add(a, b), c);
  const NodeId cond = g.condition(ConditionId(3U));
  const NodeId both = g.binary(Op::logical_and, less, g.unary(Op::logical_not, cond));
  EXPECT_EQ(text(g.binary(Op::logical_or, both, g.binary(Op::equal, a, b))),
            "x0 == x1 or x0 + x1 < x2 and not c3");
  EXPECT_EQ(text(g.add(k(1), g.select(less, a, g.select(cond, b, c)))),
            "(if x0 + x1 < x2 then x0 else if c3 then x1 else x2) + 1");
  EXPECT_EQ(text(g.unary(Op::logical_not, both)), "not (x0 + x1 < x2 and not c3)");
}

TEST_F(Print, FunctionsAndLeaves) {
  EXPECT_EQ(text(g.binary(Op::atan2, g.variable(VariableId(0U), 1), g.time())), "atan2(der(x0), time)");
  EXPECT_EQ(text(g.binary(Op::maximum, g.previous(VariableId(1U)), g.parameter(ParameterId(2U)))),
            "max(pre(x1), p2)");
  EXPECT_EQ(text(g.unary(Op::truncate, a)), "div(x0, 1)");
  EXPECT_EQ(print(g, g.add(a, b), [](const Node& leaf) { return leaf.first == 0 ? "body.v" : "w[2]"; }),
            "body.v + w[2]");
}

TEST_F(Print, SharedExpressionsEndAtTheLimit) {
  NodeId node = a;
  for (int i = 0; i < 200; ++i) {
    node = g.unary(Op::sin, g.add(node, node));
  }
  const std::string result = print(g, node, default_leaf_name, 100);
  EXPECT_EQ(result.size(), 103U);
  EXPECT_EQ(result.substr(100), "...");
}

}  // namespace
}  // namespace saltus::expr
