// The elements of a class, its own and those it inherits (Modelica 7.1).
//
// The classes that are extended are looked up without what is inherited (7.1.1, 5.6.1.4). An element that a class has from
// two sides counts once. A local element that is marked 'redeclare' takes the place of the inherited one.
#include <fmt/format.h>

#include <algorithm>

#include "lang/instance/class_rules.hpp"
#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"
#include "lang/syntax/diagnostic_codes.hpp"

namespace saltus::lang {
namespace {

/// Classes that extend classes that extend …
constexpr int kMaxBases = 100;
/// All texts that one class is made of: where two bases have two bases each, and so on, they double at every level.
constexpr std::size_t kMaxParts = 10'000;
/// Classes that must be read to read another one, as the package in which its base stands.
constexpr int kMaxClassesInWork = 200;

/// Whether it is marked as one that takes the place of what is inherited.
bool redeclares(const Element& element) {
  if (element.component != nullptr) {
    return element.component->is_redeclare;
  }
  const Class* const text = element.use.def->text;
  return text != nullptr && (text->is_redeclare || text->is_class_extends);
}

}  // namespace

void Instantiator::expand(Instance& instance) {
  if (instance.state != Instance::State::unread) {
    return;
  }
  instance.state = Instance::State::running;
  if (++n_in_work_ > kMaxClassesInWork) {
    reports_.error(kClassCycle, fmt::format("class '{}' needs too many others", instance.def().path),
                   instance.def().place());
    instance.parts.push_back({&instance.def(), instance.use.enclosing, 1, {}});
  } else {
    add_part(instance, instance.use, instance.modifier, 0);
  }
  --n_in_work_;
  instance.state = Instance::State::done;
  if (instance.built_in != BuiltIn::none) {
    check_simple_type(instance);
  }
  check_modified_names(instance);
}

std::uint32_t Instantiator::add_part(Instance& instance, const ClassUse& use, const Modifier* modifier,
                                     int depth) {
  if (use.kept != nullptr && !use.def->text->is_short()) {
    modifier = merged(modifier, use.kept);
  }
  const auto index = static_cast<std::uint32_t>(instance.parts.size());
  Part part;
  part.def = use.def;
  part.enclosing = use.enclosing;
  // Only bases are read while parts are open.
  const auto around = std::find_if(instance.parts.rbegin(), instance.parts.rend(),
                                   [](const Part& one) { return one.end == 0; });
  part.is_protected = around != instance.parts.rend() && around->next_is_protected;
  part.next_is_protected = part.is_protected;
  instance.parts.push_back(part);
  const Context here{&instance, index};
  tree_.tell_refusals(*use.def);
  if (!std::exchange(use.def->rules_told, true)) {
    tell_broken_rules(*use.def, reports_);
  }
  if (use.def->text == nullptr) {
    add_elements(instance, index, modifier);
    instance.parts[index].end = static_cast<std::uint32_t>(instance.parts.size());
    return index;
  }
  const Class& item = *use.def->text;
  const ClassFile& file = *use.def->file;
  if (depth > kMaxBases) {
    reports_.error(
        kClassCycle,
        fmt::format("class '{}' has more than {} bases, one above the other: does it extend itself?",
                    instance.def().path, kMaxBases),
        instance.def().place());
  } else if (item.is_enumeration) {
    instance.enumeration = use.def;
    apply_built_in(instance, BuiltIn::enumeration, modifier);
  } else if (item.is_short()) {
    instance.causality =
        item.base_causality == CausalityPrefix::none ? instance.causality : item.base_causality;
    for (const ExpressionId size : file.ast[item.dimensions]) {
      instance.sizes.push_back({&file, size, use.enclosing});
    }
    add_base(instance, index, file.ast.text(item.base), {&file, item.base_span}, use.enclosing,
             merged(merged(modifier, modifier_of(file, item.modifications, use.enclosing)), use.kept), depth);
  } else {
    add_elements(instance, index, modifier);
    if (item.is_class_extends) {
      if (use.replaced == nullptr) {
        reports_.error(kUnknownClass,
                       fmt::format("'{}' extends an inherited class, but none is inherited", use.def->path),
                       use.def->place());
      } else {
        const ClassUse replaced = *use.replaced;
        const std::uint32_t base =
            add_part(instance, replaced,
                     merged(merged(modifier, modifier_of(file, item.modifications, here)), replaced.modifier),
                     depth + 1);
        instance.parts[index].items.push_back({base, true, 0});
      }
    }
    for (const Extends& extends : item.extends) {
      instance.parts[index].next_is_protected = instance.parts[index].is_protected || extends.is_protected;
      add_base(instance, index, file.ast.text(extends.base), {&file, extends.base_span}, here,
               merged(modifier, modifier_of(file, extends.modifications, here)), depth);
    }
    std::vector<Part::Item>& items = instance.parts[index].items;
    std::stable_sort(items.begin(), items.end(),
                     [](const Part::Item& x, const Part::Item& y) { return x.offset < y.offset; });
  }
  instance.parts[index].end = static_cast<std::uint32_t>(instance.parts.size());
  return index;
}

void Instantiator::add_base(Instance& instance, std::uint32_t part, std::string_view base, FilePlace place,
                            Context from, const Modifier* modifier, int depth) {
  const std::optional<FoundClass> found = find_class(base, from, place);
  if (!found) {
    return;
  }
  if (found->built_in != BuiltIn::none) {
    apply_built_in(instance, found->built_in, modifier);
    return;
  }
  if (instance.parts.size() > kMaxParts) {
    if (!limit_told_) {
      limit_told_ = true;
      reports_.error(kTooManyComponents,
                     fmt::format("class '{}' is made of more than {} others", instance.def().path, kMaxParts),
                     instance.def().place());
    }
    return;
  }
  for (std::uint32_t p = 0; p <= part; ++p) {
    const bool around = p == part || instance.parts[p].end == 0;
    if (around && instance.parts[p].def == found->use.def) {
      reports_.error(kClassCycle, fmt::format("class '{}' extends itself", found->use.def->path), place)
          .notes.push_back({"declared here", found->use.def->place()});
      return;
    }
  }
  if (instance.parts[part].def->text != nullptr && !instance.parts[part].def->text->is_short()) {
    check_base(instance, part, found->use, place);
  }
  const std::uint32_t index =
      add_part(instance, found->use, merged(modifier, found->use.modifier), depth + 1);
  instance.parts[part].items.push_back({index, true, place.span.offset});
}

void Instantiator::apply_built_in(Instance& instance, BuiltIn type, const Modifier* modifier) {
  instance.built_in = type;
  instance.attributes = modifier;
}

/// The components and classes that the text of this part declares.
void Instantiator::add_elements(Instance& instance, std::uint32_t part, const Modifier* modifier) {
  ClassDef& def = *instance.parts[part].def;
  const Context here{&instance, part};
  for (ClassDef* const inner : def.in_order) {
    Element element;
    element.name = inner->name;
    element.file = inner->file;
    element.use.def = inner;
    element.context = here;
    element.is_protected = inner->text != nullptr && inner->text->is_protected;
    add_element(instance, part, std::move(element), modifier);
  }
  if (def.text == nullptr) {
    return;
  }
  for (const Component& component : def.text->components) {
    if (!component.name.valid()) {
      continue;
    }
    Element element;
    element.name = name(*def.file, component.name);
    element.file = def.file;
    element.component = &component;
    element.context = here;
    element.is_protected = component.is_protected;
    add_element(instance, part, std::move(element), modifier);
  }
}

void Instantiator::add_element(Instance& instance, std::uint32_t part, Element element,
                               const Modifier* modifier) {
  element.owners.push_back(part);
  element.is_protected = element.is_protected || instance.parts[part].is_protected;
  const std::uint32_t offset = element.place().span.offset;
  element.modifier = part_of(modifier, element.name);
  // A record that has a value as a whole gives it to its members.
  if (modifier != nullptr && modifier->value && element.component != nullptr && !element.component->final) {
    const Modifier* const member = member_of(*modifier, element);
    const bool is_below =
        element.modifier != nullptr && element.modifier->is_below_value && !element.modifier->final;
    element.modifier = is_below ? merged(member, element.modifier) : merged(element.modifier, member);
  }
  const auto earlier = instance.of_name.find(element.name);
  if (earlier != instance.of_name.end()) {
    Element& first = *earlier->second;
    if ((first.component == nullptr) != (element.component == nullptr)) {
      reports_
          .error(kWrongKindOfClass, fmt::format("'{}' is a class and a component", text(element.name)),
                 first.place())
          .notes.push_back({"also declared here", element.place()});
    } else if (first.owners.front() == part) {
      reports_.error(kClassTaken, fmt::format("'{}' is declared twice", text(element.name)), element.place())
          .notes.push_back({"first declared here", first.place()});
    }
    first.owners.push_back(part);
    Element* last = &first;
    while (last->original != nullptr) {
      last = last->original;
    }
    if (redeclares(*last)) {
      check_redeclared(*last, element);
      instance.elements.push_back(std::move(element));
      replace_original(*last, instance.elements.back());
    } else if (first.owners.front() != part) {
      check_duplicate(*last, element);
    }
    return;
  }
  (element.component == nullptr ? element.use.kept : element.kept) = kept_modifier(element, false);
  if (element.modifier != nullptr && element.modifier->redeclared) {
    const Component* const replaced = element.component;
    redeclare(element, *element.modifier->redeclared, *element.modifier);
    if (element.component != replaced) {
      element.component = with_prefixes_of(*replaced, *element.component);
    }
  }
  const bool is_class = element.component == nullptr;
  if (is_class ? element.use.def->text != nullptr && element.use.def->text->constraint.base.valid()
               : element.component->constraint.base.valid()) {
    note_replacement(element, declared_type(element), constraint_of(element), element.place());
  }
  instance.elements.push_back(std::move(element));
  Element& stored = instance.elements.back();
  instance.of_name.emplace(stored.name, &stored);
  instance.parts[part].items.push_back(
      {static_cast<std::uint32_t>(instance.elements.size() - 1), false, offset});
  if (stored.component != nullptr && stored.component->is_inner && stored.component->is_outer) {
    split_inner_outer(instance, part, stored, offset);
  }
}

/// A local element that is marked 'redeclare' stands for the inherited one (Modelica 7.3.1).
void Instantiator::replace_original(Element& element, Element& original) {
  element.original = &original;
  if (element.component != nullptr) {
    element.component = with_prefixes_of(*original.component, *element.component);
    element.modifier = merged(element.modifier, original.modifier);
    element.kept = kept_modifier(original, true);
    return;
  }
  ClassUse& use = uses_.emplace_back(original.use);
  use.enclosing = original.context;
  original.shared_use = &use;
  const Modifier* const kept =
      element.use.def->text->is_class_extends ? nullptr : kept_modifier(original, true);
  for (ClassUse* const one : {&element.use, element.shared_use}) {
    if (one != nullptr) {
      one->replaced = &use;
      one->kept = kept;
    }
  }
}

/// `inner outer` declares two components of one name: the class itself sees the outer one, those inside it the inner one (5.4.1).
void Instantiator::split_inner_outer(Instance& instance, std::uint32_t part, Element& element,
                                     std::uint32_t offset) {
  Component& inner = split_components_.emplace_back(*element.component);
  inner.is_outer = false;
  Component& outer = split_components_.emplace_back(*element.component);
  outer.is_inner = false;
  outer.modifications = {};
  outer.value = {};
  instance.elements.push_back(element);
  Element& other = instance.elements.back();
  other.component = &inner;
  element.modifier = nullptr;
  element.component = &outer;
  instance.inner_of_name.emplace(element.name, &other);
  instance.parts[part].items.push_back(
      {static_cast<std::uint32_t>(instance.elements.size() - 1), false, offset});
}

/// Each modification must mean something (Modelica 7.2).
void Instantiator::check_modified_names(const Instance& instance) {
  if (instance.modifier == nullptr || instance.built_in != BuiltIn::none) {
    return;
  }
  for (const auto& [part, modifier] : instance.modifier->parts) {
    if (instance.of_name.count(part) == 0 && modifier->place.file != nullptr) {
      reports_
          .error(kWrongModification,
                 fmt::format("class '{}' has no '{}' to modify", instance.def().path, text(part)),
                 modifier->place)
          .notes.push_back({"the class is declared here", instance.def().place()});
    }
  }
}

std::vector<Element*> Instantiator::in_order(Instance& instance) {
  std::vector<Element*> result;
  if (instance.parts.empty()) {
    return result;
  }
  struct Place {
    std::uint32_t part;
    std::size_t next;
  };
  std::vector<Place> stack{{0, 0}};
  while (!stack.empty()) {
    Place& place = stack.back();
    const Part& part = instance.parts[place.part];
    if (place.next == part.items.size()) {
      stack.pop_back();
      continue;
    }
    const Part::Item item = part.items[place.next++];
    if (item.is_base) {
      stack.push_back({item.index, 0});
    } else {
      result.push_back(&instance.elements[item.index]);
    }
  }
  return result;
}

}  // namespace saltus::lang
