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

// y = u, whose rate is said to be w + der(v)·1: the derivative of the equation contains w and the second derivative of v, but in the equation
// itself they do not occur, so that they count one order less.
TEST(Signature, GivenRatesCountOneOrderLess) {
  ModelMaker m;
  const VariableId y = m.variable("y");
  const VariableId u = m.variable("u");
  const VariableId v = m.variable("v");
  const VariableId w = m.variable("w");
  expr::Graph& graph = m.model.graph;
  const NodeId along_time = graph.rated(m.value(u), m.add(m.value(w), m.der(v, 2)), graph.time(), true);
  m.equation(m.value(y), along_time);
  // Second derivatives: the slope is rated in its turn.
  m.equation(m.value(y), graph.rated(m.value(u), graph.rated(m.value(v), m.value(w), graph.time(), true),
                                     graph.time(), true));
  // A variable that occurs in both ways has the higher order.
  m.equation(m.value(y), m.add(along_time, m.value(w)));
  const std::vector<std::uint32_t> columns = {0, 1, 2, 3};
  const Signature signature = find_signature(graph, m.model.equations, columns, 4);
  EXPECT_EQ(signature.columns, (std::vector<std::uint32_t>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}));
  EXPECT_EQ(signature.orders, (std::vector<int>{0, 0, 1, -1, 0, 0, -1, -2, 0, 0, 1, 0}));
}

}  // namespace
}  // namespace saltus::structure
