// The names that the model declares, and clashes between them.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"

namespace saltus::lang {

std::uint32_t Elaborator::add_entity(Entity entity) {
  const auto index = static_cast<std::uint32_t>(entities_.size());
  std::uint32_t& slot = entity_of_symbol_[entity.name.index()];
  std::uint32_t earlier = slot;
  if (entity.mode.valid() && entity.kind == Entity::Kind::component) {
    OwnEntities& own = own_entities_[entity.mode.index()];
    const auto [place, is_new] = own.of_symbol.try_emplace(entity.name.value(), index);
    earlier = is_new ? earlier : place->second;
    own.in_order.emplace_back(entity.name, index);
  } else if (slot == kNoEntity) {
    slot = index;
  }
  if (earlier != kNoEntity) {
    error(kDuplicateName, fmt::format("{} is declared twice", quoted(entity.name)), entity.span)
        .notes.push_back({"first declared here", entities_[earlier].span});
  } else if (ast_.text(entity.name) == "time" && entity.kind == Entity::Kind::component) {
    error(kDuplicateName, "'time' is the name of the independent variable", entity.span);
  }
  entities_.push_back(std::move(entity));
  return index;
}

/// Two arguments of one modification may not be about the same attribute (Modelica 7.2).
void Elaborator::check_modified_once(List<Modification> list) {
  const auto items = ast_[list];
  for (std::size_t k = 1; k < items.size(); ++k) {
    const auto end = items.begin() + static_cast<std::ptrdiff_t>(k);
    const auto earlier = std::find_if(items.begin(), end,
                                      [&](const Modification& item) { return item.name == items[k].name; });
    if (earlier != end && items[k].name.valid()) {
      error(kWrongModification, fmt::format("{} is modified twice", quoted(items[k].name)),
            items[k].name_span)
          .notes.push_back({"also here", earlier->name_span});
    }
  }
}

/// The variables of a function, which nothing else tells apart.
void Elaborator::check_function_names(const Class& function) {
  std::unordered_map<std::uint32_t, SourceSpan> places;
  for (const Component& component : function.components) {
    check_modified_once(component.modifications);
    const auto [earlier, is_new] = places.try_emplace(component.name.value(), component.name_span);
    if (!is_new && component.name.valid()) {
      error(kDuplicateName,
            fmt::format("{} is declared twice in function {}", quoted(component.name), quoted(function.name)),
            component.name_span)
          .notes.push_back({"first declared here", earlier->second});
    }
  }
}

void Elaborator::collect_names() {
  const auto main_index = static_cast<std::uint32_t>(&main_ - ast_.classes.data());
  for (std::uint32_t i = 0; i < ast_.classes.size(); ++i) {
    const Class& candidate = ast_.classes[i];
    const bool visible = !candidate.is_nested() || candidate.parent == main_index;
    const bool is_helper = candidate.kind == ClassKind::function || candidate.kind == ClassKind::type;
    if (!is_helper || !visible || candidate.is_in_modification) {
      continue;
    }
    Entity entity;
    entity.kind = candidate.kind == ClassKind::function ? Entity::Kind::function : Entity::Kind::type;
    entity.name = candidate.name;
    entity.span = candidate.name_span;
    entity.class_index = i;
    Intrinsic& intrinsic = intrinsic_of_symbol_[candidate.name.index()];
    const bool may_be_replaced = intrinsic == Intrinsic::interpolate || intrinsic == Intrinsic::direction ||
                                 intrinsic == Intrinsic::contact;
    if (candidate.kind == ClassKind::function && may_be_replaced) {
      intrinsic = Intrinsic::none;
    } else if (candidate.kind == ClassKind::function && intrinsic != Intrinsic::none) {
      error(kDuplicateName, fmt::format("{} is a function of the language", quoted(candidate.name)),
            candidate.name_span);
    }
    add_entity(std::move(entity));
    check_modified_once(candidate.modifications);
    check_function_names(candidate);
  }
  const auto add_component = [&](const Component& component, ModeId mode) {
    Entity entity;
    entity.name = component.name;
    entity.span = component.name_span;
    entity.component = &component;
    entity.mode = mode;
    check_modified_once(component.modifications);
    add_entity(std::move(entity));
  };
  for (const Component& component : main_.components) {
    add_component(component, ModeId());
  }
  collect_modes();
  for (std::size_t m = 0; m < main_.modes.size(); ++m) {
    for (const Component& component : main_.modes[m].components) {
      add_component(component, ModeId(m));
    }
  }
}

void Elaborator::check_element_names() {
  bool may_clash = false;
  for (const Entity& entity : entities_) {
    may_clash = may_clash || ast_.text(entity.name).find('[') != std::string_view::npos;
  }
  if (!may_clash) {
    return;
  }
  std::unordered_set<std::string_view> names;
  const auto check = [&](std::string_view name, SourceSpan span) {
    if (!names.insert(name).second) {
      error(kDuplicateName, fmt::format("'{}' is also the name of an array's element", name), span);
    }
  };
  for (const flat::Variable& variable : model_.variables) {
    if (!variable.mode.valid()) {
      check(variable.name, variable.span);
    }
  }
  for (const flat::Parameter& parameter : model_.parameters) {
    check(parameter.name, parameter.span);
  }
}

}  // namespace saltus::lang
