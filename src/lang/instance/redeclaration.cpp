// Classes and components that take the place of others (Modelica 7.3).
//
// What is redeclared must be replaceable. The new declaration is looked up where the redeclaration stands. What the constraining
// clause modifies still applies; without such a clause, what the old declaration modifies does (7.3.2): both below what the new one
// says itself. So do the sizes of the old declaration where the new one gives none.
#include <fmt/format.h>

#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"

namespace saltus::lang {

const Modifier* Instantiator::kept_modifier(const Element& element, bool is_replaced) {
  const bool is_class = element.component == nullptr;
  if (is_class && element.use.def->text == nullptr) {
    return nullptr;
  }
  const Constraint& constraint = is_class ? element.use.def->text->constraint : element.component->constraint;
  if (constraint.base.valid()) {
    return modifier_of(*element.file, constraint.modifications, element.context);
  }
  const List<Modification> own =
      is_class ? element.use.def->text->modifications : element.component->modifications;
  const bool is_kept = is_replaced && (!is_class || element.use.def->text->is_short());
  return is_kept ? modifier_of(*element.file, own, element.context) : nullptr;
}

void Instantiator::redeclare(Element& element, const Redeclaration& redeclaration, const Modifier& modifier) {
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
  if (!replaceable) {
    reports_
        .error(kNotReplaceable, fmt::format("'{}' is not replaceable", text(element.name)), modifier.place)
        .notes.push_back({"declared here", element.place()});
    return;
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
}

}  // namespace saltus::lang
