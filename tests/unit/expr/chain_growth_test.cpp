// Chains y[k] = f(y[k-1]) in which y[k-1] stands twice: short as graphs, exponential as texts. Observed is the number of nodes, which
// must grow with the length of the chain and not faster.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "expr/derivative.hpp"
#include "expr/jacobian.hpp"
#include "expr/print.hpp"
#include "expr/taylor.hpp"

namespace saltus::expr {
namespace {

using Link = std::function<NodeId(Graph&, NodeId)>;

struct Chain {
  std::string name;
  Link next;
};

void PrintTo(const Chain& chain, std::ostream* out) {
  *out << chain.name;
}

NodeId end_of_chain(Graph& graph, const Link& next, int n) {
  NodeId y = graph.variable(VariableId(0U));
  for (int k = 0; k < n; ++k) {
    y = next(graph, y);
  }
  return y;
}

class ChainGrowth : public ::testing::TestWithParam<Chain> {
 protected:
  // Nodes that `work` adds to a chain of n links.
  std::size_t added(int n, const std::function<void(Graph&, NodeId)>& work) {
    Graph graph;
    const NodeId y = end_of_chain(graph, GetParam().next, n);
    const std::size_t before = graph.size();
    work(graph, y);
    return graph.size() - before;
  }

  void expect_linear(const std::function<void(Graph&, NodeId)>& work) {
    const std::size_t short_chain = added(20, work);
    EXPECT_GT(short_chain, 0U);
    EXPECT_LT(added(80, work), 5 * short_chain + 100);
  }
};

TEST_P(ChainGrowth, FirstDerivativeInTime) {
  expect_linear([](Graph& graph, NodeId y) { (void)TaylorExpansion(graph, {}).total_derivative(y, 1); });
}

TEST_P(ChainGrowth, SecondDerivativeInTime) {
  expect_linear([](Graph& graph, NodeId y) { (void)TaylorExpansion(graph, {}).total_derivative(y, 2); });
}

TEST_P(ChainGrowth, DerivativeOfADerivative) {
  expect_linear([](Graph& graph, NodeId y) {
    const NodeId once = TaylorExpansion(graph, {}).total_derivative(y, 1);
    (void)TaylorExpansion(graph, {}).total_derivative(once, 1);
  });
}

TEST_P(ChainGrowth, ForwardAndReverseDerivatives) {
  expect_linear([](Graph& graph, NodeId y) { (void)derivative(graph, y, graph.variable(VariableId(0U))); });
  expect_linear([](Graph& graph, NodeId y) {
    const NodeId leaf = graph.variable(VariableId(0U));
    (void)gradient(graph, y, {&leaf, 1});
  });
}

TEST_P(ChainGrowth, TextsEnd) {
  Graph graph;
  const NodeId y = end_of_chain(graph, GetParam().next, 200);
  EXPECT_LT(print(graph, TaylorExpansion(graph, {}).total_derivative(y, 1)).size(), 2 * kDefaultPrintLimit);
}

INSTANTIATE_TEST_SUITE_P(
    Links, ChainGrowth,
    ::testing::Values(
        Chain{"product", [](Graph& g, NodeId y) { return g.multiply(y, g.unary(Op::sin, y)); }},
        Chain{"quotient", [](Graph& g, NodeId y) { return g.divide(y, g.add(g.unary(Op::exp, y), y)); }},
        Chain{"nested",
              [](Graph& g, NodeId y) { return g.unary(Op::sin, g.unary(Op::exp, g.unary(Op::cos, y))); }},
        Chain{"power", [](Graph& g, NodeId y) { return g.power(g.add(y, g.constant(2.0)), y); }},
        Chain{"root",
              [](Graph& g, NodeId y) {
                return g.unary(Op::sqrt, g.add(g.multiply(y, y), g.unary(Op::abs, y)));
              }},
        Chain{"choice",
              [](Graph& g, NodeId y) {
                return g.select(g.binary(Op::less, y, g.unary(Op::sin, y)), g.multiply(y, y), g.negate(y));
              }},
        Chain{
            "smaller",
            [](Graph& g, NodeId y) { return g.binary(Op::minimum, g.unary(Op::sin, y), g.multiply(y, y)); }},
        Chain{"compound_choice",
              [](Graph& g, NodeId y) {
                const NodeId a = g.binary(Op::less, y, g.constant(1.0));
                const NodeId b = g.binary(Op::less, g.unary(Op::cos, y), y);
                return g.select(g.binary(Op::logical_or, a, g.unary(Op::logical_not, b)), g.unary(Op::sin, y),
                                y);
              }}),
    [](const auto& chain) { return chain.param.name; });

}  // namespace
}  // namespace saltus::expr
