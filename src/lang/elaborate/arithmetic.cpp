#include "lang/elaborate/arithmetic.hpp"

#include <cmath>
#include <limits>

#include "saltus/contract.hpp"

namespace saltus::lang {
namespace {

/// Largest exponent kept as a whole number; beyond it pow() is as exact.
constexpr double kMaxWholeExponent = 1024.0;

double truth(bool value) {
  return value ? 1.0 : 0.0;
}

}  // namespace

double apply(expr::Op op, double a, double b) {
  using expr::Op;
  switch (op) {
    case Op::negate: return -a;
    case Op::add: return a + b;
    case Op::subtract: return a - b;
    case Op::multiply: return a * b;
    case Op::divide: return a / b;
    case Op::power:
    case Op::power_integer: return std::pow(a, b);
    case Op::sqrt: return std::sqrt(a);
    case Op::exp: return std::exp(a);
    case Op::log: return std::log(a);
    case Op::log10: return std::log10(a);
    case Op::sin: return std::sin(a);
    case Op::cos: return std::cos(a);
    case Op::tan: return std::tan(a);
    case Op::asin: return std::asin(a);
    case Op::acos: return std::acos(a);
    case Op::atan: return std::atan(a);
    case Op::sinh: return std::sinh(a);
    case Op::cosh: return std::cosh(a);
    case Op::tanh: return std::tanh(a);
    case Op::abs: return std::abs(a);
    case Op::sign: return truth(a > 0.0) - truth(a < 0.0);
    case Op::floor: return std::floor(a);
    case Op::ceil: return std::ceil(a);
    case Op::truncate: return std::trunc(a);
    case Op::atan2: return std::atan2(a, b);
    case Op::minimum: return a <= b ? a : b;
    case Op::maximum: return a >= b ? a : b;
    case Op::less: return truth(a < b);
    case Op::less_equal: return truth(a <= b);
    case Op::equal: return truth(a == b);
    case Op::not_equal: return truth(a != b);
    case Op::logical_and: return truth(a != 0.0 && b != 0.0);
    case Op::logical_or: return truth(a != 0.0 || b != 0.0);
    case Op::logical_not: return truth(a == 0.0);
    case Op::rated: return a;
    default: break;
  }
  SALTUS_ASSERT(false);
  return std::numeric_limits<double>::quiet_NaN();
}

Scalar Arithmetic::wrap(NodeId node) const {
  const expr::Node& content = graph_[node];
  return content.op == expr::Op::constant ? known_scalar(content.value) : node_scalar(node);
}

Scalar Arithmetic::unary(expr::Op op, const Scalar& a) {
  return a.known ? known_scalar(apply(op, a.number)) : wrap(graph_.unary(op, a.node));
}

Scalar Arithmetic::binary(expr::Op op, const Scalar& a, const Scalar& b) {
  if (a.known && b.known) {
    return known_scalar(apply(op, a.number, b.number));
  }
  const NodeId first = node(a);
  return wrap(graph_.binary(op, first, node(b)));
}

Scalar Arithmetic::power(const Scalar& a, const Scalar& b) {
  const bool whole = b.known && std::abs(b.number) <= kMaxWholeExponent && b.number == std::trunc(b.number);
  return binary(whole ? expr::Op::power_integer : expr::Op::power, a, b);
}

Scalar Arithmetic::select(const Scalar& condition, const Scalar& if_true, const Scalar& if_false) {
  if (condition.known) {
    return condition.number != 0.0 ? if_true : if_false;
  }
  const NodeId first = node(if_true);
  return wrap(graph_.select(condition.node, first, node(if_false)));
}

}  // namespace saltus::lang
