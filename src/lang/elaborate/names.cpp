// What a name means where it stands.
#include <fmt/format.h>

#include "base/similar_name.hpp"
#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"
#include "lang/syntax/diagnostic_codes.hpp"

namespace saltus::lang {

const Local* Elaborator::find_local(Symbol name) const {
  for (std::size_t i = locals_.size(); i-- > context_.frame;) {
    if (locals_[i].name == name) {
      return &locals_[i];
    }
  }
  return nullptr;
}

std::optional<std::uint32_t> Elaborator::find_entity(Symbol name) const {
  if (!name.valid()) {
    return std::nullopt;
  }
  if (context_.mode.valid()) {
    const auto& own = own_entities_[context_.mode.index()].of_symbol;
    const auto found = own.find(name.value());
    if (found != own.end()) {
      return found->second;
    }
  }
  const std::uint32_t entity = entity_of_symbol_[name.index()];
  return entity == kNoEntity ? std::nullopt : std::optional(entity);
}

Symbol Elaborator::joined_symbol(std::span<const NamePart> parts) const {
  std::string joined;
  for (const NamePart& part : parts) {
    joined.append(joined.empty() ? "" : ".").append(ast_.text(part.name));
  }
  const auto found = dotted_symbols_.find(joined);
  return found == dotted_symbols_.end() ? Symbol() : found->second;
}

std::string Elaborator::suggestion(std::string_view name) const {
  std::vector<std::string_view> known;
  for (std::size_t i = locals_.size(); i-- > context_.frame;) {
    known.push_back(ast_.text(locals_[i].name));
  }
  for (const Entity& entity : entities_) {
    const bool visible = entity.kind == Entity::Kind::component &&
                         (!entity.mode.valid() || entity.mode == context_.mode) &&
                         (!context_.in_function || entity.is_constant);
    if (visible) {
      known.push_back(ast_.text(entity.name));
    }
  }
  known.push_back("time");
  return did_you_mean(name, known);
}

Value Elaborator::unknown_name(std::string_view name, SourceSpan span) {
  if (damage_.may_declare(name)) {
    return failed_value();
  }
  std::string hint = suggestion(name);
  if (hint.empty()) {
    for (std::size_t m = 0; m < own_entities_.size(); ++m) {
      for (const auto& [own, entity] : own_entities_[m].in_order) {
        if (ast_.text(own) == name) {
          return fail(
              kUnknownName,
              fmt::format("'{}' does not exist here: it belongs to mode '{}'", name, model_.modes[m].name),
              span);
        }
      }
    }
  }
  return fail(kUnknownName, fmt::format("there is no '{}'", name), span, std::move(hint));
}

Value Elaborator::lower_name(ExpressionId id) {
  const auto parts = ast_.name_parts(id);
  const NamePart& last = parts.back();
  Symbol name = last.name;
  std::string joined;
  if (parts.size() > 1) {
    for (const NamePart& part : parts) {
      joined.append(joined.empty() ? "" : ".").append(ast_.text(part.name));
      if (!part.subscripts.empty() && &part != &last) {
        return fail(kNotSupported, "records and components with parts are not supported yet", part.span);
      }
    }
    if (const double* constant = find_named_constant(joined)) {
      return scalar_value(flat::Type::real, known_scalar(*constant));
    }
    name = joined_symbol(parts);
    if (!name.valid()) {
      // A part of something that was refused already, as a variable of an unknown type.
      const auto whole = find_entity(parts.front().name);
      return whole && entities_[*whole].failed ? failed_value() : unknown_name(joined, span_of(id));
    }
  } else if (const Local* local = find_local(name)) {
    Value value = last.subscripts.empty()
                      ? local->value
                      : subscripted(local->value, last.subscripts, span_of(id), ast_.text(name));
    for (std::size_t i = 0; !value.failed && i < value.size(); ++i) {
      if (!value[i].defined() && value.type != flat::Type::string) {
        return fail(kUnassigned, fmt::format("{} is read before it has a value", quoted(name)), span_of(id));
      }
    }
    return value;
  }
  if (const auto entity = find_entity(name)) {
    return entity_value(*entity, span_of(id), last.subscripts);
  }
  if (ast_.text(name) == "time" && !context_.in_function) {
    return scalar_value(flat::Type::real, node_scalar(model_.graph.time()));
  }
  return unknown_name(ast_.text(name), parts.size() > 1 ? span_of(id) : last.span);
}

Value Elaborator::entity_value(std::uint32_t index, SourceSpan span, List<ExpressionId> subscripts) {
  if (entities_[index].kind != Entity::Kind::component) {
    return fail(kWrongKindOfName, fmt::format("{} is not a variable", quoted(entities_[index].name)), span);
  }
  if (entities_[index].declared != Entity::Progress::done) {
    declare(index);
  }
  if (entities_[index].is_constant && entities_[index].bound != Entity::Progress::done) {
    bind(index);
  }
  const Entity& entity = entities_[index];
  if (entity.failed || entity.declared != Entity::Progress::done) {
    return failed_value();
  }
  if (context_.in_function && !entity.is_constant) {
    return fail(
        kUnknownName,
        fmt::format("a function sees only its own variables and constants, not {}", quoted(entity.name)),
        span, "pass it as an input");
  }
  if (entity.type == flat::Type::string) {
    bind(index);
    Value value = scalar_value(flat::Type::string, Scalar());
    value.text = std::make_shared<const std::string>(model_.parameters[entity.first].text);
    return value;
  }
  return chosen_elements(entity, span, subscripts);
}

Value Elaborator::chosen_elements(const Entity& entity, SourceSpan span, List<ExpressionId> subscripts) {
  const auto element = [&](std::size_t position) {
    return entity.is_constant
               ? entity.constants[position]
               : node_scalar(NodeId(entity.first_leaf.value() + static_cast<std::uint32_t>(position)));
  };
  if (subscripts.empty()) {
    if (entity.shape.empty()) {
      return scalar_value(entity.type, element(0));
    }
    Value value = array_value(entity.type, entity.shape);
    if (!spend(static_cast<double>(value.size()), span)) {
      return failed_value();
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      value.elements[i] = element(i);
    }
    return value;
  }
  bool failed = false;
  if (const auto position = single_element(entity.shape, subscripts, failed)) {
    return scalar_value(entity.type, element(*position));
  }
  if (failed) {
    return failed_value();
  }
  const ElementSelection chosen = select_elements(entity.shape, subscripts, span, ast_.text(entity.name));
  if (chosen.failed) {
    return failed_value();
  }
  Value value = array_value(entity.type, chosen.shape);
  for (std::size_t i = 0; i < chosen.positions.size(); ++i) {
    value[i] = element(chosen.positions[i]);
  }
  return value;
}

}  // namespace saltus::lang
