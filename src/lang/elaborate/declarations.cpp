// Components of the model: types, sizes, elements, values of parameters.
#include <cmath>

#include <fmt/format.h>

#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"
#include "lang/syntax/diagnostic_codes.hpp"
#include "lang/syntax/foreign_names.hpp"

namespace saltus::lang {
namespace {

/// Sizes that need other components whose sizes need others …: more than this is not a model written by a person.
constexpr int kMaxDeclarationDepth = 200;
/// Aliases of aliases.
constexpr int kMaxAliasDepth = 64;

std::optional<flat::Type> built_in_type(std::string_view name) {
  if (name == "Real") return flat::Type::real;
  if (name == "Integer") return flat::Type::integer;
  if (name == "Boolean") return flat::Type::boolean;
  if (name == "String") return flat::Type::string;
  return std::nullopt;
}

/// "x[2,3]" for the element at `position` in row-major order.
std::string element_name(std::string_view name, const Shape& shape, std::size_t position) {
  if (shape.empty()) {
    return std::string(name);
  }
  if (shape.size() == 1) {
    return fmt::format("{}[{}]", name, position + 1);
  }
  std::vector<std::size_t> subscripts(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    const auto size = static_cast<std::size_t>(shape[d]);
    subscripts[d] = position % size + 1;
    position /= size;
  }
  std::string result(name);
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    result += d == 0 ? '[' : ',';
    result += std::to_string(subscripts[d]);
  }
  return result + ']';
}

flat::Causality causality_of(CausalityPrefix prefix) {
  switch (prefix) {
    case CausalityPrefix::input: return flat::Causality::input;
    case CausalityPrefix::output: return flat::Causality::output;
    case CausalityPrefix::none: break;
  }
  return flat::Causality::local;
}

}  // namespace

Elaborator::ResolvedType Elaborator::resolve_type(Symbol name, SourceSpan span) {
  ResolvedType result;
  std::vector<const Class*> aliases;
  while (true) {
    if (const auto type = built_in_type(ast_.text(name))) {
      result.type = *type;
      break;
    }
    const std::uint32_t index = name.valid() ? entity_of_symbol_[name.index()] : kNoEntity;
    if (index == kNoEntity && damage_.may_declare(ast_.text(name))) {
      result.failed = true;
      return result;
    }
    if (index == kNoEntity || entities_[index].kind != Entity::Kind::type) {
      const bool exists = index != kNoEntity;
      const std::vector<const Class*> models = ast_.top_models();
      if (!exists && std::any_of(models.begin(), models.end(),
                                 [name](const Class* model) { return model->name == name; })) {
        error(kNotSupported,
              fmt::format("{} is a model: components of models are not supported yet", quoted(name)), span,
              "write its variables and equations into this one");
        result.failed = true;
        return result;
      }
      if (const std::string_view part = foreign_part(ast_.text(name)); !exists && !part.empty()) {
        error(kNotSupported, fmt::format("{}: {} are not supported yet", quoted(name), part), span);
        result.failed = true;
        return result;
      }
      error(
          exists ? kWrongKindOfName : kUnknownType,
          exists ? fmt::format("{} is not a type", quoted(name))
                 : fmt::format("there is no type {}", quoted(name)),
          span,
          exists ? std::string() : "types are Real, Integer, Boolean, String and those declared with 'type'");
      result.failed = true;
      return result;
    }
    const Class& alias = ast_.classes[entities_[index].class_index];
    if (alias.is_damaged) {
      result.failed = true;
      return result;
    }
    aliases.push_back(&alias);
    if (aliases.size() > kMaxAliasDepth) {
      error(kTypeCycle, fmt::format("type {} is defined by itself", quoted(name)), alias.name_span);
      result.failed = true;
      return result;
    }
    name = alias.base;
    span = alias.base_span;
  }
  for (const Class* alias : aliases) {
    const auto dimensions = ast_[alias->dimensions];
    result.dimensions.insert(result.dimensions.end(), dimensions.begin(), dimensions.end());
  }
  for (auto alias = aliases.rbegin(); alias != aliases.rend(); ++alias) {
    for (const Modification& modification : ast_[(*alias)->modifications]) {
      result.modifications.push_back(&modification);
    }
  }
  return result;
}

bool Elaborator::check_component(const Component& component) {
  if (component.condition.valid()) {
    error(kNotSupported, "conditional declarations ('if' after a declaration) are not supported yet",
          span_of(component.condition));
    return false;
  }
  return true;
}

void Elaborator::declare(std::uint32_t index) {
  if (entities_[index].declared == Entity::Progress::done) {
    return;
  }
  const Component& component = *entities_[index].component;
  if (entities_[index].declared == Entity::Progress::running || declaration_depth_ > kMaxDeclarationDepth) {
    if (!entities_[index].failed) {
      error(kParameterCycle, fmt::format("the size or value of {} depends on itself", quoted(component.name)),
            component.name_span);
    }
    entities_[index].failed = true;
    return;
  }
  entities_[index].declared = Entity::Progress::running;
  ++declaration_depth_;
  SavedContext saved(*this);
  context_ = Context();
  context_.watching = Watching::none;
  context_.mode = entities_[index].mode;
  context_.frame = locals_.size();
  ResolvedType type = resolve_type(component.type, component.type_span);
  bool failed = type.failed || damage_.touches(component.span) || !check_component(component);
  Entity& entity = entities_[index];
  entity.type = type.type;
  entity.is_constant = component.variability == VariabilityPrefix::constant;
  entity.is_parameter = entity.is_constant || component.variability == VariabilityPrefix::parameter;
  entity.modifications = std::move(type.modifications);
  for (const Modification& modification : ast_[component.modifications]) {
    entity.modifications.push_back(&modification);
  }
  if (!failed && entity.is_parameter && !entity.is_constant && says_not_fixed(entity)) {
    entity.is_free = true;
    entity.is_parameter = false;
  }
  if (!failed && entity.type == flat::Type::string && !entity.is_parameter) {
    error(kStringVariable,
          fmt::format("{} is a String: only parameters and constants may be", quoted(component.name)),
          component.type_span);
    failed = true;
  }
  const auto own = ast_[component.dimensions];
  std::vector<ExpressionId> dimensions(own.begin(), own.end());
  dimensions.insert(dimensions.end(), type.dimensions.begin(), type.dimensions.end());
  if (!failed && entity.type == flat::Type::string && !dimensions.empty()) {
    error(kNotSupported, "arrays of Strings are not supported yet", component.name_span);
    failed = true;
  }
  const std::optional<Shape> shape = failed ? std::nullopt : declared_shape(entity, dimensions);
  // declared_shape may have declared others, never added any: the reference is still good.
  entity.failed = entity.failed || failed || !shape;
  if (!entity.failed) {
    entity.shape = *shape;
    entity.is_parameter ? create_parameters(entity) : create_variables(entity);
    if (const std::string_view name = ast_.text(component.type); !built_in_type(name)) {
      const auto declared = std::make_shared<const flat::Declared>(flat::Declared{std::string(name), {}});
      for (std::size_t i = 0; i < static_cast<std::size_t>(n_elements(entity.shape)); ++i) {
        declared_of(entity, i) = declared;
      }
    }
  }
  --declaration_depth_;
  entity.declared = Entity::Progress::done;
}

std::optional<Shape> Elaborator::declared_shape(const Entity& entity,
                                                const std::vector<ExpressionId>& dimensions) {
  Shape shape;
  std::optional<Value> value;
  const ParameterSetting* const setting = setting_of(entity, ast_.text(entity.name));
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    if (ast_[dimensions[d]].kind == ExpressionKind::all) {
      if (setting != nullptr && setting->shape.size() == dimensions.size()) {
        shape.push_back(setting->shape[d]);
        continue;
      }
      if (!value) {
        if (!entity.component->value.valid()) {
          error(kWrongSize,
                fmt::format("the size ':' of {} needs a value to follow from", quoted(entity.name)),
                span_of(dimensions[d]));
          return std::nullopt;
        }
        value = lower(entity.component->value);
      }
      if (value->failed) {
        return std::nullopt;
      }
      if (value->shape.size() != dimensions.size()) {
        error(kShapeMismatch,
              fmt::format("{} has {} dimensions, its value is {}", quoted(entity.name), dimensions.size(),
                          to_string(value->shape)),
              span_of(entity.component->value));
        return std::nullopt;
      }
      shape.push_back(value->shape[d]);
      continue;
    }
    const std::optional<Index> size = integer_now(dimensions[d], "the size of an array");
    if (!size) {
      return std::nullopt;
    }
    if (*size < 0) {
      error(kWrongSize, fmt::format("the size {} of {} is negative", *size, quoted(entity.name)),
            span_of(dimensions[d]));
      return std::nullopt;
    }
    shape.push_back(*size);
  }
  total_elements_ += n_elements(shape);
  if (total_elements_ >= kTooManyElements) {
    error(kTooLarge,
          fmt::format("with {} the model has more than {} elements", quoted(entity.name), kTooManyElements),
          entity.span);
    total_elements_ -= n_elements(shape);
    return std::nullopt;
  }
  return shape;
}

void Elaborator::create_parameters(Entity& entity) {
  const Component& component = *entity.component;
  const auto n = static_cast<std::size_t>(n_elements(entity.shape));
  entity.first = static_cast<std::uint32_t>(model_.parameters.size());
  for (std::size_t i = 0; i < n; ++i) {
    flat::Parameter parameter;
    parameter.name = element_name(ast_.text(entity.name), entity.shape, i);
    parameter.type = entity.type;
    parameter.is_constant = entity.is_constant;
    parameter.is_final = component.final;
    parameter.description = std::string(ast_.text(component.description));
    parameter.span = component.name_span;
    const NodeId leaf = model_.graph.parameter(ParameterId(model_.parameters.size()));
    entity.first_leaf = i == 0 ? leaf : entity.first_leaf;
    model_.parameters.push_back(std::move(parameter));
    entity_of_parameter_.push_back(static_cast<std::uint32_t>(&entity - entities_.data()));
  }
  if (entity.is_constant) {
    entity.constants.resize(n);
  }
}

void Elaborator::create_variables(Entity& entity) {
  const Component& component = *entity.component;
  const auto n = static_cast<std::size_t>(n_elements(entity.shape));
  entity.first = static_cast<std::uint32_t>(model_.variables.size());
  const bool set_in_when = is_when_target_[entity.name.index()] && !is_differentiated_[entity.name.index()];
  const bool discrete =
      entity.type != flat::Type::real || component.variability == VariabilityPrefix::discrete || set_in_when;
  for (std::size_t i = 0; i < n; ++i) {
    flat::Variable variable;
    variable.name = element_name(ast_.text(entity.name), entity.shape, i);
    variable.type = entity.type;
    variable.variability = discrete ? flat::Variability::discrete : flat::Variability::continuous;
    variable.causality = causality_of(component.causality);
    variable.description = std::string(ast_.text(component.description));
    variable.mode = entity.mode;
    variable.span = component.name_span;
    if (entity.mode.valid()) {
      model_.modes[entity.mode.index()].variables.push_back(VariableId(model_.variables.size()));
    }
    model_.variables.push_back(std::move(variable));
    entity_of_variable_.push_back(static_cast<std::uint32_t>(&entity - entities_.data()));
  }
  for (std::size_t i = 0; i < n; ++i) {
    const NodeId leaf = model_.graph.variable(VariableId(entity.first + i));
    entity.first_leaf = i == 0 ? leaf : entity.first_leaf;
  }
}

void Elaborator::bind(std::uint32_t index) {
  declare(index);
  Entity& entity = entities_[index];
  if (entity.bound != Entity::Progress::none || !entity.is_parameter || entity.failed) {
    if (entity.bound == Entity::Progress::running && !entity.failed) {
      error(kParameterCycle, fmt::format("the value of {} depends on itself", quoted(entity.name)),
            entity.span);
      entity.failed = true;
    }
    return;
  }
  entity.bound = Entity::Progress::running;
  {
    SavedContext saved(*this);
    context_ = Context();
    context_.watching = Watching::none;
    context_.mode = entity.mode;
    context_.frame = locals_.size();
    bind_parameter(entity);
  }
  entity.bound = Entity::Progress::done;
}

void Elaborator::bind_parameter(Entity& entity) {
  const Component& component = *entity.component;
  if (const ParameterSetting* const setting = setting_of(entity, ast_.text(entity.name))) {
    apply_setting(entity, *setting);
    return;
  }
  if (!component.value.valid()) {
    if (entity.is_constant) {
      error(kMissingValue, fmt::format("the constant {} has no value", quoted(entity.name)),
            component.name_span);
      entity.failed = true;
    }
    apply_overrides(entity);
    return;
  }
  const SourceSpan span = span_of(component.value);
  Value value = lower(component.value);
  if (value.failed || entity.failed) {
    entity.failed = true;
    return;
  }
  const bool fits =
      value.type == entity.type || (value.type == flat::Type::integer && entity.type == flat::Type::real);
  if (!fits) {
    error(kWrongType,
          fmt::format("{} is {}, its value is {}", quoted(entity.name), to_string(entity.type),
                      to_string(value.type)),
          span);
    entity.failed = true;
    return;
  }
  if (value.shape != entity.shape) {
    error(kShapeMismatch,
          fmt::format("{} is {}, its value is {}", quoted(entity.name), to_string(entity.shape),
                      to_string(value.shape)),
          span);
    entity.failed = true;
    return;
  }
  if (entity.type == flat::Type::string) {
    model_.parameters[entity.first].text = value.text ? *value.text : std::string();
    return;
  }
  if (variability(value) >
      (entity.is_constant ? flat::NodeVariability::constant : flat::NodeVariability::parameter)) {
    error(
        kNotParametric,
        entity.is_constant
            ? fmt::format("the value of the constant {} depends on more than constants", quoted(entity.name))
            : fmt::format("the value of the parameter {} depends on a variable", quoted(entity.name)),
        span, "a parameter with fixed = false is a variable until the start is found");
    entity.failed = true;
    return;
  }
  if (entity.is_constant) {
    bind_constants(entity, value);
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    flat::Parameter& parameter = model_.parameters[entity.first + i];
    parameter.value = arithmetic_.node(value[i]);
  }
  apply_overrides(entity);
}

const ParameterSetting* Elaborator::setting_of(const Entity& entity, std::string_view name) const {
  if (overrides_.empty() || !entity.is_parameter || entity.is_constant || entity.component->final) {
    return nullptr;
  }
  const auto found = overrides_.find(name);
  return found == overrides_.end() ? nullptr : found->second;
}

// Of a whole parameter: what the text says of its value does not count.
void Elaborator::apply_setting(Entity& entity, const ParameterSetting& setting) {
  if (setting.shape != entity.shape) {
    diagnostics_.error(kShapeMismatch, fmt::format("{} is {} and cannot be set to {}", quoted(entity.name),
                                                   to_string(entity.shape), to_string(setting.shape)));
    entity.failed = true;
    return;
  }
  if (entity.type == flat::Type::string) {
    model_.parameters[entity.first].text = setting.text;
    return;
  }
  for (std::size_t i = 0; i < setting.numbers.size(); ++i) {
    model_.parameters[entity.first + i].value = model_.graph.constant(setting.numbers[i]);
  }
  apply_overrides(entity);
}

// Of single elements.
void Elaborator::apply_overrides(const Entity& entity) {
  if (overrides_.empty() || entity.shape.empty()) {
    return;
  }
  const auto n = static_cast<std::size_t>(n_elements(entity.shape));
  for (std::size_t i = 0; i < n; ++i) {
    flat::Parameter& parameter = model_.parameters[entity.first + i];
    if (const ParameterSetting* const setting = setting_of(entity, parameter.name)) {
      parameter.value = model_.graph.constant(setting->numbers.front());
    }
  }
}

void Elaborator::bind_constants(Entity& entity, const Value& value) {
  for (std::size_t i = 0; i < value.size(); ++i) {
    entity.constants[i] = value[i];
  }
}

void Elaborator::declaration_equation(const Entity& entity, EquationSink& sink) {
  if (entity.is_free && !entity.failed) {
    free_parameter_equations(entity);
    return;
  }
  if (entity.is_parameter || entity.failed || !entity.component->value.valid()) {
    return;
  }
  SavedContext saved(*this);
  context_.mode = entity.mode;
  Value left = array_value(entity.type, entity.shape);
  for (std::size_t i = 0; i < left.size(); ++i) {
    left[i] = node_scalar(NodeId(entity.first_leaf.value() + static_cast<std::uint32_t>(i)));
  }
  context_.repeated = !entity.shape.empty();
  Value right = lower(entity.component->value);
  if (right.failed) {
    return;
  }
  if (right.is_scalar() && !left.is_scalar()) {
    error(kShapeMismatch,
          fmt::format("{} is {}, its value is a scalar", quoted(entity.name), to_string(entity.shape)),
          span_of(entity.component->value), "fill(value, n) makes an array of one value");
    return;
  }
  add_equations(left, right, entity.component->span, sink);
}

}  // namespace saltus::lang
