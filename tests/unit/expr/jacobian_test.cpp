#include "expr/jacobian.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "expr/derivative.hpp"
#include "expr/evaluate.hpp"
#include "unit/expr/random_expression.hpp"

namespace saltus::expr {
namespace {

TEST(Jacobian, StoresOnlyWhatDepends) {
  Graph g;
  const NodeId x = g.variable(VariableId(0U));
  const NodeId y = g.variable(VariableId(1U));
  const NodeId z = g.variable(VariableId(2U));
  const std::vector<NodeId> rows = {g.add(g.multiply(y, y), x), g.time(), g.unary(Op::floor, z),
                                    g.multiply(z, y)};
  const std::vector<NodeId> leaves = {z, y, x};
  for (const Accumulation mode : {Accumulation::forward, Accumulation::reverse, Accumulation::cheaper}) {
    const SparseJacobian result = jacobian(g, rows, leaves, mode);
    EXPECT_EQ(result.row_start, (std::vector<std::size_t>{0, 2, 2, 2, 4}));
    EXPECT_EQ(result.column, (std::vector<std::uint32_t>{1, 2, 0, 1}));
    EXPECT_EQ(result.value[1], g.constant(1));
    EXPECT_EQ(result.value[2], y);
    EXPECT_EQ(result.value[3], z);
  }
}

TEST(JacobianProperty, ModesAgreeWithSingleDerivatives) {
  const std::vector<Op> operations = {Op::constant, Op::add, Op::subtract, Op::multiply, Op::sin,
                                      Op::minimum,  Op::exp, Op::select,   Op::less,     Op::power_integer};
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Graph g;
    const std::vector<NodeId> nodes = random_recipe(seed, 4, 30, operations).build(g, true);
    const std::vector<NodeId> leaves(nodes.begin(), nodes.begin() + 4);
    const std::vector<NodeId> rows(nodes.end() - 6, nodes.end());
    const std::array<double, 4> variables = {0.4, -0.3, 1.1, 0.2};
    const std::array<double, 1> parameters = {0.7};
    const LeafValues values{.time = 0.3, .variables = variables, .parameters = parameters};
    for (const Accumulation mode : {Accumulation::forward, Accumulation::reverse}) {
      const SparseJacobian result = jacobian(g, rows, leaves, mode);
      for (std::size_t row = 0; row < rows.size(); ++row) {
        std::array<double, 4> dense = {0, 0, 0, 0};
        for (std::size_t e = result.row_start[row]; e < result.row_start[row + 1]; ++e) {
          dense[result.column[e]] = evaluate(g, result.value[e], values);
        }
        for (std::size_t i = 0; i < leaves.size(); ++i) {
          const double expected = evaluate(g, derivative(g, rows[row], leaves[i]), values);
          if (std::isfinite(expected)) {
            EXPECT_NEAR(dense[i], expected, 1e-12 * (1 + std::abs(expected)))
                << seed << ' ' << row << ' ' << i;
          }
        }
      }
    }
  }
}

// A node shared by all rows is passed once in forward mode; a long sum once in reverse mode.
TEST(Jacobian, ChoosesTheCheaperMode) {
  const int n = 300;
  {
    Graph g;
    NodeId shared = g.time();
    const NodeId x = g.variable(VariableId(0U));
    for (int i = 0; i < n; ++i) {
      shared = g.unary(Op::sin, g.add(shared, x));
    }
    std::vector<NodeId> rows;
    for (std::uint32_t i = 0; i < n; ++i) {
      rows.push_back(g.multiply(g.parameter(ParameterId(i)), shared));
    }
    const std::size_t before = g.size();
    static_cast<void>(jacobian(g, rows, std::array<NodeId, 1>{x}));
    EXPECT_LT(g.size() - before, static_cast<std::size_t>(6 * n));
  }
  {
    Graph g;
    NodeId sum = g.time();
    std::vector<NodeId> leaves;
    for (std::uint32_t i = 0; i < n; ++i) {
      leaves.push_back(g.variable(VariableId(i)));
      sum = g.unary(Op::sin, g.add(sum, leaves.back()));
    }
    const std::size_t before = g.size();
    const SparseJacobian result = jacobian(g, std::array<NodeId, 1>{sum}, leaves);
    EXPECT_EQ(result.value.size(), leaves.size());
    EXPECT_LT(g.size() - before, static_cast<std::size_t>(6 * n));
  }
}

// A chain of 20,000 equations: work and new nodes stay proportional to the nonzeros.
TEST(Jacobian, IsLinearInTheNonzeros) {
  Graph g;
  const std::uint32_t n = 20000;
  std::vector<NodeId> leaves;
  std::vector<NodeId> rows;
  for (std::uint32_t i = 0; i < n; ++i) {
    leaves.push_back(g.variable(VariableId(i)));
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    const NodeId left = leaves[i == 0 ? 0 : i - 1];
    const NodeId right = leaves[i + 1 == n ? i : i + 1];
    const NodeId stretch = g.subtract(g.add(left, right), g.multiply(g.constant(2), leaves[i]));
    rows.push_back(g.add(g.unary(Op::sin, stretch), g.power(stretch, g.constant(3))));
  }
  const std::size_t before = g.size();
  const SparseJacobian result = jacobian(g, rows, leaves);
  EXPECT_EQ(result.value.size(), 3U * n - 2U);
  EXPECT_LT(g.size() - before, 10U * n);
}

}  // namespace
}  // namespace saltus::expr
