// Bodies of when clauses and transitions: assignments, reinit, jump equations, assert, terminate.
#include <fmt/format.h>

#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/mentioned_variables.hpp"
#include "lang/elaborate/semantic_codes.hpp"
#include "lang/syntax/diagnostic_codes.hpp"

namespace saltus::lang {

using flat::Body;

void Elaborator::defer_body(std::span<const Statement> statements, std::size_t clause,
                            std::function<Body&(flat::Model&)> place, SourceSpan span) {
  DeferredBody body;
  body.statements = statements;
  body.locals = locals_;
  body.context = context_;
  body.context.watching = Watching::existing;
  body.context.in_body = true;
  body.place = std::move(place);
  body.clause = clause;
  body.span = span;
  bodies_.push_back(std::move(body));
}

void Elaborator::lower_bodies() {
  for (DeferredBody& deferred : bodies_) {
    locals_ = std::move(deferred.locals);
    context_ = deferred.context;
    current_clause_ = deferred.clause;
    OpenBody body;
    lower_body(deferred.statements, known_scalar(1.0), body);
    check_body(body);
    for (const Body::Assignment& assignment : body.assignments) {
      note_setter(assignment.variable, deferred.clause, assignment.span);
    }
    deferred.place(model_) = std::move(static_cast<Body&>(body));
  }
  locals_.clear();
  context_ = Context();
}

void Elaborator::lower_body(std::span<const Statement> statements, const Scalar& path, OpenBody& body) {
  for (const Statement& statement : statements) {
    switch (statement.kind) {
      case StatementKind::equation: lower_body_equation(statement, body); break;
      case StatementKind::call: lower_body_call(statement, path, body); break;
      case StatementKind::if_block: lower_body_if(statement, 0, path, body); break;
      case StatementKind::for_block: {
        SavedContext saved(*this);
        context_.repeated = true;
        iterate(ast_[statement.iterators], [&] {
          const std::size_t n_errors = diagnostics_.n_errors();
          lower_body(ast_[statement.body], path, body);
          return diagnostics_.n_errors() == n_errors;
        });
        break;
      }
      case StatementKind::when_block:
        error(kMisplaced, "'when' may not stand inside another 'when' or a transition", statement.span);
        break;
      case StatementKind::error: break;
      default:
        error(kMisplaced, "this may not stand in the body of 'when' or of a transition", statement.span);
        break;
    }
  }
}

void Elaborator::set_in_body(Body::Assignment assignment, bool is_reinit, OpenBody& body) {
  auto& list = is_reinit ? body.reinits : body.assignments;
  auto& place_of = is_reinit ? body.reinit_of : body.assignment_of;
  const auto [place, is_new] = place_of.try_emplace(assignment.variable.value(), list.size());
  if (!is_new) {
    error(kSetTwice,
          fmt::format("'{}' is {} twice in one body", model_[assignment.variable].name,
                      is_reinit ? "reinitialised" : "set"),
          assignment.span)
        .notes.push_back({is_reinit ? "also here" : "also set here", list[place->second].span});
    return;
  }
  list.push_back(assignment);
}

void Elaborator::add_body_equations(const Value& left_side, const Value& right_side, SourceSpan span,
                                    OpenBody& body) {
  Value left = left_side;
  Value right = right_side;
  if (!check_sides(left, right, span)) {
    return;
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    const NodeId left_node = arithmetic_.node(left[i]);
    const NodeId right_node = arithmetic_.node(right[i]);
    const expr::Node& node = model_.graph[left_node];
    const bool is_variable = node.op == expr::Op::variable && node.second == 0;
    if (is_variable && model_.variables[node.first].variability == flat::Variability::discrete) {
      set_in_body({VariableId(node.first), right_node, span}, false, body);
    } else {
      body.jump_equations.push_back({left_node, right_node, span});
    }
  }
}

void Elaborator::lower_body_equation(const Statement& statement, OpenBody& body) {
  if (ast_[statement.left].kind != ExpressionKind::tuple) {
    const Value left = lower(statement.left);
    const Value right = lower(statement.right);
    if (!left.failed && !right.failed) {
      add_body_equations(left, right, statement.span, body);
    }
    return;
  }
  const auto targets = ast_.operands(statement.left);
  const bool is_call = ast_[statement.right].kind == ExpressionKind::call;
  const std::uint32_t entity =
      is_call ? entity_of_symbol_[ast_.call(statement.right).function.index()] : kNoEntity;
  if (entity == kNoEntity || entities_[entity].kind != Entity::Kind::function) {
    error(kWrongArguments, "several values on the left need the call of a function with several outputs",
          statement.span);
    return;
  }
  const InlinedOutputs outputs = inline_function(ast_.classes[entities_[entity].class_index],
                                                 ast_.call(statement.right), statement.span);
  for (std::size_t k = 0; !outputs.failed && k < targets.size() && k < outputs.values.size(); ++k) {
    const Value left = targets[k].valid() ? lower(targets[k]) : failed_value();
    if (!left.failed) {
      add_body_equations(left, outputs.values[k], statement.span, body);
    }
  }
}

void Elaborator::lower_reinit(const Call& call, SourceSpan span, OpenBody& body) {
  const auto arguments = ast_[call.arguments];
  if (arguments.size() != 2) {
    error(kWrongArguments, fmt::format("'reinit' takes 2 arguments, not {}", arguments.size()), span);
    return;
  }
  Value target = lower(arguments[0].value);
  Value value;
  {
    SavedContext saved(*this);
    context_.mode = context_.pre_mode;  // plain names mean the values before the round
    value = lower(arguments[1].value);
  }
  if (target.failed || value.failed || !check_sides(target, value, span)) {
    return;
  }
  for (std::size_t i = 0; i < target.size(); ++i) {
    const expr::Node node = target[i].known ? expr::Node{} : model_.graph[target[i].node];
    const bool is_variable = node.op == expr::Op::variable && node.second == 0;
    if (!is_variable || model_.variables[node.first].variability != flat::Variability::continuous) {
      error(kReinitTarget,
            is_variable ? fmt::format("'{}' is discrete: assign it instead of 'reinit'",
                                      model_.variables[node.first].name)
                        : "the first argument of 'reinit' must be a continuous variable",
            span_of(arguments[0].value));
      return;
    }
    set_in_body({VariableId(node.first), arithmetic_.node(value[i]), span}, true, body);
  }
}

void Elaborator::lower_body_call(const Statement& statement, const Scalar& path, OpenBody& body) {
  const Call& call = ast_.call(statement.right);
  const Intrinsic intrinsic = intrinsic_of_symbol_[call.function.index()];
  if (intrinsic == Intrinsic::reinit) {
    lower_reinit(call, statement.span, body);
    return;
  }
  if (intrinsic != Intrinsic::assert && intrinsic != Intrinsic::terminate) {
    if (!lower(statement.right).failed) {
      error(kMisplaced, "the value of this call is not used", statement.span);
    }
    return;
  }
  const auto message = message_call(call, statement.span);
  if (!message) {
    return;
  }
  if (intrinsic == Intrinsic::terminate) {
    body.terminates.push_back({arithmetic_.node(path), message->text, statement.span});
    return;
  }
  const Scalar holds =
      path.known ? message->condition
                 : arithmetic_.binary(expr::Op::logical_or, arithmetic_.unary(expr::Op::logical_not, path),
                                      message->condition);
  body.asserts.push_back({arithmetic_.node(holds), message->text, statement.span, message->is_warning});
}

void Elaborator::lower_body_if(const Statement& statement, std::size_t first, const Scalar& path,
                               OpenBody& body) {
  const auto branches = ast_[statement.branches];
  if (first >= branches.size()) {
    return;
  }
  if (!branches[first].condition.valid()) {
    lower_body(ast_[branches[first].body], path, body);
    return;
  }
  const Scalar condition = lower_condition(branches[first].condition, "the condition of 'if'");
  if (!condition.defined()) {
    return;
  }
  if (condition.known) {
    if (condition.number != 0.0) {
      lower_body(ast_[branches[first].body], path, body);
    } else {
      lower_body_if(statement, first + 1, path, body);
    }
    return;
  }
  OpenBody chosen;
  OpenBody other;
  const Scalar not_condition = arithmetic_.unary(expr::Op::logical_not, condition);
  lower_body(ast_[branches[first].body], arithmetic_.binary(expr::Op::logical_and, path, condition), chosen);
  lower_body_if(statement, first + 1, arithmetic_.binary(expr::Op::logical_and, path, not_condition), other);
  merge_bodies(condition, chosen, other, statement.span, body);
}

void Elaborator::merge_assignments(const Scalar& condition, const OpenBody& chosen, const OpenBody& other,
                                   bool is_reinit, OpenBody& body) {
  const auto& chosen_list = is_reinit ? chosen.reinits : chosen.assignments;
  const auto& other_list = is_reinit ? other.reinits : other.assignments;
  const auto& chosen_of = is_reinit ? chosen.reinit_of : chosen.assignment_of;
  const auto& other_of = is_reinit ? other.reinit_of : other.assignment_of;
  // A variable that a branch does not mention keeps its value.
  const auto kept = [&](VariableId variable) {
    return is_reinit ? model_.graph.variable(variable) : model_.graph.previous(variable);
  };
  for (const Body::Assignment& a : chosen_list) {
    const auto b = other_of.find(a.variable.value());
    const NodeId otherwise = b != other_of.end() ? other_list[b->second].value : kept(a.variable);
    set_in_body({a.variable, model_.graph.select(condition.node, a.value, otherwise), a.span}, is_reinit,
                body);
  }
  for (const Body::Assignment& b : other_list) {
    if (chosen_of.count(b.variable.value()) == 0) {
      const NodeId value = model_.graph.select(condition.node, kept(b.variable), b.value);
      set_in_body({b.variable, value, b.span}, is_reinit, body);
    }
  }
}

void Elaborator::merge_bodies(const Scalar& condition, OpenBody& chosen, OpenBody& other, SourceSpan span,
                              OpenBody& body) {
  merge_assignments(condition, chosen, other, false, body);
  merge_assignments(condition, chosen, other, true, body);
  if (chosen.jump_equations.size() != other.jump_equations.size()) {
    error(kBranchCount,
          fmt::format("the branches of 'if' have different numbers of jump equations: {} and {}",
                      chosen.jump_equations.size(), other.jump_equations.size()),
          span);
  } else {
    for (std::size_t i = 0; i < chosen.jump_equations.size(); ++i) {
      const flat::Equation& a = chosen.jump_equations[i];
      const flat::Equation& b = other.jump_equations[i];
      if (a.left == b.left) {
        body.jump_equations.push_back(
            {a.left, model_.graph.select(condition.node, a.right, b.right), a.span});
      } else {
        const NodeId first = model_.graph.subtract(a.left, a.right);
        const NodeId second = model_.graph.subtract(b.left, b.right);
        body.jump_equations.push_back(
            {model_.graph.select(condition.node, first, second), model_.graph.constant(0.0), a.span});
      }
    }
  }
  for (const OpenBody* part : {&chosen, &other}) {
    body.asserts.insert(body.asserts.end(), part->asserts.begin(), part->asserts.end());
    body.terminates.insert(body.terminates.end(), part->terminates.begin(), part->terminates.end());
  }
}

void Elaborator::check_body(const Body& body) {
  std::unordered_set<std::uint32_t> marked;
  for (const Body::Assignment& reinit : body.reinits) {
    marked.insert(reinit.variable.value());
  }
  if (marked.empty()) {
    return;
  }
  MentionedVariables mentioned(model_.graph, std::move(marked));
  const auto warn = [&](NodeId node, SourceSpan span) {
    const VariableId variable = mentioned.first_in(node);
    if (variable.valid()) {
      const std::string& name = model_[variable].name;
      diagnostics_.warning(
          kReinitRead,
          fmt::format("'{}' is reinitialised in this body and read here by its plain name", name), span,
          options_.dialect == Dialect::modelica
              ? fmt::format("reinit takes effect after the round: this is the value before, as pre({})", name)
              : fmt::format("pre({}) is the value before, the plain name the value after", name));
    }
  };
  for (const Body::Assignment& assignment : body.assignments) {
    warn(assignment.value, assignment.span);
  }
  for (const flat::Equation& equation : body.jump_equations) {
    warn(equation.left, equation.span);
    warn(equation.right, equation.span);
  }
}

}  // namespace saltus::lang
