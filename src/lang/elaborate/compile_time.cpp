// Numbers that must be known while the model is elaborated: sizes, subscripts, ranges, compile-time conditions.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"

namespace saltus::lang {
namespace {

enum State : std::uint8_t { unknown = 0, running = 1, known = 2 };

/// Whole numbers beyond this are not exact as doubles.
constexpr double kMaxInteger = 9007199254740992.0;

}  // namespace

flat::NodeVariability Elaborator::variability(const Scalar& scalar) {
  return scalar.known || !scalar.node.valid() ? flat::NodeVariability::constant
                                              : variability_.of(scalar.node);
}

flat::NodeVariability Elaborator::variability(const Value& value) {
  flat::NodeVariability result = flat::NodeVariability::constant;
  for (std::size_t i = 0; i < value.size(); ++i) {
    result = std::max(result, variability(value[i]));
  }
  return result;
}

std::optional<double> Elaborator::evaluate_now(const Scalar& scalar, SourceSpan span, std::string_view what) {
  if (scalar.known) {
    return scalar.number;
  }
  if (variability(scalar) > flat::NodeVariability::parameter) {
    error(kNotKnown, fmt::format("{} must be known at compile time; it depends on a variable", what), span);
    return std::nullopt;
  }
  // Depth-first over the nodes with an explicit stack; a parameter's only operand is its value.
  std::vector<NodeId> stack{scalar.node};
  while (!stack.empty()) {
    const NodeId id = stack.back();
    if (evaluated_.size() < model_.graph.size()) {
      evaluated_.resize(model_.graph.size());
      evaluation_state_.resize(model_.graph.size(), unknown);
    }
    std::uint8_t& state = evaluation_state_[id.index()];
    if (state == known) {
      stack.pop_back();
      continue;
    }
    const expr::Node node = model_.graph[id];
    std::array<NodeId, 3> operands = model_.graph.operands(id);
    int n = expr::n_operands(node.op);
    if (node.op == expr::Op::parameter && state == unknown) {
      flat::Parameter& parameter = model_.parameters[node.first];
      parameter.is_structural = !parameter.is_constant;
      // Its value may not be bound yet: sizes are needed before parameters are bound in order.
      const std::uint32_t owner = entity_of_parameter_[node.first];
      if (!parameter.value) {
        bind(owner);
      }
      if (entities_[owner].failed) {
        return std::nullopt;
      }
      if (!model_.parameters[node.first].value) {
        error(kMissingValue,
              fmt::format("{} needs the value of parameter '{}', which has none", what,
                          model_.parameters[node.first].name),
              span);
        return std::nullopt;
      }
    }
    if (node.op == expr::Op::parameter) {
      operands[0] = *model_.parameters[node.first].value;
      n = 1;
    }
    if (evaluated_.size() < model_.graph.size()) {
      evaluated_.resize(model_.graph.size());
      evaluation_state_.resize(model_.graph.size(), unknown);
    }
    if (evaluation_state_[id.index()] == unknown) {
      evaluation_state_[id.index()] = running;
      for (int k = 0; k < n; ++k) {
        const NodeId operand = operands[static_cast<std::size_t>(k)];
        if (evaluation_state_[operand.index()] == running) {
          error(kParameterCycle, fmt::format("{} depends on a parameter that is defined by itself", what),
                span);
          std::fill(evaluation_state_.begin(), evaluation_state_.end(), std::uint8_t{unknown});
          return std::nullopt;
        }
        if (evaluation_state_[operand.index()] == unknown) {
          stack.push_back(operand);
        }
      }
      if (stack.back() != id) {
        continue;
      }
    }
    const auto value = [&](int k) { return evaluated_[operands[static_cast<std::size_t>(k)].index()]; };
    double& result = evaluated_[id.index()];
    if (node.op == expr::Op::constant) {
      result = node.value;
    } else if (node.op == expr::Op::parameter) {
      result = value(0);
    } else if (node.op == expr::Op::select) {
      result = value(0) != 0.0 ? value(1) : value(2);
    } else {
      result = apply(node.op, value(0), n > 1 ? value(1) : 0.0);
    }
    evaluation_state_[id.index()] = known;
    stack.pop_back();
  }
  return evaluated_[scalar.node.index()];
}

std::optional<Index> Elaborator::integer_now(ExpressionId id, std::string_view what) {
  const Value value = lower(id);
  if (value.failed) {
    return std::nullopt;
  }
  if (!value.is_scalar() || value.type != flat::Type::integer) {
    error(kWrongType,
          fmt::format("{} must be an Integer, not {}", what,
                      value.is_scalar() ? std::string(to_string(value.type)) : "an array"),
          span_of(id));
    return std::nullopt;
  }
  const std::optional<double> number = evaluate_now(value.scalar, span_of(id), what);
  if (!number) {
    return std::nullopt;
  }
  if (!(std::abs(*number) < kMaxInteger)) {
    error(kIntegerOverflow, fmt::format("{} is too large: {}", what, *number), span_of(id));
    return std::nullopt;
  }
  return static_cast<Index>(*number);
}

void Elaborator::find_parameter_cycles() {
  // Colours of a depth-first search over parameters; edges are the parameter leaves of their values, found by
  // one pass that knows for each node the parameters directly below it.
  std::vector<std::uint8_t> node_state(model_.graph.size(), unknown);
  std::vector<NodeId> stack;
  for (const flat::Parameter& root : model_.parameters) {
    if (root.value) {
      stack.push_back(*root.value);
    }
    while (!stack.empty()) {
      const NodeId id = stack.back();
      std::uint8_t& state = node_state[id.index()];
      if (state != unknown) {
        state = known;
        stack.pop_back();
        continue;
      }
      state = running;
      const expr::Node& node = model_.graph[id];
      std::array<NodeId, 3> operands = model_.graph.operands(id);
      int n = expr::n_operands(node.op);
      if (node.op == expr::Op::parameter && model_.parameters[node.first].value) {
        operands[0] = *model_.parameters[node.first].value;
        n = 1;
      }
      for (int k = 0; k < n; ++k) {
        const NodeId operand = operands[static_cast<std::size_t>(k)];
        if (node_state[operand.index()] == running) {
          std::string names;
          SourceSpan span = root.span;
          for (const NodeId open : stack) {
            const expr::Node& leaf = model_.graph[open];
            if (leaf.op == expr::Op::parameter && node_state[open.index()] == running) {
              names += (names.empty() ? "'" : ", '") + model_.parameters[leaf.first].name + "'";
              span = model_.parameters[leaf.first].span;
            }
          }
          error(kParameterCycle, fmt::format("parameters are defined by each other: {}", names), span);
          return;
        }
        if (node_state[operand.index()] == unknown) {
          stack.push_back(operand);
        }
      }
    }
  }
}

}  // namespace saltus::lang
