// What a name of a class or component means where it stands (Modelica 5.3).
//
// A simple name is looked for among the elements of the class in which it is written, inherited ones included (5.3.1); then
// among its imports, those with a name before those of whole packages; then in the classes around it, up to one that is
// encapsulated. A dotted name begins with a simple one; what follows is looked for inside (5.3.2); with a leading dot the
// search begins at the top (5.3.3).
#include <fmt/format.h>

#include <algorithm>

#include "base/similar_name.hpp"
#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"
#include "lang/syntax/diagnostic_codes.hpp"
#include "lang/syntax/foreign_names.hpp"

namespace saltus::lang {
namespace {

BuiltIn type_of_the_language(std::string_view name) {
  if (name == "Real") return BuiltIn::real;
  if (name == "Integer") return BuiltIn::integer;
  if (name == "Boolean") return BuiltIn::boolean;
  if (name == "String") return BuiltIn::string;
  return BuiltIn::none;
}

}  // namespace

/// A class of a folder whose file has not been read yet becomes an element when it is first asked for.
Element* Instantiator::read_class(Instance& instance, std::uint32_t part, std::uint32_t end, Name name) {
  for (std::uint32_t p = part; p < end; ++p) {
    ClassDef* const inner = tree_.find(*instance.parts[p].def, name);
    if (inner == nullptr) {
      continue;
    }
    Element element;
    element.name = name;
    element.file = inner->file;
    element.use.def = inner;
    element.context = {&instance, p};
    add_element(instance, p, element, instance.modifier);
    return instance.of_name.at(name);
  }
  return nullptr;
}

Element* Instantiator::find_visible(Instance& instance, std::uint32_t part, Name name) {
  expand(instance);
  if (part >= instance.parts.size()) {
    return nullptr;
  }
  // While the bases of a class are looked for, it has only what it declares itself.
  const std::uint32_t end = instance.parts[part].end == 0 ? part + 1 : instance.parts[part].end;
  const auto found = instance.of_name.find(name);
  if (found == instance.of_name.end()) {
    return read_class(instance, part, end, name);
  }
  const std::vector<std::uint32_t>& owners = found->second->owners;
  const bool visible = std::any_of(owners.begin(), owners.end(),
                                   [&](std::uint32_t owner) { return owner >= part && owner < end; });
  return visible ? found->second : nullptr;
}

Element* Instantiator::find_member(Instance& instance, Name name) {
  return find_visible(instance, 0, name);
}

Instantiator::Found Instantiator::find_from_top(std::string_view path) {
  Found found;
  Instance* at = top_;
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const Name first = tree_.intern(path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
    Element* const element = find_member(*at, first);
    if (element == nullptr || (element->component != nullptr && !path.empty())) {
      return {};
    }
    found = {at, element};
    if (element->component == nullptr && !path.empty()) {
      at = &class_instance(*at, *element);
    }
  }
  return found;
}

Instantiator::Found Instantiator::find_import(const Part& part, Name name) {
  if (part.def->text == nullptr) {
    return {};
  }
  const ClassFile& file = *part.def->file;
  Found first;
  for (const bool whole_packages : {false, true}) {
    for (const Import& import : part.def->text->imports) {
      if (import.alias.valid() == whole_packages) {
        continue;
      }
      if (!whole_packages && this->name(file, import.alias) != name) {
        continue;
      }
      std::string path(file.ast.text(import.path));
      if (whole_packages) {
        path.append(".").append(text(name));
      }
      const Found found = find_from_top(path);
      if (found && !whole_packages) {
        check_public(*found.element, path, {&file, import.span});
        return found;
      }
      if (found && !found.element->is_protected) {
        if (first && first.element != found.element) {
          reports_
              .error(kClassTaken, fmt::format("'{}' is imported from two packages", text(name)),
                     {&file, import.span})
              .notes.push_back({"found there first", first.element->place()});
        }
        first = first ? first : found;
      }
      if (!whole_packages) {
        reports_.error(kUnknownClass, fmt::format("there is no class '{}' to import", path),
                       {&file, import.span});
        return {};
      }
    }
  }
  return first;
}

Instantiator::Found Instantiator::find_simple(Name name, Context from) {
  bool from_enclosing = false;
  while (from.instance != nullptr) {
    if (Element* const element = find_visible(*from.instance, from.part, name)) {
      return {from.instance, element, BuiltIn::none, from_enclosing};
    }
    const Part& part = from.instance->parts[from.part];
    if (Found found = find_import(part, name)) {
      found.from_enclosing = true;
      return found;
    }
    if (part.def->text != nullptr && part.def->text->is_encapsulated) {
      break;
    }
    const Context enclosing = part.enclosing;
    from_enclosing = true;
    from = enclosing;
  }
  return {nullptr, nullptr, type_of_the_language(text(name)), true};
}

Instance& Instantiator::class_instance(Instance& holder, Element& element) {
  if (element.instance == nullptr) {
    Instance& instance = instances_.emplace_back();
    element.instance = &instance;
    instance.use = element.use;
    instance.use.enclosing = element.context;
    instance.modifier = merged(element.modifier, element.use.modifier);
    instance.function = element.use.def->kind() == ClassKind::function ? &instance : nullptr;
    instance.depth = holder.depth + 1;
    const std::string path =
        holder.path.empty() ? text(element.name) : fmt::format("{}.{}", holder.path, text(element.name));
    const int n_before = taken_names_[path]++;
    instance.path = n_before == 0 ? path : fmt::format("{}<{}>", path, n_before + 1);
  }
  return *element.instance;
}

/// "class 'A' of component 'a.b'" for messages.
std::string Instantiator::where(Context context) const {
  if (context.instance == nullptr || context.instance == top_) {
    return "at the top";
  }
  const Instance& instance = *context.instance;
  const std::string& path =
      instance.parts.size() > context.part ? instance.parts[context.part].def->path : instance.def().path;
  return instance.is_component && !instance.path.empty()
             ? fmt::format("in class '{}' of component '{}'", path, instance.path)
             : fmt::format("in class '{}'", path);
}

Instance* Instantiator::class_of_call(const ClassFile& file, const Call& call, Context from) {
  return class_of_path(file.ast.text(call.function), from);
}

Instance* Instantiator::class_of_path(std::string_view path, Context from) {
  if (!path.empty() && path[0] == '.') {
    path.remove_prefix(1);
    from = {top_, 0};
  }
  Instance* inside = nullptr;
  bool is_in_component = false;
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const Name member = tree_.intern(path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
    const Found found =
        inside == nullptr ? find_simple(member, from) : Found{inside, find_member(*inside, member)};
    const bool is_component = found.element != nullptr && found.element->component != nullptr;
    if (found.element == nullptr || (is_in_component && found.element->is_protected) ||
        (is_component && (path.empty() || inside != nullptr))) {
      return nullptr;
    }
    if (is_component) {
      // A function may be a class of a component (Modelica 5.3.2).
      Node* node = &node_of(*found.holder, *found.element);
      node = node->inner != nullptr ? node->inner : node;
      if (!node->is_ready || node->type == nullptr || node->is_primitive() || !node->shape.empty()) {
        return nullptr;
      }
      inside = node->type;
      is_in_component = true;
      continue;
    }
    inside = &class_instance(*found.holder, *found.element);
  }
  if (inside != nullptr) {
    expand(*inside);
  }
  return inside;
}

std::optional<Instantiator::FoundClass> Instantiator::find_class(std::string_view path, Context from,
                                                                 FilePlace place) {
  const std::string whole(path);
  Found found;
  bool at_top = false;
  if (!path.empty() && path[0] == '.') {
    path.remove_prefix(1);
    at_top = true;
  }
  const std::size_t dot = std::min(path.find('.'), path.size());
  const Name first = tree_.intern(path.substr(0, dot));
  std::string_view rest = path.substr(std::min(dot + 1, path.size()));
  found = at_top ? find_simple(first, {top_, 0}) : find_simple(first, from);
  while (found.element != nullptr && !rest.empty() && found.element->component == nullptr) {
    const std::size_t next = std::min(rest.find('.'), rest.size());
    Instance& inside = class_instance(*found.holder, *found.element);
    const Name member = tree_.intern(rest.substr(0, next));
    rest.remove_prefix(std::min(next + 1, rest.size()));
    Element* const element = find_member(inside, member);
    if (element == nullptr) {
      reports_.error(
          kUnknownClass,
          fmt::format("there is no class '{}': '{}' has no '{}'", whole, inside.def().path, text(member)),
          place);
      return std::nullopt;
    }
    check_public(*element, inside.def().path, place);
    found = {&inside, element};
  }
  if (found.built_in != BuiltIn::none && rest.empty()) {
    return FoundClass{{}, found.built_in};
  }
  if (found.element == nullptr && whole == "ExternalObject") {
    reports_.error(kNotSupported, "external objects are not supported yet", place)
        .notes.push_back({fmt::format("used {}", where(from)), {}});
    return std::nullopt;
  }
  if (const std::string_view part = foreign_part(whole); found.element == nullptr && !part.empty()) {
    reports_.error(kNotSupported, fmt::format("'{}': {} are not supported yet", whole, part), place);
    return std::nullopt;
  }
  if (found.element == nullptr) {
    reports_.error(kUnknownClass, fmt::format("there is no class '{}' {}", whole, where(from)), place,
                   whole.find('.') == std::string::npos
                       ? std::string()
                       : "are all libraries given? (--library DIR, MODELICAPATH)");
    return std::nullopt;
  }
  if (found.element->component != nullptr) {
    reports_.error(kWrongKindOfClass, fmt::format("'{}' is a component, not a class", whole), place)
        .notes.push_back({"declared here", found.element->place()});
    return std::nullopt;
  }
  FoundClass result;
  result.use = found.element->use;
  result.use.enclosing = found.element->context;
  result.use.modifier = merged(found.element->modifier, found.element->use.modifier);
  return result;
}

}  // namespace saltus::lang
