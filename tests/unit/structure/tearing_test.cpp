// Blocks without the unknowns that an equation gives outright: same solutions, fewer unknowns together, matrices as singular as before.
#include "structure/index/tearing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "expr/dependency.hpp"
#include "structure/index/elimination.hpp"
#include "unit/structure/causalized_model.hpp"

namespace saltus::structure {
namespace {

std::size_t most_together(const Causalized& result) {
  std::size_t most = 0;
  for (const Block& block : result.blocks) {
    if (block.kind != Block::Kind::explicit_formula) {
      most = std::max(most, block.unknowns.size());
    }
  }
  return most;
}

TEST(Tearing, NamesOfOtherQuantitiesLeaveALinearBlock) {
  // Two conductances on a source with a resistance: the currents are names.
  ModelMaker m;
  const NodeId g1 = m.parameter("g1", 0.3);
  const NodeId g2 = m.parameter("g2", 0.7);
  const NodeId r = m.parameter("r", 2.0);
  const VariableId a = m.variable("a");
  const VariableId i1 = m.variable("i1");
  const VariableId i2 = m.variable("i2");
  const VariableId line = m.variable("line");
  m.equation(m.value(i1), m.multiply(g1, m.value(a)));
  m.equation(m.multiply(g2, m.value(a)), m.value(i2));
  m.equation(m.value(line), m.add(m.value(i1), m.value(i2)));
  m.equation(m.number(5.0), m.add(m.multiply(r, m.value(line)), m.multiply(m.number(3.0), m.value(a))));
  const Causalized result = causalized(m);
  // i1 becomes g1·a; i2 and line would bring a where it is already: they stay.
  ASSERT_EQ(result.blocks.size(), 2U);
  EXPECT_EQ(result.blocks[0].kind, Block::Kind::linear);
  EXPECT_EQ(names(m.model, result.blocks[0].unknowns).size(), 3U);
  EXPECT_EQ(result.blocks[0].n_formulas, 1U);
  EXPECT_EQ(result.blocks[1].unknowns[0], (Unknown{i1, 0}));
  Values values;
  BlockRunner(m.model, values).run(result.blocks);
  EXPECT_NEAR(at(values, a), 1.0, 1e-15);
  EXPECT_LT(largest_residual(m.model, values), 1e-15);
}

TEST(Tearing, NonlinearBlocksKeepWhatHasAGuess) {
  // y = exp(x) is a name, unless it has a start value; then x = 3 - z is one.
  const auto unknowns_of = [](bool with_guess) {
    ModelMaker m;
    const VariableId x = m.variable("x");
    const VariableId y = with_guess ? m.variable("y", 3.0) : m.variable("y");
    const VariableId z = m.variable("z");
    m.equation(m.value(y), m.model.graph.unary(expr::Op::exp, m.value(x)));
    m.equation(m.add(m.value(x), m.value(z)), m.number(3.0));
    m.equation(m.multiply(m.value(z), m.value(z)), m.value(y));
    const Causalized result = causalized(m);
    Values values;
    BlockRunner(m.model, values).run(result.blocks);
    EXPECT_LT(largest_residual(m.model, values), 1e-14);
    for (const Block& block : result.blocks) {
      if (block.kind == Block::Kind::nonlinear) {
        return names(m.model, block.unknowns);
      }
    }
    return std::vector<std::string>{};
  };
  EXPECT_EQ(unknowns_of(true), (std::vector<std::string>{"z", "y"}));
  EXPECT_EQ(unknowns_of(false), (std::vector<std::string>{"x", "z"}));
}

TEST(Tearing, WhatWouldCancelIsLeftInTheMatrix) {
  // i = g·a, j = h·a, i - j = 0: with g = h the matrix is singular, and g - h must not be a coefficient of its own.
  ModelMaker m;
  const NodeId g = m.parameter("g", 0.1 + 0.2);
  const NodeId h = m.parameter("h", 0.3);
  const VariableId a = m.variable("a");
  const VariableId i = m.variable("i");
  const VariableId j = m.variable("j");
  m.equation(m.value(i), m.multiply(g, m.value(a)));
  m.equation(m.value(j), m.multiply(h, m.value(a)));
  m.equation(m.subtract(m.value(i), m.value(j)), m.number(0.0));
  const Causalized result = causalized(m);
  ASSERT_EQ(most_together(result), 2U);
  for (const MatrixEntry& entry : result.blocks[0].matrix) {
    EXPECT_NE(m.model.graph[entry.value].op, expr::Op::subtract);
    EXPECT_NE(m.model.graph[entry.value].op, expr::Op::add);
  }
}

TEST(Tearing, DerivativesOfStatesStay) {
  // Three equations in der(x), der(y) and f; two of them have a derivative or f with the factor 1.
  ModelMaker m;
  const VariableId x = m.variable("x", 1.0);
  const VariableId y = m.variable("y", 1.0);
  const VariableId f = m.variable("f");
  m.equation(m.der(x), m.add(m.value(f), m.value(y)));
  m.equation(m.add(m.value(f), m.multiply(m.number(2.0), m.der(y))), m.value(x));
  m.equation(m.value(f),
             m.subtract(m.multiply(m.number(4.0), m.der(y)), m.multiply(m.number(3.0), m.der(x))));
  const Causalized result = causalized(m);
  std::set<std::string> given;
  for (const Block& block : result.blocks) {
    if (block.kind == Block::Kind::explicit_formula) {
      given.insert(name_of(m.model, block.unknowns[0]));
    }
  }
  EXPECT_EQ(given.count("der(x)") + given.count("der(y)"), 0U);
  Values values;
  at(values, x) = 0.3;
  at(values, y) = -0.4;
  BlockRunner(m.model, values).run(result.blocks);
  EXPECT_LT(largest_residual(m.model, values), 1e-15);
}

// Seeded sparse systems with many coefficients ±1: the same solution, every equation and every unknown once, formulas after what they need.
TEST(Tearing, RandomLinearBlocks) {
  std::mt19937 random(20261115);
  SCOPED_TRACE("seed 20261115");
  std::size_t n_formulas = 0;
  for (int trial = 0; trial < 200; ++trial) {
    ModelMaker m;
    const std::size_t n = 3 + random() % 12;
    std::vector<VariableId> x;
    for (std::size_t i = 0; i < n; ++i) {
      x.push_back(m.variable("x" + std::to_string(i)));
    }
    for (std::size_t i = 0; i < n; ++i) {
      // The diagonal keeps the matrix regular, the next column makes one block of all.
      NodeId sum = m.multiply(m.number(random() % 2 == 0 ? 1.0 : 6.5), m.value(x[i]));
      for (const std::size_t j : {(i + 1) % n, random() % n}) {
        const double coefficient = random() % 2 == 0 ? -1.0 : 0.25 * static_cast<double>(1 + random() % 7);
        sum = m.add(sum, m.multiply(m.number(coefficient), m.value(x[j])));
      }
      m.equation(sum, m.number(static_cast<double>(i) - 2.5));
    }
    auto result = causalize(m.finish());
    if (!result || result->needs_ranks) {
      continue;  // coefficients that cancel
    }
    std::set<Unknown> seen;
    for (const Block& block : result->blocks) {
      n_formulas += block.n_formulas;
      if (block.kind == Block::Kind::explicit_formula) {
        for (const NodeId leaf : expr::leaves_of(m.model.graph, std::span(&block.formula, 1))) {
          const expr::Node& node = m.model.graph[leaf];
          EXPECT_TRUE(seen.contains({VariableId(node.first), static_cast<int>(node.second)}));
        }
      }
      seen.insert(block.unknowns.begin(), block.unknowns.end());
    }
    EXPECT_EQ(seen.size(), n);
    Values values;
    BlockRunner(m.model, values).run(result->blocks);
    EXPECT_LT(largest_residual(m.model, values), 1e-9) << "trial " << trial;
  }
  EXPECT_GT(n_formulas, 400U);
}

// A chain of n rows over two columns each is given from its end on, in a time linear in n.
TEST(Tearing, LongChains) {
  constexpr std::uint32_t kSize = 20000;
  std::vector<std::vector<EliminationEntry>> rows(kSize);
  for (std::uint32_t i = 0; i + 1 < kSize; ++i) {
    rows[i] = {{i, 1.0, {}}, {i + 1, 0.0, {}}};
  }
  rows[kSize - 1] = {{0, 0.0, {}}, {kSize - 1, 0.0, {}}};
  Elimination elimination(rows, std::vector<std::uint8_t>(kSize, 1));
  elimination.run([](const auto&...) {});
  const std::vector<std::uint32_t> order = elimination.order_of_formulas(rows);
  // The last row closes the circle: its two unknowns must not meet in one row.
  EXPECT_EQ(order.size(), kSize - 2U);
  EXPECT_EQ(order.front(), kSize - 3U);
}

}  // namespace
}  // namespace saltus::structure
