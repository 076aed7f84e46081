#include "expr/substitute.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "expr/evaluate.hpp"
#include "unit/expr/random_expression.hpp"

namespace saltus::expr {
namespace {

TEST(Substitute, ReplacesAllAtOnce) {
  Graph g;
  const NodeId x = g.variable(VariableId(0U));
  const NodeId y = g.variable(VariableId(1U));
  const NodeId node = g.subtract(x, g.unary(Op::sin, y));
  const std::array<Replacement, 2> swap = {Replacement{x, y}, Replacement{y, x}};
  EXPECT_EQ(substitute(g, node, swap), g.subtract(y, g.unary(Op::sin, x)));
  EXPECT_EQ(substitute(g, g.unary(Op::cos, g.time()), swap), g.unary(Op::cos, g.time()));
}

TEST(Substitute, SimplifiesAndReplacesInnerNodes) {
  Graph g;
  const NodeId x = g.variable(VariableId(0U));
  const NodeId inner = g.unary(Op::sin, x);
  const NodeId node = g.add(g.multiply(inner, inner), x);
  const std::array<Replacement, 1> one = {Replacement{inner, g.constant(1)}};
  EXPECT_EQ(substitute(g, node, one), g.add(g.constant(1), x));
}

TEST(Substitute, KeepsItsMemoryWhileTheGraphGrows) {
  Graph g;
  const NodeId x = g.variable(VariableId(0U));
  const std::array<Replacement, 1> rule = {Replacement{x, g.parameter(ParameterId(0U))}};
  Substitution substitution(g, rule);
  const NodeId later = g.unary(Op::exp, g.unary(Op::tan, x));
  EXPECT_EQ(substitution(later), g.unary(Op::exp, g.unary(Op::tan, g.parameter(ParameterId(0U)))));
}

TEST(SubstituteProperty, CommutesWithEvaluation) {
  const std::vector<Op> operations = {Op::constant, Op::add, Op::subtract, Op::multiply, Op::sin,
                                      Op::exp,      Op::abs, Op::minimum,  Op::select,   Op::less};
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Graph g;
    const std::vector<NodeId> nodes = random_recipe(seed, 3, 30, operations).build(g, true);
    const std::vector<NodeId> others = random_recipe(seed + 1000, 3, 6, operations).build(g, true);
    const std::array<Replacement, 2> rules = {Replacement{nodes[0], others.back()},
                                              Replacement{nodes[2], others[others.size() - 2]}};
    const std::array<double, 3> variables = {0.3, -1.2, 0.9};
    const std::array<double, 1> parameters = {0.7};
    const LeafValues leaves{.time = 0.25, .variables = variables, .parameters = parameters};
    const std::array<double, 3> replaced = {evaluate(g, rules[0].to, leaves), variables[1],
                                            evaluate(g, rules[1].to, leaves)};
    const LeafValues inner{.time = 0.25, .variables = replaced, .parameters = parameters};
    const double expected = evaluate(g, nodes.back(), inner);
    const double actual = evaluate(g, substitute(g, nodes.back(), rules), leaves);
    EXPECT_TRUE(expected == actual || (std::isnan(expected) && std::isnan(actual)) ||
                !std::isfinite(expected))
        << seed << ' ' << expected << ' ' << actual;
  }
}

}  // namespace
}  // namespace saltus::expr
