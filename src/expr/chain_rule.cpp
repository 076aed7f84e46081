#include "expr/chain_rule.hpp"

#include <array>
#include <numbers>

#include "expr/dependency.hpp"

namespace saltus::expr {
namespace {

NodeId zero_if_structural(Graph& graph, NodeId id) {
  return id.valid() ? id : graph.constant(0.0);
}

// 1 + s·a²
NodeId one_plus_square(Graph& graph, NodeId a, double s) {
  const NodeId one = graph.constant(1.0);
  const NodeId square = graph.power(a, graph.constant(2.0));
  return s > 0 ? graph.add(square, one) : graph.subtract(one, square);
}

// sqrt(1 - a²) as sqrt((1 - a)(1 + a)): exact near ±1, where the difference of squares cancels.
NodeId circle_height(Graph& graph, NodeId a) {
  const NodeId one = graph.constant(1.0);
  return graph.unary(Op::sqrt, graph.multiply(graph.subtract(one, a), graph.add(a, one)));
}

NodeId chain_unary(Graph& graph, NodeId id, Op op, NodeId a, NodeId t) {
  switch (op) {
    case Op::rated: return t;  // of the value as it is computed
    case Op::negate: return graph.negate(t);
    case Op::sqrt: return graph.divide(t, graph.multiply(graph.constant(2.0), id));
    case Op::exp: return graph.multiply(id, t);
    case Op::log: return graph.divide(t, a);
    case Op::log10: return graph.divide(t, graph.multiply(graph.constant(std::numbers::ln10), a));
    case Op::sin: return graph.multiply(graph.unary(Op::cos, a), t);
    case Op::cos: return graph.negate(graph.multiply(graph.unary(Op::sin, a), t));
    case Op::tan: return graph.multiply(one_plus_square(graph, id, 1), t);
    case Op::asin: return graph.divide(t, circle_height(graph, a));
    case Op::acos: return graph.negate(graph.divide(t, circle_height(graph, a)));
    case Op::atan: return graph.divide(t, one_plus_square(graph, a, 1));
    case Op::sinh: return graph.multiply(graph.unary(Op::cosh, a), t);
    case Op::cosh: return graph.multiply(graph.unary(Op::sinh, a), t);
    case Op::tanh: return graph.multiply(one_plus_square(graph, id, -1), t);
    case Op::abs: return graph.multiply(graph.unary(Op::sign, a), t);
    default: return {};
  }
}

NodeId chain_power(Graph& graph, NodeId id, NodeId a, NodeId b, int i, NodeId t) {
  const NodeId zero = graph.constant(0.0);
  if (i == 0) {
    // ∂(aᵇ)/∂a = b·aᵇ⁻¹, and 0 for b = 0 where 0·0⁻¹ would be NaN
    const NodeId slope = graph.multiply(b, graph.power(a, graph.subtract(b, graph.constant(1.0))));
    if (graph.is_constant(b)) {
      return graph.multiply(slope, t);
    }
    return graph.multiply(graph.select(graph.binary(Op::equal, b, zero), zero, slope), t);
  }
  // ∂(aᵇ)/∂b = aᵇ·ln a, and its limit 0 for a = 0
  const NodeId slope = graph.multiply(id, graph.unary(Op::log, a));
  if (graph.is_constant(a)) {
    return graph.is_constant(a, 0.0) ? NodeId() : graph.multiply(slope, t);
  }
  return graph.multiply(graph.select(graph.binary(Op::equal, a, zero), zero, slope), t);
}

NodeId chain_binary(Graph& graph, NodeId id, const Node& node, int i, NodeId t) {
  const NodeId a(node.first);
  const NodeId b(node.second);
  switch (node.op) {
    case Op::add: return t;
    case Op::subtract: return i == 0 ? t : graph.negate(t);
    case Op::multiply: return graph.multiply(i == 0 ? b : a, t);
    case Op::divide:
      // ∂(a/b)/∂b = -(a/b)/b, with the quotient at hand
      return i == 0 ? graph.divide(t, b) : graph.negate(graph.divide(graph.multiply(id, t), b));
    case Op::power: return chain_power(graph, id, a, b, i, t);
    case Op::power_integer: {
      const NodeId lower = graph.power(a, graph.constant(graph[b].value - 1.0));
      return graph.multiply(graph.multiply(b, lower), t);
    }
    case Op::atan2: {
      // atan2(a, b): ∂/∂a = b/(a² + b²), ∂/∂b = -a/(a² + b²)
      const NodeId two = graph.constant(2.0);
      const NodeId square = graph.add(graph.power(a, two), graph.power(b, two));
      const NodeId part = graph.divide(graph.multiply(i == 0 ? b : a, t), square);
      return i == 0 ? part : graph.negate(part);
    }
    default: return {};
  }
}

}  // namespace

NodeId add_structural(Graph& graph, NodeId a, NodeId b) {
  if (!a.valid() || !b.valid()) {
    return a.valid() ? a : b;
  }
  return graph.add(a, b);
}

bool is_choice(Op op) {
  return op == Op::select || op == Op::minimum || op == Op::maximum;
}

Choice chosen_operand(Graph& graph, NodeId id) {
  const Node node = graph[id];
  const NodeId a(node.first);
  const NodeId b(node.second);
  switch (node.op) {
    // At a tie the second operand is the value (operation.hpp).
    case Op::minimum: return {.condition = graph.binary(Op::less, a, b), .if_true = 0, .if_false = 1};
    case Op::maximum: return {.condition = graph.binary(Op::less, b, a), .if_true = 0, .if_false = 1};
    default: return {.condition = a, .if_true = 1, .if_false = 2};
  }
}

NodeId chain(Graph& graph, NodeId id, int i, NodeId factor) {
  const Node node = graph[id];
  if (!factor.valid() || graph.is_constant(factor, 0.0) || !influences_derivative(node.op, i)) {
    return {};
  }
  if (is_choice(node.op)) {
    const Choice choice = chosen_operand(graph, id);
    const NodeId zero = graph.constant(0.0);
    return i == choice.if_true ? graph.select(choice.condition, factor, zero)
                               : graph.select(choice.condition, zero, factor);
  }
  if (n_operands(node.op) == 1) {
    return chain_unary(graph, id, node.op, NodeId(node.first), factor);
  }
  return chain_binary(graph, id, node, i, factor);
}

NodeId tangent_of(Graph& graph, NodeId id, NodeId first, NodeId second, NodeId third) {
  const Node node = graph[id];
  if (is_choice(node.op)) {
    const Choice choice = chosen_operand(graph, id);
    const std::array<NodeId, 3> tangents = {first, second, third};
    const NodeId if_true = tangents[static_cast<std::size_t>(choice.if_true)];
    const NodeId if_false = tangents[static_cast<std::size_t>(choice.if_false)];
    if (!if_true.valid() && !if_false.valid()) {
      return {};
    }
    return graph.select(choice.condition, zero_if_structural(graph, if_true),
                        zero_if_structural(graph, if_false));
  }
  if (node.op == Op::divide && first.valid() && second.valid()) {
    return graph.divide(graph.subtract(first, graph.multiply(id, second)), NodeId(node.second));
  }
  return add_structural(graph, chain(graph, id, 0, first),
                        n_operands(node.op) > 1 ? chain(graph, id, 1, second) : NodeId());
}

}  // namespace saltus::expr
