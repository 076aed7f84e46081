#include "structure/index/stabilization.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "expr/evaluate.hpp"

namespace saltus::structure {
namespace {

using Row = flat::Formulation::Row;

// F = e^(s t) has DᵏF = sᵏ F: a combination of derivatives is its polynomial in s.
double polynomial_at(const flat::Formulation& formulation, int c, double s) {
  expr::Graph graph;
  std::vector<flat::Equation> derivatives;
  double power = 1.0;
  for (int k = 0; k <= c; ++k) {
    derivatives.push_back({graph.constant(3.0 * power), graph.constant(2.0 * power), {}});
    power *= s;
  }
  const flat::Equation row = stabilized(graph, formulation, derivatives);
  EXPECT_EQ(graph[row.left].op, expr::Op::constant);
  return graph[row.left].value - graph[row.right].value;
}

TEST(Stabilization, IsThePolynomialOfItsFormulation) {
  for (const double s : {-10.0, -3.0, 0.0, 2.0}) {
    for (const double rate : {1.0, 10.0}) {
      const auto power = [&](double base, int n) {
        double result = 1.0;
        for (int k = 0; k < n; ++k) {
          result *= base;
        }
        return result;
      };
      for (int c = 1; c <= 4; ++c) {
        const double scale = power(20.0, c);
        EXPECT_NEAR(polynomial_at({.row = Row::differentiated, .rate = rate}, c, s), power(s, c),
                    1e-14 * scale);
        EXPECT_NEAR(polynomial_at({.row = Row::surface, .rate = rate}, c, s), s * power(s + rate, c - 1),
                    1e-14 * scale);
        EXPECT_NEAR(polynomial_at({.row = Row::damped, .rate = rate}, c, s), power(s + rate, c),
                    1e-14 * scale);
      }
    }
  }
}

// What is not asked for changes no node.
TEST(Stabilization, LeavesTheDerivativeAsItIs) {
  expr::Graph graph;
  const NodeId x = graph.variable(VariableId(std::size_t{0}), 0);
  const NodeId rate = graph.variable(VariableId(std::size_t{0}), 1);
  const std::vector<flat::Equation> derivatives{{x, graph.constant(1.0), {}},
                                                {rate, graph.constant(0.0), {}}};
  const flat::Equation plain = stabilized(graph, {}, derivatives);
  EXPECT_EQ(plain.left, rate);
  const flat::Equation surface = stabilized(graph, {.row = Row::surface}, derivatives);
  EXPECT_EQ(surface.left, rate);
  const std::vector<flat::Equation> only{derivatives[0]};
  EXPECT_EQ(stabilized(graph, {.row = Row::damped}, only).left, x);
}

}  // namespace
}  // namespace saltus::structure
