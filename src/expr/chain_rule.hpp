/// The derivative of every operation, in one place, for forward and reverse accumulation.
///
/// Method     the chain rule on structural values: an invalid NodeId is a derivative that is zero by
/// structure, and
///            no product with it is ever built, so 0·∞ does not arise from what does not depend on the leaf.
/// Choices    at kinks and poles docs/math/expressions.md says which value is given. Reciprocal partials
/// divide the
///            factor (t / b) instead of multiplying by 1/b: one rounding and one node less. Local parts (cos
///            x for sin x) are shared because the graph merges equal nodes.
/// Checked by tests/unit/expr/derivative_test.cpp
#pragma once

#include "expr/graph.hpp"

namespace saltus::expr {

/// a + b where either may be a structural zero.
[[nodiscard]] NodeId add_structural(Graph& graph, NodeId a, NodeId b);

/// (∂ node / ∂ operand i) · factor. Structural zero for operands without influence. For select, minimum and
/// maximum it is the factor where operand i is taken and 0 elsewhere; callers that must keep non-finite
/// values of the side not taken from leaking treat these three by chosen_operand().
[[nodiscard]] NodeId chain(Graph& graph, NodeId node, int i, NodeId factor);

/// For select, minimum, maximum: the truth value that tells which operand is the value.
struct Choice {
  NodeId condition;
  int if_true = 0;  ///< operand number
  int if_false = 0;
};
[[nodiscard]] bool is_choice(Op op);
[[nodiscard]] Choice chosen_operand(Graph& graph, NodeId node);

/// The tangent of a node from the tangents of its operands (structural zeros allowed).
[[nodiscard]] NodeId tangent_of(Graph& graph, NodeId node, NodeId first, NodeId second, NodeId third);

}  // namespace saltus::expr
