// Classes and components that take the place of others (Modelica 7.3).
//
// What is redeclared must be replaceable. The new declaration is looked up where the redeclaration stands; modifications of the
// constraining clause still apply (7.3.2), and so do the sizes of the old declaration where the new one gives none.
#include <fmt/format.h>

#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"

namespace saltus::lang {

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
  const Constraint& constraint = is_class ? element.use.def->text->constraint : element.component->constraint;
  const ClassFile& old_file = *element.file;
  const Modifier* const kept = modifier_of(old_file, constraint.modifications, element.context);
  Modifier& rest = new_modifier();
  rest = modifier;
  rest.redeclared.reset();
  element.modifier = rest.parts.empty() && !rest.value ? nullptr : &rest;
  if (is_class) {
    element.use.def = redeclaration.definition;
    element.use.modifier = kept;
    element.use.replaced = nullptr;
    element.file = redeclaration.definition->file;
  } else {
    element.original = &originals_.emplace_back(element);
    element.component = redeclaration.component;
    element.file = modifier.place.file;
    if (kept != nullptr) {
      // The new declaration's own modifications go before those of the constraint.
      const Modifier* const own =
          modifier_of(*element.file, redeclaration.component->modifications, redeclaration.where);
      element.modifier = merged(element.modifier, merged(own, kept));
    }
  }
  element.context = redeclaration.where;
}

}  // namespace saltus::lang
