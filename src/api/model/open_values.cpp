#include "api/model/open_values.hpp"

#include <algorithm>
#include <cstdint>

#include "expr/substitute.hpp"

namespace saltus::api {
namespace {

NodeId add_external(flat::Model& model, NodeId start, const std::string& name, SourceSpan span) {
  flat::Condition condition;
  condition.kind = flat::Condition::Kind::external;
  condition.argument = start;
  condition.text = name;
  condition.span = span;
  model.conditions.push_back(std::move(condition));
  return model.graph.condition(ConditionId(model.conditions.size() - 1));
}

void put_into(expr::Substitution& put, flat::Body& body) {
  for (auto* const list : {&body.assignments, &body.reinits}) {
    for (flat::Body::Assignment& assignment : *list) {
      assignment.value = put(assignment.value);
    }
  }
  for (flat::Equation& equation : body.jump_equations) {
    equation.left = put(equation.left);
    equation.right = put(equation.right);
  }
  for (auto* const list : {&body.asserts, &body.terminates}) {
    for (flat::Body::Message& message : *list) {
      message.condition = put(message.condition);
    }
  }
}

// Everything that holds while the model runs; attributes and what is known before the start keep the parameters.
void put_into(expr::Substitution& put, flat::Model& model) {
  const auto put_into_equations = [&](std::vector<flat::Equation>& equations) {
    for (flat::Equation& equation : equations) {
      equation.left = put(equation.left);
      equation.right = put(equation.right);
    }
  };
  put_into_equations(model.equations);
  for (flat::Guard& guard : model.guards) {
    guard.expression = put(guard.expression);
  }
  for (flat::Condition& condition : model.conditions) {
    const bool is_known_before =
        condition.kind == flat::Condition::Kind::sample || condition.kind == flat::Condition::Kind::external;
    if (condition.argument.valid() && !is_known_before) {
      condition.argument = put(condition.argument);
    }
  }
  for (flat::WhenClause& clause : model.when_clauses) {
    for (flat::WhenBranch& branch : clause.branches) {
      branch.condition = branch.condition.valid() ? put(branch.condition) : branch.condition;
      for (NodeId& element : branch.vector_elements) {
        element = put(element);
      }
      put_into(put, branch.body);
    }
  }
  for (flat::Assertion& assertion : model.assertions) {
    assertion.condition = put(assertion.condition);
  }
  for (flat::Body::Message& message : model.terminates) {
    message.condition = put(message.condition);
  }
  for (flat::Mode& mode : model.modes) {
    put_into_equations(mode.equations);
    for (flat::Transition& transition : mode.transitions) {
      transition.condition = put(transition.condition);
      put_into(put, transition.body);
    }
  }
}

}  // namespace

bool is_declaration_of(const flat::Model& model, VariableId variable, const flat::Equation& equation) {
  const expr::Node& left = model.graph[equation.left];
  const SourceSpan name = model[variable].span;
  return left.op == expr::Op::variable && left.first == variable.value() && left.second == 0 &&
         equation.span.offset <= name.offset && name.end() <= equation.span.end();
}

void drop_declaration_equation(flat::Model& model, VariableId input) {
  std::erase_if(model.equations,
                [&](const flat::Equation& equation) { return is_declaration_of(model, input, equation); });
}

void open_inputs(flat::Model& model, const program::ParameterOverrides& overrides) {
  for (std::size_t i = 0; i < model.variables.size(); ++i) {
    const flat::Variable variable = model.variables[i];
    if (variable.causality != flat::Causality::input) {
      continue;
    }
    NodeId start = variable.start.value_or(model.graph.constant(0.0));
    const auto set = std::find_if(overrides.rbegin(), overrides.rend(),
                                  [&](const auto& item) { return item.first == variable.name; });
    program::ParameterValues values(model, overrides);
    const NodeId leaf = model.graph.variable(VariableId(i));
    for (const flat::Equation& equation : model.equations) {
      if (is_declaration_of(model, VariableId(i), equation) && values.of(equation.right)) {
        start = equation.right;
      }
    }
    if (set != overrides.rend()) {
      start = model.graph.constant(set->second);
    }
    drop_declaration_equation(model, VariableId(i));
    model.equations.push_back(
        {leaf, add_external(model, start, variable.name, variable.span), variable.span});
    model.variables[i].causality = flat::Causality::local;
  }
}

// Parameters that depend on one that may change are followed to it.
void open_parameters(flat::Model& model, const std::vector<std::string>& names,
                     const program::ParameterOverrides& overrides) {
  program::ParameterValues values(model, overrides);
  std::vector<expr::Replacement> replacements;
  std::vector<std::uint8_t> is_open(model.parameters.size(), 0);
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    const flat::Parameter parameter = model.parameters[i];
    if (std::find(names.begin(), names.end(), parameter.name) == names.end()) {
      continue;
    }
    const NodeId start = model.graph.constant(values.of(ParameterId(i)).value_or(0.0));
    is_open[i] = 1;
    replacements.push_back({.from = model.graph.parameter(ParameterId(i)),
                            .to = add_external(model, start, parameter.name, parameter.span)});
  }
  const auto is_set = [&](const std::string& name) {
    return std::any_of(overrides.begin(), overrides.end(),
                       [&](const auto& item) { return item.first == name; });
  };
  // A parameter may be declared before those it depends on: until nothing is added.
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (std::size_t i = 0; i < model.parameters.size(); ++i) {
      const flat::Parameter& parameter = model.parameters[i];
      if (is_open[i] != 0 || !parameter.value || is_set(parameter.name)) {
        continue;
      }
      expr::Substitution put(model.graph, replacements);
      if (const NodeId followed = put(*parameter.value); followed != *parameter.value) {
        is_open[i] = 1;
        replacements.push_back({.from = model.graph.parameter(ParameterId(i)), .to = followed});
        has_grown = true;
      }
    }
  }
  expr::Substitution put(model.graph, replacements);
  put_into(put, model);
}

}  // namespace saltus::api
