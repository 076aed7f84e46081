#include "structure/index/combination.hpp"

#include <gtest/gtest.h>

#include "structure/causalize.hpp"
#include "unit/structure/model_maker.hpp"

namespace saltus::structure {
namespace {

Causalized causalized(ModelMaker& m) {
  auto result = causalize(m.finish());
  if (!result) {
    ADD_FAILURE() << render_text(result.error());
    return {};
  }
  return std::move(*result);
}

// C·(u[i]' - u[i+1]') between neighbours, a resistor to ground at every node: n nodes, n - 1 degrees of freedom.
ModelMaker floating_ladder(std::size_t n, std::vector<VariableId>& u) {
  ModelMaker m;
  std::vector<NodeId> c;
  for (std::size_t i = 0; i < n; ++i) {
    u.push_back(m.variable("u" + std::to_string(i)));
    c.push_back(m.parameter("C" + std::to_string(i), 1.0 + 0.5 * static_cast<double>(i)));
  }
  for (std::size_t i = 0; i < n; ++i) {
    NodeId current = m.number(0.0);
    if (i > 0) {
      current = m.add(current, m.multiply(c[i - 1], m.subtract(m.der(u[i]), m.der(u[i - 1]))));
    }
    if (i + 1 < n) {
      current = m.add(current, m.multiply(c[i], m.subtract(m.der(u[i]), m.der(u[i + 1]))));
    }
    // Some rows with the other sign: the combination is no plain sum.
    const NodeId resistor = m.multiply(m.number(2.0), m.value(u[i]));
    if (i % 3 == 1 && n <= kLargestDense) {
      m.equation(m.negate(current), resistor);
    } else {
      m.equation(current, m.negate(resistor));
    }
  }
  return m;
}

TEST(Combination, FloatingCapacitorsStayStructural) {
  for (const std::size_t n : {2U, 5U, 100U}) {
    SCOPED_TRACE(n);
    std::vector<VariableId> u;
    ModelMaker m = floating_ladder(n, u);
    const Causalized result = causalized(m);
    ASSERT_FALSE(result.needs_ranks) << render_text(result.warnings);
    EXPECT_EQ(result.degrees_of_freedom, static_cast<int>(n) - 1);
    // Of two nodes both rows are multiples of one another (unmixing): u1 = -u0 is a name, not a constraint.
    ASSERT_EQ(result.constraints.size(), n > 2 ? 1U : 0U);
    EXPECT_TRUE(result.warnings.empty());
    if (n > 5) {
      continue;
    }
    // A consistent state: Σ u = 0. The equations as written then hold for the derivatives that the blocks give.
    Values values;
    double sum = 0.0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
      at(values, u[i]) = std::sin(1.0 + static_cast<double>(i));
      sum += at(values, u[i]);
    }
    at(values, u[n - 1]) = -sum;
    BlockRunner(m.model, values).run(result.blocks);
    EXPECT_LT(largest_residual(m.model, values), 1e-13);
    if (result.constraints.empty()) {
      continue;
    }
    const BlockRunner runner(m.model, values);
    const flat::Equation& constraint = result.constraints[0].equation;
    EXPECT_NEAR(runner.evaluate(constraint.left), runner.evaluate(constraint.right), 1e-14);
  }
}

TEST(Combination, ARegularMatrixIsLeftAlone) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y");
  const NodeId c = m.parameter("C", 1.0);
  m.equation(m.add(m.der(x), m.multiply(c, m.der(y))), m.value(x));
  m.equation(m.subtract(m.der(x), m.multiply(c, m.der(y))), m.value(y));
  const Causalized result = causalized(m);
  EXPECT_TRUE(result.constraints.empty());
  EXPECT_EQ(result.blocks.size(), 1U);
}

// x' + y' = 1 twice, once negated: the combination says nothing, or 0 = 1. Ranks find out which.
TEST(Combination, WhatContainsNoUnknownIsLeftToRanks) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y");
  m.equation(m.add(m.der(x), m.der(y)), m.number(1.0));
  m.equation(m.negate(m.add(m.der(x), m.der(y))), m.number(-1.0));
  const Causalized result = causalized(m);
  EXPECT_TRUE(result.needs_ranks);
  ASSERT_EQ(result.warnings.items().size(), 1U);
  EXPECT_EQ(result.warnings.items()[0].code, "unknown-cancels");
  EXPECT_EQ(result.equations[1].left, m.model.equations[1].left);  // as written
}

// 0.5 x2' + 0.25 x4' = x3 + 0.5 z and x2' + 0.5 x4' = x1 + z: with x4' given by its own equation the block is that of x2' and z. x4'
// cancels in their combination; if it stayed in it, its equation would be differentiated twice and x4 be a position.
TEST(Combination, WhatCancelsBesideTheBlockIsLeftOut) {
  ModelMaker m;
  const VariableId x1 = m.variable("x1");
  const VariableId x2 = m.variable("x2");
  const VariableId x3 = m.variable("x3");
  const VariableId x4 = m.variable("x4");
  const VariableId z = m.variable("z");
  const auto part = [&m](double factor, NodeId node) { return m.multiply(m.number(factor), node); };
  m.equation(m.add(part(0.5, m.der(x2)), part(0.25, m.der(x4))), m.add(m.value(x3), part(0.5, m.value(z))));
  m.equation(m.der(x3), m.add(m.value(x2), m.value(x4)));
  m.equation(m.number(0.0), m.subtract(m.value(x1), part(0.25, m.value(x3))));
  m.equation(m.add(m.der(x2), part(0.5, m.der(x4))), m.add(m.value(x1), m.value(z)));
  m.equation(m.der(x4), m.negate(m.value(x4)));
  const Causalized result = causalized(m);
  ASSERT_FALSE(result.needs_ranks) << render_text(result.warnings);
  EXPECT_EQ(result.degrees_of_freedom, 1);
  for (const Unknown& state : result.states) {
    EXPECT_FALSE(state.variable == x4 && state.order > 0) << "x4' follows from x4";
  }
}

// Two regular equations for x' and y' beside two for z and w whose numbers are 1e10 times as large: units do not make a matrix singular.
TEST(Combination, UnitsDoNotDecideWhatIsSingular) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y");
  const VariableId z = m.variable("z");
  const auto times = [&m](double factor, NodeId node) { return m.multiply(m.number(factor), node); };
  m.equation(m.add(times(-0.09, m.der(x)), m.add(times(480.0, m.der(y)), times(2e9, m.value(z)))),
             m.value(x));
  m.equation(m.add(times(5e-6, m.der(x)), times(5e-3, m.der(y))), m.value(y));
  m.equation(m.add(times(-0.18, m.der(x)), m.add(times(960.0, m.der(y)), times(3e9, m.value(z)))),
             m.value(x));
  const Causalized result = causalized(m);
  EXPECT_FALSE(result.needs_ranks);
  EXPECT_EQ(result.degrees_of_freedom, 2);
  EXPECT_TRUE(result.constraints.empty());
}

// Two positions p and q = x - 2v under p + q = 1, with velocities v and w: differentiated once the constraint contains x' and v', as if v'
// and with it the multiplier were determined. Its sum with x' - 2v' = w says v + w = 0.
TEST(Combination, DerivativesOfConstraintsTakePart) {
  ModelMaker m;
  const VariableId p = m.variable("p");
  const VariableId x = m.variable("x");
  const VariableId v = m.variable("v");
  const VariableId w = m.variable("w");
  const VariableId force = m.variable("force");
  const auto times = [&m](double factor, NodeId node) { return m.multiply(m.number(factor), node); };
  m.equation(m.der(p), m.value(v));
  m.equation(m.subtract(m.der(x), times(2.0, m.der(v))), m.value(w));
  m.equation(m.der(v), m.subtract(times(3.0, m.value(force)), m.value(p)));
  m.equation(m.der(w), m.value(force));
  m.equation(m.add(m.value(p), m.subtract(m.value(x), times(2.0, m.value(v)))), m.number(1.0));
  const Causalized result = causalized(m);
  ASSERT_FALSE(result.needs_ranks) << render_text(result.warnings);
  EXPECT_EQ(result.degrees_of_freedom, 2);
  // p = 0.3, v = 0.4: q = 0.7, w = -0.4, 3f - p + f = 0.
  Values values;
  at(values, p) = 0.3;
  at(values, v) = 0.4;
  at(values, x) = 0.7 + 0.8;
  at(values, w) = -0.4;
  BlockRunner(m.model, values).run(result.blocks);
  EXPECT_NEAR(at(values, force), 0.075, 1e-14);
  EXPECT_LT(largest_residual(m.model, values), 1e-14);
}

}  // namespace
}  // namespace saltus::structure
