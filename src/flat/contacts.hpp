/// contact(gap, force, e): bodies that cannot go through each other (docs/semantics.md 7.11).
///
/// Problem      0 ≤ gap ⟂ force ≥ 0 is one equation, 0 = min(gap, force), in which a gap that closes with a velocity takes that velocity away; with a
///              restitution e it gives a part of it back, and for that the effect of the force must be known while the contact is open
/// Method       0 = if gap <= force then gap else force - p, with a number p that is zero but while an impact is looked at
///              (Condition::Kind::gap, settle/impact), beside a condition of which e is the argument
/// Contract     The relation is a condition over gap - force. contact_of() finds what add_contact() has made.
/// Checked by   tests/unit/lang/contacts_test.cpp, tests/events/contact_test.cpp
#pragma once

#include <optional>
#include <string>

#include "flat/model.hpp"

namespace saltus::flat {

struct Contact {
  NodeId gap;
  NodeId force;
  NodeId restitution;
};

/// What must be zero; `closed`: the condition gap <= force. New conditions: that of the gap, then that of the restitution.
[[nodiscard]] NodeId add_contact(Model& model, ConditionId closed, const Contact& contact, std::string text,
                                 SourceSpan span);
/// Nothing: the equation is no contact.
[[nodiscard]] std::optional<Contact> contact_of(const Model& model, const Equation& equation);

}  // namespace saltus::flat
