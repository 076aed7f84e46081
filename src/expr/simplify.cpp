#include "expr/simplify.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "expr/operation.hpp"

namespace saltus::expr {
namespace {

NodeId intern_unary(Graph& graph, Op op, NodeId a) {
  return graph.intern({.op = op, .first = a.value()});
}

bool is_whole(Op op) {
  return op == Op::floor || op == Op::ceil || op == Op::truncate || op == Op::sign;
}

bool is_relation(Op op) {
  return op >= Op::less && op <= Op::not_equal;
}

bool is_negation_of(const Graph& graph, NodeId a, NodeId b) {
  return graph[a].op == Op::logical_not && graph[a].first == b.value();
}

// a and b, a or b: the operands are truth values. `neutral` is 1 for and, 0 for or.
NodeId simplify_junction(Graph& graph, Op op, NodeId a, NodeId b) {
  const double neutral = op == Op::logical_and ? 1.0 : 0.0;
  const double absorbing = 1.0 - neutral;
  for (const auto& [x, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (graph.is_constant(x, neutral)) {
      return other;
    }
    if (graph.is_constant(x, absorbing)) {
      return graph.constant(absorbing);
    }
  }
  if (a == b) {
    return a;
  }
  if (is_negation_of(graph, a, b) || is_negation_of(graph, b, a)) {
    return graph.constant(absorbing);
  }
  if (kind_rank(graph[a]) > kind_rank(graph[b])) {
    std::swap(a, b);
  }
  return intern_binary(graph, op, a, b);
}

NodeId simplify_relation(Graph& graph, Op op, NodeId a, NodeId b) {
  if (a == b) {
    if (op == Op::less) {
      return graph.constant(0.0);  // also for NaN
    }
    if (is_finite(graph, a)) {
      return graph.constant(truth(op != Op::not_equal));
    }
  }
  if ((op == Op::equal || op == Op::not_equal) && kind_rank(graph[a]) < kind_rank(graph[b])) {
    std::swap(a, b);  // x == 2, not 2 == x
  }
  return intern_binary(graph, op, a, b);
}

NodeId simplify_not(Graph& graph, NodeId a) {
  const Node node = graph[a];
  if (node.op == Op::logical_not) {
    return NodeId(node.first);
  }
  // Exact for NaN too; not so for < and <=, which stay.
  if (node.op == Op::equal || node.op == Op::not_equal) {
    return intern_binary(graph, node.op == Op::equal ? Op::not_equal : Op::equal, NodeId(node.first),
                         NodeId(node.second));
  }
  return intern_unary(graph, Op::logical_not, a);
}

}  // namespace

int kind_rank(const Node& node) {
  constexpr int kVariableRank = 5;
  constexpr int kOperationRank = 1000;  // above every derivative order
  switch (node.op) {
    case Op::constant: return 0;
    case Op::parameter: return 1;
    case Op::time: return 2;
    case Op::condition: return 3;
    case Op::previous: return 4;
    case Op::variable:
      return kVariableRank + std::min(static_cast<int>(node.second), kOperationRank - kVariableRank - 1);
    default: return kOperationRank + static_cast<int>(node.op);
  }
}

bool is_truth(Op op) {
  return op >= Op::less && op <= Op::logical_not;
}

bool is_finite(const Graph& graph, NodeId id) {
  // One level of bounded functions over leaves is what zero factors meet in practice; sums may overflow.
  const Node& node = graph[id];
  switch (node.op) {
    case Op::constant: return std::isfinite(node.value);
    case Op::negate:
    case Op::abs:
    case Op::sign:
    case Op::floor:
    case Op::ceil:
    case Op::truncate:
    case Op::sin:
    case Op::cos:
    case Op::atan:
    case Op::tanh:
      return n_operands(graph[NodeId(node.first)].op) == 0 && is_finite(graph, NodeId(node.first));
    default: return is_truth(node.op) || n_operands(node.op) == 0;
  }
}

NodeId simplify_unary(Graph& graph, Op op, NodeId a) {
  const Node node = graph[a];
  if (node.op == Op::constant) {
    return graph.constant(apply(op, node.value));
  }
  switch (op) {
    case Op::rated: return a;  // without what gives its rate
    case Op::negate:
      if (node.op == Op::negate) {
        return NodeId(node.first);
      }
      break;
    case Op::abs:
      if (node.op == Op::negate) {
        return intern_unary(graph, Op::abs, NodeId(node.first));
      }
      if (node.op == Op::abs || node.op == Op::exp || node.op == Op::cosh || is_truth(node.op)) {
        return a;
      }
      break;
    case Op::sign:
      if (node.op == Op::sign) {
        return a;
      }
      break;
    case Op::floor:
    case Op::ceil:
    case Op::truncate:
      if (is_whole(node.op) || is_relation(node.op)) {
        return a;
      }
      break;
    case Op::logical_not: return simplify_not(graph, a);
    default: break;
  }
  return intern_unary(graph, op, a);
}

NodeId simplify_binary(Graph& graph, Op op, NodeId a, NodeId b) {
  if (graph.is_constant(a) && graph.is_constant(b)) {
    return graph.constant(apply(op, graph[a].value, graph[b].value));
  }
  switch (op) {
    case Op::minimum:
    case Op::maximum:
      // Not ordered: at a tie of 0 and -0 the second operand decides.
      return a == b ? a : intern_binary(graph, op, a, b);
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::not_equal: return simplify_relation(graph, op, a, b);
    case Op::logical_and:
    case Op::logical_or: return simplify_junction(graph, op, a, b);
    case Op::atan2: return intern_binary(graph, op, a, b);
    default: return simplify_arithmetic(graph, op, a, b);
  }
}

NodeId simplify_select(Graph& graph, NodeId condition, NodeId if_true, NodeId if_false) {
  if (graph.is_constant(condition, 1.0)) {
    return if_true;
  }
  if (graph.is_constant(condition, 0.0)) {
    return if_false;
  }
  if (graph[condition].op == Op::logical_not) {
    condition = NodeId(graph[condition].first);
    std::swap(if_true, if_false);
  }
  // A side that asks the same condition again is decided.
  if (graph[if_true].op == Op::select && graph[if_true].first == condition.value()) {
    if_true = NodeId(graph[if_true].second);
  }
  if (graph[if_false].op == Op::select && graph[if_false].first == condition.value()) {
    if_false = NodeId(graph[if_false].third);
  }
  if (if_true == if_false) {
    return if_true;
  }
  if (is_truth(graph[condition].op) && graph.is_constant(if_true, 1.0) && graph.is_constant(if_false, 0.0)) {
    return condition;
  }
  return graph.intern(
      {.op = Op::select, .first = condition.value(), .second = if_true.value(), .third = if_false.value()});
}

}  // namespace saltus::expr
