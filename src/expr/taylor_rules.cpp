// Notation     a, b operands, y the node; aₖ normalised coefficients; ' is d/dt. From y' = v·a' follows
//              k·yₖ = Σ_{j=1..k} j·aⱼ·v_{k-j}, from w·y' = a' follows k·w₀·yₖ = k·aₖ - Σ_{j=1..k-1} j·yⱼ·w_{k-j}.
#include "expr/taylor_rules.hpp"

#include <cmath>
#include <cstdlib>
#include <numbers>

#include "expr/chain_rule.hpp"

namespace saltus::expr {
namespace {

class Rule {
 public:
  Rule(Graph& graph, const SeriesTable& table, NodeId id, int k)
      : g_(graph), table_(table), id_(id), node_(graph[id]), auxiliary_(table[id].auxiliary), k_(k) {}

  NodeId coefficient();

 private:
  NodeId a() const { return NodeId(node_.first); }
  NodeId b() const { return NodeId(node_.second); }
  NodeId at(NodeId series, int order) const { return table_.at(series, order); }

  // Arithmetic on structural values.
  NodeId times(NodeId x, NodeId y) { return x.valid() && y.valid() ? g_.multiply(x, y) : NodeId(); }
  NodeId plus(NodeId x, NodeId y) { return add_structural(g_, x, y); }
  NodeId minus(NodeId x, NodeId y) { return y.valid() ? plus(x, g_.negate(y)) : x; }
  NodeId negated(NodeId x) { return x.valid() ? g_.negate(x) : x; }
  NodeId over(NodeId x, NodeId divisor) { return x.valid() ? g_.divide(x, divisor) : x; }
  NodeId scaled(double factor, NodeId x) { return x.valid() ? g_.multiply(g_.constant(factor), x) : x; }

  // Σ_{j=first..last} xⱼ·y_{k-j}
  NodeId convolution(NodeId x, NodeId y, int first, int last) {
    NodeId sum;
    for (int j = first; j <= last; ++j) {
      sum = plus(sum, times(at(x, j), at(y, k_ - j)));
    }
    return sum;
  }
  // Σ_{j=first..last} xⱼ·x_{k-j} over a symmetric range: each product once
  NodeId square(NodeId x, int first, int last) {
    NodeId sum;
    for (int j = first; 2 * j < first + last; ++j) {
      sum = plus(sum, times(at(x, j), at(x, k_ - j)));
    }
    sum = scaled(2.0, sum);
    const bool has_middle = (first + last) % 2 == 0 && first <= last;
    const NodeId middle = has_middle ? at(x, (first + last) / 2) : NodeId();
    return plus(sum, times(middle, middle));
  }
  // Σ_{j=1..last} j·xⱼ·v_{k-j}, without the division by k
  NodeId weighted(NodeId x, NodeId v, int last) {
    NodeId sum;
    for (int j = 1; j <= last; ++j) {
      sum = plus(sum, times(scaled(j, at(x, j)), at(v, k_ - j)));
    }
    return sum;
  }
  NodeId divided_by_order(NodeId x) { return over(x, g_.constant(k_)); }

  // y' = v·a'
  NodeId from_product(NodeId v) { return divided_by_order(weighted(a(), v, k_)); }
  // w·y' = numerator, whose coefficient k-1 divided by k is given
  NodeId from_quotient(NodeId w, NodeId numerator) {
    return over(minus(numerator, divided_by_order(weighted(id_, w, k_ - 1))), w);
  }
  // w·y' = ±a'. The recurrence is linear in (a, y), so the sign of a's coefficient is all that changes.
  NodeId from_reciprocal(NodeId w, bool negative = false) {
    return from_quotient(w, negative ? negated(at(a(), k_)) : at(a(), k_));
  }

  NodeId square_root() {
    // y² = a: 2·y₀·yₖ = aₖ - Σ_{j=1..k-1} yⱼ·y_{k-j}
    return over(minus(at(a(), k_), square(id_, 1, k_ - 1)), g_.multiply(g_.constant(2.0), id_));
  }
  NodeId quotient() {
    // b·y = a: b₀·yₖ = aₖ - Σ_{j=1..k} bⱼ·y_{k-j}
    return over(minus(at(a(), k_), convolution(b(), id_, 1, k_)), b());
  }
  NodeId whole_power(int n);
  NodeId real_power();
  NodeId angle();
  NodeId chosen();
  NodeId given();

  Graph& g_;
  const SeriesTable& table_;
  NodeId id_;
  Node node_;
  TaylorAuxiliary auxiliary_;
  int k_;
};

// aⁿ by products, so that a₀ = 0 is no exception.
NodeId Rule::whole_power(int n) {
  const NodeId part = auxiliary_.same_order;
  if (n < 0) {
    // aᵐ·y = 1 with m = -n
    return over(negated(convolution(part, id_, 1, k_)), at(part, 0));
  }
  if (n == 2) {
    return square(a(), 0, k_);
  }
  return n % 2 == 0 ? square(part, 0, k_) : convolution(a(), part, 0, k_);
}

NodeId Rule::real_power() {
  if (auxiliary_.same_order.valid()) {
    // aᵇ = exp(e) with e = b·log a
    return divided_by_order(weighted(auxiliary_.same_order, id_, k_));
  }
  const NodeId c = b();
  if (k_ == 1) {
    // c·a₀^{c-1}·a₁ rather than the recurrence, which divides by a₀: right at a₀ = 0 for c > 1
    return chain(g_, id_, 0, at(a(), 1));
  }
  // a·y' = c·y·a': k·a₀·yₖ = Σ_{j=1..k} (c·j - (k - j))·aⱼ·y_{k-j}
  NodeId sum;
  for (int j = 1; j <= k_; ++j) {
    const NodeId weight = g_.subtract(g_.multiply(g_.constant(j), c), g_.constant(k_ - j));
    sum = plus(sum, times(weight, times(at(a(), j), at(id_, k_ - j))));
  }
  return over(sum, g_.multiply(g_.constant(k_), a()));
}

NodeId Rule::angle() {
  // atan2(a, b): (a² + b²)·y' = b·a' - a·b'
  const NodeId numerator = minus(weighted(a(), b(), k_), weighted(b(), a(), k_));
  return from_quotient(auxiliary_.lower_order, divided_by_order(numerator));
}

NodeId Rule::chosen() {
  const Choice choice = chosen_operand(g_, id_);
  const NodeId if_true = at(NodeId(node_.operand(choice.if_true)), k_);
  const NodeId if_false = at(NodeId(node_.operand(choice.if_false)), k_);
  if (!if_true.valid() && !if_false.valid()) {
    return {};
  }
  const NodeId zero = g_.constant(0.0);
  return g_.select(choice.condition, if_true.valid() ? if_true : zero, if_false.valid() ? if_false : zero);
}

// y' = v·w', and the rate of what it continues
NodeId Rule::given() {
  const NodeId own = divided_by_order(weighted(NodeId(node_.third), b(), k_));
  return node_.value == 1.0 ? own : plus(at(a(), k_), own);
}

bool is_whole_exponent(const Graph& graph, const Node& node) {
  if (node.op == Op::power_integer) {
    return true;
  }
  // Beyond this an int would not hold it and a product of so many factors would be no use.
  constexpr double kLargestExponent = 1 << 20;
  const Node& exponent = graph[NodeId(node.second)];
  return node.op == Op::power && exponent.op == Op::constant &&
         exponent.value == std::floor(exponent.value) && std::abs(exponent.value) <= kLargestExponent;
}

NodeId Rule::coefficient() {
  const NodeId v = auxiliary_.lower_order;
  switch (node_.op) {
    case Op::negate: return negated(at(a(), k_));
    case Op::add: return plus(at(a(), k_), at(b(), k_));
    case Op::subtract: return minus(at(a(), k_), at(b(), k_));
    case Op::multiply: return a() == b() ? square(a(), 0, k_) : convolution(a(), b(), 0, k_);
    case Op::divide: return quotient();
    case Op::power:
    case Op::power_integer:
      return is_whole_exponent(g_, node_) ? whole_power(static_cast<int>(g_[b()].value)) : real_power();
    case Op::sqrt: return square_root();
    case Op::exp: return from_product(id_);
    case Op::log: return from_reciprocal(a());
    case Op::log10: return from_reciprocal(v);
    case Op::sin:
    case Op::sinh:
    case Op::cosh:
    case Op::tan:
    case Op::tanh: return from_product(v);
    case Op::cos: return negated(from_product(v));
    case Op::asin:
    case Op::atan: return from_reciprocal(v);
    case Op::acos: return from_reciprocal(v, true);
    case Op::abs: return times(g_.unary(Op::sign, a()), at(a(), k_));
    case Op::atan2: return angle();
    case Op::minimum:
    case Op::maximum:
    case Op::select: return chosen();
    case Op::rated: return given();
    default: return {};
  }
}

}  // namespace

TaylorAuxiliary taylor_auxiliary(Graph& graph, NodeId id, bool exponent_rests) {
  const Node node = graph[id];
  const NodeId a(node.first);
  const NodeId one = graph.constant(1.0);
  const NodeId two = graph.constant(2.0);
  const auto lower = [](NodeId series) {
    return TaylorAuxiliary{.same_order = NodeId(), .lower_order = series};
  };
  const auto same = [](NodeId series) {
    return TaylorAuxiliary{.same_order = series, .lower_order = NodeId()};
  };
  if (is_whole_exponent(graph, node)) {
    const int n = static_cast<int>(graph[NodeId(node.second)].value);
    if (n == 2) {
      return {};
    }
    const int part = n < 0 ? -n : n % 2 == 0 ? n / 2 : n - 1;
    return same(graph.power(a, graph.constant(part)));
  }
  switch (node.op) {
    case Op::power:
      return exponent_rests ? TaylorAuxiliary{}
                            : same(graph.multiply(NodeId(node.second), graph.unary(Op::log, a)));
    case Op::log10: return lower(graph.multiply(graph.constant(std::numbers::ln10), a));
    case Op::sin: return lower(graph.unary(Op::cos, a));
    case Op::cos: return lower(graph.unary(Op::sin, a));
    case Op::sinh: return lower(graph.unary(Op::cosh, a));
    case Op::cosh: return lower(graph.unary(Op::sinh, a));
    case Op::tan: return lower(graph.add(graph.power(id, two), one));
    case Op::tanh: return lower(graph.subtract(one, graph.power(id, two)));
    case Op::atan: return lower(graph.add(graph.power(a, two), one));
    case Op::asin:
    case Op::acos:
      // (1 - a)(1 + a) does not cancel near ±1
      return lower(graph.unary(Op::sqrt, graph.multiply(graph.subtract(one, a), graph.add(a, one))));
    case Op::atan2: return lower(graph.add(graph.power(a, two), graph.power(NodeId(node.second), two)));
    default: return {};
  }
}

NodeId taylor_coefficient(Graph& graph, const SeriesTable& table, NodeId id, int k) {
  return Rule(graph, table, id, k).coefficient();
}

}  // namespace saltus::expr
