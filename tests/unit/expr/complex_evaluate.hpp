// Evaluation in complex numbers: the derivative of an analytic expression by a complex step is exact to rounding
// (Squire and Trapp 1998), an oracle that shares no code with the chain rule.
#pragma once

#include <complex>
#include <stdexcept>
#include <vector>

#include "expr/evaluate.hpp"
#include "expr/graph.hpp"
#include "expr/traversal.hpp"

namespace saltus::expr {

using Complex = std::complex<double>;

inline Complex complex_apply(const Node& node, Complex a, Complex b) {
  switch (node.op) {
    case Op::negate: return -a;
    case Op::add: return a + b;
    case Op::subtract: return a - b;
    case Op::multiply: return a * b;
    case Op::divide: return a / b;
    case Op::power: return std::exp(b * std::log(a));
    case Op::power_integer: {
      Complex result = 1.0;
      for (int i = 0; i < std::abs(static_cast<int>(b.real())); ++i) {
        result *= a;
      }
      return b.real() < 0 ? 1.0 / result : result;
    }
    case Op::sqrt: return std::sqrt(a);
    case Op::exp: return std::exp(a);
    case Op::log: return std::log(a);
    case Op::log10: return std::log(a) / std::log(10.0);
    case Op::sin: return std::sin(a);
    case Op::cos: return std::cos(a);
    case Op::tan: return std::tan(a);
    case Op::asin: return std::asin(a);
    case Op::acos: return std::acos(a);
    case Op::atan: return std::atan(a);
    case Op::sinh: return std::sinh(a);
    case Op::cosh: return std::cosh(a);
    case Op::tanh: return std::tanh(a);
    case Op::abs: return a.real() < 0 ? -a : a;
    case Op::atan2: return std::atan(a / b);  // for b > 0
    default: throw std::logic_error("not analytic");
  }
}

// ∂node/∂(variable i) at the point.
inline double complex_step(const Graph& graph, NodeId root, const std::vector<double>& variables, int i,
                           const LeafValues& others = {}) {
  constexpr double kStep = 1e-30;
  std::vector<Complex> values(root.index() + 1);
  for (const NodeId needed : needed_nodes(graph, std::span<const NodeId>(&root, 1))) {
    const std::size_t id = needed.index();
    const Node& node = graph[needed];
    if (node.op == Op::variable) {
      const bool moved = node.first == static_cast<std::uint32_t>(i);
      values[id] = Complex(variables[node.first], moved ? kStep : 0.0);
    } else if (n_operands(node.op) == 0) {
      values[id] = others.value_of(node);
    } else {
      const bool binary = n_operands(node.op) == 2;
      values[id] = complex_apply(node, values[node.first], binary ? values[node.second] : Complex());
    }
  }
  return values[root.index()].imag() / kStep;
}

}  // namespace saltus::expr
