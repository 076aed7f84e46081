// Classes and components that take the place of others (Modelica 7.3).
//
// What is redeclared must be replaceable. The new declaration is looked up where the redeclaration stands. What the constraining
// clause modifies still applies; without such a clause, what the old declaration modifies does (7.3.2): both below what the new one
// says itself. So do the sizes of the old declaration where the new one gives none.
#include <fmt/format.h>

#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"

namespace saltus::lang {

namespace {

/// Sizes that are left open may be given in a redeclaration of what is not replaceable (Modelica 7.3.3).
bool gives_sizes(const Element& element, const Component& component) {
  const Component& old = *element.component;
  return !old.dimensions.empty() && old.dimensions.size() == component.dimensions.size() &&
         element.file->ast[element.file->ast[old.dimensions].front()].kind == ExpressionKind::all;
}

}  // namespace

/// What a declaration says about all that may stand in its place.
const Modifier* Instantiator::kept_modifier(const Element& element, bool is_replaced) {
  const bool is_class = element.component == nullptr;
  if (is_class && element.use.def->text == nullptr) {
    return nullptr;
  }
  const Constraint& constraint = is_class ? element.use.def->text->constraint : element.component->constraint;
  if (constraint.base.valid()) {
    return modifier_of(*element.file, constraint.modifications, element.context);
  }
  // What is redeclared once more still stands for what its first declaration allows.
  const bool is_redeclared =
      is_replaced && (is_class ? element.use.def->text->is_in_modification : element.original != nullptr);
  if (is_redeclared) {
    return is_class ? element.use.kept : element.kept;
  }
  const List<Modification> own =
      is_class ? element.use.def->text->modifications : element.component->modifications;
  const bool is_kept = is_replaced && (!is_class || element.use.def->text->is_short());
  return is_kept ? modifier_of(*element.file, own, element.context) : nullptr;
}

/// What all that replaces it must fit (Modelica 7.3.2).
TypeName Instantiator::constraint_of(const Element& element) {
  const bool is_class = element.component == nullptr;
  if (is_class && element.use.def->text == nullptr) {
    return declared_type(element);
  }
  const Constraint& constraint = is_class ? element.use.def->text->constraint : element.component->constraint;
  if (constraint.base.valid()) {
    TypeName name;
    name.path = element.file->ast.text(constraint.base);
    name.where = element.context;
    name.place = {element.file, constraint.span};
    return name;
  }
  const bool is_redeclared =
      element.original != nullptr && (!is_class || element.original->component == nullptr);
  return is_redeclared ? constraint_of(*element.original) : declared_type(element);
}

/// All but the sizes stays as it is declared.
void Instantiator::resize(Element& element, const Redeclaration& redeclaration) {
  Element& sizes = originals_.emplace_back(element);
  sizes.component = redeclaration.component;
  sizes.file = redeclaration.file;
  sizes.context = redeclaration.where;
  Component& own = split_components_.emplace_back(*element.component);
  own.dimensions = {};
  element.component = &own;
  element.original = &sizes;
  element.modifier = nullptr;
}

/// One after another that stands further in.
Redeclaration Instantiator::redeclared_after(const Redeclaration& outer, const Modifier& inner) {
  Redeclaration result = outer;
  if (outer.below == nullptr) {
    result.below = &inner;
    return result;
  }
  Modifier& below = new_modifier();
  below = *outer.below;
  below.redeclared = redeclared_after(*outer.below->redeclared, inner);
  result.below = &below;
  return result;
}

/// The prefixes that a new declaration leaves out are those of the one that it replaces.
const Component* Instantiator::with_prefixes_of(const Component& replaced, const Component& component) {
  Component& result = split_components_.emplace_back(component);
  if (result.variability == VariabilityPrefix::none) {
    result.variability = replaced.variability;
  }
  if (result.causality == CausalityPrefix::none) {
    result.causality = replaced.causality;
  }
  result.is_flow = result.is_flow || replaced.is_flow;
  result.is_stream = result.is_stream || replaced.is_stream;
  result.is_inner = result.is_inner || replaced.is_inner;
  result.is_outer = result.is_outer || replaced.is_outer;
  result.is_protected = result.is_protected || replaced.is_protected;
  return &result;
}

void Instantiator::redeclare(Element& element, const Redeclaration& redeclaration, const Modifier& modifier) {
  if (redeclaration.below != nullptr) {
    redeclare(element, *redeclaration.below->redeclared, *redeclaration.below);
  }
  const bool is_class = element.component == nullptr;
  if (is_class != (redeclaration.definition != nullptr)) {
    reports_
        .error(kWrongKindOfClass,
               fmt::format("'{}' is a {}, it cannot become a {}", text(element.name),
                           is_class ? "class" : "component", is_class ? "component" : "class"),
               modifier.place)
        .notes.push_back({"declared here", element.place()});
    return;
  }
  const bool replaceable = is_class
                               ? element.use.def->text != nullptr && element.use.def->text->is_replaceable
                               : element.component->is_replaceable;
  if (!replaceable && !is_class && gives_sizes(element, *redeclaration.component)) {
    resize(element, redeclaration);
    return;
  }
  if (!replaceable) {
    reports_
        .error(kNotReplaceable, fmt::format("'{}' is not replaceable", text(element.name)), modifier.place)
        .notes.push_back({"declared here", element.place()});
    return;
  }
  check_redeclarable(element, modifier.place);
  const TypeName wanted = constraint_of(element);
  if (is_class) {
    element.original = &originals_.emplace_back(element);
  }
  const Modifier* const kept = kept_modifier(element, true);
  Modifier& rest = new_modifier();
  rest = modifier;
  rest.redeclared.reset();
  element.modifier = rest.parts.empty() && !rest.value ? nullptr : &rest;
  if (is_class) {
    element.use.def = redeclaration.definition;
    element.use.modifier = nullptr;
    element.use.replaced = nullptr;
    element.use.kept = kept;
  } else {
    element.original = &originals_.emplace_back(element);
    element.component = redeclaration.component;
    element.kept = kept;
  }
  element.file = redeclaration.file;
  element.context = redeclaration.where;
  note_replacement(element, declared_type(element), wanted, modifier.place);
  const Constraint& own = is_class ? element.use.def->text->constraint : element.component->constraint;
  if (own.base.valid()) {
    note_replacement(element, constraint_of(element), wanted, modifier.place);
  }
}

}  // namespace saltus::lang
