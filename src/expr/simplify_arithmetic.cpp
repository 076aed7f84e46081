#include <cmath>
#include <utility>

#include "expr/simplify.hpp"

namespace saltus::expr {
namespace {

bool is_negated(const Graph& graph, NodeId id) {
  return graph[id].op == Op::negate;
}
NodeId operand(const Graph& graph, NodeId id) {
  return NodeId(graph[id].first);
}

NodeId simplify_add(Graph& graph, NodeId a, NodeId b) {
  // x + 0 is x up to the sign of a zero.
  if (graph.is_constant(a, 0.0)) {
    return b;
  }
  if (graph.is_constant(b, 0.0)) {
    return a;
  }
  // x + (-y) and x - y round alike.
  if (is_negated(graph, b)) {
    return graph.subtract(a, operand(graph, b));
  }
  if (is_negated(graph, a)) {
    return graph.subtract(b, operand(graph, a));
  }
  if (kind_rank(graph[a]) < kind_rank(graph[b])) {
    std::swap(a, b);
  }
  return intern_binary(graph, Op::add, a, b);
}

NodeId simplify_subtract(Graph& graph, NodeId a, NodeId b) {
  if (graph.is_constant(b, 0.0)) {
    return a;
  }
  if (graph.is_constant(a, 0.0)) {
    return graph.negate(b);  // up to the sign of a zero
  }
  if (a == b && is_finite(graph, a)) {
    return graph.constant(0.0);
  }
  if (is_negated(graph, b)) {
    return graph.add(a, operand(graph, b));
  }
  return intern_binary(graph, Op::subtract, a, b);
}

NodeId simplify_multiply(Graph& graph, NodeId a, NodeId b) {
  // Negations move out; rounding is symmetric, so every bit stays.
  if (is_negated(graph, a) || is_negated(graph, b)) {
    const bool negative = is_negated(graph, a) != is_negated(graph, b);
    const NodeId x = is_negated(graph, a) ? operand(graph, a) : a;
    const NodeId y = is_negated(graph, b) ? operand(graph, b) : b;
    if (negative && (graph.is_constant(x) || graph.is_constant(y))) {
      // (-x) * c = x * (-c): the sign goes into the constant.
      return graph.is_constant(x) ? graph.multiply(graph.negate(x), y) : graph.multiply(x, graph.negate(y));
    }
    const NodeId product = graph.multiply(x, y);
    return negative ? graph.negate(product) : product;
  }
  if (kind_rank(graph[a]) > kind_rank(graph[b])) {
    std::swap(a, b);
  }
  if (graph.is_constant(a)) {
    if (graph.is_constant(a, 1.0)) {
      return b;
    }
    if (graph.is_constant(a, -1.0)) {
      return graph.negate(b);
    }
    if (graph.is_constant(a, 0.0) && is_finite(graph, b)) {
      return graph.constant(0.0);
    }
  }
  return intern_binary(graph, Op::multiply, a, b);
}

NodeId simplify_divide(Graph& graph, NodeId a, NodeId b) {
  if (graph.is_constant(b, 1.0)) {
    return a;
  }
  if (graph.is_constant(b, -1.0)) {
    return graph.negate(a);
  }
  if (is_negated(graph, a) && graph.is_constant(b)) {
    return graph.divide(operand(graph, a), graph.negate(b));
  }
  if (is_negated(graph, a) || is_negated(graph, b)) {
    const bool negative = is_negated(graph, a) != is_negated(graph, b);
    const NodeId quotient = graph.divide(is_negated(graph, a) ? operand(graph, a) : a,
                                         is_negated(graph, b) ? operand(graph, b) : b);
    return negative ? graph.negate(quotient) : quotient;
  }
  return intern_binary(graph, Op::divide, a, b);
}

NodeId simplify_power_integer(Graph& graph, NodeId a, NodeId exponent) {
  const int n = static_cast<int>(graph[exponent].value);
  switch (n) {
    case 0: return graph.constant(1.0);
    case 1: return a;
    case -1: return graph.divide(graph.constant(1.0), a);
    default: break;
  }
  // The sign of the base is lost by an even power and moves out of an odd one.
  const Op op = graph[a].op;
  const bool even = n % 2 == 0;
  if (op == Op::negate || (op == Op::abs && even)) {
    const NodeId power = graph.binary(Op::power_integer, operand(graph, a), exponent);
    return even ? power : graph.negate(power);
  }
  return intern_binary(graph, Op::power_integer, a, exponent);
}

NodeId simplify_power(Graph& graph, NodeId a, NodeId b) {
  if (graph.is_constant(a, 1.0)) {
    return a;
  }
  if (graph.is_constant(b)) {
    const double exponent = graph[b].value;
    if (std::abs(exponent) <= kMaxIntegerExponent && exponent == std::floor(exponent)) {
      return simplify_power_integer(graph, a, b);
    }
    constexpr double kSquareRoot = 0.5;  // as an exponent: sqrt is meant
    if (exponent == kSquareRoot) {
      return graph.unary(Op::sqrt, a);
    }
  }
  return intern_binary(graph, Op::power, a, b);
}

}  // namespace

NodeId simplify_arithmetic(Graph& graph, Op op, NodeId a, NodeId b) {
  switch (op) {
    case Op::add: return simplify_add(graph, a, b);
    case Op::subtract: return simplify_subtract(graph, a, b);
    case Op::multiply: return simplify_multiply(graph, a, b);
    case Op::divide: return simplify_divide(graph, a, b);
    case Op::power_integer: return simplify_power_integer(graph, a, b);
    default: return simplify_power(graph, a, b);
  }
}

}  // namespace saltus::expr
