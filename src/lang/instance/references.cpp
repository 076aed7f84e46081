// What a name in an expression stands for: a component, an element of an array of components, a member of one, a constant of a
// package, a literal of an enumeration, a loop variable.
#include <fmt/format.h>

#include <algorithm>

#include "base/similar_name.hpp"
#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"

namespace saltus::lang {

Reference Instantiator::unknown(const std::string& message, FilePlace place, std::string hint) {
  reports_.error(kUnknownComponent, message, place, std::move(hint));
  return {};
}

Reference Instantiator::resolve(const ClassFile& file, ExpressionId id, Context from, const Locals* locals,
                                const std::vector<Selector>& selectors) {
  std::vector<NameStep> steps;
  for (const NamePart& part : file.ast.name_parts(id)) {
    steps.push_back({name(file, part.name), part.subscripts, {}, part.span});
  }
  const FilePlace place{&file, file.ast[id].span};
  // Elements are of the first dimensions that are left, in whichever part of the name; where it has one part, which is told at once.
  const bool is_told_later =
      steps.size() > 1 && std::any_of(selectors.begin(), selectors.end(),
                                      [](const Selector& selector) { return !selector.subscripts.empty(); });
  for (const Selector& selector : is_told_later ? std::vector<Selector>() : selectors) {
    if (selector.subscripts.empty()) {
      steps.push_back({selector.member, {}, {}, steps.back().span});
      steps.back().is_written = false;
    } else {
      std::vector<std::int64_t>& known = steps.back().known;
      known.insert(known.end(), selector.subscripts.begin(), selector.subscripts.end());
    }
  }
  Reference result = resolve_steps(std::move(steps), file, place, from, locals);
  for (const Selector& selector : is_told_later ? selectors : std::vector<Selector>()) {
    result = selected(std::move(result), selector, file, place, from, locals);
  }
  return result;
}

/// A member, or an element: of the first dimensions that what is named has left.
Reference Instantiator::selected(Reference of, const Selector& selector, const ClassFile& file,
                                 FilePlace place, Context from, const Locals* locals) {
  if (selector.subscripts.empty()) {
    if (of.kind == Reference::Kind::array) {
      for (Reference& element : of.elements) {
        element = selected(std::move(element), selector, file, place, from, locals);
      }
      return of;
    }
    if (of.kind == Reference::Kind::missing || of.kind == Reference::Kind::left_out) {
      return of;
    }
    if (of.kind != Reference::Kind::composite) {
      return unknown(fmt::format("this has no parts: there is no '{}'", text(selector.member)), place);
    }
    NameStep member{selector.member, {}, {}, place.span};
    member.is_written = false;
    const std::vector<NameStep> steps{{}, std::move(member)};
    return resolve_member(*of.node, *of.instance, steps, file, place, from, locals);
  }
  for (std::size_t k = 0; k < selector.subscripts.size(); ++k) {
    const std::int64_t position = selector.subscripts[k];
    if (of.kind == Reference::Kind::primitive) {
      of.last.back().known.push_back(position);
      continue;
    }
    if (of.kind != Reference::Kind::array) {
      return of.kind == Reference::Kind::missing || of.kind == Reference::Kind::left_out
                 ? of
                 : unknown("this is no array: an element of it is asked for", place);
    }
    if (position < 1 || position > static_cast<std::int64_t>(of.elements.size())) {
      reports_.error(
          kNoSuchElement,
          fmt::format("this array has {} elements, there is none at {}", of.elements.size(), position),
          place);
      return {};
    }
    of = Reference(of.elements[static_cast<std::size_t>(position - 1)]);
  }
  return of;
}

Reference Instantiator::resolve_steps(std::vector<NameStep> steps, const ClassFile& file, FilePlace place,
                                      Context from, const Locals* locals) {
  const bool at_top = text(steps.front().name).empty() && steps.size() > 1;
  const Context context = at_top ? Context{top_, 0} : from;
  const std::span<const NameStep> rest = std::span<const NameStep>(steps).subspan(at_top ? 1 : 0);
  Reference result;
  if (!at_top) {
    if (const Locals* const local = find_local(locals, rest[0].name)) {
      result.kind = Reference::Kind::local;
      result.local = local;
      return result;
    }
  }
  const Found found = find_simple(rest[0].name, context);
  if (found.element == nullptr) {
    if (found.built_in == BuiltIn::boolean && rest.size() == 1) {
      result.kind = Reference::Kind::type;
      return result;
    }
    if (text(rest[0].name) == "time" && rest.size() == 1) {
      result.kind = Reference::Kind::local;
      return result;
    }
    std::vector<std::string_view> known;
    for (const auto& [name, element] : from.instance->of_name) {
      known.push_back(text(name));
    }
    std::sort(known.begin(), known.end());
    return unknown(fmt::format("there is no '{}' {}", text(rest[0].name), where(from)), place,
                   did_you_mean(text(rest[0].name), known));
  }
  if (found.element->component == nullptr) {
    return resolve_class_member(found, rest.subspan(1), file, place, from, locals);
  }
  result = resolve_in(*found.holder, *found.element, rest, file, place, from, locals);
  if (found.from_enclosing && found.holder->is_component && result.node != nullptr &&
      result.node->variability != VariabilityPrefix::constant) {
    return unknown(fmt::format("'{}' stands in a class around this one: only constants are seen from here",
                               text(rest[0].name)),
                   place);
  }
  const Node& node = *found.element->node;
  result.is_outside = node.type != nullptr && is_connector(*node.type) && !found.from_enclosing;
  return result;
}

/// A name that begins with a class: `Package.constant`, `Enumeration.literal`.
Reference Instantiator::resolve_class_member(const Found& found, std::span<const NameStep> steps,
                                             const ClassFile& file, FilePlace place, Context from,
                                             const Locals* locals) {
  Instance* inside = &class_instance(*found.holder, *found.element);
  Reference result;
  for (std::size_t k = 0;; ++k) {
    expand(*inside);
    if (inside->built_in == BuiltIn::enumeration ||
        (inside->built_in == BuiltIn::boolean && k == steps.size())) {
      result.enumeration = inside->enumeration;
      if (k == steps.size()) {
        result.kind = Reference::Kind::type;
        return result;
      }
      const auto& literals = inside->enumeration->text->literals;
      for (std::size_t i = 0; i < literals.size(); ++i) {
        if (name(*inside->enumeration->file, literals[i].name) == steps[k].name && k + 1 == steps.size()) {
          result.kind = Reference::Kind::literal;
          result.literal = static_cast<std::int64_t>(i + 1);
          return result;
        }
      }
      return unknown(
          fmt::format("enumeration '{}' has no literal '{}'", inside->def().path, text(steps[k].name)),
          place);
    }
    if (k == steps.size()) {
      return unknown(
          fmt::format("'{}' is a {}, not a value", inside->def().path, to_string(inside->def().kind())),
          place);
    }
    Element* const element = find_member(*inside, steps[k].name);
    if (element == nullptr) {
      return unknown(fmt::format("class '{}' has no '{}'", inside->def().path, text(steps[k].name)), place);
    }
    check_public(*element, inside->def().path, place);
    if (element->component != nullptr) {
      result = resolve_in(*inside, *element, steps.subspan(k), file, place, from, locals);
      if (result.node != nullptr && result.node->variability != VariabilityPrefix::constant) {
        return unknown(fmt::format("'{}' is a component of a class: only constants can be named from outside",
                                   result.node->path),
                       place);
      }
      return result;
    }
    inside = &class_instance(*inside, *element);
  }
}

Reference Instantiator::resolve_in(Instance& holder, Element& element, std::span<const NameStep> steps,
                                   const ClassFile& file, FilePlace place, Context from,
                                   const Locals* locals) {
  Reference result;
  if (element.component == nullptr) {
    return unknown(
        fmt::format("'{}' is a class of component '{}', not a part of it", text(element.name), holder.path),
        place);
  }
  Node* node = &node_of(holder, element);
  if (!node->is_ready) {
    return unknown(fmt::format("'{}' depends on itself", node->path), place);
  }
  node = node->inner != nullptr ? node->inner : node;
  result.node = node;
  if (!node->is_present || node->failed) {
    result.kind = node->failed ? Reference::Kind::missing : Reference::Kind::left_out;
    return result;
  }
  if (node->is_primitive()) {
    if (steps.size() > 1) {
      return unknown(fmt::format("'{}' has no parts: there is no '{}'", node->path, text(steps[1].name)),
                     place);
    }
    result.kind = Reference::Kind::primitive;
    result.last = {steps[0]};
    result.last[0].n_dimensions = node->sizes.size();
    result.last[0].node = node;
    return result;
  }
  if (holder.function != nullptr) {
    return resolve_in_record(*node, steps, file, place, from, locals);
  }
  const std::optional<std::vector<Choice>> chosen = choices(*node, steps[0], file, from, locals);
  return chosen ? resolve_elements(*node, *chosen, 0, 0, steps, file, place, from, locals) : Reference{};
}

std::optional<Choice> Instantiator::choice(std::int64_t size, ExpressionId subscript, const ClassFile& file,
                                           Context from, const Locals* locals, const std::string& path) {
  Choice result;
  if (!subscript.valid() || file.ast[subscript].kind == ExpressionKind::all) {
    for (std::int64_t i = 1; i <= size; ++i) {
      result.positions.push_back(i);
    }
    return result;
  }
  end_sizes_.push_back(size);
  const std::optional<KnownValue> value =
      decide(file, subscript, from, locals, fmt::format("which element of '{}' is meant", path));
  end_sizes_.pop_back();
  if (!value) {
    return std::nullopt;
  }
  result.keeps_dimension = !value->is_scalar();
  for (const double number : value->numbers) {
    const std::int64_t position = to_whole(number) + (value->type == KnownValue::Type::boolean ? 1 : 0);
    if (value->type == KnownValue::Type::real || position < 1 || position > size) {
      reports_.error(kNoSuchElement,
                     fmt::format("'{}' has {} elements, there is none at {}", path, size, number),
                     {&file, file.ast[subscript].span});
      return std::nullopt;
    }
    result.positions.push_back(position);
  }
  return result;
}

std::optional<std::vector<Choice>> Instantiator::choices(const Node& node, const NameStep& step,
                                                         const ClassFile& file, Context from,
                                                         const Locals* locals) {
  const auto subscripts = file.ast[step.subscripts];
  std::vector<Choice> result;
  if (subscripts.size() > node.shape.size()) {
    reports_
        .error(kNoSuchElement,
               fmt::format("'{}' has {} dimensions, {} subscripts are given", node.path, node.shape.size(),
                           subscripts.size()),
               {&file, step.span})
        .notes.push_back({"declared here", node.element->place()});
    return std::nullopt;
  }
  for (std::size_t d = 0; d < node.shape.size(); ++d) {
    if (d < subscripts.size()) {
      check_subscript(node, d, file, subscripts[d], from, locals);
    }
    std::optional<Choice> one = choice(node.shape[d], d < subscripts.size() ? subscripts[d] : ExpressionId(),
                                       file, from, locals, node.path);
    if (!one) {
      return std::nullopt;
    }
    result.push_back(std::move(*one));
  }
  // Selectors take elements of what is written.
  auto at = result.begin();
  for (const std::int64_t known : step.known) {
    at = std::find_if(at, result.end(), [](const Choice& one) { return one.keeps_dimension; });
    const auto n = at == result.end() ? 0 : static_cast<std::int64_t>(at->positions.size());
    if (known < 1 || known > n) {
      reports_.error(
          kNoSuchElement,
          fmt::format("this part of '{}' has {} elements, there is none at {}", node.path, n, known),
          {&file, step.span});
      return std::nullopt;
    }
    *at = {{at->positions[static_cast<std::size_t>(known - 1)]}, false};
  }
  return result;
}

/// The chosen elements of an array of components, those of the dimensions before `dimension` being chosen already.
Reference Instantiator::resolve_elements(Node& node, const std::vector<Choice>& choices,
                                         std::size_t dimension, std::size_t position,
                                         std::span<const NameStep> steps, const ClassFile& file,
                                         FilePlace place, Context from, const Locals* locals) {
  Reference result;
  if (dimension < choices.size()) {
    const auto size = static_cast<std::size_t>(node.shape[dimension]);
    const auto inside = [&](std::int64_t chosen) {
      return resolve_elements(node, choices, dimension + 1,
                              position * size + static_cast<std::size_t>(chosen - 1), steps, file, place,
                              from, locals);
    };
    if (!choices[dimension].keeps_dimension) {
      return inside(choices[dimension].positions.front());
    }
    result.kind = Reference::Kind::array;
    result.node = &node;
    for (const std::int64_t chosen : choices[dimension].positions) {
      result.elements.push_back(inside(chosen));
      if (result.elements.back().kind == Reference::Kind::missing ||
          result.elements.back().kind == Reference::Kind::left_out) {
        return Reference(result.elements.back());
      }
    }
    return result;
  }
  return resolve_member(node, *node.instances[position], steps, file, place, from, locals);
}

/// Of a record of a function: its arrays are arrays of members, so that all subscripts come after the last name.
Reference Instantiator::resolve_in_record(Node& node, std::span<const NameStep> steps, const ClassFile& file,
                                          FilePlace place, Context from, const Locals* locals) {
  NameStep step = steps[0];
  step.n_dimensions = node.sizes.size();
  if (step.subscripts.count + step.known.size() > step.n_dimensions) {
    reports_
        .error(kNoSuchElement,
               fmt::format("'{}' has {} dimensions, {} subscripts are given", node.path, step.n_dimensions,
                           step.subscripts.count + step.known.size()),
               {&file, step.span})
        .notes.push_back({"declared here", node.element->place()});
    return {};
  }
  Reference result = resolve_member(node, *node.type, steps, file, place, from, locals);
  result.last.insert(result.last.begin(), std::move(step));
  return result;
}

/// The component, or what the names after it mean in it.
Reference Instantiator::resolve_member(Node& node, Instance& instance, std::span<const NameStep> steps,
                                       const ClassFile& file, FilePlace place, Context from,
                                       const Locals* locals) {
  if (steps.size() == 1) {
    Reference result;
    result.kind = Reference::Kind::composite;
    result.node = &node;
    result.instance = &instance;
    return result;
  }
  Element* const member = find_member(instance, steps[1].name);
  if (member == nullptr) {
    std::vector<std::string_view> known;
    for (const auto& [name, element] : instance.of_name) {
      known.push_back(text(name));
    }
    std::sort(known.begin(), known.end());
    reports_
        .error(kUnknownComponent,
               fmt::format("component '{}' of class '{}' has no '{}'", instance.path, instance.def().path,
                           text(steps[1].name)),
               place, did_you_mean(text(steps[1].name), known))
        .notes.push_back({"the component is declared here", node.element->place()});
    return {};
  }
  if (steps[1].is_written) {
    check_public(*member, instance.path, place);
  }
  return resolve_in(instance, *member, steps.subspan(1), file, place, from, locals);
}

}  // namespace saltus::lang
