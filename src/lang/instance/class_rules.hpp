/// What the kinds of classes may hold and extend (Modelica 4.7, 7.1.3), as far as one text says it.
#pragma once

#include <string>

#include "lang/instance/class_tree.hpp"

namespace saltus::lang {

/// Says what a class holds that its kind does not allow: equations of a connector, `flow` in a record, names of the language.
void tell_broken_rules(const ClassDef& def, Reports& reports);

/// Why a class cannot extend another; empty: it can.
[[nodiscard]] std::string extension_problem(const ClassDef& derived, const ClassDef& base);

}  // namespace saltus::lang
