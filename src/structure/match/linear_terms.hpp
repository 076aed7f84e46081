/// An equation as a sum of constants times expressions.
///
/// Problem    left - right = Σ c_k·T_k with numbers c_k and expressions T_k that are neither sums nor multiples of others: what linear
///            combinations of equations with constant coefficients can make vanish
/// Method     factors are handed down from the root through sums, differences and products with numbers, each node once, in
///            descending order of ids. Everything else is a T_k; equal expressions are one node of the graph.
/// Notation   size: the largest of the numbers that were added up to c_k: where |c_k| is no more than rounding errors of it the
///            term has cancelled
/// Contract   the value of the sum is that of the expression up to rounding. Numbers alone are multiples of the constant 1.
///            Terms ascend in the id of their expressions, none occurs twice.
/// Cost       O(k log k) for the k nodes above the T_k
/// Checked by tests/unit/structure/linear_terms_test.cpp
#pragma once

#include <vector>

#include "expr/graph.hpp"
#include "flat/model.hpp"

namespace saltus::structure {

struct LinearTerm {
  NodeId expression;
  double factor = 0.0;
  double size = 0.0;
};

/// Roundings that a factor may have gathered, in units of its size: products of a few coefficients, added up.
inline constexpr double kFactorRounding = 0x1p-46;

[[nodiscard]] std::vector<LinearTerm> linear_terms(expr::Graph& graph, NodeId expression);
/// Of left - right.
[[nodiscard]] std::vector<LinearTerm> linear_terms(expr::Graph& graph, const flat::Equation& equation);
/// Σ factor·expression; 0 for no term.
[[nodiscard]] NodeId sum_of(expr::Graph& graph, const std::vector<LinearTerm>& terms);

/// Equations in which terms cancel up to rounding are written without these: x that occurs with the factor 1e-17 occurs for every
/// analysis of structure. Others stay as they are.
void drop_cancelled_terms(expr::Graph& graph, std::vector<flat::Equation>& equations);

}  // namespace saltus::structure
