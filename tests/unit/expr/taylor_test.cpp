#include "expr/taylor.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <string>

#include "expr/derivative.hpp"
#include "expr/evaluate.hpp"
#include "expr/substitute.hpp"
#include "unit/expr/random_expression.hpp"
#include "unit/expr/taylor_reference_table.hpp"

namespace saltus::expr {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

class Taylor : public testing::Test {
 protected:
  Graph g;
  NodeId x = g.variable(VariableId(0U));
  NodeId y = g.variable(VariableId(1U));
  NodeId t = g.time();
  NodeId k(double value) { return g.constant(value); }
  // Coefficients of an expression in time at t = t0.
  std::vector<double> series(NodeId node, double t0, int order) {
    TaylorExpansion expansion(g);
    std::vector<double> result;
    for (int i = 0; i <= order; ++i) {
      result.push_back(evaluate(g, expansion.coefficient(node, i), {.time = t0}));
    }
    return result;
  }
};

TEST_F(Taylor, ClosedForms) {
  const std::vector<double> exponential = series(g.unary(Op::exp, t), 0.0, 12);
  const std::vector<double> sine = series(g.unary(Op::sin, t), 0.0, 12);
  const std::vector<double> geometric = series(g.divide(k(1), g.subtract(k(1), t)), 0.0, 12);
  const std::vector<double> logarithm = series(g.unary(Op::log, g.add(k(1), t)), 0.0, 12);
  const std::vector<double> root = series(g.unary(Op::sqrt, g.add(k(1), t)), 0.0, 12);
  const std::vector<double> arctangent = series(g.unary(Op::atan, t), 0.0, 12);
  double factorial = 1.0;
  double binomial = 1.0;  // of 1/2 over i
  for (int i = 0; i <= 12; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double sign = i % 4 < 2 ? 1.0 : -1.0;
    EXPECT_NEAR(exponential[at] * factorial, 1.0, 8 * kEpsilon) << i;
    EXPECT_NEAR(sine[at] * factorial, i % 2 == 0 ? 0.0 : sign, 8 * kEpsilon) << i;
    EXPECT_EQ(geometric[at], 1.0) << i;
    EXPECT_NEAR(logarithm[at], i == 0 ? 0.0 : (i % 2 == 1 ? 1.0 : -1.0) / i, 8 * kEpsilon) << i;
    EXPECT_NEAR(root[at] / binomial, 1.0, 32 * kEpsilon) << i;
    EXPECT_NEAR(arctangent[at], i % 2 == 0 ? 0.0 : sign / i, 8 * kEpsilon) << i;
    factorial *= i + 1;
    binomial *= (0.5 - i) / (i + 1);
  }
}

// Every operation against numbers of mpmath (provenance in the table).
TEST_F(Taylor, EveryOperationAgainstReference) {
  const std::map<std::string, NodeId> nodes = {
      {"negate", g.negate(x)},
      {"add", g.add(x, y)},
      {"subtract", g.subtract(x, y)},
      {"multiply", g.multiply(x, y)},
      {"square", g.multiply(x, x)},
      {"divide", g.divide(x, y)},
      {"power", g.power(x, y)},
      {"power_real", g.power(x, k(1.75))},
      {"power_2", g.power(x, k(2))},
      {"power_7", g.power(x, k(7))},
      {"power_minus_3", g.power(x, k(-3))},
      {"power_40", g.power(x, k(40))},
      {"power_5_at_zero", g.power(x, k(5))},
      {"power_6_negative", g.power(x, k(6))},
      {"sqrt", g.unary(Op::sqrt, x)},
      {"exp", g.unary(Op::exp, x)},
      {"log", g.unary(Op::log, x)},
      {"log10", g.unary(Op::log10, x)},
      {"sin", g.unary(Op::sin, x)},
      {"cos", g.unary(Op::cos, x)},
      {"tan", g.unary(Op::tan, x)},
      {"asin", g.unary(Op::asin, x)},
      {"acos", g.unary(Op::acos, x)},
      {"atan", g.unary(Op::atan, x)},
      {"sinh", g.unary(Op::sinh, x)},
      {"cosh", g.unary(Op::cosh, x)},
      {"tanh", g.unary(Op::tanh, x)},
      {"abs", g.unary(Op::abs, x)},
      {"atan2", g.binary(Op::atan2, x, y)},
      {"minimum", g.binary(Op::minimum, x, y)},
      {"maximum", g.binary(Op::maximum, x, y)},
  };
  EXPECT_EQ(nodes.size(), kTaylorReferences.size());
  for (const TaylorReference& reference : kTaylorReferences) {
    TaylorExpansion expansion(g, {.coefficient = [&](const Node& leaf, int order) {
                                const auto& values = leaf.first == 0 ? reference.x : kReferenceY;
                                return order < 6 ? g.constant(values[static_cast<std::size_t>(order)])
                                                 : NodeId();
                              }});
    const NodeId node = nodes.at(std::string(reference.name));
    const std::array<double, 2> variables = {reference.x[0], kReferenceY[0]};
    double scale = 0.0;
    for (const double c : reference.coefficients) {
      scale = std::max(scale, std::abs(c));
    }
    for (int i = 0; i <= kReferenceOrder; ++i) {
      const double value = evaluate(g, expansion.coefficient(node, i), {.variables = variables});
      const double expected = reference.coefficients[static_cast<std::size_t>(i)];
      // Rounding of the recurrences is relative to the largest term they add.
      EXPECT_NEAR(value, expected, 64 * kEpsilon * (std::abs(expected) + scale))
          << reference.name << ' ' << i;
    }
  }
}

TEST_F(Taylor, TotalDerivativesUseHigherLeaves) {
  TaylorExpansion expansion(g);
  const NodeId dx = g.variable(VariableId(0U), 1);
  const NodeId ddx = g.variable(VariableId(0U), 2);
  EXPECT_EQ(expansion.total_derivative(x, 2), ddx);
  EXPECT_EQ(expansion.total_derivative(dx, 1), ddx);
  EXPECT_EQ(expansion.total_derivative(g.unary(Op::sin, x), 1), g.multiply(dx, g.unary(Op::cos, x)));
  EXPECT_EQ(expansion.total_derivative(g.multiply(g.parameter(ParameterId(0U)), x), 1),
            g.multiply(g.parameter(ParameterId(0U)), dx));
  EXPECT_EQ(expansion.total_derivative(g.unary(Op::floor, x), 1), k(0));
  EXPECT_EQ(expansion.total_derivative(g.previous(VariableId(0U)), 1), k(0));
  EXPECT_EQ(expansion.total_derivative(t, 1), k(1));
  EXPECT_EQ(expansion.total_derivative(t, 2), k(0));
  // d²/dt² (x² + y² - 1) = 2(x'² + x·x'' + y'² + y·y'')
  const NodeId circle = g.subtract(g.add(g.power(x, k(2)), g.power(y, k(2))), k(1));
  const NodeId second = expansion.total_derivative(circle, 2);
  const std::array<double, 2> position = {0.6, 0.8};
  const std::array<double, 2> velocity = {2, -3};
  const double value =
      evaluate(g, second, {.variables = position, .derivatives = velocity, .other = [](const Node& leaf) {
                             return leaf.first == 0 ? 5.0 : 7.0;
                           }});
  EXPECT_NEAR(value, 2 * (4 + 0.6 * 5 + 9 + 0.8 * 7), 1e-14);
}

TEST_F(Taylor, DiscreteVariablesRest) {
  TaylorExpansion expansion(g,
                            {.coefficient = {}, .rests = [](const Node& leaf) { return leaf.first == 1; }});
  EXPECT_EQ(expansion.total_derivative(g.multiply(x, y), 1), g.multiply(g.variable(VariableId(0U), 1), y));
  EXPECT_EQ(expansion.total_derivative(y, 1), k(0));
  // An exponent that rests: the power rule, without a logarithm of the base.
  const NodeId power = expansion.total_derivative(g.power(x, y), 1);
  const std::array<double, 2> at = {-2, 3};
  const std::array<double, 2> velocity = {1, 0};
  EXPECT_EQ(evaluate(g, power, {.variables = at, .derivatives = velocity}), 12.0);
}

TEST_F(Taylor, GivenRatesTakeThePlaceOfTheirOwn) {
  // y = x² with the rates 3·x·x' and, beside it, 5 along time.
  const NodeId square = g.power(x, k(2));
  const NodeId rated = g.rated(g.rated(square, k(5), t, true), g.multiply(k(3), x), x, false);
  TaylorExpansion expansion(g);
  LeafValues leaves;
  leaves.other = [](const Node& leaf) { return leaf.second == 0 ? 2.0 : leaf.second == 1 ? 7.0 : 11.0; };
  EXPECT_EQ(evaluate(g, rated, leaves), 4.0);
  EXPECT_EQ(evaluate(g, expansion.total_derivative(rated, 1), leaves), 5.0 + 3 * 2 * 7);
  EXPECT_EQ(evaluate(g, expansion.total_derivative(rated, 2), leaves), 3 * 7 * 7 + 3 * 2 * 11);
  EXPECT_EQ(evaluate(g, expansion.total_derivative(square, 1), leaves), 2 * 2 * 7);
  // Its partial derivatives are those of the value; a rate that is zero rests.
  EXPECT_EQ(evaluate(g, derivative(g, rated, x), leaves), 4.0);
  EXPECT_EQ(expansion.total_derivative(g.rated(square, k(0), t, true), 1), k(0));
  // What gives the rate is replaced with the rest.
  const Replacement to_y{x, g.multiply(k(2), y)};
  const NodeId moved = substitute(g, rated, {&to_y, 1});
  EXPECT_EQ(evaluate(g, moved, leaves), 16.0);
  EXPECT_EQ(evaluate(g, expansion.total_derivative(moved, 1), leaves), 5.0 + 3 * 4 * 14);
}

TEST_F(Taylor, ChoicesStayOnTheirSide) {
  TaylorExpansion expansion(g);
  const NodeId c = g.condition(ConditionId(0U));
  const NodeId dx = g.variable(VariableId(0U), 1);
  const NodeId dy = g.variable(VariableId(1U), 1);
  EXPECT_EQ(expansion.coefficient(g.select(c, x, y), 1), g.select(c, dx, dy));
  EXPECT_EQ(expansion.coefficient(g.binary(Op::minimum, x, y), 1),
            g.select(g.binary(Op::less, x, y), dx, dy));
  EXPECT_EQ(expansion.coefficient(g.binary(Op::maximum, x, y), 1),
            g.select(g.binary(Op::less, y, x), dx, dy));
}

TEST_F(Taylor, RealPowerAtZeroHasItsFirstDerivative) {
  const std::vector<double> coefficients = series(g.power(t, k(1.5)), 0.0, 2);
  EXPECT_EQ(coefficients[1], 0.0);
  EXPECT_FALSE(std::isfinite(coefficients[2]));
  const std::vector<double> whole = series(g.power(t, k(33)), 0.0, 34);
  EXPECT_EQ(whole[32], 0.0);
  EXPECT_EQ(whole[33], 1.0);
  EXPECT_EQ(whole[34], 0.0);
}

TEST_F(Taylor, NodesGrowWithTheSquareOfTheOrder) {
  NodeId node = x;
  for (int i = 0; i < 50; ++i) {
    node = g.unary(Op::tanh, g.multiply(g.unary(Op::sin, node), y));
  }
  const auto size_for = [&](int order) {
    Graph copy = g;
    TaylorExpansion expansion(copy);
    static_cast<void>(expansion.coefficient(node, order));
    return static_cast<double>(copy.size() - g.size());
  };
  EXPECT_LT(size_for(16) / size_for(8), 4.5);
}

TEST_F(Taylor, FirstDerivativeBuildsNothingBeyondItself) {
  const NodeId sine = g.unary(Op::sin, x);
  const std::size_t before = g.size();
  TaylorExpansion expansion(g);
  static_cast<void>(expansion.coefficient(sine, 1));
  // cos(x), der(x), their product, and the constants 1 and 2 that rules use; not the derivative of cos(x)
  EXPECT_LE(g.size() - before, 5U);
}

TEST_F(Taylor, DeepChainNeedsNoStack) {
  NodeId node = x;
  for (int i = 0; i < 100000; ++i) {
    node = g.add(g.unary(Op::sin, node), y);
  }
  TaylorExpansion expansion(g);
  EXPECT_TRUE(expansion.coefficient(node, 1).valid());
}

// The coefficient of order 1 is the directional derivative; order 2 is half the derivative of order 1.
TEST(TaylorProperty, AgreesWithRepeatedDerivatives) {
  const std::vector<Op> operations = {Op::constant, Op::add,  Op::subtract, Op::multiply, Op::divide,
                                      Op::sin,      Op::tanh, Op::atan,     Op::exp,      Op::power_integer,
                                      Op::log,      Op::sqrt, Op::atan2,    Op::power,    Op::minimum,
                                      Op::abs,      Op::cosh};
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Graph g;
    const std::vector<NodeId> nodes = random_recipe(seed, 2, 12, operations).build(g, true);
    TaylorExpansion expansion(g);
    // d/dt by the chain rule over the leaves
    const auto total = [&](NodeId node) {
      std::vector<Seed> seeds = {{g.time(), g.constant(1)}};
      for (std::uint32_t i = 0; i < 2; ++i) {
        for (int m = 0; m < 3; ++m) {
          seeds.push_back({g.variable(VariableId(i), m), g.variable(VariableId(i), m + 1)});
        }
      }
      return forward_derivatives(g, std::array<NodeId, 1>{node}, seeds).front();
    };
    const std::array<double, 2> position = {0.61, 1.37};
    const std::array<double, 2> velocity = {-0.4, 0.8};
    const std::array<double, 1> parameters = {0.7};
    const LeafValues leaves{.time = 0.3,
                            .variables = position,
                            .derivatives = velocity,
                            .parameters = parameters,
                            .conditions = {},
                            .previous = {},
                            .other = [](const Node& leaf) { return 0.3 * leaf.second - 0.5 * leaf.first; }};
    NodeId chain = nodes.back();
    for (int order = 1; order <= 3; ++order) {
      chain = total(chain);
      const double expected = evaluate(g, chain, leaves);
      const double actual = evaluate(g, expansion.total_derivative(nodes.back(), order), leaves);
      if (!std::isfinite(expected) || !std::isfinite(actual) || std::abs(expected) > 1e6) {
        break;
      }
      ++compared;
      EXPECT_NEAR(actual, expected, 1e-9 * (1 + std::abs(expected))) << "seed " << seed << " order " << order;
    }
  }
  EXPECT_GT(compared, 300);
}

}  // namespace
}  // namespace saltus::expr
