#include "flat/constant_linear.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "expr/traversal.hpp"

namespace saltus::flat {
namespace {

// Ascending: each kind contains those before it.
enum class ShapeKind : std::uint8_t { constant, function_of_time, affine, other };

struct Shape {
  ShapeKind kind = ShapeKind::constant;
  int degree = 0;
  double rate = 0.0;

  [[nodiscard]] bool is(ShapeKind k) const { return kind == k; }
};

constexpr Shape kOther{ShapeKind::other, 0, 0.0};

Shape sum(const Shape& a, const Shape& b) {
  return {std::max(a.kind, b.kind), std::max(a.degree, b.degree), std::max(a.rate, b.rate)};
}

Shape product(const Shape& a, const Shape& b) {
  const ShapeKind kind = std::max(a.kind, b.kind);
  if (kind == ShapeKind::other ||
      (kind == ShapeKind::affine && std::min(a.kind, b.kind) != ShapeKind::constant)) {
    return kOther;
  }
  return {kind, a.degree + b.degree, a.rate + b.rate};
}

class Shapes {
 public:
  Shapes(const Model& model, const ValueOfNode& value) : model_(model), value_(value) {
    shapes_.resize(model.graph.size());
    is_known_.resize(model.graph.size());
  }

  Shape of(NodeId root) {
    std::vector<NodeId> open{root};
    while (!open.empty()) {
      const NodeId id = open.back();
      if (is_known_[id.index()] != 0) {
        open.pop_back();
        continue;
      }
      const expr::Node& node = model_.graph[id];
      const std::size_t before = open.size();
      for (int i = 0; i < expr::n_operands(node.op); ++i) {
        if (is_known_[node.operand(i)] == 0) {
          open.emplace_back(node.operand(i));
        }
      }
      if (open.size() == before) {
        shapes_[id.index()] = shape_of(node);
        is_known_[id.index()] = 1;
        open.pop_back();
      }
    }
    return shapes_[root.index()];
  }

 private:
  [[nodiscard]] const Shape& operand(const expr::Node& node, int i) const { return shapes_[node.operand(i)]; }

  Shape shape_of(const expr::Node& node) {
    using expr::Op;
    switch (node.op) {
      case Op::constant:
      case Op::parameter:
      case Op::condition:
      case Op::previous: return {};
      case Op::time: return {ShapeKind::function_of_time, 1, 0.0};
      case Op::variable:
        return {model_.variables[node.first].variability == Variability::discrete ? ShapeKind::constant
                                                                                  : ShapeKind::affine,
                0, 0.0};
      case Op::rated:
      case Op::negate: return operand(node, 0);
      case Op::add:
      case Op::subtract: return sum(operand(node, 0), operand(node, 1));
      case Op::multiply: return product(operand(node, 0), operand(node, 1));
      case Op::divide: return operand(node, 1).is(ShapeKind::constant) ? operand(node, 0) : kOther;
      case Op::power_integer: return power(node);
      case Op::exp:
      case Op::sin:
      case Op::cos:
      case Op::sinh:
      case Op::cosh: return exponential(node);
      case Op::select:
        return operand(node, 0).is(ShapeKind::constant) ? sum(operand(node, 1), operand(node, 2)) : kOther;
      default: break;
    }
    for (int i = 0; i < expr::n_operands(node.op); ++i) {
      if (!operand(node, i).is(ShapeKind::constant)) {
        return kOther;
      }
    }
    return {};
  }

  [[nodiscard]] Shape power(const expr::Node& node) const {
    const Shape& base = operand(node, 0);
    const double exponent = model_.graph[NodeId(node.second)].value;
    if (base.is(ShapeKind::constant) || exponent == 1.0) {
      return base;
    }
    // A power that is a whole number and not negative; others have poles.
    if (!base.is(ShapeKind::function_of_time) || !(exponent >= 0.0 && exponent <= kHighestPower)) {
      return kOther;
    }
    return {base.kind, static_cast<int>(exponent) * base.degree, exponent * base.rate};
  }

  // Of an argument that is affine in time: its slope is the rate.
  Shape exponential(const expr::Node& node) {
    const Shape& argument = operand(node, 0);
    if (argument.is(ShapeKind::constant)) {
      return {};
    }
    if (!argument.is(ShapeKind::function_of_time) || argument.degree > 1 || argument.rate > 0.0) {
      return kOther;
    }
    const std::optional<double> slope = slope_of(NodeId(node.first));
    return slope && std::isfinite(*slope) ? Shape{ShapeKind::function_of_time, 0, std::abs(*slope)} : kOther;
  }

  // The derivative by time of a node that is affine in time, where it depends on parameters alone.
  std::optional<double> slope_of(NodeId id) {
    using expr::Op;
    const expr::Node& node = model_.graph[id];
    if (shapes_[id.index()].is(ShapeKind::constant)) {
      return 0.0;
    }
    const auto first = NodeId(node.first);
    const auto second = NodeId(node.second);
    switch (node.op) {
      case Op::time: return 1.0;
      case Op::rated: return slope_of(first);
      case Op::negate: return times(slope_of(first), -1.0);
      case Op::add: return plus(slope_of(first), slope_of(second));
      case Op::subtract: return plus(slope_of(first), times(slope_of(second), -1.0));
      case Op::multiply:
        return operand(node, 0).is(ShapeKind::constant) ? times(slope_of(second), value_(first))
                                                        : times(slope_of(first), value_(second));
      case Op::divide: {
        const std::optional<double> divisor = value_(second);
        return divisor ? times(slope_of(first), 1.0 / *divisor) : std::nullopt;
      }
      case Op::power_integer: return slope_of(first);  // to the power of 1
      default: return std::nullopt;  // a choice: its slope may be another one after an event
    }
  }

  static std::optional<double> plus(std::optional<double> a, std::optional<double> b) {
    return a && b ? std::optional(*a + *b) : std::nullopt;
  }
  static std::optional<double> times(std::optional<double> a, std::optional<double> b) {
    return a && b ? std::optional(*a * *b) : std::nullopt;
  }

  static constexpr double kHighestPower = 64.0;  // beyond, nobody means a polynomial

  const Model& model_;
  const ValueOfNode& value_;
  std::vector<Shape> shapes_;
  std::vector<char> is_known_;
};

}  // namespace

ConstantLinear constant_linear(const Model& model, ModeId mode, const ValueOfNode& value) {
  ConstantLinear result;
  Shapes shapes(model, value);
  const auto look_at = [&](const std::vector<Equation>& equations) {
    for (const Equation& equation : equations) {
      if (result.other) {
        return;
      }
      const Shape shape = sum(shapes.of(equation.left), shapes.of(equation.right));
      if (shape.is(ShapeKind::other)) {
        result.other = equation;
      }
      result.rate = std::max(result.rate, shape.rate);
      result.degree = std::max(result.degree, shape.degree);
    }
  };
  look_at(model.equations);
  if (mode.valid()) {
    look_at(model.modes[mode.index()].equations);
  }
  return result;
}

}  // namespace saltus::flat
