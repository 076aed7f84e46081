// Attributes of declarations: start, fixed, unit, min, max, nominal; each; from type aliases.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "base/machine.hpp"
#include "base/similar_name.hpp"
#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"
#include "lang/syntax/diagnostic_codes.hpp"

namespace saltus::lang {
namespace {

constexpr std::array<std::string_view, 9> kAttributes = {
    "start", "fixed", "unit", "min", "max", "nominal", "displayUnit", "quantity", "stateSelect"};

/// In the order of flat::StateSelect.
constexpr std::array<std::string_view, 5> kStateSelects = {"never", "avoid", "default", "prefer", "always"};

/// NaN, which excludes everything, where it is no number yet.
double bound_of(const expr::Graph& graph, const std::optional<NodeId>& bound, double none) {
  if (!bound) {
    return none;
  }
  return graph[*bound].op == expr::Op::constant ? graph[*bound].value : kNan;
}

bool is_text_attribute(std::string_view name) {
  return name == "unit" || name == "displayUnit" || name == "quantity";
}

}  // namespace

void Elaborator::bind_attributes(Entity& entity) {
  if (entity.failed) {
    return;
  }
  context_.watching = Watching::none;
  for (const Modification* modification : entity.modifications) {
    apply_attribute(entity, *modification);
  }
}

bool Elaborator::check_attribute_shape(const Entity& entity, const Modification& modification,
                                       const Value& value) {
  const SourceSpan span = span_of(modification.value);
  if (modification.each && !value.is_scalar()) {
    error(kShapeMismatch,
          fmt::format("'each' needs one value for all elements, not {}", to_string(value.shape)), span);
    return false;
  }
  if (value.is_scalar() || value.shape == entity.shape) {
    return true;
  }
  error(kShapeMismatch,
        fmt::format("{} is {}, its attribute {} is {}", quoted(entity.name), to_string(entity.shape),
                    quoted(modification.name), to_string(value.shape)),
        span);
  return false;
}

void Elaborator::apply_attribute(Entity& entity, const Modification& modification) {
  const std::string_view name = ast_.text(modification.name);
  const bool known = std::find(kAttributes.begin(), kAttributes.end(), name) != kAttributes.end();
  if (!known) {
    error(kUnknownAttribute, fmt::format("there is no attribute {}", quoted(modification.name)),
          modification.name_span, did_you_mean(name, {kAttributes.begin(), kAttributes.end()}));
    return;
  }
  if (!modification.value.valid()) {
    error(kWrongAttribute, fmt::format("attribute {} needs a value", quoted(modification.name)),
          modification.span);
    return;
  }
  if (name == "stateSelect") {
    apply_state_select(entity, modification);
    return;
  }
  const SourceSpan span = span_of(modification.value);
  const Value value = lower(modification.value);
  if (value.failed) {
    return;
  }
  const flat::Type expected = is_text_attribute(name) ? flat::Type::string
                              : name == "fixed"       ? flat::Type::boolean
                                                      : entity.type;
  const bool fits =
      value.type == expected || (value.type == flat::Type::integer && expected == flat::Type::real);
  if (!fits) {
    error(kWrongType,
          fmt::format("attribute {} of {} must be {}, not {}", quoted(modification.name), quoted(entity.name),
                      to_string(expected), to_string(value.type)),
          span);
    return;
  }
  if (!check_attribute_shape(entity, modification, value)) {
    return;
  }
  if (expected == flat::Type::string) {
    if (!value.is_scalar()) {
      error(kNotSupported, "arrays of Strings are not supported yet", span, "one text serves all elements");
      return;
    }
    apply_text_attribute(entity, name, value.text ? *value.text : std::string());
    return;
  }
  if (variability(value) > flat::NodeVariability::parameter) {
    error(kNotParametric, fmt::format("attribute {} depends on a variable", quoted(modification.name)), span);
    return;
  }
  apply_number_attribute(entity, modification, value);
}

/// `StateSelect.prefer`, of an array with one for each element.
void Elaborator::apply_state_select(Entity& entity, const Modification& modification) {
  const bool is_array = ast_[modification.value].kind == ExpressionKind::array;
  const std::vector<ExpressionId> one{modification.value};
  const auto values = is_array ? ast_.operands(modification.value) : std::span<const ExpressionId>(one);
  const auto n = static_cast<std::size_t>(n_elements(entity.shape));
  for (std::size_t i = 0; i < n; ++i) {
    const ExpressionId id = values[is_array ? std::min(i, values.size() - 1) : 0];
    const bool is_name = ast_[id].kind == ExpressionKind::name && ast_.name_parts(id).size() == 2 &&
                         ast_.text(ast_.name_parts(id)[0].name) == "StateSelect";
    const auto* const found = is_name ? std::find(kStateSelects.begin(), kStateSelects.end(),
                                                  ast_.text(ast_.name_parts(id)[1].name))
                                      : kStateSelects.end();
    if (found == kStateSelects.end() || (is_array && values.size() != n)) {
      error(kWrongAttribute,
            "attribute 'stateSelect' is StateSelect.never, avoid, default, prefer or always, of an array one "
            "for all or each element",
            span_of(id));
      return;
    }
    if (!entity.is_parameter) {
      model_.variables[entity.first + i].state_select =
          static_cast<flat::StateSelect>(found - kStateSelects.begin());
    }
  }
}

void Elaborator::apply_text_attribute(Entity& entity, std::string_view name, const std::string& text) {
  const auto n = static_cast<std::size_t>(n_elements(entity.shape));
  for (std::size_t i = 0; name == "unit" && i < n; ++i) {
    (entity.is_parameter ? model_.parameters[entity.first + i].unit
                         : model_.variables[entity.first + i].unit) = text;
  }
  if (name == "displayUnit" && n > 0) {
    flat::Declared said = declared_of(entity, 0) != nullptr ? *declared_of(entity, 0) : flat::Declared{};
    said.display_unit = text;
    const auto shared = std::make_shared<const flat::Declared>(std::move(said));
    for (std::size_t i = 0; i < n; ++i) {
      declared_of(entity, i) = shared;
    }
  }
}

std::shared_ptr<const flat::Declared>& Elaborator::declared_of(const Entity& entity, std::size_t element) {
  return entity.is_parameter ? model_.parameters[entity.first + element].declared
                             : model_.variables[entity.first + element].declared;
}

void Elaborator::apply_number_attribute(Entity& entity, const Modification& modification,
                                        const Value& value) {
  const std::string_view name = ast_.text(modification.name);
  const auto n = static_cast<std::size_t>(n_elements(entity.shape));
  for (std::size_t i = 0; i < n; ++i) {
    const Scalar& element = value.is_scalar() ? value.scalar : value.elements[i];
    if (name == "fixed") {
      const std::optional<double> fixed =
          evaluate_now(element, span_of(modification.value), "the attribute 'fixed'");
      if (fixed && !entity.is_parameter) {
        model_.variables[entity.first + i].fixed = *fixed != 0.0;
      }
      continue;
    }
    const NodeId node = arithmetic_.node(element);
    if (entity.is_parameter) {
      flat::Parameter& parameter = model_.parameters[entity.first + i];
      if (name == "start" && !parameter.value && !entity.component->value.valid()) {
        parameter.value = node;  // Modelica 8.6
        if (i == 0) {
          diagnostics_.warning(
              kParameterFromStart,
              fmt::format("the parameter {} has no value: its start is taken", quoted(entity.name)),
              entity.component->name_span, "write '= value' in its declaration, or set it");
        }
      } else if (name == "min") {
        parameter.minimum = node;
      } else if (name == "max") {
        parameter.maximum = node;
      }
      continue;
    }
    flat::Variable& variable = model_.variables[entity.first + i];
    (name == "start" ? variable.start
     : name == "min" ? variable.minimum
     : name == "max" ? variable.maximum
                     : variable.nominal) = node;
  }
}

// A parameter without a value and without a start has the default of the start attribute (Modelica 4.9, 8.6): 0 or false, of Integers
// with a lower bound above 0 (enumerations) that bound. Bounds of Reals that exclude 0 say that there is no default, and what decides
// sizes must be said. Not in our own dialect: there a parameter that is to be set from outside has no value.
void Elaborator::give_default_values() {
  if (options_.dialect != Dialect::modelica) {
    return;
  }
  for (const Entity& entity : entities_) {
    if (entity.kind != Entity::Kind::component || !entity.is_parameter || entity.is_constant ||
        entity.failed || entity.type == flat::Type::string || entity.component->value.valid()) {
      continue;
    }
    double last = kNan;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n_elements(entity.shape)); ++i) {
      flat::Parameter& parameter = model_.parameters[entity.first + i];
      const double least = bound_of(model_.graph, parameter.minimum, -kInfinity);
      const double most = bound_of(model_.graph, parameter.maximum, kInfinity);
      const double value = entity.type == flat::Type::integer ? std::max(0.0, least) : 0.0;
      if (!parameter.value && !parameter.is_structural && value >= least && value <= most) {
        parameter.value = model_.graph.constant(value);
        last = value;
      }
    }
    if (!std::isnan(last)) {
      diagnostics_.warning(
          kParameterFromStart,
          fmt::format("the parameter {} has no value and no start: {} is taken", quoted(entity.name),
                      entity.type == flat::Type::boolean ? "false" : fmt::format("{}", last)),
          entity.component->name_span, "write '= value' in its declaration, or set it");
    }
  }
}

// Problem    a parameter with fixed = false has no value of its own: it is an unknown of the start (Modelica 8.6).
// Method     it is lowered to a Real that rests, der(p) = 0: its value follows from the initial equations, of which its binding is one;
//            its start attribute is the guess.
// Choices    a state, because a state is what saltus solves for at the start and keeps then; results list it with the variables.
//            What must be known before the start (sizes, periods of sample, values of other parameters) cannot depend on it.
// Checked by tests/unit/lang/free_parameters_test.cpp, tests/cli/limits_test.cpp

// Whether the last of its attributes says fixed = false for all elements.
bool Elaborator::says_not_fixed(const Entity& entity) {
  bool is_free = false;
  for (const Modification* modification : entity.modifications) {
    if (ast_.text(modification->name) != "fixed" || !modification->value.valid()) {
      continue;
    }
    const SourceSpan span = span_of(modification->value);
    const Value value = lower(modification->value);
    if (value.failed || value.type != flat::Type::boolean) {
      continue;  // reported with the other attributes
    }
    std::size_t n_free = 0;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::optional<double> fixed = evaluate_now(value[i], span, "the attribute 'fixed'");
      n_free += fixed && *fixed == 0.0 ? 1 : 0;
    }
    is_free = n_free > 0;
    if (is_free && (n_free < value.size() || entity.type != flat::Type::real || entity.mode.valid())) {
      error(kNotSupported,
            n_free < value.size() ? "an array of parameters of which some are fixed is not supported yet"
            : entity.mode.valid() ? "a parameter of a mode with fixed = false is not supported yet"
                                  : "fixed = false is supported for parameters of type Real only",
            span);
      return false;
    }
  }
  return is_free;
}

void Elaborator::free_parameter_equations(const Entity& entity) {
  Value left = array_value(entity.type, entity.shape);
  Value rate = left;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const VariableId variable(entity.first + i);
    left[i] = node_scalar(model_.graph.variable(variable));
    rate[i] = node_scalar(model_.graph.variable(variable, 1));
    model_.equations.push_back(
        {arithmetic_.node(rate[i]), model_.graph.constant(0.0), entity.component->span});
  }
  if (!entity.component->value.valid()) {
    return;
  }
  SavedContext saved(*this);
  context_.watching = Watching::none;
  context_.repeated = !entity.shape.empty();
  const Value right = lower(entity.component->value);
  EquationSink initial;
  initial.equations = &model_.initial_equations;
  initial.initial = true;
  if (!right.failed) {
    add_equations(left, right, entity.component->span, initial);
  }
}

}  // namespace saltus::lang
