#include "expr/derivative.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "expr/evaluate.hpp"
#include "unit/expr/complex_evaluate.hpp"
#include "unit/expr/random_expression.hpp"

namespace saltus::expr {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Derivative : public testing::Test {
 protected:
  Graph g;
  NodeId x = g.variable(VariableId(0U));
  NodeId y = g.variable(VariableId(1U));
  std::array<NodeId, 2> both = {x, y};
  NodeId k(double value) { return g.constant(value); }
  // Both modes must agree, also where the value is not finite.
  double slope(NodeId node, NodeId leaf, double at_x, double at_y = 0.0, double condition = 0.0) {
    const std::array<double, 2> variables = {at_x, at_y};
    const std::array<double, 1> conditions = {condition};
    const LeafValues leaves{.variables = variables, .conditions = conditions};
    const double forward = evaluate(g, derivative(g, node, leaf), leaves);
    const double reverse = evaluate(g, gradient(g, node, both)[leaf == x ? 0 : 1], leaves);
    EXPECT_TRUE(forward == reverse || (std::isnan(forward) && std::isnan(reverse)))
        << forward << ' ' << reverse;
    return forward;
  }
};

TEST_F(Derivative, EveryFunctionAgainstItsComplexStep) {
  const std::vector<Op> unary = {Op::negate, Op::sqrt, Op::exp,  Op::log,  Op::log10,
                                 Op::sin,    Op::cos,  Op::tan,  Op::asin, Op::acos,
                                 Op::atan,   Op::sinh, Op::cosh, Op::tanh, Op::abs};
  for (const Op op : unary) {
    for (const double at : {0.3, 0.85}) {
      const NodeId node = g.unary(op, x);
      EXPECT_NEAR(slope(node, x, at) / complex_step(g, node, {at, 0.0}, 0), 1.0, 2e-14) << name_of(op);
    }
  }
  for (const Op op : {Op::add, Op::subtract, Op::multiply, Op::divide, Op::power, Op::atan2}) {
    for (const int leaf : {0, 1}) {
      const NodeId node = g.binary(op, x, y);
      EXPECT_NEAR(slope(node, leaf == 0 ? x : y, 0.7, 1.9) / complex_step(g, node, {0.7, 1.9}, leaf), 1.0,
                  2e-14)
          << name_of(op) << leaf;
    }
  }
  for (int n = -5; n <= 7; ++n) {
    const NodeId node = g.power(x, k(n));
    EXPECT_NEAR(slope(node, x, -1.3), n * std::pow(-1.3, n - 1), 1e-13) << n;
  }
}

TEST_F(Derivative, PowersAtTheirEdges) {
  EXPECT_EQ(slope(g.power(x, k(0)), x, 0.0), 0.0);
  EXPECT_EQ(slope(g.power(x, k(2)), x, 0.0), 0.0);
  EXPECT_EQ(slope(g.power(x, k(3)), x, -2.0), 12.0);
  EXPECT_EQ(slope(g.power(x, k(1.5)), x, 0.0), 0.0);
  EXPECT_EQ(slope(g.power(x, k(0.25)), x, 0.0), kInfinity);
  EXPECT_EQ(slope(g.power(x, k(40)), x, -1.0), -40.0);
  // A variable exponent that is zero, a base that is zero, and both.
  EXPECT_EQ(slope(g.power(x, y), x, 0.0, 0.0), 0.0);
  EXPECT_EQ(slope(g.power(x, y), x, 0.0, 1.0), 1.0);
  EXPECT_EQ(slope(g.power(x, y), y, 0.0, 2.0), 0.0);
  EXPECT_EQ(slope(g.power(k(0), y), y, 0.0, 2.0), 0.0);
  EXPECT_EQ(slope(g.power(x, y), x, -2.0, 3.0), 12.0);
  EXPECT_TRUE(std::isnan(slope(g.power(x, y), y, -2.0, 3.0)));
}

TEST_F(Derivative, FunctionsAtTheirEdges) {
  EXPECT_EQ(slope(g.unary(Op::sqrt, x), x, 0.0), kInfinity);
  EXPECT_EQ(slope(g.unary(Op::log, x), x, 0.0), kInfinity);
  EXPECT_EQ(slope(g.unary(Op::asin, x), x, 1.0), kInfinity);
  EXPECT_EQ(slope(g.unary(Op::acos, x), x, -1.0), -kInfinity);
  EXPECT_EQ(slope(g.unary(Op::abs, x), x, 0.0), 0.0);
  EXPECT_EQ(slope(g.unary(Op::abs, x), x, -3.0), -1.0);
  EXPECT_EQ(slope(g.unary(Op::sign, x), x, 0.0), 0.0);
  EXPECT_EQ(slope(g.unary(Op::floor, x), x, 1.0), 0.0);
  EXPECT_TRUE(std::isnan(slope(g.binary(Op::atan2, x, y), x, 0.0, 0.0)));
  EXPECT_EQ(slope(g.binary(Op::atan2, x, y), x, 0.0, -2.0), -0.5);
  EXPECT_EQ(slope(g.unary(Op::tanh, x), x, 400.0), 0.0);
}

TEST_F(Derivative, TiesTakeTheSecondOperand) {
  EXPECT_EQ(slope(g.binary(Op::minimum, x, y), x, 1.0, 1.0), 0.0);
  EXPECT_EQ(slope(g.binary(Op::minimum, x, y), y, 1.0, 1.0), 1.0);
  EXPECT_EQ(slope(g.binary(Op::maximum, x, y), x, 2.0, 1.0), 1.0);
  EXPECT_EQ(slope(g.binary(Op::maximum, x, y), y, 1.0, 1.0), 1.0);
  EXPECT_EQ(slope(g.binary(Op::minimum, g.multiply(k(2), x), x), x, 0.0), 1.0);
}

TEST_F(Derivative, SideNotTakenDoesNotLeak) {
  const NodeId c = g.condition(ConditionId(0U));
  // log x at 0 has an infinite value and slope; its side is not taken.
  const NodeId node = g.multiply(y, g.select(c, g.unary(Op::log, g.multiply(x, x)), g.multiply(k(3), x)));
  EXPECT_EQ(slope(node, x, 0.0, 2.0, 0.0), 6.0);
  EXPECT_EQ(slope(node, x, 0.5, 2.0, 1.0), 8.0);
  // Nested, with the same leaf reached along three paths.
  const NodeId inner = g.select(g.binary(Op::less, x, y), g.unary(Op::sqrt, x), g.multiply(x, x));
  const NodeId outer = g.add(g.select(c, inner, g.unary(Op::sin, x)), g.multiply(k(5), x));
  EXPECT_EQ(slope(outer, x, 0.0, -1.0, 0.0), 6.0);
  EXPECT_EQ(slope(outer, x, 0.0, -1.0, 1.0), 5.0);
  EXPECT_EQ(slope(outer, x, 0.25, 1.0, 1.0), 6.0);
}

TEST_F(Derivative, StructuralZerosVanish) {
  const NodeId log_y = g.unary(Op::log, y);
  EXPECT_EQ(derivative(g, log_y, x), k(0));
  EXPECT_EQ(derivative(g, g.multiply(log_y, x), x), log_y);
  EXPECT_EQ(derivative(g, g.add(g.multiply(k(3), x), log_y), x), k(3));
  EXPECT_EQ(derivative(g, g.variable(VariableId(0U), 1), x), k(0));
  EXPECT_EQ(gradient(g, g.multiply(log_y, x), both)[0], log_y);
}

TEST_F(Derivative, ChainOfSelectsStaysSmallInReverse) {
  NodeId node = x;
  for (std::uint32_t i = 0; i < 60; ++i) {
    const NodeId c = g.condition(ConditionId(i));
    node = g.select(c, g.unary(Op::sin, node), g.unary(Op::cos, node));
  }
  const std::size_t before = g.size();
  static_cast<void>(gradient(g, node, both));
  EXPECT_LT(g.size() - before, 1000U) << "adjoints of opposite sides must merge, not double";
}

TEST_F(Derivative, OppositeSidesMeetInOneSelect) {
  const NodeId c = g.condition(ConditionId(0U));
  const NodeId node = g.select(c, g.unary(Op::exp, x), g.multiply(y, x));
  EXPECT_EQ(gradient(g, node, both)[0], g.select(c, g.unary(Op::exp, x), y));
  EXPECT_EQ(gradient(g, node, both)[1], g.select(c, k(0), x));
}

TEST_F(Derivative, ConditionDoesNotContribute) {
  // x as a truth value: the select jumps in it, but has no slope.
  EXPECT_EQ(derivative(g, g.select(x, y, k(2)), x), k(0));
  EXPECT_EQ(gradient(g, g.select(x, y, k(2)), both)[0], k(0));
}

// Analytic random DAGs: forward, reverse and complex step agree to rounding.
TEST(DerivativeProperty, ForwardReverseAndComplexStepAgree) {
  const std::vector<Op> operations = {Op::constant, Op::negate, Op::add, Op::subtract,     Op::multiply,
                                      Op::divide,   Op::sin,    Op::cos, Op::tanh,         Op::atan,
                                      Op::exp,      Op::sqrt,   Op::log, Op::power_integer};
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Graph g;
    const std::vector<NodeId> nodes = random_recipe(seed, 3, 25, operations).build(g, true);
    const std::array<NodeId, 3> leaves = {nodes[0], nodes[1], nodes[2]};
    const std::vector<double> at = {0.61, 1.37, 0.23};
    const std::array<double, 1> parameters = {0.7};
    const LeafValues values{.time = 0.3, .variables = at, .parameters = parameters};
    const std::vector<NodeId> reverse = gradient(g, nodes.back(), leaves);
    for (int i = 0; i < 3; ++i) {
      const double by_complex = complex_step(g, nodes.back(), at, i, values);
      const double by_forward =
          evaluate(g, derivative(g, nodes.back(), leaves[static_cast<std::size_t>(i)]), values);
      const double by_reverse = evaluate(g, reverse[static_cast<std::size_t>(i)], values);
      if (!std::isfinite(by_complex) || !std::isfinite(evaluate(g, nodes.back(), values)) ||
          std::abs(by_complex) > 1e6) {
        continue;
      }
      ++compared;
      const double tolerance = 1e-11 * (1 + std::abs(by_complex));
      EXPECT_NEAR(by_forward, by_complex, tolerance) << "seed " << seed << " leaf " << i;
      EXPECT_NEAR(by_reverse, by_complex, tolerance) << "seed " << seed << " leaf " << i;
    }
  }
  EXPECT_GT(compared, 400);
}

// With kinks and choices: against central differences, and forward against reverse.
TEST(DerivativeProperty, CentralDifferencesAgreeAwayFromKinks) {
  const std::vector<Op> operations = {Op::constant, Op::add,  Op::subtract, Op::multiply,
                                      Op::sin,      Op::abs,  Op::minimum,  Op::maximum,
                                      Op::select,   Op::less, Op::atan2,    Op::tanh};
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Graph g;
    const std::vector<NodeId> nodes = random_recipe(seed, 3, 25, operations).build(g, true);
    const std::array<NodeId, 3> leaves = {nodes[0], nodes[1], nodes[2]};
    const std::array<double, 1> parameters = {0.7};
    const auto value_at = [&](NodeId node, const std::array<double, 3>& at) {
      return evaluate(g, node, {.time = 0.3, .variables = at, .parameters = parameters});
    };
    const std::vector<NodeId> reverse = gradient(g, nodes.back(), leaves);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::array<double, 3> at = {0.61, -1.37, 0.23};
      const auto difference = [&](double h) {
        std::array<double, 3> right = at;
        std::array<double, 3> left = at;
        right[i] += h;
        left[i] -= h;
        return (value_at(nodes.back(), right) - value_at(nodes.back(), left)) / (2 * h);
      };
      const double forward = value_at(derivative(g, nodes.back(), leaves[i]), at);
      const double backward = value_at(reverse[i], at);
      if (!std::isfinite(forward)) {
        continue;  // atan2(0, 0)
      }
      EXPECT_NEAR(forward, backward, 1e-12 * (1 + std::abs(forward))) << "seed " << seed;
      if (std::abs(difference(1e-5) - difference(1e-6)) < 1e-6 * (1 + std::abs(forward))) {
        ++compared;
        EXPECT_NEAR(forward, difference(1e-5), 1e-5 * (1 + std::abs(forward)))
            << "seed " << seed << " leaf " << i;
      }
    }
  }
  EXPECT_GT(compared, 600);
}

// Sides that meet again under different masks, with both conditions blended: forward and reverse must count each weight
// once.
TEST(DerivativeOfBlend, ChoicesAreWeightedOnceInBothDirections) {
  Graph g;
  const NodeId x = g.variable(VariableId(0U));
  const NodeId c = g.condition(ConditionId(0U));
  const NodeId d = g.condition(ConditionId(1U));
  const NodeId u = g.unary(Op::sin, x);
  // c·u² + d·3u, where u is reached under c, under d, and under both
  const NodeId y = g.add(g.select(c, g.multiply(u, u), g.constant(1.0)),
                         g.select(d, g.multiply(g.constant(3.0), u), g.select(c, u, g.constant(0.0))));
  const NodeId forward = derivative(g, y, x);
  const NodeId reverse = gradient(g, y, std::span(&x, 1)).front();
  const std::array<double, 1> variables = {0.7};
  for (const double wc : {0.0, 0.3, 1.0}) {
    for (const double wd : {0.0, 0.6, 1.0}) {
      const std::array<double, 2> conditions = {wc, wd};
      const LeafValues leaves{.variables = variables, .conditions = conditions};
      const double s = std::sin(0.7);
      const double expected = (wc * 2.0 * s + wd * 3.0 + (1.0 - wd) * wc) * std::cos(0.7);
      EXPECT_NEAR(evaluate(g, forward, leaves), expected, 1e-14) << wc << ' ' << wd;
      EXPECT_NEAR(evaluate(g, reverse, leaves), expected, 1e-14) << wc << ' ' << wd;
    }
  }
}

}  // namespace
}  // namespace saltus::expr
