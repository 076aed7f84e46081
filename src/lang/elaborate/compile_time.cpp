// Numbers that must be known while the model is elaborated: sizes, subscripts, ranges, compile-time conditions.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "expr/dependency.hpp"
#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"

namespace saltus::lang {
namespace {

enum State : std::uint8_t { unknown = 0, running = 1, known = 2 };

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
  // Sizes and subscripts are made of it: 0/0 compares as neither too small nor too large.
  const auto finite = [&](double number) -> std::optional<double> {
    if (std::isfinite(number)) {
      return number;
    }
    error(kNotFinite, fmt::format("{} is {}", what, std::isnan(number) ? "not a number" : "infinite"), span);
    return std::nullopt;
  };
  if (scalar.known) {
    return finite(scalar.number);
  }
  if (variability(scalar) > flat::NodeVariability::parameter) {
    error(kNotKnown, fmt::format("{} must be known at compile time; it depends on a variable", what), span);
    return std::nullopt;
  }
  // Depth-first over the nodes with an explicit stack; a parameter's only operand is its value.
  std::vector<NodeId> stack{scalar.node};
  while (!stack.empty()) {
    const NodeId id = stack.back();
    if (state_now(id) == known) {
      stack.pop_back();
      continue;
    }
    const std::optional<OperandsNow> operands = operands_now(id, span, what);
    if (!operands || !visit_operands(id, *operands, stack, span, what)) {
      for (const NodeId open : stack) {
        std::uint8_t& state = state_now(open);
        state = state == running ? std::uint8_t{unknown} : state;
      }
      return std::nullopt;
    }
    if (stack.back() == id) {
      evaluated_[id.index()] = value_now(id, *operands);
      state_now(id) = known;
      stack.pop_back();
    }
  }
  return finite(evaluated_[scalar.node.index()]);
}

std::optional<double> Elaborator::settled_now(const Scalar& scalar, SourceSpan span) {
  if (scalar.known) {
    return scalar.number;
  }
  if (!scalar.defined() || variability(scalar) > flat::NodeVariability::parameter) {
    return std::nullopt;
  }
  const std::vector<NodeId> leaves = expr::leaves_of(model_.graph, std::span(&scalar.node, 1));
  const bool is_settled = std::all_of(leaves.begin(), leaves.end(), [this](NodeId leaf) {
    const expr::Node& node = model_.graph[leaf];
    return node.op == expr::Op::constant ||
           (node.op == expr::Op::parameter &&
            (model_.parameters[node.first].is_structural || model_.parameters[node.first].is_constant));
  });
  return is_settled ? evaluate_now(scalar, span, "the condition of 'if'") : std::nullopt;
}

std::uint8_t& Elaborator::state_now(NodeId id) {
  if (evaluated_.size() < model_.graph.size()) {
    evaluated_.resize(model_.graph.size());
    evaluation_state_.resize(model_.graph.size(), unknown);
  }
  return evaluation_state_[id.index()];
}

std::optional<Elaborator::OperandsNow> Elaborator::operands_now(NodeId id, SourceSpan span,
                                                                std::string_view what) {
  const expr::Node node = model_.graph[id];
  if (node.op != expr::Op::parameter) {
    return OperandsNow{model_.graph.operands(id), expr::n_operands(node.op)};
  }
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
  const std::optional<NodeId> value = model_.parameters[node.first].value;
  if (!value) {
    error(kMissingValue,
          fmt::format("{} needs the value of parameter '{}', which has none", what,
                      model_.parameters[node.first].name),
          span);
    return std::nullopt;
  }
  return OperandsNow{{*value, NodeId(), NodeId()}, 1};
}

/// On the first visit of a node: pushes the operands that are not known yet; false if one of them is being computed.
bool Elaborator::visit_operands(NodeId id, const OperandsNow& operands, std::vector<NodeId>& stack,
                                SourceSpan span, std::string_view what) {
  if (state_now(id) == running) {
    return true;
  }
  state_now(id) = running;
  for (int k = 0; k < operands.n; ++k) {
    const NodeId operand = operands.ids[static_cast<std::size_t>(k)];
    if (state_now(operand) == running) {
      error(kParameterCycle, fmt::format("{} depends on a parameter that is defined by itself", what), span);
      return false;
    }
    if (state_now(operand) == unknown) {
      stack.push_back(operand);
    }
  }
  return true;
}

double Elaborator::value_now(NodeId id, const OperandsNow& operands) const {
  const expr::Node& node = model_.graph[id];
  const auto value = [&](std::size_t k) { return evaluated_[operands.ids[k].index()]; };
  switch (node.op) {
    case expr::Op::constant: return node.value;
    case expr::Op::parameter: return value(0);
    case expr::Op::select: return value(0) != 0.0 ? value(1) : value(2);
    default: return apply(node.op, value(0), operands.n > 1 ? value(1) : 0.0);
  }
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
