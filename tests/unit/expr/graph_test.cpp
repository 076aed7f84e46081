#include "expr/graph.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "expr/traversal.hpp"

namespace saltus::expr {
namespace {

TEST(Graph, EqualNodesHaveEqualIds) {
  Graph g;
  const NodeId x = g.variable(VariableId(3U));
  EXPECT_EQ(g.variable(VariableId(3U)), x);
  EXPECT_NE(g.variable(VariableId(3U), 1), x);
  EXPECT_NE(g.previous(VariableId(3U)), x);
  EXPECT_EQ(g.unary(Op::sin, x), g.unary(Op::sin, x));
  EXPECT_NE(g.constant(0.0), g.constant(-0.0));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(g.constant(nan), g.constant(nan));
}

TEST(Graph, ManyNodesStayDistinctAndOrdered) {
  Graph g;
  NodeId last = g.time();
  std::vector<NodeId> ids;
  for (std::uint32_t i = 0; i < 5000; ++i) {
    last = g.add(g.unary(Op::sin, last), g.parameter(ParameterId(i)));
    ids.push_back(last);
  }
  const std::size_t size = g.size();
  EXPECT_EQ(size, 1U + 3U * 5000U);
  last = g.time();
  for (std::uint32_t i = 0; i < 5000; ++i) {
    last = g.add(g.unary(Op::sin, last), g.parameter(ParameterId(i)));
    EXPECT_EQ(last, ids[i]);
  }
  EXPECT_EQ(g.size(), size);
  for (std::size_t id = 0; id < size; ++id) {
    const Node& node = g[NodeId(id)];
    for (int i = 0; i < n_operands(node.op); ++i) {
      EXPECT_LT(node.operand(i), id);
    }
  }
}

TEST(Graph, NamesAndOperandCounts) {
  EXPECT_EQ(n_operands(Op::previous), 0);
  EXPECT_EQ(n_operands(Op::negate), 1);
  EXPECT_EQ(n_operands(Op::truncate), 1);
  EXPECT_EQ(n_operands(Op::atan2), 2);
  EXPECT_EQ(n_operands(Op::power_integer), 2);
  EXPECT_EQ(n_operands(Op::logical_not), 1);
  EXPECT_EQ(n_operands(Op::select), 3);
  EXPECT_EQ(name_of(Op::tanh), "tanh");
  EXPECT_EQ(name_of(Op::maximum), "max");
  EXPECT_EQ(name_of(Op::not_equal), "<>");
  EXPECT_EQ(name_of(Op::logical_not), "not");
}

TEST(Traversal, FindsWhatIsNeededInBothWays) {
  Graph g;
  const NodeId x = g.time();
  std::vector<NodeId> chain = {x};
  for (std::uint32_t i = 0; i < 9999; ++i) {
    chain.push_back(g.unary(Op::sin, chain.back()));
    static_cast<void>(g.parameter(ParameterId(i)));  // not needed by anything
  }
  const std::vector<NodeId> few =
      needed_nodes(g, std::vector<NodeId>{chain[20], chain[3], NodeId(), chain[20]});
  EXPECT_EQ(few, std::vector<NodeId>(chain.begin(), chain.begin() + 21));
  EXPECT_EQ(needed_nodes(g, std::vector<NodeId>{chain.back()}), chain);
  EXPECT_EQ(needed_nodes(g, chain), chain);
  EXPECT_TRUE(needed_nodes(g, {}).empty());
}

}  // namespace
}  // namespace saltus::expr
