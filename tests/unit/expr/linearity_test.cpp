#include "expr/linearity.hpp"

#include <gtest/gtest.h>

#include <array>

#include "expr/dependency.hpp"
#include "expr/evaluate.hpp"

namespace saltus::expr {
namespace {

class Linearity : public testing::Test {
 protected:
  Graph g;
  NodeId x = g.variable(VariableId(0U));
  NodeId y = g.variable(VariableId(1U));
  NodeId z = g.variable(VariableId(2U));
  NodeId c = g.condition(ConditionId(0U));
  std::array<NodeId, 2> unknowns = {x, y};
  NodeId k(double value) { return g.constant(value); }
};

TEST_F(Linearity, DistinguishesAffineFromNonlinear) {
  const NodeId sin_z = g.unary(Op::sin, z);
  EXPECT_TRUE(is_affine(g, g.add(g.multiply(x, sin_z), g.divide(y, z)), unknowns));
  EXPECT_TRUE(is_affine(g, g.select(c, x, g.multiply(k(3), y)), unknowns));
  EXPECT_TRUE(is_affine(g, sin_z, unknowns));
  EXPECT_FALSE(is_affine(g, g.multiply(x, y), unknowns));
  EXPECT_FALSE(is_affine(g, g.divide(z, x), unknowns));
  EXPECT_FALSE(is_affine(g, g.unary(Op::sin, x), unknowns));
  EXPECT_FALSE(is_affine(g, g.power(x, k(2)), unknowns));
  EXPECT_FALSE(is_affine(g, g.select(g.binary(Op::less, x, z), x, y), unknowns));
  EXPECT_FALSE(is_affine(g, g.unary(Op::floor, x), unknowns));
  EXPECT_FALSE(is_affine(g, g.negate(g.multiply(z, g.unary(Op::abs, y))), unknowns));
}

TEST_F(Linearity, CoefficientsAndRemainderReproduceTheValue) {
  // (2x - z·(y - z)) / (z + 1) + if c then x + z else y·z
  const NodeId first =
      g.divide(g.subtract(g.multiply(k(2), x), g.multiply(z, g.subtract(y, z))), g.add(z, k(1)));
  const NodeId node = g.add(first, g.select(c, g.add(x, z), g.multiply(y, z)));
  const auto form = affine_form(g, node, unknowns);
  ASSERT_TRUE(form.has_value());
  ASSERT_EQ(form->terms.size(), 2U);
  for (const double held : {0.0, 1.0}) {
    const std::array<double, 3> variables = {0.3, -1.7, 0.6};
    const std::array<double, 1> conditions = {held};
    const LeafValues leaves{.variables = variables, .conditions = conditions};
    double sum = evaluate(g, form->remainder, leaves);
    for (const AffineForm::Term& term : form->terms) {
      EXPECT_FALSE(depends_on(g, term.coefficient, x) || depends_on(g, term.coefficient, y));
      sum += evaluate(g, term.coefficient, leaves) * evaluate(g, term.leaf, leaves);
    }
    EXPECT_NEAR(sum, evaluate(g, node, leaves), 1e-15);
  }
  EXPECT_FALSE(depends_on(g, form->remainder, x) || depends_on(g, form->remainder, y));
}

TEST_F(Linearity, RemainderBuildsNoZeroProducts) {
  const NodeId log_z = g.unary(Op::log, z);
  const auto form = affine_form(g, g.multiply(x, log_z), unknowns);
  EXPECT_EQ(form->remainder, k(0));
  EXPECT_EQ(form->terms.front().coefficient, log_z);
}

TEST_F(Linearity, SolvesForOneLeaf) {
  const NodeId sum = g.add(y, z);
  EXPECT_EQ(solve_affine(g, x, sum, x)->formula, sum);
  EXPECT_EQ(solve_affine(g, sum, x, x)->formula, sum);
  EXPECT_EQ(solve_affine(g, g.multiply(z, x), y, x)->formula, g.divide(y, z));
  EXPECT_EQ(solve_affine(g, g.multiply(z, x), y, x)->coefficient, z);
  const auto both = solve_affine(g, g.subtract(g.multiply(z, x), y), g.add(x, k(1)), x);
  const std::array<double, 3> variables = {0, 2, 4};
  EXPECT_EQ(evaluate(g, both->formula, {.variables = variables}), 1.0);  // 4x - 2 = x + 1
  EXPECT_FALSE(solve_affine(g, g.unary(Op::sin, x), y, x).has_value());
  EXPECT_FALSE(solve_affine(g, z, y, x).has_value());
}

}  // namespace
}  // namespace saltus::expr
