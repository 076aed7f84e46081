/// Constant folding and the identities applied when a node is built.
///
/// Contract   the value of the node is that of the operation applied to its operands, bit for bit, for all
/// operand
///            values, with the exceptions listed in docs/math/expressions.md: the sign of a zero, leaves
///            (taken to be finite), and powers with a constant exponent (squarings and sqrt in place of
///            std::pow).
/// Choices    no identity reassociates, so sums and products keep the order they were written in. Operands of
///            commutative operations are ordered by kind_rank alone and otherwise stay as written: x[i]*k and
///            k*x[i] merge, isomorphic loop bodies stay isomorphic (an order by ids would swap some and not
///            others), and a+b is not merged with b+a when both are of one kind.
///            Logic keeps its identities when conditions are blended (values between 0 and 1): `c and c` is c, `c and
///            not c` is false, a choice inside a choice over the same condition is decided. These are the multilinear
///            extension of the proposition, which has no powers of c; the product c·c of the operation has. `not not c`
///            and a choice over `not c` agree up to rounding.
/// Cost       constant per node; the depth of nested rewriting is bounded because each strips a negation.
/// Checked by tests/unit/expr/simplify_test.cpp
#pragma once

#include "expr/graph.hpp"

namespace saltus::expr {

/// Constant whole exponents up to this size become power_integer: at most 31 roundings, i.e. 4e-15 relative.
inline constexpr int kMaxIntegerExponent = 32;

/// The node as it stands, nothing simplified.
[[nodiscard]] inline NodeId intern_binary(Graph& graph, Op op, NodeId a, NodeId b) {
  return graph.intern({.op = op, .first = a.value(), .second = b.value()});
}

[[nodiscard]] NodeId simplify_unary(Graph& graph, Op op, NodeId a);
[[nodiscard]] NodeId simplify_binary(Graph& graph, Op op, NodeId a, NodeId b);
[[nodiscard]] NodeId simplify_select(Graph& graph, NodeId condition, NodeId if_true, NodeId if_false);

/// Of simplify_binary: add, subtract, multiply, divide, power, power_integer with operands not both constant.
[[nodiscard]] NodeId simplify_arithmetic(Graph& graph, Op op, NodeId a, NodeId b);

/// Order of kinds in commutative operations: constant, parameter, time, condition, previous, variable by
/// derivative order, operations in the order of Op. Products ascend (2*x), sums descend (x + 2).
[[nodiscard]] int kind_rank(const Node& node);
/// A value that cannot be infinite or NaN when leaves are finite.
[[nodiscard]] bool is_finite(const Graph& graph, NodeId id);
/// The node is a relation or logical operation, hence 0 or 1, or between where a condition is blended.
[[nodiscard]] bool is_truth(Op op);

}  // namespace saltus::expr
