#include "structure/index/generic_rank.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/structure/model_maker.hpp"

namespace saltus::structure {
namespace {

Block block_of(ModelMaker& m, const std::vector<std::vector<NodeId>>& rows) {
  Block block;
  block.kind = Block::Kind::linear;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    block.unknowns.push_back({.variable = VariableId(i), .order = 1});
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      block.matrix.push_back(
          {.row = static_cast<int>(i), .column = static_cast<int>(j), .value = rows[i][j]});
    }
    block.right_side.push_back(m.number(0.0));
  }
  return block;
}

bool is_singular(ModelMaker& m, const std::vector<std::vector<NodeId>>& rows) {
  const std::vector<Block> blocks = {block_of(m, rows)};
  return !singular_blocks(m.model.graph, blocks, nominal_numbers(m.model)).empty();
}

TEST(GenericRank, RoundedMultiplesAreDependent) {
  ModelMaker m;
  // Three rows, each the sum of multiples of two others: 0.1·0.3 and the like are rounded.
  const std::vector<double> a = {0.1, 0.7, 1.3};
  const std::vector<double> b = {0.9, -0.2, 0.6};
  std::vector<std::vector<NodeId>> rows(3);
  for (std::size_t j = 0; j < 3; ++j) {
    rows[0].push_back(m.number(0.3 * a[j] + 0.49 * b[j]));
    rows[1].push_back(m.number(0.7 * a[j] - 1.1 * b[j]));
    rows[2].push_back(m.number(0.6 * a[j] + 0.2 * b[j]));
  }
  EXPECT_TRUE(is_singular(m, rows));
  rows[2][2] = m.number(0.6 * a[2] + 0.2 * b[2] + 1e-9);
  EXPECT_FALSE(is_singular(m, rows));
}

TEST(GenericRank, SizesOfRowsAndColumnsDoNotMatter) {
  ModelMaker m;
  const std::vector<std::vector<double>> a = {{1.0, 2.0}, {3.0, 4.0}};
  for (const double row : {1e-30, 1.0, 1e30}) {
    for (const double column : {1e-30, 1.0, 1e30}) {
      EXPECT_FALSE(is_singular(m, {{m.number(a[0][0] * row), m.number(a[0][1] * row * column)},
                                   {m.number(a[1][0]), m.number(a[1][1] * column)}}));
    }
  }
}

// 1 + a³ beside 1 + b³: in units of 1e-9 both are 1 at values of the size of 1.
TEST(GenericRank, VariablesAreMeasuredInTheirNominalValues) {
  ModelMaker m;
  const auto cube_in_small_units = [&](const std::string& name) {
    const VariableId variable = m.variable(name);
    m.model.variables[variable.index()].nominal = m.number(1e9);
    const NodeId x = m.multiply(m.number(1e-9), m.value(variable));
    return m.add(m.number(1.0), m.multiply(m.multiply(x, x), x));
  };
  const std::vector<std::vector<NodeId>> rows = {{m.number(1.0), m.number(1.0)},
                                                 {cube_in_small_units("a"), cube_in_small_units("b")}};
  EXPECT_FALSE(is_singular(m, rows));
  m.model.variables[0].nominal = m.number(1.0);
  m.model.variables[1].nominal = m.number(1.0);
  EXPECT_TRUE(is_singular(m, rows));
}

TEST(GenericRank, DependenceMayTurnWithTheStates) {
  ModelMaker m;
  const NodeId x = m.value(m.variable("x"));
  const NodeId y = m.value(m.variable("y"));
  const NodeId s = m.sin(x);
  // The second row is sin(x)·y times the first.
  EXPECT_TRUE(is_singular(
      m,
      {{m.number(0.3), s}, {m.multiply(m.number(0.3), m.multiply(s, y)), m.multiply(y, m.multiply(s, s))}}));
  EXPECT_FALSE(is_singular(m, {{m.number(0.3), s}, {m.multiply(s, y), m.multiply(y, m.multiply(s, s))}}));
}

TEST(GenericRank, AChoiceThatIsRegularOnOneSideIsRegular) {
  ModelMaker m;
  const NodeId c = m.model.graph.condition(ConditionId(std::size_t{0}));
  const NodeId entry = m.model.graph.select(c, m.number(1.0), m.number(2.0));
  EXPECT_FALSE(is_singular(m, {{m.number(1.0), m.number(1.0)}, {m.number(1.0), entry}}));
}

// d/dx of max(x - 5, 0) and of tanh(1000·(x - 1)) vanish at many points.
TEST(GenericRank, ASaturationIsNoSingularity) {
  ModelMaker m;
  expr::Graph& graph = m.model.graph;
  const NodeId x = m.value(m.variable("x"));
  const NodeId above =
      graph.select(graph.binary(expr::Op::less, m.number(5.0), x), m.number(1.0), m.number(0.0));
  EXPECT_FALSE(is_singular(m, {{above, m.number(0.0)}, {m.number(1.0), m.number(1.0)}}));
  const NodeId law = graph.unary(expr::Op::tanh, m.multiply(m.number(1000.0), x));
  const NodeId slope = m.subtract(m.number(1.0), m.multiply(law, law));
  EXPECT_FALSE(is_singular(m, {{slope, m.number(0.0)}, {m.number(1.0), m.number(1.0)}}));
}

TEST(GenericRank, WhatHasNoValueIsLeftToRuns) {
  ModelMaker m;
  const NodeId root = m.model.graph.unary(expr::Op::sqrt, m.negate(m.value(m.variable("x"))));
  EXPECT_FALSE(is_singular(m, {{root, root}, {root, root}}));
}

}  // namespace
}  // namespace saltus::structure
