#include "structure/match/signature.hpp"

#include <gtest/gtest.h>

#include "unit/structure/model_maker.hpp"

namespace saltus::structure {
namespace {

TEST(Signature, HighestOrderOfEachVariableInBothSides) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId hidden = m.variable("hidden");
  const VariableId y = m.variable("y");
  m.equation(m.add(m.der(x), m.value(y)), m.multiply(m.der(x, 3), m.value(hidden)));
  m.equation(m.der(y), m.model.graph.time());
  const std::vector<std::uint32_t> columns = {0, kNone, 1};
  const Signature signature = find_signature(m.model.graph, m.model.equations, columns, 2);
  EXPECT_EQ(signature.row_starts, (std::vector<std::uint32_t>{0, 2, 3}));
  EXPECT_EQ(signature.columns, (std::vector<std::uint32_t>{0, 1, 1}));
  EXPECT_EQ(signature.orders, (std::vector<int>{3, 0, 1}));
  EXPECT_EQ(any_order(signature).row(0).size(), 2U);
}

// A relation jumps: its derivative contains nothing of what it compares.
TEST(Signature, WhatIsInsideRelationsDoesNotCount) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y");
  expr::Graph& graph = m.model.graph;
  const NodeId relation = graph.binary(expr::Op::less, m.value(x), m.number(1.0));
  m.equation(m.value(y), graph.select(relation, m.number(1.0), m.der(y)));
  const std::vector<std::uint32_t> columns = {0, 1};
  const Signature signature = find_signature(graph, m.model.equations, columns, 2);
  EXPECT_EQ(signature.columns, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(signature.orders, (std::vector<int>{1}));
}

}  // namespace
}  // namespace saltus::structure
