// What declarations may say and reach (Modelica 4.1, 4.4.2, 5.4, 7.1.2, 7.3.3): prefixes, protected elements, what is inherited twice.
//
// What the text of one class alone tells is in class_rules.cpp; here stands what needs the classes of components.

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "lang/instance/class_rules.hpp"
#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"

namespace saltus::lang {
namespace {

std::string_view text_of(const ClassFile& file, ExpressionId id) {
  return id.valid() ? file.source->text(file.ast[id].span) : std::string_view();
}

std::string without_blanks(std::string_view text) {
  std::string result(text);
  std::erase_if(result, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
  return result;
}

bool is_redeclared(const Element& element) {
  return element.original != nullptr || (element.modifier != nullptr && element.modifier->redeclared);
}

/// After the last dot: one class may be named in several ways.
std::string_view last_name(std::string_view path) {
  return path.substr(path.rfind('.') + 1);
}

}  // namespace

void Instantiator::check_base(const Instance& instance, std::uint32_t part, const ClassUse& base,
                              FilePlace place) {
  const ClassDef& derived = *instance.parts[part].def;
  if (const std::string problem = extension_problem(derived, *base.def); !problem.empty()) {
    reports_.error(kWrongKindOfClass, problem, place).notes.push_back({"declared here", base.def->place()});
  }
  const Class& item = *derived.text;
  const bool is_alone = item.components.empty() && item.extends.size() < 2;
  const bool has_prefix =
      base.def->text != nullptr && base.def->text->is_short() &&
      (!base.def->text->dimensions.empty() || base.def->text->base_causality != CausalityPrefix::none);
  if (has_prefix && !is_alone) {
    reports_
        .error(kNotAllowed,
               fmt::format("'{}' is an array or has a prefix: who extends it can have nothing else",
                           base.def->path),
               place)
        .notes.push_back({"declared here", base.def->place()});
  }
}

/// What extends a simple type is one, and has no components (Modelica 4.9).
void Instantiator::check_simple_type(const Instance& instance) {
  for (const Element& element : instance.elements) {
    if (element.component != nullptr) {
      reports_
          .error(kNotAllowed,
                 fmt::format("'{}' is a simple type: it can have no component '{}'", instance.def().path,
                             text(element.name)),
                 element.place())
          .notes.push_back({"the class is declared here", instance.def().place()});
    }
  }
}

/// The new declaration `element` stands in a class, marked 'redeclare'.
void Instantiator::check_redeclared(const Element& element, const Element& original) {
  check_redeclarable(original, element.place());
  if (element.component != nullptr || !element.use.def->text->is_class_extends) {
    note_replacement(element, declared_type(element), constraint_of(original), element.place());
  }
  if (element.is_protected != original.is_protected) {
    reports_
        .error(kNotAllowed,
               fmt::format("'{}' is {}, so it cannot be redeclared as {}", text(element.name),
                           original.is_protected ? "protected" : "public",
                           element.is_protected ? "protected" : "public"),
               element.place())
        .notes.push_back({"declared here", original.place()});
  }
  const bool replaceable = original.component != nullptr
                               ? original.component->is_replaceable
                               : original.use.def->text == nullptr || original.use.def->text->is_replaceable;
  if (!replaceable) {
    reports_
        .error(kNotReplaceable, fmt::format("'{}' is not replaceable", text(element.name)), element.place())
        .notes.push_back({"declared here", original.place()});
  }
}

void Instantiator::check_redeclarable(const Element& element, FilePlace place) {
  const bool is_final = element.component != nullptr
                            ? element.component->final
                            : element.use.def->text != nullptr && element.use.def->text->is_final;
  const bool is_constant =
      element.component != nullptr && element.component->variability == VariabilityPrefix::constant;
  if (is_final || is_constant) {
    reports_
        .error(is_final ? kFinalModification : kNotReplaceable,
               fmt::format("'{}' is {}: it cannot be redeclared", text(element.name),
                           is_final ? "final" : "a constant"),
               place)
        .notes.push_back({"declared here", element.place()});
  }
}

/// What is inherited from two sides, or declared here too, must be the same (Modelica 7.1.2).
void Instantiator::check_duplicate(const Element& first, const Element& second) {
  std::string problem;
  if ((first.component == nullptr) != (second.component == nullptr)) {
    return;  // told already
  }
  if (is_redeclared(first) || is_redeclared(second)) {
    return;  // by the same modification
  }
  if (first.component == nullptr) {
    const Class* const a = first.use.def->text;
    const Class* const b = second.use.def->text;
    bool differ = first.use.def != second.use.def && a != nullptr && b != nullptr && !a->is_in_modification &&
                  !b->is_in_modification;
    if (differ && a->is_short() && b->is_short()) {
      differ = last_name(first.file->ast.text(a->base)) != last_name(second.file->ast.text(b->base));
    } else if (differ) {
      differ = without_blanks(first.file->source->text(a->extent)) !=
               without_blanks(second.file->source->text(b->extent));
    }
    problem = differ ? "they are different classes" : "";
  } else if (first.component != second.component) {
    const Component& a = *first.component;
    const Component& b = *second.component;
    const std::string_view value_a = text_of(*first.file, a.value);
    const std::string_view value_b = text_of(*second.file, b.value);
    if (last_name(first.file->ast.text(a.type)) != last_name(second.file->ast.text(b.type))) {
      problem = "they have different types";
    } else if (a.dimensions.size() != b.dimensions.size()) {
      problem = "they have different numbers of dimensions";
    } else if (!value_a.empty() && !value_b.empty() && without_blanks(value_a) != without_blanks(value_b) &&
               first.modifier == nullptr && second.modifier == nullptr) {
      problem = "they have different values";
    }
  }
  if (!problem.empty()) {
    reports_
        .error(kClassTaken, fmt::format("'{}' is declared twice, and {}", text(first.name), problem),
               first.place())
        .notes.push_back({"also declared here", second.place()});
  }
}

void Instantiator::check_prefixes(const Node& node) {
  const Component& component = node.component();
  const FilePlace place = node.element->place();
  const ClassDef& def = node.type->def();
  const auto tell = [&](std::string message) {
    reports_.error(kNotAllowed, std::move(message), place)
        .notes.push_back({"the class is declared here", def.place()});
  };
  const bool is_plain = node.type->built_in != BuiltIn::none;
  const bool is_class = def.text != nullptr && def.text->is_plain_class;
  const bool is_behaviour =
      !is_plain && !is_class && (def.kind() == ClassKind::model || def.kind() == ClassKind::block);
  const std::string_view prefix = component.is_flow                                       ? "flow"
                                  : component.causality == CausalityPrefix::input         ? "input"
                                  : component.causality == CausalityPrefix::output        ? "output"
                                  : component.variability == VariabilityPrefix::constant  ? "constant"
                                  : component.variability == VariabilityPrefix::parameter ? "parameter"
                                  : component.variability == VariabilityPrefix::discrete  ? "discrete"
                                                                                          : "";
  if (is_behaviour && !prefix.empty()) {
    tell(fmt::format("'{}' is a {}: it cannot be '{}'", node.path, to_string(def.kind()), prefix));
  }
  if (is_behaviour && node.holder->function != nullptr) {
    tell(fmt::format("'{}' is a {}: a function cannot have one", node.path, to_string(def.kind())));
  }
  if (component.is_flow && is_plain && node.type->built_in != BuiltIn::real) {
    tell(fmt::format("'{}' is 'flow', so it must be a Real", node.path));
  }
  const bool is_connector_inside = !is_plain && def.kind() == ClassKind::connector;
  if (is_connector_inside && component.variability >= VariabilityPrefix::parameter) {
    tell(fmt::format("the connector '{}' cannot be '{}'", node.path, prefix));
  }
  for (std::size_t p = 1; !is_plain && p < node.type->parts.size(); ++p) {
    const Class* const shorter = node.type->parts[p - 1].def->text;
    const Class* const base = node.type->parts[p].def->text;
    if (shorter == nullptr || base == nullptr || !shorter->is_short()) {
      break;
    }
    if (base->is_partial) {
      reports_
          .error(
              kPartialClass,
              fmt::format("class '{}' of '{}' stands for a partial one: it has to be extended or redeclared",
                          def.path, node.path),
              {node.element->file, component.type_span})
          .notes.push_back({"the class is declared here", node.type->parts[p].def->place()});
      break;
    }
  }
  if (component.is_flow && node.holder->is_flow) {
    tell(fmt::format("'{}' is 'flow', and so is what it is a part of", node.path));
  }
  if (component.causality != CausalityPrefix::none && node.holder->prefixed != CausalityPrefix::none) {
    tell(fmt::format("'{}' is 'input' or 'output', and so is what it is a part of", node.path));
  }
}

/// What a declaration modifies in its component must be public in it.
void Instantiator::check_protected(const Node& node) {
  if (node.modifier == nullptr || node.is_primitive()) {
    return;
  }
  for (const auto& [name, modifier] : node.modifier->parts) {
    const auto found = node.type->of_name.find(name);
    if (found != node.type->of_name.end() && found->second->is_protected && modifier->place.file != nullptr) {
      reports_
          .error(kProtectedElement,
                 fmt::format("'{}' of '{}' is protected: it cannot be modified from outside", text(name),
                             node.path),
                 modifier->place)
          .notes.push_back({"declared here", found->second->place()});
    }
  }
}

/// Names of parts that stand behind a dot must be public.
bool Instantiator::check_public(const Element& member, const std::string& path, FilePlace place) {
  if (!member.is_protected) {
    return true;
  }
  reports_
      .error(
          kProtectedElement,
          fmt::format("'{}' of '{}' is protected: it cannot be named from outside", text(member.name), path),
          place)
      .notes.push_back({"declared here", member.place()});
  return false;
}

/// An outer component is a name for another one: nothing can be said about it here (Modelica 5.4).
void Instantiator::check_outer(const Node& node) {
  const Component& component = node.component();
  const Modifier* const given = node.element->modifier;
  const bool is_modified = component.value.valid() || !component.modifications.empty();
  if (is_modified || given != nullptr) {
    reports_.error(kWrongModification,
                   fmt::format("'{}' is 'outer': only the inner component can be modified", node.path),
                   is_modified ? node.element->place() : given->place);
  }
}

}  // namespace saltus::lang
