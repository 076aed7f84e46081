/// Constant folding and the identities applied when a node is built.
#pragma once

#include "expr/graph.hpp"

namespace saltus::expr {

[[nodiscard]] NodeId simplify_unary(Graph& graph, Op op, NodeId a);
[[nodiscard]] NodeId simplify_binary(Graph& graph, Op op, NodeId a, NodeId b);
[[nodiscard]] NodeId simplify_select(Graph& graph, NodeId condition, NodeId if_true, NodeId if_false);

}  // namespace saltus::expr
