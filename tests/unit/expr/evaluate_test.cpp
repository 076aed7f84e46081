#include "expr/evaluate.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace saltus::expr {
namespace {

TEST(Evaluate, ReadsEveryKindOfLeaf) {
  Graph g;
  const std::array<NodeId, 8> nodes = {g.time(),
                                       g.variable(VariableId(1U)),
                                       g.variable(VariableId(1U), 1),
                                       g.variable(VariableId(0U), 2),
                                       g.parameter(ParameterId(0U)),
                                       g.condition(ConditionId(1U)),
                                       g.previous(VariableId(0U)),
                                       g.parameter(ParameterId(7U))};
  const std::array<double, 2> variables = {2, 3};
  const std::array<double, 2> derivatives = {4, 5};
  const std::array<double, 1> parameters = {6};
  const std::array<double, 2> conditions = {0, 1};
  const std::array<double, 1> previous = {8};
  LeafValues leaves{.time = 1.5,
                    .variables = variables,
                    .derivatives = derivatives,
                    .parameters = parameters,
                    .conditions = conditions,
                    .previous = previous,
                    .other = [](const Node& leaf) { return leaf.op == Op::variable ? 9.0 : 10.0; }};
  EXPECT_EQ(evaluate(g, nodes, leaves), (std::vector<double>{1.5, 3, 5, 9, 6, 1, 8, 10}));
  leaves.other = nullptr;
  EXPECT_TRUE(std::isnan(evaluate(g, nodes[3], leaves)));
}

TEST(Evaluate, SideNotSelectedDoesNotLeak) {
  Graph g;
  const NodeId x = g.variable(VariableId(0U));
  const NodeId root = g.select(g.condition(ConditionId(0U)), g.unary(Op::log, x), x);
  const std::array<double, 1> variables = {-1};
  const std::array<double, 1> conditions = {0};
  EXPECT_EQ(evaluate(g, root, {.variables = variables, .conditions = conditions}), -1);
}

TEST(Evaluate, DeepChainNeedsNoStack) {
  Graph g;
  const NodeId x = g.variable(VariableId(0U));
  NodeId node = x;
  const int n = 300000;
  for (int i = 0; i < n; ++i) {
    node = g.add(g.multiply(node, x), x);
  }
  const std::array<double, 1> one = {1};
  EXPECT_EQ(evaluate(g, node, {.variables = one}), n + 1);
  Evaluator evaluator(g, {.variables = one});
  EXPECT_EQ(evaluator(node), n + 1);
}

TEST(Evaluate, EvaluatorUsesValuesFoundMeanwhile) {
  Graph g;
  std::array<double, 3> parameters = {2, 0, 0};
  const NodeId p0 = g.parameter(ParameterId(0U));
  const NodeId p1 = g.parameter(ParameterId(1U));
  Evaluator evaluator(g, {.parameters = parameters});
  parameters[1] = evaluator(g.multiply(p0, p0));
  parameters[2] = evaluator(g.add(g.multiply(p0, p0), p1));
  EXPECT_EQ(parameters[2], 8);
}

}  // namespace
}  // namespace saltus::expr
