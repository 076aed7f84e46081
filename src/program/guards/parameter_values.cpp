#include "program/guards/parameter_values.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <unordered_map>

#include "base/machine.hpp"
#include "expr/operation.hpp"
#include "program/guards/condition_inputs.hpp"
#include "program/guards/diagnostic_codes.hpp"

namespace saltus::program {
namespace {

using expr::Node;
using expr::Op;
using Kind = flat::Condition::Kind;

// What the value of a condition is computed from; invalid when it is not a function of values alone.
NodeId subject_of(const flat::Model& model, const flat::Condition& condition) {
  if (is_relation(condition.kind)) {
    return model[condition.guard].expression;
  }
  return holds_number(condition.kind) ? condition.argument : NodeId();
}

}  // namespace

ParameterValues::ParameterValues(const flat::Model& model, const ParameterOverrides& overrides)
    : model_(&model) {
  if (overrides.empty()) {
    return;
  }
  std::unordered_map<std::string_view, double> values;
  for (const auto& [name, value] : overrides) {
    values[name] = value;
  }
  given_.resize(model.parameters.size());
  for (std::size_t i = 0; i < given_.size(); ++i) {
    if (const auto found = values.find(model.parameters[i].name); found != values.end()) {
      given_[i] = found->second;
    }
  }
}

ParameterValues::ParameterValues(const flat::Model& model, GivenParameters given)
    : model_(&model), given_(std::move(given)) {}

void ParameterValues::move_to(const flat::Model& extended, GivenParameters given) {
  model_ = &extended;
  given_ = std::move(given);
}

double ParameterValues::relation_value(const flat::Condition& condition, double value) {
  switch (condition.kind) {
    case Kind::greater: return expr::truth(value > 0.0);
    case Kind::greater_equal: return expr::truth(value >= 0.0);
    case Kind::less: return expr::truth(value < 0.0);
    case Kind::less_equal: return expr::truth(value <= 0.0);
    case Kind::floor: return std::floor(value);
    case Kind::ceil: return std::ceil(value);
    case Kind::segment: return number_of_segment(*condition.numbers, segment_at(*condition.knots, value));
    default: return std::trunc(value);
  }
}

std::vector<double> ParameterValues::all(Diagnostics& diagnostics) {
  std::vector<double> values(model_->parameters.size(), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const flat::Parameter& parameter = model_->parameters[i];
    if (parameter.type == flat::Type::string) {
      continue;
    }
    const std::optional<double> value = of(ParameterId(i));
    if (!value && !parameter.value) {
      diagnostics.error(kParameterNotSet, fmt::format("the parameter '{}' has no value", parameter.name),
                        parameter.span,
                        fmt::format("give it one in the model or with --set {}=…", parameter.name));
    } else if (!value) {
      const bool cyclic = states_[parameter.value->index()] == State::cyclic;
      diagnostics.error(kParameterCycle,
                        cyclic
                            ? fmt::format("the value of the parameter '{}' depends on itself", parameter.name)
                            : fmt::format("the value of the parameter '{}' depends on more than parameters",
                                          parameter.name),
                        parameter.span);
    } else if (std::isnan(*value)) {
      diagnostics.error(kParameterNotANumber,
                        fmt::format("the value of the parameter '{}' is not a number", parameter.name),
                        parameter.span, "look for 0/0, or a root or logarithm of a negative number");
    } else {
      values[i] = *value;
    }
  }
  return values;
}

std::optional<double> ParameterValues::of(ParameterId parameter) {
  if (const std::optional<double> value = given(parameter.index())) {
    return value;
  }
  const std::optional<NodeId>& expression = (*model_)[parameter].value;
  return expression ? of(*expression) : std::nullopt;
}

std::optional<double> ParameterValues::of(NodeId node) {
  visit(node);
  return states_[node.index()] == State::known ? std::optional(values_[node.index()]) : std::nullopt;
}

std::optional<double> ParameterValues::of(const flat::Condition& condition) {
  const NodeId subject = subject_of(*model_, condition);
  if (!subject.valid()) {
    return std::nullopt;
  }
  const std::optional<double> value = of(subject);
  return value ? std::optional(relation_value(condition, *value)) : std::nullopt;
}

void ParameterValues::visit(NodeId root) {
  if (states_.size() < model_->graph.size()) {
    states_.resize(model_->graph.size(), State::unseen);
    values_.resize(model_->graph.size(), kNan);
  }
  stack_.push_back(root.value());
  while (!stack_.empty()) {
    const std::uint32_t id = stack_.back();
    const Node& node = model_->graph[NodeId(id)];
    if (states_[id] == State::open || states_[id] == State::unseen) {
      const bool first = states_[id] == State::unseen;
      states_[id] = State::open;
      const std::size_t before = stack_.size();
      for (const NodeId operand : first ? needs_of(node) : std::vector<NodeId>{}) {
        if (states_[operand.index()] == State::unseen) {
          stack_.push_back(operand.value());
        }
      }
      if (stack_.size() > before) {
        continue;
      }
      finish(id, node);
    }
    stack_.pop_back();
  }
}

std::vector<NodeId> ParameterValues::needs_of(const Node& node) const {
  std::vector<NodeId> needs;
  for (int k = 0; k < expr::n_operands(node.op); ++k) {
    needs.emplace_back(node.operand(k));
  }
  if (node.op == Op::parameter && model_->parameters[node.first].value && !given(node.first)) {
    needs.push_back(*model_->parameters[node.first].value);
  } else if (node.op == Op::condition) {
    const NodeId subject = subject_of(*model_, model_->conditions[node.first]);
    if (subject.valid()) {
      needs.push_back(subject);
    }
  }
  return needs;
}

void ParameterValues::finish(std::uint32_t id, const Node& node) {
  double operands[3] = {0.0, 0.0, 0.0};
  State state = State::known;
  const std::vector<NodeId> needs = needs_of(node);
  for (std::size_t k = 0; k < needs.size(); ++k) {
    operands[k] = values_[needs[k].index()];
    const State operand = states_[needs[k].index()];
    if (operand == State::open || operand == State::cyclic) {
      state = State::cyclic;
    } else if (operand == State::varying && state == State::known) {
      state = State::varying;
    }
  }
  switch (node.op) {
    case Op::constant: values_[id] = node.value; break;
    case Op::time:
    case Op::variable:
    case Op::previous: state = State::varying; break;
    case Op::parameter: values_[id] = needs.empty() ? given(node.first).value_or(kNan) : operands[0]; break;
    case Op::condition:
      if (needs.empty()) {
        state = State::varying;
      } else {
        values_[id] = relation_value(model_->conditions[node.first], operands[0]);
      }
      break;
    default: values_[id] = expr::apply(node.op, operands[0], operands[1], operands[2]);
  }
  states_[id] = state;
}

}  // namespace saltus::program
