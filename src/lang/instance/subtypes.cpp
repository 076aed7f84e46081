// What may stand for what (Modelica 6.3, 6.4, 7.3.2): replaceable elements and those that replace them, outer components and inner
// ones.
//
// A class fits where another is asked for if it has the public components and classes of that one, and the simple types among them
// are the same. The types of components that are made of others are not compared further: they may depend on redeclarations.

#include <fmt/format.h>

#include <algorithm>

#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"

namespace saltus::lang {
std::optional<KnownType> Instantiator::type_of(const TypeName& name) {
  KnownType result;
  ClassUse use = name.use;
  if (use.def == nullptr) {
    const std::optional<FoundClass> found = find_class(name.path, name.where, name.place);
    if (!found) {
      return std::nullopt;
    }
    result.built_in = found->built_in;
    use = found->use;
  }
  result.n_dimensions = name.n_dimensions;
  if (result.built_in == BuiltIn::none) {
    Instance& instance = instances_.emplace_back();
    instance.use = use;
    instance.modifier = use.modifier;
    instance.function = use.def->kind() == ClassKind::function ? &instance : nullptr;
    instance.path = use.def->path;
    expand(instance);
    result.instance = &instance;
    result.built_in = instance.built_in;
    result.enumeration = instance.enumeration;
    result.n_dimensions += instance.sizes.size();
  }
  return result;
}

/// Of a component, as it is declared.
TypeName Instantiator::declared_type(const Element& element) {
  TypeName name;
  if (element.component == nullptr) {
    name.use = element.use;
    name.use.enclosing = element.context;
    name.place = element.place();
    return name;
  }
  name.path = element.file->ast.text(element.component->type);
  name.where = element.context;
  name.place = {element.file, element.component->type_span};
  name.n_dimensions = element.component->dimensions.size();
  return name;
}

/// Why `given` cannot stand where `wanted` is asked for; empty: it can.
std::string Instantiator::misfit(const KnownType& given, const KnownType& wanted, bool compares_sizes) {
  if (given.built_in != wanted.built_in) {
    return "the types differ";
  }
  if (given.built_in == BuiltIn::enumeration && !same_literals(*given.enumeration, *wanted.enumeration)) {
    return "the enumerations differ";
  }
  if (compares_sizes && given.n_dimensions != wanted.n_dimensions) {
    return fmt::format("one has {} dimensions, the other {}", given.n_dimensions, wanted.n_dimensions);
  }
  if (given.built_in != BuiltIn::none) {
    return {};
  }
  for (Element* const element : in_order(*wanted.instance)) {
    if (element->is_protected) {
      continue;
    }
    Element* const other = find_member(*given.instance, element->name);
    if (other == nullptr || (other->component == nullptr) != (element->component == nullptr)) {
      return fmt::format("there is no {} '{}'", element->component == nullptr ? "class" : "component",
                         text(element->name));
    }
    const auto written = [](const Element& one) { return one.file->ast.text(one.component->type); };
    const auto is_of_language = [&](const Element& one) {
      const std::string_view type = written(one);
      return type == "Real" || type == "Integer" || type == "Boolean" || type == "String";
    };
    if (element->component != nullptr && is_of_language(*element) && is_of_language(*other) &&
        written(*element) != written(*other)) {
      return fmt::format("'{}' has another type", text(element->name));
    }
  }
  return {};
}

/// Noted while classes are read, and looked at when all are.
void Instantiator::note_replacement(const Element& element, TypeName given, TypeName wanted,
                                    FilePlace place) {
  const bool is_compared = element.component != nullptr || (element.use.def->kind() != ClassKind::package &&
                                                            element.use.def->kind() != ClassKind::function);
  if (is_compared) {
    replacements_.push_back({std::move(given), std::move(wanted), place, element.name});
  }
}

void Instantiator::check_replacements() {
  for (std::size_t i = 0; i < replacements_.size(); ++i) {
    const Replacement one = replacements_[i];
    const std::size_t n_before = reports_.items().size();
    const std::optional<KnownType> given = type_of(one.given);
    const std::optional<KnownType> wanted = type_of(one.wanted);
    if (!given || !wanted || reports_.items().size() != n_before) {
      continue;
    }
    const std::string problem = misfit(*given, *wanted, false);
    if (!problem.empty()) {
      reports_.error(kNotASubtype, fmt::format("'{}' cannot be this: {}", text(one.name), problem), one.place)
          .notes.push_back({"this is asked for", one.wanted.place});
    }
  }
}

/// An inner component must fit where the outer one is declared (Modelica 5.4).
void Instantiator::check_inner(Node& node) {
  const Element& inner = *node.inner->element;
  const std::string_view written = node.element->file->ast.text(node.component().type);
  if (node.inner->failed || (written == inner.file->ast.text(inner.component->type) &&
                             node.component().dimensions.size() == inner.component->dimensions.size())) {
    return;
  }
  const std::size_t n_before = reports_.items().size();
  const std::optional<KnownType> wanted = type_of(declared_type(*node.element));
  const std::optional<KnownType> given = type_of(declared_type(inner));
  if (!given || !wanted || reports_.items().size() != n_before) {
    return;
  }
  const std::string problem = misfit(*given, *wanted, true);
  if (!problem.empty()) {
    reports_
        .error(kNotASubtype,
               fmt::format("the inner '{}' does not fit the outer '{}': {}", node.inner->path, node.path,
                           problem),
               node.element->place())
        .notes.push_back({"the inner one is declared here", node.inner->element->place()});
  }
}

}  // namespace saltus::lang
