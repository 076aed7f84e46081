#include "lang/elaborate/elaborator.hpp"

#include <fmt/format.h>

#include "lang/elaborate/equation_maker.hpp"
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
    overrides_[name] = &value;
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
  if (options_.add_equations && !diagnostics_.has_errors()) {
    options_.add_equations({model_, arithmetic_, conditions_, diagnostics_});
  }
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
  watch_truths();
  check_own_variables();
  check_element_names();
  lower_annotations();
  give_default_values();
  if (!diagnostics_.has_errors()) {
    conditions_.name_conditions();
  }
  return std::move(model_);
}

void Elaborator::check_overrides() {
  if (overrides_.empty() || damage_.any()) {
    return;
  }
  struct Known {
    bool is_constant = false;
    bool is_final = false;
  };
  std::unordered_map<std::string_view, Known> known;
  for (const Entity& entity : entities_) {
    if (entity.kind == Entity::Kind::component && entity.is_parameter) {
      known.emplace(ast_.text(entity.name), Known{entity.is_constant, entity.component->final});
    }
  }
  for (const flat::Parameter& parameter : model_.parameters) {
    known.emplace(parameter.name, Known{parameter.is_constant, parameter.is_final});
  }
  for (const auto& [name, value] : options_.parameters) {
    if (name == kHomotopySetting) {
      continue;
    }
    const auto found = known.find(name);
    if (found == known.end()) {
      diagnostics_.error(kUnknownParameter, fmt::format("there is no parameter '{}'", name));
    } else if (found->second.is_constant || found->second.is_final) {
      diagnostics_.error(kParameterNotChangeable,
                         fmt::format("'{}' is {} and cannot be set", name,
                                     found->second.is_constant ? "a constant" : "final"));
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
  context.continuity = context_.continuity;
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
