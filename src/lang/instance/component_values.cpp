// Values and sizes of components that must be known while components are made (evaluation.cpp): settings, bindings, start values.
#include <fmt/format.h>

#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"

namespace saltus::lang {

using Type = KnownValue::Type;

namespace {

/// Parameters that are given by others that are given by others …
constexpr std::size_t kMostGivenByOthers = 300;

}  // namespace

std::optional<KnownValue> Instantiator::value_of(Node& node) {
  const FilePlace place = node.element->place();
  if (node.variability < VariabilityPrefix::parameter) {
    return not_known(fmt::format("'{}' is a variable", node.path), place);
  }
  if (node.holder->function != nullptr &&
      (node.variability != VariabilityPrefix::constant || node.holder->function != node.holder)) {
    return not_known(fmt::format("'{}' is given where its function is called", node.path), place);
  }
  const auto earlier = known_values_.find(&node);
  if (earlier != known_values_.end()) {
    return earlier->second ? earlier->second
                           : not_known(fmt::format("the value of '{}' is not known", node.path), place);
  }
  if (evaluating_.count(&node) != 0 || evaluating_.size() > kMostGivenByOthers) {
    return not_known(fmt::format("the value of '{}' depends on itself, or on too many others", node.path),
                     place);
  }
  evaluating_.insert(&node);
  std::optional<KnownValue> value;
  const bool may_be_set = node.variability == VariabilityPrefix::parameter && !node.is_final;
  const auto setting = settings_.find(node.path);
  const Modifier* const attributes = node.type->attributes;
  if (may_be_set && setting != settings_.end()) {
    value = setting_of(node);
  } else if (const Modifier* const start = part_of(attributes, tree_.intern("start"));
             (attributes == nullptr || !attributes->value) && start != nullptr && start->value &&
             !is_free_parameter(node)) {
    value = evaluate_binding(*start->value);
  } else if (attributes == nullptr || !attributes->value) {
    not_known(fmt::format("'{}' has no value", node.path), place);
  } else {
    value = evaluate_binding(*attributes->value);
  }
  if (value && may_be_set) {
    structural_.insert(node.path);
  }
  if (value && node.type->built_in == BuiltIn::real && value->type == Type::integer) {
    value->type = Type::real;
  }
  evaluating_.erase(&node);
  known_values_[&node] = value;
  return value;
}

/// The value from outside, which has no type of its own, as one of the parameter's.
std::optional<KnownValue> Instantiator::setting_of(const Node& node) const {
  const auto setting = settings_.find(node.path);
  if (setting == settings_.end()) {
    return std::nullopt;
  }
  KnownValue value = setting->second;
  switch (node.type->built_in) {
    case BuiltIn::integer:
    case BuiltIn::enumeration: value.type = value.type == Type::string ? value.type : Type::integer; break;
    case BuiltIn::boolean: value.type = value.type == Type::string ? value.type : Type::boolean; break;
    default: break;
  }
  return value;
}

std::optional<KnownValue> Instantiator::evaluate_binding(const Binding& given) {
  const Binding binding = peeled(given);
  const ClassFile& file = *binding.file;
  const FilePlace place{&file, file.ast[binding.value].span};
  if (file.ast[binding.value].kind == ExpressionKind::name) {
    const Reference reference = resolve(file, binding.value, binding.where, nullptr, binding.selectors);
    return value_of(reference, file, binding.where, nullptr, place);
  }
  if (file.ast[binding.value].kind == ExpressionKind::conditional && !binding.selectors.empty()) {
    const auto operands = file.ast.operands(binding.value);
    for (std::size_t k = 0; k + 1 < operands.size(); k += 2) {
      const std::optional<KnownValue> condition = evaluate(file, operands[k], binding.where, nullptr);
      if (!condition || condition->type != Type::boolean) {
        return std::nullopt;
      }
      if (condition->is_true()) {
        return evaluate_binding({&file, operands[k + 1], binding.where, binding.selectors});
      }
    }
    return evaluate_binding({&file, operands.back(), binding.where, binding.selectors});
  }
  std::optional<KnownValue> value = evaluate(file, binding.value, binding.where, nullptr);
  for (const Selector& selector : binding.selectors) {
    if (!value || selector.subscripts.empty()) {
      return not_known("it is a member of a record that is computed", place);
    }
    value = part_at(*value, selector.subscripts);
  }
  return value;
}

std::optional<KnownValue> Instantiator::evaluate_call(const ClassFile& file, ExpressionId id, Context from,
                                                      const Locals* locals) {
  const Call& call = file.ast.call(id);
  std::string function(file.ast.text(call.function));
  const FilePlace place{&file, file.ast[id].span};
  if (function == "size") {
    return evaluate_sizes(file, call, from, locals);
  }
  if (function == "cardinality" || function == "der" || function == "pre" || function == "initial") {
    return not_known(fmt::format("'{}' is not known then", function), place);
  }
  if (function == "String" && class_of_call(file, call, from) == nullptr) {
    return evaluate_string(file, call, from, locals);
  }
  std::vector<KnownValue> arguments;
  if (!call.iterators.empty()) {
    if (call.iterators.size() != 1 || call.arguments.size() != 1) {
      return not_known("it is a reduction over several loops", place);
    }
    const Iterator& iterator = file.ast[call.iterators][0];
    const auto values = range_values(file, iterator, {file.ast[call.arguments][0].value, {}}, from, locals);
    const ValueType type = type_of_iterator(file, iterator, from, locals);
    std::vector<KnownValue> parts;
    for (std::size_t i = 0; values && i < values->size(); ++i) {
      const Locals inner{name(file, iterator.name), (*values)[i], locals, type};
      std::optional<KnownValue> part = evaluate(file, file.ast[call.arguments][0].value, from, &inner);
      if (!part) {
        return std::nullopt;
      }
      parts.push_back(std::move(*part));
    }
    std::optional<KnownValue> all = values ? stacked(parts) : std::nullopt;
    if (!all) {
      return std::nullopt;
    }
    arguments.push_back(std::move(*all));
  } else {
    for (const Argument& argument : file.ast[call.arguments]) {
      std::optional<KnownValue> value = evaluate(file, argument.value, from, locals);
      if (!value) {
        return std::nullopt;
      }
      arguments.push_back(std::move(*value));
    }
  }
  if (const Instance* const called = function_of(file, call, from)) {
    function = external_name(*called);
  } else if (!function.empty() && function.front() == '.') {
    function.erase(0, 1);
  }
  std::optional<KnownValue> value = known_function(function, arguments);
  return value ? value : not_known(fmt::format("it calls '{}'", file.ast.text(call.function)), place);
}

std::optional<KnownValue> Instantiator::evaluate_sizes(const ClassFile& file, const Call& call, Context from,
                                                       const Locals* locals) {
  const auto arguments = file.ast[call.arguments];
  if (arguments.empty() || arguments.size() > 2) {
    return std::nullopt;
  }
  std::optional<std::vector<std::int64_t>> shape;
  if (file.ast[arguments[0].value].kind == ExpressionKind::name) {
    const Reference reference = resolve(file, arguments[0].value, from, locals);
    const bool whole =
        reference.last.empty() || (reference.last[0].subscripts.empty() && reference.last[0].known.empty());
    if (reference.kind == Reference::Kind::primitive && whole) {
      shape = shape_of(*reference.node);
    } else if (reference.kind == Reference::Kind::array) {
      shape.emplace();
      const Reference* at = &reference;
      while (at->kind == Reference::Kind::array && !at->elements.empty()) {
        shape->push_back(static_cast<std::int64_t>(at->elements.size()));
        at = &at->elements.front();
      }
      if (at->kind == Reference::Kind::array) {
        shape->push_back(0);
      } else if (at->kind == Reference::Kind::primitive) {
        const auto inner = shape_of(*at->node);
        if (!inner) {
          return std::nullopt;
        }
        shape->insert(shape->end(), inner->begin(), inner->end());
      }
    } else if (reference.kind == Reference::Kind::missing) {
      return std::nullopt;
    }
  }
  if (!shape) {
    const std::optional<KnownValue> value = evaluate(file, arguments[0].value, from, locals);
    if (!value) {
      return std::nullopt;
    }
    shape = value->shape;
  }
  if (arguments.size() == 1) {
    KnownValue all;
    all.type = Type::integer;
    all.shape = {static_cast<std::int64_t>(shape->size())};
    all.numbers.assign(shape->begin(), shape->end());
    return all;
  }
  const std::optional<KnownValue> dimension = evaluate(file, arguments[1].value, from, locals);
  if (!dimension || !dimension->is_scalar() || dimension->whole() < 1 ||
      dimension->whole() > static_cast<std::int64_t>(shape->size())) {
    return std::nullopt;
  }
  return known_number(Type::integer,
                      static_cast<double>((*shape)[static_cast<std::size_t>(dimension->whole() - 1)]));
}

/// Of a primitive component.
std::optional<std::vector<std::int64_t>> Instantiator::shape_of(Node& node) {
  std::vector<std::int64_t> shape;
  for (std::size_t d = 0; d < node.sizes.size(); ++d) {
    const Size& size = node.sizes[d];
    if (size.file->ast[size.value].kind == ExpressionKind::all) {
      const auto setting = settings_.find(node.path);
      std::optional<KnownValue> value;
      if (setting != settings_.end()) {
        value = setting->second;
      } else if (node.type->attributes != nullptr && node.type->attributes->value) {
        value = evaluate_binding(*node.type->attributes->value);
      }
      if (!value || value->shape.size() <= d) {
        not_known(fmt::format("the size ':' of '{}' is not known", node.path), node.element->place());
        return std::nullopt;
      }
      shape.push_back(value->shape[d]);
      continue;
    }
    const std::optional<KnownValue> value = size_value(size);
    if (!value || !value->is_scalar()) {
      return std::nullopt;
    }
    shape.push_back(value->whole());
  }
  return shape;
}

/// A size is a number or a type that counts: the literals of an enumeration, or Boolean (Modelica 10.1).
std::optional<KnownValue> Instantiator::size_value(const Size& size) {
  if (const std::optional<const ClassDef*> type = type_of_size(size)) {
    return known_number(Type::integer, static_cast<double>(n_values(*type)));
  }
  return evaluate(*size.file, size.value, size.where, nullptr);
}

}  // namespace saltus::lang
