#include "lang/elaborate/elaborator.hpp"

#include <unordered_set>

#include <fmt/format.h>

#include "lang/elaborate/semantic_codes.hpp"
#include "lang/syntax/diagnostic_codes.hpp"

namespace saltus::lang {
namespace {

/// Loop iterations, statements and elements that one model may cost: a few seconds of elaboration.
constexpr double kMaxWork = 2e7;

}  // namespace

Elaborator::Elaborator(const Ast& ast, const Class& main, std::shared_ptr<const SourceText> source,
                       const CompileOptions& options, const Damage& damage, Diagnostics& diagnostics)
    : ast_(ast),
      main_(main),
      options_(options),
      damage_(damage),
      diagnostics_(diagnostics),
      arithmetic_(model_.graph),
      variability_(model_),
      conditions_(model_, arithmetic_, variability_),
      total_derivatives_(model_.graph),
      entity_of_symbol_(ast.n_symbols(), kNoEntity),
      intrinsic_of_symbol_(ast.n_symbols(), Intrinsic::none),
      is_differentiated_(ast.n_symbols(), false),
      is_when_target_(ast.n_symbols(), false) {
  model_.name = std::string(ast.text(main.name));
  model_.description = std::string(ast.text(main.description));
  model_.source = std::move(source);
  for (std::size_t i = 0; i < ast.n_symbols(); ++i) {
    const std::string_view text = ast.text(Symbol(i));
    if (const IntrinsicInfo* info = find_intrinsic(text)) {
      intrinsic_of_symbol_[i] = info->intrinsic;
    }
    if (text.find('.') != std::string_view::npos) {
      dotted_symbols_.emplace(text, Symbol(i));
    }
  }
  for (const auto& [name, value] : options.parameters) {
    overrides_[name] = value;
  }
}

flat::Model Elaborator::run() {
  collect_names();
  find_discrete_reals();
  for (std::uint32_t i = 0; i < entities_.size(); ++i) {
    if (entities_[i].kind == Entity::Kind::component) {
      declare(i);
    }
  }
  for (std::uint32_t i = 0; i < entities_.size(); ++i) {
    if (entities_[i].kind == Entity::Kind::component) {
      bind(i);
      SavedContext saved(*this);
      context_.mode = entities_[i].mode;
      bind_attributes(entities_[i]);
    }
  }
  check_overrides();
  find_parameter_cycles();
  setters_.resize(model_.variables.size());
  EquationSink sink;
  sink.equations = &model_.equations;
  for (const Entity& entity : entities_) {
    if (entity.kind == Entity::Kind::component && !entity.mode.valid()) {
      declaration_equation(entity, sink);
    }
  }
  lower_equations(main_.equations, sink);
  EquationSink initial;
  initial.equations = &model_.initial_equations;
  initial.initial = true;
  {
    SavedContext saved(*this);
    context_.watching = Watching::none;
    lower_equations(main_.initial_equations, initial);
  }
  lower_modes();
  lower_bodies();
  check_own_variables();
  check_element_names();
  lower_annotations();
  if (!diagnostics_.has_errors()) {
    conditions_.name_conditions();
  }
  return std::move(model_);
}

std::uint32_t Elaborator::add_entity(Entity entity) {
  const auto index = static_cast<std::uint32_t>(entities_.size());
  std::uint32_t& slot = entity_of_symbol_[entity.name.index()];
  std::uint32_t earlier = slot;
  if (entity.mode.valid() && entity.kind == Entity::Kind::component) {
    auto& own = own_entities_[entity.mode.index()];
    for (const auto& [name, other] : own) {
      earlier = name == entity.name ? other : earlier;
    }
    own.emplace_back(entity.name, index);
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

void Elaborator::collect_names() {
  const auto main_index = static_cast<std::uint32_t>(&main_ - ast_.classes.data());
  for (std::uint32_t i = 0; i < ast_.classes.size(); ++i) {
    const Class& candidate = ast_.classes[i];
    const bool visible = !candidate.is_nested() || candidate.parent == main_index;
    if (candidate.kind == ClassKind::model || !visible) {
      continue;
    }
    Entity entity;
    entity.kind = candidate.kind == ClassKind::function ? Entity::Kind::function : Entity::Kind::type;
    entity.name = candidate.name;
    entity.span = candidate.name_span;
    entity.class_index = i;
    if (candidate.kind == ClassKind::function &&
        intrinsic_of_symbol_[candidate.name.index()] != Intrinsic::none) {
      error(kDuplicateName, fmt::format("{} is a function of the language", quoted(candidate.name)),
            candidate.name_span);
    }
    add_entity(std::move(entity));
  }
  const auto add_component = [&](const Component& component, ModeId mode) {
    Entity entity;
    entity.name = component.name;
    entity.span = component.name_span;
    entity.component = &component;
    entity.mode = mode;
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

void Elaborator::check_overrides() {
  if (overrides_.empty() || damage_.any()) {
    return;
  }
  std::unordered_map<std::string_view, const flat::Parameter*> known;
  for (const flat::Parameter& parameter : model_.parameters) {
    known.emplace(parameter.name, &parameter);
  }
  for (const auto& [name, value] : options_.parameters) {
    const auto found = known.find(name);
    if (found == known.end()) {
      diagnostics_.error(kUnknownParameter, fmt::format("there is no parameter '{}'", name));
    } else if (found->second->is_constant || found->second->is_final) {
      diagnostics_.error(kParameterNotChangeable,
                         fmt::format("'{}' is {} and cannot be set", name,
                                     found->second->is_constant ? "a constant" : "final"));
    }
  }
}

Diagnostic& Elaborator::error(DiagnosticCode code, std::string message, SourceSpan span, std::string hint) {
  if (may_follow_from_damage(code, span)) {
    unsaid_ = Diagnostic();
    return unsaid_;
  }
  return diagnostics_.error(code, std::move(message), span, std::move(hint));
}

bool Elaborator::may_follow_from_damage(DiagnosticCode code, SourceSpan span) const {
  if (!damage_.any()) {
    return false;
  }
  // These ask for something that a damaged part may have said: a value, a mode, a 'when' that makes a Real discrete.
  for (const DiagnosticCode consequence :
       {kMissingValue, kBranchCount, kMissingElse, kUnassigned, kDiscreteEquation, kPreArgument,
        kReinitTarget, kDerArgument, kInitialMode, kOwnVariable, kParameterEquation}) {
    if (code.name == consequence.name) {
      return true;
    }
  }
  return damage_.touches(span);
}

Value Elaborator::fail(DiagnosticCode code, std::string message, SourceSpan span, std::string hint) {
  error(code, std::move(message), span, std::move(hint));
  return failed_value();
}

Value Elaborator::checked(ArrayResult result, SourceSpan span) {
  if (auto* phrase = std::get_if<std::string>(&result)) {
    return fail(kShapeMismatch, std::move(*phrase), span);
  }
  return std::move(std::get<Value>(result));
}

std::string Elaborator::quoted(Symbol name) const {
  return fmt::format("'{}'", ast_.text(name));
}

RelationContext Elaborator::relation_context(SourceSpan span) const {
  RelationContext context;
  context.watching = context_.watching;
  context.kink = context_.kink;
  context.repeated = context_.repeated;
  context.span = span;
  return context;
}

bool Elaborator::spend(double amount, SourceSpan span) {
  work_ += amount;
  if (work_ <= kMaxWork) {
    return true;
  }
  if (!limit_reported_) {
    limit_reported_ = true;
    error(kTooLarge,
          "the model is too large: its loops, arrays and functions take too many steps to write out", span);
  }
  return false;
}

}  // namespace saltus::lang
