// Modifications and how they are merged (Modelica 7.2).
//
// A modification is a tree of names. Merging goes name by name: what is said further out counts (7.2.4), unless what is said
// further in is final (7.2.6). Values are expressions with the place from which their names are looked up (5.6.1.3), which
// stays that of the modification wherever it is applied. For the elements of an array of components a value is taken element
// by element, unless it is marked 'each' (7.2.5).
#include <fmt/format.h>

#include <algorithm>

#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"

namespace saltus::lang {

const Modifier* Instantiator::modifier_of(const ClassFile& file, const Modification& item, Context where) {
  Modifier& result = new_modifier();
  result.place = {&file, item.name_span};
  result.each = item.each;
  result.final = item.final;
  if (item.redeclared_class != kNoIndex) {
    result.redeclared = Redeclaration{&file, tree_.of(file, item.redeclared_class), nullptr, where};
  } else if (item.redeclared_component != kNoIndex) {
    result.redeclared = Redeclaration{&file, nullptr, &file.ast.redeclared[item.redeclared_component], where};
  } else {
    if (item.value.valid()) {
      result.value = Binding{&file, item.value, where, {}};
    }
    const Modifier* const nested = modifier_of(file, item.nested, where);
    if (nested != nullptr) {
      result.parts = nested->parts;
    }
  }
  return &result;
}

const Modifier* Instantiator::modifier_of(const ClassFile& file, List<Modification> list, Context where) {
  if (list.empty()) {
    return nullptr;
  }
  Modifier& result = new_modifier();
  for (const Modification& item : file.ast[list]) {
    const Modifier* inner = modifier_of(file, item, where);
    // `a.b = 1` means `a(b = 1)`.
    std::string_view path = file.ast.text(item.name);
    for (std::size_t dot = path.rfind('.'); dot != std::string_view::npos; dot = path.rfind('.')) {
      Modifier& around = new_modifier();
      around.place = inner->place;
      around.parts.emplace_back(tree_.intern(path.substr(dot + 1)), inner);
      inner = &around;
      path = path.substr(0, dot);
    }
    const Name name = tree_.intern(path);
    const Modifier* const earlier = part_of(&result, name);
    if (earlier == nullptr) {
      result.parts.emplace_back(name, inner);
      continue;
    }
    for (auto& [part, modifier] : result.parts) {
      modifier = part == name ? joined(modifier, inner, std::string(path)) : modifier;
    }
  }
  return &result;
}

/// Two arguments of one modification, which may be about one element but not say the same thing of it (Modelica 7.2).
const Modifier* Instantiator::joined(const Modifier* first, const Modifier* second, const std::string& path) {
  if ((first->value && second->value) || (first->redeclared && second->redeclared)) {
    reports_.error(kWrongModification, fmt::format("'{}' is modified twice", path), second->place)
        .notes.push_back({"also here", first->place});
  }
  Modifier& result = new_modifier();
  result = *first;
  result.each = first->each || second->each;
  result.final = first->final || second->final;
  result.value = first->value ? first->value : second->value;
  result.redeclared = first->redeclared ? first->redeclared : second->redeclared;
  for (const auto& [name, modifier] : second->parts) {
    const auto same = std::find_if(result.parts.begin(), result.parts.end(),
                                   [name = name](const auto& part) { return part.first == name; });
    if (same == result.parts.end()) {
      result.parts.emplace_back(name, modifier);
    } else {
      same->second = joined(same->second, modifier, fmt::format("{}.{}", path, text(name)));
    }
  }
  return &result;
}

const Modifier* Instantiator::part_of(const Modifier* modifier, Name name) const {
  if (modifier == nullptr) {
    return nullptr;
  }
  for (const auto& [part, inner] : modifier->parts) {
    if (part == name) {
      return inner;
    }
  }
  return nullptr;
}

const Modifier* Instantiator::merged(const Modifier* outer, const Modifier* inner) {
  if (outer == nullptr || inner == nullptr) {
    return outer == nullptr ? inner : outer;
  }
  if (inner->final && (outer->value || outer->redeclared || !outer->parts.empty())) {
    reports_.error(kFinalModification, "this changes what is final", outer->place)
        .notes.push_back({"made final here", inner->place});
    return inner;
  }
  Modifier& result = new_modifier();
  result.place = outer->place.file != nullptr ? outer->place : inner->place;
  result.each = outer->each;
  result.final = outer->final || inner->final;
  result.value = outer->value ? outer->value : inner->value;
  result.is_below_value = outer->is_below_value || (!outer->value && inner->is_below_value);
  result.redeclared = outer->redeclared ? outer->redeclared : inner->redeclared;
  if (outer->redeclared && inner->redeclared) {
    result.redeclared = redeclared_after(*outer->redeclared, *inner);
  }
  result.parts = outer->parts;
  for (const auto& [name, modifier] : inner->parts) {
    bool found = false;
    for (auto& [part, own] : result.parts) {
      if (part == name) {
        own = merged(own, modifier);
        found = true;
      }
    }
    // A value of a whole record goes before what is said of its members further in (7.2.3).
    if (!found && outer->value && !modifier->is_below_value) {
      Modifier& below = new_modifier();
      below = *modifier;
      below.is_below_value = true;
      result.parts.emplace_back(name, &below);
    } else if (!found) {
      result.parts.emplace_back(name, modifier);
    }
  }
  return &result;
}

/// For one element of an array of components.
const Modifier* Instantiator::element_of(const Modifier* modifier,
                                         const std::vector<std::int64_t>& subscripts) {
  if (modifier == nullptr || modifier->each) {
    return modifier;
  }
  Modifier& result = new_modifier();
  result = *modifier;
  if (result.value) {
    result.value->selectors.push_back({subscripts, Name()});
  }
  for (auto& [part, inner] : result.parts) {
    inner = element_of(inner, subscripts);
  }
  return &result;
}

/// What the value of a record says of one member; null if it says nothing, as a constructor that leaves it out.
const Modifier* Instantiator::member_of(const Modifier& record, const Element& member) {
  Binding binding = *record.value;
  binding.selectors.push_back({{}, member.name});
  Binding chosen = peeled(std::move(binding));
  const ExpressionKind kind = chosen.file->ast[chosen.value].kind;
  const bool is_left_out =
      !chosen.selectors.empty() && chosen.selectors.front().subscripts.empty() &&
      kind == ExpressionKind::call &&
      record_of(*chosen.file, chosen.file->ast.call(chosen.value), chosen.where) != nullptr;
  // What is computed while the model runs has the constants of its class.
  const bool is_computed_constant = member.component->variability == VariabilityPrefix::constant &&
                                    !chosen.selectors.empty() && kind != ExpressionKind::name;
  if (is_left_out || is_computed_constant) {
    return nullptr;
  }
  Modifier& result = new_modifier();
  result.place = record.place;
  result.value = std::move(chosen);
  return &result;
}

/// Takes elements out of array literals and members out of record constructors, as far as it goes.
Binding Instantiator::peeled(Binding binding) {
  while (!binding.selectors.empty() || binding.file->ast[binding.value].kind == ExpressionKind::member) {
    const Ast& ast = binding.file->ast;
    const Expression& expression = ast[binding.value];
    if (expression.kind == ExpressionKind::member) {
      binding.selectors.insert(binding.selectors.begin(),
                               {{}, name(*binding.file, ast.member_name(binding.value))});
      binding.value = ast.operands(binding.value)[0];
      continue;
    }
    Selector& selector = binding.selectors.front();
    if (expression.kind == ExpressionKind::array && !selector.subscripts.empty()) {
      const auto operands = ast.operands(binding.value);
      const std::int64_t k = selector.subscripts.front();
      if (k < 1 || k > static_cast<std::int64_t>(operands.size())) {
        return binding;
      }
      binding.value = operands[static_cast<std::size_t>(k - 1)];
      selector.subscripts.erase(selector.subscripts.begin());
      if (selector.subscripts.empty()) {
        binding.selectors.erase(binding.selectors.begin());
      }
    } else if (expression.kind == ExpressionKind::call && selector.subscripts.empty()) {
      const Call& call = ast.call(binding.value);
      Instance* const record = record_of(*binding.file, call, binding.where);
      note_constructor(*binding.file, call, record);
      const ExpressionId argument = record == nullptr
                                        ? ExpressionId()
                                        : constructor_argument(*binding.file, call, *record, selector.member);
      if (!argument.valid()) {
        return binding;
      }
      binding.value = argument;
      binding.selectors.erase(binding.selectors.begin());
    } else {
      return binding;
    }
  }
  return binding;
}

/// The record that a call constructs (Modelica 12.6); null if it does not.
Instance* Instantiator::record_of(const ClassFile& file, const Call& call, Context from) {
  Instance* const called = class_of_call(file, call, from);
  if (called == nullptr) {
    return nullptr;
  }
  return std::any_of(called->parts.begin(), called->parts.end(),
                     [](const Part& part) { return part.def->kind() == ClassKind::record; })
             ? called
             : nullptr;
}

/// Whether a member may be given to the constructor.
bool Instantiator::is_constructor_input(const Element& element) {
  return element.component != nullptr && !element.component->final &&
         !(element.modifier != nullptr && element.modifier->final);
}

ExpressionId Instantiator::constructor_argument(const ClassFile& file, const Call& call, Instance& record,
                                                Name member) {
  const auto arguments = file.ast[call.arguments];
  std::size_t position = 0;
  for (const Element* const element : in_order(record)) {
    if (!is_constructor_input(*element)) {
      continue;
    }
    if (element->name == member && position < arguments.size() && !arguments[position].name.valid()) {
      return arguments[position].value;
    }
    ++position;
  }
  for (const Argument& argument : arguments) {
    if (argument.name.valid() && name(file, argument.name) == member) {
      return argument.value;
    }
  }
  return {};
}

}  // namespace saltus::lang
