#include "expr/dependency.hpp"

#include <gtest/gtest.h>

#include <array>

#include "expr/sparsity.hpp"

namespace saltus::expr {
namespace {

TEST(Dependency, KindsAndLeaves) {
  Graph g;
  const NodeId x = g.variable(VariableId(0U));
  const NodeId dx = g.variable(VariableId(0U), 1);
  const NodeId p = g.parameter(ParameterId(0U));
  const NodeId node = g.add(g.multiply(p, g.unary(Op::sin, dx)), g.constant(2));
  EXPECT_EQ(dependency_kinds(g, node), Kinds::parameter | Kinds::derivative);
  EXPECT_FALSE(has(dependency_kinds(g, node), Kinds::variable | Kinds::time));
  EXPECT_EQ(dependency_kinds(g)[node.index()], Kinds::parameter | Kinds::derivative);
  EXPECT_EQ(dependency_kinds(g, g.select(g.condition(ConditionId(0U)), g.time(), g.previous(VariableId(0U)))),
            Kinds::condition | Kinds::time | Kinds::previous);
  EXPECT_EQ(leaves_of(g, std::array<NodeId, 1>{node}), (std::vector<NodeId>{dx, p}));
  EXPECT_TRUE(depends_on(g, node, p));
  EXPECT_TRUE(depends_on(g, node, node));
  EXPECT_FALSE(depends_on(g, node, x));
}

TEST(Sparsity, FindsVariablesWhereDerivativesFlow) {
  Graph g;
  const auto x = [&](std::uint32_t i, int k = 0) { return g.variable(VariableId(i), k); };
  const NodeId chosen = g.select(g.binary(Op::less, x(4), x(3)), x(2, 1), x(1));
  const NodeId stepped = g.unary(Op::floor, x(5));
  const std::array<NodeId, 2> row = {g.add(chosen, x(2)), g.multiply(stepped, x(0))};
  IncidenceFinder find(g);
  const auto list = [](std::span<const NodeId> nodes) {
    return std::vector<NodeId>(nodes.begin(), nodes.end());
  };
  EXPECT_EQ(list(find(row, Occurrence::any)),
            (std::vector<NodeId>{x(0), x(1), x(2), x(2, 1), x(3), x(4), x(5)}));
  EXPECT_EQ(list(find(row, Occurrence::differentiable)), (std::vector<NodeId>{x(0), x(1), x(2), x(2, 1)}));
  const std::array<NodeId, 1> switched = {g.select(x(6), x(1), x(2))};
  EXPECT_EQ(list(find(switched, Occurrence::differentiable)), (std::vector<NodeId>{x(1), x(2)}));
  EXPECT_EQ(list(find(switched, Occurrence::any)), (std::vector<NodeId>{x(1), x(2), x(6)}));
  EXPECT_TRUE(find(std::array<NodeId, 1>{g.time()}, Occurrence::any).empty());
}

}  // namespace
}  // namespace saltus::expr
