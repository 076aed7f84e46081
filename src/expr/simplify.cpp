#include "expr/simplify.hpp"

namespace saltus::expr {

NodeId simplify_unary(Graph& graph, Op op, NodeId a) {
  return graph.intern({.op = op, .first = a.value()});
}

NodeId simplify_binary(Graph& graph, Op op, NodeId a, NodeId b) {
  return graph.intern({.op = op, .first = a.value(), .second = b.value()});
}

NodeId simplify_select(Graph& graph, NodeId condition, NodeId if_true, NodeId if_false) {
  return graph.intern(
      {.op = Op::select, .first = condition.value(), .second = if_true.value(), .third = if_false.value()});
}

}  // namespace saltus::expr
