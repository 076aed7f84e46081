#include "program/guards/guard_continuity.hpp"

#include <algorithm>
#include <cmath>

#include "expr/traversal.hpp"

namespace saltus::program {

using expr::Op;

namespace {

double capped(double order) {
  return std::min(order, JumpOrders::kInfinite);
}

bool keeps_zero(Op op) {
  return op == Op::sin || op == Op::tan || op == Op::asin || op == Op::atan || op == Op::sinh ||
         op == Op::tanh;
}

// Continuous, but with a kink or a pole of the derivative somewhere: of noEvent, or where the argument vanishes.
bool may_bend(Op op) {
  return op == Op::abs || op == Op::minimum || op == Op::maximum || op == Op::sqrt || op == Op::power;
}

bool may_jump(Op op) {
  return op == Op::sign || op == Op::floor || op == Op::ceil || op == Op::truncate ||
         (op >= Op::less && op <= Op::not_equal);
}

}  // namespace

bool JumpOrders::is_own_condition(const expr::Node& leaf) const {
  return leaf.op == Op::condition && model_.conditions[leaf.first].guard == guard_;
}

bool JumpOrders::is_guard(NodeId left, NodeId right) {
  return canonicalizer_.canonical(left, right).expression == surface_;
}

// Whether a proposition has a relation over the guard among its parts.
bool JumpOrders::asks_guard(NodeId condition) const {
  const std::vector<NodeId> parts = expr::needed_nodes(graph_, std::span(&condition, 1));
  return std::any_of(parts.begin(), parts.end(), [&](NodeId id) { return is_own_condition(graph_[id]); });
}

// a of a choice between a and -a over its own sign; invalid otherwise.
NodeId JumpOrders::argument_of_abs(NodeId id) const {
  const expr::Node& node = graph_[id];
  if (node.op != Op::select || !is_own_condition(graph_[NodeId(node.first)])) {
    return {};
  }
  const expr::Node& a = graph_[NodeId(node.second)];
  const expr::Node& b = graph_[NodeId(node.third)];
  if (b.op == Op::negate && b.first == node.second) {
    return NodeId(node.second);
  }
  return a.op == Op::negate && a.first == node.third ? NodeId(node.third) : NodeId();
}

// o of an expression, without asking its conditions.
double JumpOrders::value_order(NodeId id, int depth) {
  if (id == surface_) {
    return 1.0;
  }
  const expr::Node node = graph_[id];
  const auto of = [&](int k) { return value_order(NodeId(node.operand(k)), depth + 1); };
  if (graph_.is_constant(id, 0.0)) {
    return kInfinite;
  }
  if (depth > kSearchDepth) {
    return 0.0;
  }
  switch (node.op) {
    case Op::rated:
    case Op::negate: return of(0);
    case Op::multiply: return capped(of(0) + of(1));
    case Op::divide: return of(1) == 0.0 ? of(0) : 0.0;
    case Op::sqrt:
    case Op::power:
    case Op::power_integer: {
      const double exponent = exponent_of(node);
      return exponent > 0.0 ? capped(exponent * of(0)) : 0.0;
    }
    case Op::select: return std::min(of(1), of(2));
    case Op::add:
    case Op::subtract: return is_guard(id, zero_) ? 1.0 : std::min(of(0), of(1));
    default: return keeps_zero(node.op) ? of(0) : 0.0;
  }
}

// Of a root or power; 0: not constant.
double JumpOrders::exponent_of(const expr::Node& node) const {
  if (node.op == Op::sqrt) {
    return 0.5;
  }
  const expr::Node& exponent = graph_[NodeId(node.second)];
  return exponent.op == Op::constant ? exponent.value : 0.0;
}

double JumpOrders::difference_order(NodeId a, NodeId b) {
  const double both = std::min(value_order(a, 0), value_order(b, 0));
  return both == 0.0 && is_guard(a, b) ? 1.0 : both;
}

// Of what does not jump, o is found only where it is asked for: beside something that jumps.
JumpOrders::Orders JumpOrders::with_value(std::uint32_t id) {
  const Orders known = orders_[id];
  return known.jump < kInfinite ? known : Orders{.jump = kInfinite, .value = value_order(NodeId(id), 0)};
}

JumpOrders::Orders JumpOrders::of_choice(const expr::Node& node) {
  const Orders a = with_value(node.second);
  const Orders b = with_value(node.third);
  Orders result{.jump = std::min(a.jump, b.jump), .value = std::min(a.value, b.value)};
  if (asks_guard(NodeId(node.first))) {
    const double difference = difference_order(NodeId(node.second), NodeId(node.third));
    result.jump = std::min(result.jump, difference);
  }
  return result;
}

JumpOrders::Orders JumpOrders::of_quotient(const Orders& a, const Orders& b) const {
  if (b.value > 0) {
    return {.jump = std::min(a.jump, b.jump) >= kInfinite ? kInfinite : 0.0, .value = 0.0};
  }
  return {.jump = std::min(a.jump, capped(b.jump + a.value)), .value = a.value};
}

JumpOrders::Orders JumpOrders::of_power(NodeId base, double exponent) {
  const Orders a = with_value(base.value());
  const bool is_even = std::fmod(exponent, 2.0) == 0.0;
  if (exponent <= 0.0) {
    return of_quotient({}, a);
  }
  const NodeId inside = argument_of_abs(base);
  if (is_even && inside.valid() && orders_[inside.index()].jump >= kInfinite) {
    return {.jump = kInfinite, .value = capped(exponent * a.value)};
  }
  return {.jump = capped(a.jump + (exponent - 1.0) * a.value), .value = capped(exponent * a.value)};
}

// Where the argument vanishes on both sides, so does its root; elsewhere it is smooth as long as it does not vanish.
JumpOrders::Orders JumpOrders::of_root(const Orders& a, double exponent) const {
  if (exponent <= 0.0 || a.value <= 0.0) {
    return of_function(Op::sqrt, a);
  }
  return {.jump = capped(exponent * std::min(a.value, a.jump)), .value = capped(exponent * a.value)};
}

JumpOrders::Orders JumpOrders::of_function(Op op, const Orders& a) const {
  if (a.jump >= kInfinite) {
    return {.jump = kInfinite, .value = keeps_zero(op) ? a.value : 0};
  }
  if (may_jump(op)) {
    return {.jump = 0, .value = 0};
  }
  return {.jump = may_bend(op) ? std::min(a.jump, 1.0) : a.jump, .value = keeps_zero(op) ? a.value : 0};
}

JumpOrders::Orders JumpOrders::orders_of(NodeId id) {
  const expr::Node node = graph_[id];
  if (is_own_condition(node)) {
    return {.jump = 0, .value = 0};
  }
  const int n = expr::n_operands(node.op);
  bool rests = true;
  for (int k = 0; k < n; ++k) {
    rests = rests && orders_[node.operand(k)].jump >= kInfinite;
  }
  if (rests) {
    return {};
  }
  const Orders a = with_value(node.first);
  const Orders b = n > 1 ? with_value(node.second) : Orders{};
  switch (node.op) {
    case Op::rated:
    case Op::negate: return a;
    case Op::add:
    case Op::subtract: return {.jump = std::min(a.jump, b.jump), .value = std::min(a.value, b.value)};
    case Op::multiply:
      if (node.first == node.second) {
        return of_power(NodeId(node.first), 2.0);
      }
      return {.jump = capped(std::min(a.jump + b.value, a.value + b.jump)),
              .value = capped(a.value + b.value)};
    case Op::divide: return of_quotient(a, b);
    case Op::sqrt:
    case Op::power: return of_root({.jump = std::min(a.jump, b.jump), .value = a.value}, exponent_of(node));
    case Op::power_integer: return of_power(NodeId(node.first), graph_[NodeId(node.second)].value);
    case Op::select: return of_choice(node);
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not: return {.jump = 0, .value = 0};
    default: {
      const Orders weakest{.jump = std::min(a.jump, b.jump), .value = n > 1 ? 0 : a.value};
      return of_function(node.op, weakest);
    }
  }
}

JumpOrders::Jump JumpOrders::jump_order(NodeId root, GuardId guard, std::span<const int> differentiated) {
  guard_ = guard;
  surface_ = model_[guard].expression;
  zero_ = graph_.constant(0.0);
  const std::vector<NodeId> nodes = expr::needed_nodes(graph_, std::span(&root, 1));
  orders_.resize(std::max(orders_.size(), graph_.size()));
  double promised = kInfinite - 1.0;
  for (const NodeId id : nodes) {
    orders_[id.index()] = orders_of(id);
    if (is_own_condition(graph_[id])) {
      const std::uint32_t condition = graph_[id].first;
      const int lowered = condition < differentiated.size() ? differentiated[condition] : 0;
      promised = std::min<double>(promised, model_.conditions[condition].continuity - lowered);
    }
  }
  // What smooth(p, ...) promises of all uses goes beyond what the graph shows.
  const double shown = orders_[root.index()].jump;
  return {std::max(shown, promised + 1.0), shown};
}

}  // namespace saltus::program
