#include "expr/linearity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>

#include "expr/dependency.hpp"
#include "expr/evaluate.hpp"

namespace saltus::expr {
namespace {

AffineForm affine_form(Graph& graph, NodeId node, std::span<const NodeId> unknowns) {
  AffineSplitter splitter(graph, [unknowns](NodeId leaf) {
    const auto place = std::find(unknowns.begin(), unknowns.end(), leaf);
    return place == unknowns.end()
               ? SignedUnknown{}
               : SignedUnknown{.unknown = static_cast<std::uint32_t>(place - unknowns.begin())};
  });
  return splitter.split(node);
}

class Linearity : public testing::Test {
 protected:
  Graph g;
  NodeId x = g.variable(VariableId(0U));
  NodeId y = g.variable(VariableId(1U));
  NodeId z = g.variable(VariableId(2U));
  NodeId c = g.condition(ConditionId(0U));
  std::array<NodeId, 2> unknowns = {x, y};
  NodeId k(double value) { return g.constant(value); }
  bool is_affine(NodeId node) {
    const bool result = affine_form(g, node, unknowns).is_affine;
    EXPECT_EQ(are_affine(g, std::array{node, z}, unknowns), result);
    return result;
  }
};

TEST_F(Linearity, DistinguishesAffineFromNonlinear) {
  const NodeId sin_z = g.unary(Op::sin, z);
  EXPECT_TRUE(is_affine(g.add(g.multiply(x, sin_z), g.divide(y, z))));
  EXPECT_TRUE(is_affine(g.select(c, x, g.multiply(k(3), y))));
  EXPECT_TRUE(is_affine(sin_z));
  EXPECT_FALSE(is_affine(g.multiply(x, y)));
  EXPECT_FALSE(is_affine(g.divide(z, x)));
  EXPECT_FALSE(is_affine(g.unary(Op::sin, x)));
  EXPECT_FALSE(is_affine(g.power(x, k(2))));
  EXPECT_FALSE(is_affine(g.select(g.binary(Op::less, x, z), x, y)));
  EXPECT_FALSE(is_affine(g.unary(Op::floor, x)));
  EXPECT_FALSE(is_affine(g.negate(g.multiply(z, g.unary(Op::abs, y)))));
}

TEST_F(Linearity, CoefficientsAndRemainderReproduceTheValue) {
  // (2x - z·(y - z)) / (z + 1) + if c then x + z else y·z
  const NodeId first =
      g.divide(g.subtract(g.multiply(k(2), x), g.multiply(z, g.subtract(y, z))), g.add(z, k(1)));
  const NodeId node = g.add(first, g.select(c, g.add(x, z), g.multiply(y, z)));
  const AffineForm form = affine_form(g, node, unknowns);
  ASSERT_TRUE(form.is_affine);
  ASSERT_EQ(form.terms.size(), 2U);
  for (const double held : {0.0, 1.0}) {
    const std::array<double, 3> variables = {0.3, -1.7, 0.6};
    const std::array<double, 1> conditions = {held};
    const LeafValues leaves{.variables = variables, .conditions = conditions};
    double sum = evaluate(g, form.remainder, leaves);
    for (const AffineForm::Term& term : form.terms) {
      EXPECT_FALSE(depends_on(g, term.coefficient, x) || depends_on(g, term.coefficient, y));
      sum += evaluate(g, term.coefficient, leaves) * evaluate(g, unknowns[term.unknown], leaves);
    }
    EXPECT_NEAR(sum, evaluate(g, node, leaves), 1e-15);
  }
  EXPECT_FALSE(depends_on(g, form.remainder, x) || depends_on(g, form.remainder, y));
}

TEST_F(Linearity, BuildsNoZeroProducts) {
  const NodeId log_z = g.unary(Op::log, z);
  const AffineForm form = affine_form(g, g.multiply(x, log_z), unknowns);
  EXPECT_FALSE(form.remainder.valid());
  EXPECT_EQ(form.terms.front().coefficient, log_z);
}

TEST_F(Linearity, AnExpressionFreeOfUnknownsIsItsOwnRemainder) {
  const NodeId node = g.unary(Op::sin, z);
  const AffineForm form = affine_form(g, node, unknowns);
  EXPECT_TRUE(form.is_affine);
  EXPECT_TRUE(form.terms.empty());
  EXPECT_EQ(form.remainder, node);
}

TEST_F(Linearity, KeepsTheSidesOfASelectApart) {
  // select(z, x/z, 2·y + 3) at z = 0: the side not chosen is not finite and must not leak.
  const NodeId bad = g.multiply(g.divide(k(1), z), x);
  const NodeId good = g.add(g.multiply(k(2), y), k(3));
  const AffineForm form = affine_form(g, g.select(z, bad, good), unknowns);
  ASSERT_TRUE(form.is_affine);
  ASSERT_EQ(form.terms.size(), 2U);
  const std::array<double, 3> variables = {1.0, 1.0, 0.0};
  const LeafValues leaves{.variables = variables};
  EXPECT_EQ(evaluate(g, form.terms[0].coefficient, leaves), 0.0);
  EXPECT_EQ(evaluate(g, form.terms[1].coefficient, leaves), 2.0);
  EXPECT_EQ(evaluate(g, form.remainder, leaves), 3.0);
}

TEST_F(Linearity, LeavesMayStandForOneUnknownWithEitherSign) {
  // y = -x: 5·x + 2·y + z is 3·x + z
  AffineSplitter splitter(g, [&](NodeId leaf) {
    return SignedUnknown{.unknown = leaf == x || leaf == y ? 0 : SignedUnknown::kNone, .negative = leaf == y};
  });
  const AffineForm form = splitter.split(g.add(g.add(g.multiply(k(5), x), g.multiply(k(2), y)), z));
  ASSERT_EQ(form.terms.size(), 1U);
  EXPECT_EQ(evaluate(g, form.terms[0].coefficient, {}), 3.0);
  EXPECT_EQ(form.remainder, z);
}

TEST_F(Linearity, LongSumsCostTheirLength) {
  constexpr std::uint32_t kSize = 20000;
  NodeId sum = k(0);
  for (std::uint32_t i = 0; i < kSize; ++i) {
    sum = g.add(sum, g.multiply(k(i + 1.0), g.variable(VariableId(i))));
  }
  AffineSplitter splitter(g, [&](NodeId leaf) {
    return g[leaf].op == Op::variable ? SignedUnknown{.unknown = g[leaf].first} : SignedUnknown{};
  });
  const AffineForm form = splitter.split(sum);
  ASSERT_EQ(form.terms.size(), kSize);
  EXPECT_EQ(form.terms[777].coefficient, k(778));
}

}  // namespace
}  // namespace saltus::expr
