#include "structure/causalize.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "structure/initialization.hpp"
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

TEST(Causalize, ExplicitOdeKeepsItsFormulasAndTheirOrder) {
  ModelMaker m;
  std::vector<VariableId> x;
  for (int i = 0; i < 5; ++i) {
    x.push_back(m.variable("x"));
  }
  std::vector<NodeId> formulas;
  for (int i = 0; i < 5; ++i) {
    formulas.push_back(m.sin(m.value(x[static_cast<std::size_t>((i + 1) % 5)])));
    m.equation(m.der(x[static_cast<std::size_t>(i)]), formulas.back());
  }
  const Causalized result = causalized(m);
  ASSERT_EQ(result.blocks.size(), 5U);
  ASSERT_EQ(result.states.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(result.blocks[i].kind, Block::Kind::explicit_formula);
    EXPECT_EQ(result.blocks[i].unknowns[0], (Unknown{x[i], 1}));
    EXPECT_EQ(result.blocks[i].formula, formulas[i]);
    EXPECT_EQ(result.derivatives[i], (Unknown{x[i], 1}));
  }
}

TEST(Causalize, SecondOrderGivesTwoStates) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const NodeId mass = m.parameter("m", 2.0);
  m.equation(m.multiply(mass, m.der(x, 2)), m.negate(m.value(x)));
  const Causalized result = causalized(m);
  EXPECT_EQ(result.states, (std::vector<Unknown>{{x, 0}, {x, 1}}));
  EXPECT_EQ(result.derivatives, (std::vector<Unknown>{{x, 1}, {x, 2}}));
  ASSERT_EQ(result.blocks.size(), 1U);
  Values values;
  at(values, x) = 3.0;
  BlockRunner(m.model, values).run(result.blocks);
  EXPECT_EQ(at(values, x, 2), -1.5);
}

TEST(Causalize, ElementsOfArraysStayTogether) {
  // der(x[i]) = y[i] + y[i-1], then y[i] = sin(x[i]): all y first, in order, then all derivatives.
  ModelMaker m;
  constexpr std::size_t kSize = 4;
  std::vector<VariableId> x;
  std::vector<VariableId> y;
  for (std::size_t i = 0; i < kSize; ++i) {
    x.push_back(m.variable("x"));
    y.push_back(m.variable("y"));
  }
  for (std::size_t i = 0; i < kSize; ++i) {
    m.equation(m.der(x[i]), m.add(m.value(y[i]), m.value(y[i == 0 ? 0 : i - 1])));
  }
  for (std::size_t i = 0; i < kSize; ++i) {
    m.equation(m.value(y[i]), m.sin(m.value(x[i])));
  }
  const Causalized result = causalized(m);
  ASSERT_EQ(result.blocks.size(), 2 * kSize);
  for (std::size_t i = 0; i < kSize; ++i) {
    EXPECT_EQ(result.blocks[i].unknowns[0], (Unknown{y[i], 0}));
    EXPECT_EQ(result.blocks[kSize + i].unknowns[0], (Unknown{x[i], 1}));
  }
}

TEST(Causalize, AliasesShrinkTheSystems) {
  // i1 = i2, i2 = -i3, and one equation with all of them: a formula, not a system.
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId i1 = m.variable("i1");
  const VariableId i2 = m.variable("i2");
  const VariableId i3 = m.variable("i3");
  m.equation(m.der(x), m.value(i1));
  m.equation(m.value(i1), m.value(i2));
  m.equation(m.add(m.value(i2), m.value(i3)), m.number(0.0));
  m.equation(m.add(m.multiply(m.number(2.0), m.value(i1)), m.value(x)),
             m.subtract(m.multiply(m.number(3.0), m.value(i3)), m.value(i2)));
  const Causalized result = causalized(m);
  for (const Block& block : result.blocks) {
    EXPECT_EQ(block.kind, Block::Kind::explicit_formula);
  }
  Values values;
  at(values, x) = 6.0;
  BlockRunner(m.model, values).run(result.blocks);
  EXPECT_DOUBLE_EQ(at(values, i1), -1.0);
  EXPECT_DOUBLE_EQ(at(values, i3), 1.0);
  EXPECT_DOUBLE_EQ(at(values, x, 1), -1.0);
  EXPECT_EQ(largest_residual(m.model, values), 0.0);
}

TEST(Causalize, OppositeAliasesSayZero) {
  ModelMaker m;
  const VariableId a = m.variable("a");
  const VariableId b = m.variable("b");
  m.equation(m.value(a), m.value(b));
  m.equation(m.value(a), m.negate(m.value(b)));
  const Causalized result = causalized(m);
  Values values;
  BlockRunner(m.model, values).run(result.blocks);
  EXPECT_EQ(at(values, a), 0.0);
  EXPECT_EQ(at(values, b), 0.0);
}

TEST(Causalize, NonlinearBlocksHaveTheirJacobianAndNoAliases) {
  // a + sin(b) = 1, sin(a) + 2·c = 0.5, c = -b: two equations in a and b (or c).
  ModelMaker m;
  const VariableId a = m.variable("a");
  const VariableId b = m.variable("b");
  const VariableId c = m.variable("c");
  m.equation(m.add(m.value(a), m.sin(m.value(b))), m.number(1.0));
  m.equation(m.add(m.sin(m.value(a)), m.multiply(m.number(2.0), m.value(c))), m.number(0.5));
  m.equation(m.value(c), m.negate(m.value(b)));
  const Causalized result = causalized(m);
  ASSERT_EQ(result.blocks.size(), 2U);
  EXPECT_EQ(result.blocks[0].kind, Block::Kind::nonlinear);
  EXPECT_EQ(result.blocks[0].matrix.size(), 4U);
  Values values;
  BlockRunner(m.model, values).run(result.blocks);
  EXPECT_LT(largest_residual(m.model, values), 1e-14);
}

TEST(Causalize, OneNonlinearEquationIsABlockOfOne) {
  ModelMaker m;
  const VariableId x = m.variable("x", 1.0);
  m.equation(m.multiply(m.value(x), m.value(x)), m.number(2.0));
  const Causalized result = causalized(m);
  ASSERT_EQ(result.blocks.size(), 1U);
  EXPECT_EQ(result.blocks[0].kind, Block::Kind::nonlinear);
  Values values;
  BlockRunner(m.model, values).run(result.blocks);
  EXPECT_DOUBLE_EQ(at(values, x), std::sqrt(2.0));
}

TEST(Causalize, DiscreteVariablesByEquationAndHeldOnes) {
  ModelMaker m;
  const VariableId n = m.variable("n");
  const VariableId k = m.variable("k");
  const VariableId x = m.variable("x");
  m.model.variables[n.index()].variability = flat::Variability::discrete;
  m.model.variables[k.index()].variability = flat::Variability::discrete;
  m.equation(m.value(n), m.add(m.value(k), m.number(1.0)));
  m.equation(m.der(x), m.value(n));
  flat::WhenClause clause;
  clause.branches.emplace_back();
  clause.branches[0].body.assignments.push_back({.variable = k, .value = m.number(2.0), .span = {}});
  m.model.when_clauses.push_back(clause);
  const Causalized result = causalized(m);
  EXPECT_EQ(result.held, (std::vector<VariableId>{k}));
  ASSERT_EQ(result.discrete_equations.size(), 1U);
  EXPECT_EQ(result.discrete_equations[0].variable, n);
  ASSERT_EQ(result.blocks.size(), 1U);
  EXPECT_EQ(result.blocks[0].unknowns[0], (Unknown{x, 1}));
}

TEST(Causalize, AnInputWithoutEquationKeepsItsStart) {
  ModelMaker m;
  const VariableId u = m.variable("u", 4.0);
  const VariableId w = m.variable("w");
  const VariableId x = m.variable("x");
  m.model.variables[u.index()].causality = flat::Causality::input;
  m.model.variables[w.index()].causality = flat::Causality::input;
  m.equation(m.value(w), m.number(5.0));
  m.equation(m.der(x), m.add(m.value(u), m.value(w)));
  const Causalized result = causalized(m);
  Values values;
  BlockRunner(m.model, values).run(result.blocks);
  EXPECT_EQ(at(values, x, 1), 9.0);
  ASSERT_EQ(result.warnings.items().size(), 1U);
  EXPECT_EQ(result.warnings.items()[0].code, "input-without-value");
}

// n = x + 1 with an Integer n: evaluated at events, so between them sin(x) = n gives x; at the start both are unknown.
TEST(Causalize, AnIntegerIsKnownBetweenEventsAndRefusedInALoopAtTheStart) {
  ModelMaker m;
  const VariableId n = m.variable("n");
  const VariableId x = m.variable("x");
  m.model.variables[n.index()].variability = flat::Variability::discrete;
  m.model.variables[n.index()].type = flat::Type::integer;
  m.equation(m.value(n), m.add(m.value(x), m.number(1.0)));
  m.equation(m.sin(m.value(x)), m.value(n));
  const auto result = causalize(m.finish());
  ASSERT_TRUE(result.has_value());
  ASSERT_EQ(result->discrete_equations.size(), 1U);
  EXPECT_EQ(result->discrete_equations[0].variable, n);
  ASSERT_EQ(result->blocks.size(), 1U);
  EXPECT_EQ(result->blocks[0].unknowns[0].variable, x);
  const auto start = initialization(m.model, *result);
  ASSERT_FALSE(start.has_value());
  EXPECT_EQ(start.error().items()[0].code, "discrete-loop");
}

TEST(Causalize, ADiscreteVariableWithoutEquationIsNamed) {
  ModelMaker m;
  const VariableId n = m.variable("n");
  const VariableId x = m.variable("x");
  m.model.variables[n.index()].variability = flat::Variability::discrete;
  m.equation(m.der(x), m.value(x));
  const auto result = causalize(m.finish());
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().items()[0].code, "too-few-equations");
  EXPECT_NE(result.error().items()[0].message.find("n occurs in no equation"), std::string::npos);
}

// A common equation der(p) = v; `v` is a state in the first mode and algebraic in the second, which has its own z.
TEST(Causalize, ModesHaveTheirOwnEquationsStatesAndVariables) {
  ModelMaker m;
  const VariableId p = m.variable("p", 1.0);
  const VariableId v = m.variable("v", 0.0);
  const VariableId z = m.variable("z");
  m.equation(m.der(p), m.value(v));
  m.model.modes.resize(2);
  m.model.modes[0].name = "free";
  m.model.modes[0].equations.push_back({m.der(v), m.number(-1.0), {}});
  m.model.modes[1].name = "held";
  m.model.modes[1].variables = {z};
  m.model.variables[z.index()].mode = ModeId(1U);
  m.model.modes[1].equations.push_back({m.value(v), m.number(2.0), {}});
  m.model.modes[1].equations.push_back({m.value(z), m.multiply(m.value(v), m.value(p)), {}});
  m.finish();
  const auto free = causalize(m.model, ModeId(0U));
  ASSERT_TRUE(free.has_value());
  EXPECT_EQ(free->states.size(), 2U);
  const auto held = causalize(m.model, ModeId(1U));
  ASSERT_TRUE(held.has_value());
  ASSERT_EQ(held->states.size(), 1U);
  Values values;
  values[{p.index(), 0}] = 3.0;
  BlockRunner(m.model, values).run(held->blocks);
  EXPECT_EQ(at(values, z), 6.0);
  EXPECT_EQ(at(values, p, 1), 2.0);
}

TEST(Causalize, ErrorsNameTheMode) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  m.model.modes.resize(1);
  m.model.modes[0].name = "lost";
  m.equation(m.der(x), m.number(1.0));
  m.equation(m.number(0.0), m.number(1.0), "0 = 1");
  m.finish();
  const auto result = causalize(m.model, ModeId(0U));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().items()[0].message.rfind("in mode 'lost': ", 0), 0U);
}

TEST(Causalize, AModelWithoutEquationsHasNoBlocks) {
  ModelMaker m;
  const Causalized result = causalized(m);
  EXPECT_TRUE(result.blocks.empty());
  EXPECT_TRUE(result.states.empty());
}

// Random linear systems with chosen solution: sparse rows, some of them aliases, in random order. Every order of the
// equations gives the same solution up to rounding.
TEST(Causalize, RandomLinearSystemsAreSolvedInAnyOrder) {
  constexpr unsigned kSeed = 99;
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> coefficient(-1.0, 1.0);
  for (int trial = 0; trial < 60; ++trial) {
    SCOPED_TRACE(trial);
    ModelMaker m;
    constexpr std::size_t kSize = 14;
    std::vector<VariableId> z;
    std::vector<double> solution;
    for (std::size_t i = 0; i < kSize; ++i) {
      z.push_back(m.variable("z"));
      solution.push_back(i % 5 == 4 ? -solution[i - 1] : coefficient(random));
    }
    std::uniform_int_distribution<std::size_t> any(0, kSize - 1);
    for (std::size_t i = 0; i < kSize; ++i) {
      if (i % 5 == 4) {
        m.equation(m.value(z[i]), m.negate(m.value(z[i - 1])));
        continue;
      }
      // A dominant coefficient keeps every such system regular.
      NodeId left = m.multiply(m.number(4.0 + coefficient(random)), m.value(z[i]));
      double right = m.model.graph[NodeId(m.model.graph[left].first)].value * solution[i];
      for (int k = 0; k < 2; ++k) {
        const std::size_t j = any(random);
        const double factor = coefficient(random);
        left = m.add(left, m.multiply(m.number(factor), m.value(z[j])));
        right += factor * solution[j];
      }
      m.equation(left, m.number(right));
    }
    for (int order = 0; order < 3; ++order) {
      std::shuffle(m.model.equations.begin(), m.model.equations.end(), random);
      const Causalized result = causalized(m);
      Values values;
      BlockRunner(m.model, values).run(result.blocks);
      for (std::size_t i = 0; i < kSize; ++i) {
        EXPECT_NEAR(at(values, z[i]), solution[i], 1e-12);
      }
    }
  }
}

}  // namespace
}  // namespace saltus::structure
