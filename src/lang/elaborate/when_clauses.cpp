// when … elsewhen: conditions now, bodies later; which Reals are discrete.
#include <fmt/format.h>

#include "base/one_line.hpp"
#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"

namespace saltus::lang {

void Elaborator::mark_when_target(ExpressionId target) {
  if (ast_[target].kind == ExpressionKind::name) {
    const auto parts = ast_.name_parts(target);
    const Symbol name = parts.size() == 1 ? parts[0].name : joined_symbol(parts);
    if (name.valid()) {
      is_when_target_[name.index()] = true;
    }
  } else if (ast_[target].kind == ExpressionKind::tuple) {
    for (const ExpressionId operand : ast_.operands(target)) {
      if (operand.valid()) {
        mark_when_target(operand);
      }
    }
  }
}

void Elaborator::scan_when_targets(std::span<const Statement> statements, bool in_when) {
  for (const Statement& statement : statements) {
    if (in_when && statement.kind == StatementKind::equation) {
      mark_when_target(statement.left);
    }
    scan_when_targets(ast_[statement.body], in_when);
    for (const Branch& branch : ast_[statement.branches]) {
      scan_when_targets(ast_[branch.body], in_when || statement.kind == StatementKind::when_block);
    }
  }
}

void Elaborator::find_discrete_reals() {
  scan_when_targets(main_.equations, false);
  for (const Mode& mode : main_.modes) {
    scan_when_targets(mode.equations, false);
  }
  for (std::size_t i = 0; i < ast_.n_expressions(); ++i) {
    const ExpressionId id(i);
    if (ast_[id].kind != ExpressionKind::call ||
        intrinsic_of_symbol_[ast_.call(id).function.index()] != Intrinsic::der) {
      continue;
    }
    for (const Argument& argument : ast_[ast_.call(id).arguments]) {
      if (ast_[argument.value].kind == ExpressionKind::name) {
        const auto parts = ast_.name_parts(argument.value);
        const Symbol name = parts.size() == 1 ? parts[0].name : joined_symbol(parts);
        if (name.valid()) {
          is_differentiated_[name.index()] = true;
        }
      }
    }
  }
}

// Not valid: a syntax error has taken its place.
bool Elaborator::is_initial_call(ExpressionId id) const {
  return id.valid() && ast_[id].kind == ExpressionKind::call && ast_.call(id).function.valid() &&
         intrinsic_of_symbol_[ast_.call(id).function.index()] == Intrinsic::initial;
}

void Elaborator::lower_when_condition(ExpressionId id, flat::WhenBranch& branch) {
  bool asks_initial = is_initial_call(id);
  if (id.valid() && ast_[id].kind == ExpressionKind::array) {
    for (const ExpressionId element : ast_.operands(id)) {
      asks_initial = asks_initial || is_initial_call(element);
    }
  }
  branch.is_no_start_form = !asks_initial;
  const Value value = lower(id);
  if (value.failed) {
    return;
  }
  if (value.type != flat::Type::boolean || value.shape.size() > 1) {
    error(kWrongType,
          fmt::format("the condition of 'when' must be a Boolean or a vector of Booleans, not {}",
                      value.shape.size() > 1 ? "an array" : to_string(value.type)),
          span_of(id));
    return;
  }
  if (!value.is_scalar()) {
    for (const Scalar& element : value.elements) {
      branch.vector_elements.push_back(arithmetic_.node(element));
    }
    if (value.elements.empty()) {
      branch.condition = model_.graph.constant(0.0);
    }
    return;
  }
  branch.condition = arithmetic_.node(value.scalar);
}

void Elaborator::lower_when(const Statement& statement, EquationSink& sink) {
  if (sink.initial || sink.in_branch) {
    error(kMisplaced,
          sink.initial ? "'when' may not stand in an initial equation section"
                       : "'when' may not stand in an 'if' that is decided while the model runs",
          statement.span);
    return;
  }
  const std::size_t clause_index = model_.when_clauses.size();
  flat::WhenClause clause;
  clause.mode = sink.mode;
  clause.span = statement.span;
  const auto branches = ast_[statement.branches];
  for (const Branch& branch : branches) {
    flat::WhenBranch lowered;
    lowered.span = branch.span;
    lower_when_condition(branch.condition, lowered);
    const bool is_lowered = lowered.condition.valid() || !lowered.vector_elements.empty();
    if (is_lowered && !context_.repeated) {
      lowered.text = on_one_line(model_.source->text(span_of(branch.condition)));
    }
    clause.branches.push_back(std::move(lowered));
  }
  model_.when_clauses.push_back(std::move(clause));
  ++n_clauses_;
  for (std::size_t k = 0; k < branches.size(); ++k) {
    SavedContext saved(*this);
    context_.pre_mode = context_.mode;
    defer_body(
        ast_[branches[k].body], n_clauses_,
        [clause_index, k](flat::Model& model) -> flat::Body& {
          return model.when_clauses[clause_index].branches[k].body;
        },
        branches[k].span);
  }
}

void Elaborator::note_setter(VariableId variable, std::size_t clause, SourceSpan span) {
  std::vector<Setter>& setters = setters_[variable.index()];
  const ModeId mode = context_.mode;
  for (const Setter& other : setters) {
    const bool same_clause = clause != 0 && other.clause == clause;
    const bool apart = other.mode.valid() && mode.valid() && other.mode != mode;
    if (!same_clause && !apart) {
      error(kSetTwice, fmt::format("'{}' is set in two places", model_[variable].name), span)
          .notes.push_back({"also set here", other.span});
      return;
    }
  }
  setters.push_back({clause, mode, span});
}

}  // namespace saltus::lang
