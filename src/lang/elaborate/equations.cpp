// Equations, element by element; for, assert, terminate.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"
#include "lang/syntax/diagnostic_codes.hpp"

namespace saltus::lang {

void Elaborator::lower_equations(std::span<const Statement> statements, EquationSink& sink) {
  for (const Statement& statement : statements) {
    switch (statement.kind) {
      case StatementKind::equation: lower_equation(statement, sink); break;
      case StatementKind::if_block: lower_if(statement, sink); break;
      case StatementKind::when_block: lower_when(statement, sink); break;
      case StatementKind::call: lower_call_statement(statement, sink); break;
      case StatementKind::for_block: {
        SavedContext saved(*this);
        context_.repeated = true;
        iterate(ast_[statement.iterators], [&] {
          const std::size_t n_errors = diagnostics_.n_errors();
          lower_equations(ast_[statement.body], sink);
          return diagnostics_.n_errors() == n_errors;  // the other iterations would say the same
        });
        break;
      }
      case StatementKind::error: break;
      default: error(kMisplaced, "this may not stand in an equation section", statement.span); break;
    }
  }
}

void Elaborator::lower_equation(const Statement& statement, EquationSink& sink) {
  if (ast_[statement.left].kind == ExpressionKind::tuple) {
    lower_tuple_equation(statement, sink);
    return;
  }
  const Value left = lower(statement.left);
  const Value right = lower(statement.right);
  if (!left.failed && !right.failed) {
    add_equations(left, right, statement.span, sink);
  }
}

void Elaborator::lower_tuple_equation(const Statement& statement, EquationSink& sink) {
  const auto targets = ast_.operands(statement.left);
  const bool is_call = ast_[statement.right].kind == ExpressionKind::call;
  const std::uint32_t entity =
      is_call ? entity_of_symbol_[ast_.call(statement.right).function.index()] : kNoEntity;
  if (entity == kNoEntity || entities_[entity].kind != Entity::Kind::function) {
    error(kWrongArguments, "several values on the left need the call of a function with several outputs",
          statement.span);
    return;
  }
  InlinedOutputs outputs = inline_function(ast_.classes[entities_[entity].class_index],
                                           ast_.call(statement.right), statement.span);
  if (outputs.failed) {
    return;
  }
  if (targets.size() > outputs.values.size()) {
    error(kWrongArguments,
          fmt::format("the function has {} outputs, {} values stand on the left", outputs.values.size(),
                      targets.size()),
          statement.span);
    return;
  }
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (!targets[k].valid()) {
      continue;
    }
    const Value left = lower(targets[k]);
    if (!left.failed) {
      add_equations(left, outputs.values[k], statement.span, sink);
    }
  }
}

bool Elaborator::check_sides(Value& left, Value& right, SourceSpan span) {
  if (left.type == flat::Type::string || right.type == flat::Type::string) {
    error(kWrongType, "Strings have no equations", span);
    return false;
  }
  const bool left_is_truth = left.type == flat::Type::boolean;
  const bool right_is_truth = right.type == flat::Type::boolean;
  const bool narrows = left.type == flat::Type::integer && right.type == flat::Type::real &&
                       variability(left) > flat::NodeVariability::parameter;
  if (left_is_truth != right_is_truth || narrows) {
    error(
        kWrongType,
        fmt::format("the sides have different types: {} and {}", to_string(left.type), to_string(right.type)),
        span, narrows ? "integer(x) is the whole number below x" : std::string());
    return false;
  }
  if (left.shape != right.shape) {
    error(kShapeMismatch,
          fmt::format("the sides have different sizes: {} and {}", to_string(left.shape),
                      to_string(right.shape)),
          span);
    return false;
  }
  return true;
}

void Elaborator::add_equations(const Value& left_side, const Value& right_side, SourceSpan span,
                               EquationSink& sink) {
  Value left = left_side;
  Value right = right_side;
  if (!check_sides(left, right, span) || !spend(static_cast<double>(left.size()), span)) {
    return;
  }
  const bool is_real = left.type == flat::Type::real || right.type == flat::Type::real;
  if (left.size() > 0 &&
      std::max(variability(left), variability(right)) <= flat::NodeVariability::parameter && !sink.initial) {
    error(kParameterEquation, "the equation contains no variable", span);
    return;
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    const NodeId left_node = arithmetic_.node(left[i]);
    const flat::Equation equation{left_node, arithmetic_.node(right[i]), span};
    if (!sink.initial && !sink.in_branch) {
      note_discrete_equation(equation, is_real);
    }
    sink.equations->push_back(equation);
  }
}

void Elaborator::note_discrete_equation(const flat::Equation& equation, bool is_real) {
  const auto discrete_variable = [&](NodeId id) {
    const expr::Node& node = model_.graph[id];
    const bool is_one = node.op == expr::Op::variable && node.second == 0 &&
                        model_.variables[node.first].variability == flat::Variability::discrete;
    return is_one ? VariableId(node.first) : VariableId();
  };
  const VariableId left = discrete_variable(equation.left);
  const VariableId variable = left.valid() ? left : discrete_variable(equation.right);
  if (!variable.valid()) {
    if (!is_real) {
      error(kDiscreteEquation,
            "an equation between Booleans or Integers must have a variable alone on one side", equation.span);
    }
    return;
  }
  const NodeId other = left.valid() ? equation.right : equation.left;
  const bool gives_continuous =
      is_real && variability(node_scalar(other)) == flat::NodeVariability::continuous;
  if (gives_continuous && (model_.graph[other].op == expr::Op::variable || !left.valid())) {
    return;  // x = d with a continuous x determines x
  }
  const flat::Variable& target = model_[variable];
  const std::uint32_t owner = entity_of_variable_[variable.index()];
  if (gives_continuous && !is_when_target_[entities_[owner].name.index()]) {
    error(kDiscreteEquation,
          fmt::format("'{}' changes at events only, but this equation changes it all the time", target.name),
          equation.span);
    return;
  }
  note_setter(variable, 0, equation.span);
}

/// `AssertionLevel.warning` or `AssertionLevel.error`.
std::optional<bool> Elaborator::is_warning_level(ExpressionId id) {
  if (ast_[id].kind == ExpressionKind::name) {
    const auto parts = ast_.name_parts(id);
    const std::string_view level = ast_.text(parts.back().name);
    if (parts.size() == 2 && ast_.text(parts[0].name) == "AssertionLevel" &&
        (level == "warning" || level == "error")) {
      return level == "warning";
    }
  }
  error(kWrongArguments, "the level of 'assert' is AssertionLevel.warning or AssertionLevel.error",
        span_of(id));
  return std::nullopt;
}

/// That does not hold whatever happens.
void Elaborator::tell_failed_assertion(const MessageCall& message, SourceSpan span) {
  if (message.is_warning) {
    diagnostics_.warning(kAssertionFails, fmt::format("assertion does not hold: {}", message.text), span);
  } else {
    error(kAssertionFails, fmt::format("assertion fails: {}", message.text), span);
  }
}

std::optional<Elaborator::MessageCall> Elaborator::message_call(const Call& call, SourceSpan span) {
  const Intrinsic intrinsic = intrinsic_of_symbol_[call.function.index()];
  const auto arguments = ast_[call.arguments];
  const bool is_assert = intrinsic == Intrinsic::assert;
  constexpr std::array<std::string_view, 3> kNames{"condition", "message", "level"};
  std::array<ExpressionId, 3> given;
  bool fits = call.iterators.empty() && (is_assert || arguments.size() == 1);
  for (std::size_t k = 0; fits && k < arguments.size(); ++k) {
    const auto* const name = arguments[k].name.valid()
                                 ? std::find(kNames.begin(), kNames.end(), ast_.text(arguments[k].name))
                                 : kNames.begin() + std::min(is_assert ? k : 1, kNames.size());
    fits = name != kNames.end() && !given[static_cast<std::size_t>(name - kNames.begin())].valid();
    if (fits) {
      given[static_cast<std::size_t>(name - kNames.begin())] = arguments[k].value;
    }
  }
  if (!fits || !given[1].valid() || given[0].valid() != is_assert || (given[2].valid() && !is_assert)) {
    error(kWrongArguments,
          is_assert ? "'assert' takes a condition, a message and, if it is no error, a level"
                    : "'terminate' takes a message",
          span);
    return std::nullopt;
  }
  MessageCall result{known_scalar(1.0), {}, false};
  if (is_assert) {
    result.condition = lower_condition(given[0], "the condition of 'assert'");
  }
  const Value message = lower(given[1]);
  if (!result.condition.defined() || message.failed) {
    return std::nullopt;
  }
  if (message.type != flat::Type::string) {
    error(kWrongType, fmt::format("the message must be a String, not {}", to_string(message.type)),
          span_of(given[1]));
    return std::nullopt;
  }
  if (given[2].valid()) {
    const std::optional<bool> level = is_warning_level(given[2]);
    if (!level) {
      return std::nullopt;
    }
    result.is_warning = *level;
  }
  result.text = message.text ? *message.text : std::string();
  return result;
}

/// contact(gap, force), contact(gap, force, e), element by element.
void Elaborator::lower_contact(const Call& call, SourceSpan span, EquationSink& sink) {
  const auto arguments = ast_[call.arguments];
  if (arguments.size() < 2 || arguments.size() > 3 || !call.iterators.empty()) {
    error(kWrongArguments, "'contact' takes a gap, a force and, if it is not 0, a restitution", span);
    return;
  }
  if (sink.initial || sink.in_branch) {
    error(kMisplaced,
          fmt::format("'contact' may not stand in {}",
                      sink.initial ? "an initial equation section" : "a branch of an 'if'"),
          span);
    return;
  }
  std::vector<Value> values;
  for (const Argument& argument : arguments) {
    if (argument.name.valid()) {
      error(kWrongArguments, "'contact' takes no named arguments", argument.span);
      return;
    }
    values.push_back(lower(argument.value));
    if (values.back().failed) {
      return;
    }
  }
  if (!check_numbers(values, call)) {
    return;
  }
  const bool has_restitution = values.size() == 3;
  if (values[0].shape != values[1].shape ||
      (has_restitution && !values[2].is_scalar() && values[2].shape != values[0].shape)) {
    error(kShapeMismatch, "the arguments of 'contact' have different sizes", span);
    return;
  }
  RelationContext context = relation_context(span);
  context.repeated = context.repeated || values[0].size() > 1;
  for (std::size_t i = 0; i < values[0].size(); ++i) {
    const Scalar restitution = !has_restitution        ? known_scalar(0.0)
                               : values[2].is_scalar() ? values[2].scalar
                                                       : values[2][i];
    const Scalar zero = conditions_.contact(values[0][i], values[1][i], restitution, context);
    if (!zero.defined()) {
      error(kParameterEquation, "neither the gap nor the force of this contact is a variable", span);
      return;
    }
    sink.equations->push_back({arithmetic_.node(known_scalar(0.0)), arithmetic_.node(zero), span});
  }
}

void Elaborator::lower_call_statement(const Statement& statement, EquationSink& sink) {
  const Call& call = ast_.call(statement.right);
  const Intrinsic intrinsic = intrinsic_of_symbol_[call.function.index()];
  if (intrinsic == Intrinsic::reinit) {
    error(kMisplaced, "'reinit' may only stand in a 'when' clause or a transition", statement.span);
    return;
  }
  if (intrinsic == Intrinsic::contact) {
    lower_contact(call, statement.span, sink);
    return;
  }
  if (intrinsic != Intrinsic::assert && intrinsic != Intrinsic::terminate) {
    const Value value = lower(statement.right);
    if (!value.failed) {
      error(kMisplaced, "the value of this call is not used", statement.span);
    }
    return;
  }
  if (sink.initial && intrinsic == Intrinsic::terminate) {
    error(kMisplaced, "'terminate' may not stand in an initial equation section", statement.span);
    return;
  }
  const auto message = message_call(call, statement.span);
  if (!message) {
    return;
  }
  if (intrinsic == Intrinsic::terminate) {
    model_.terminates.push_back({arithmetic_.node(sink.path), message->text, statement.span});
    return;
  }
  const Scalar holds =
      sink.path.known
          ? message->condition
          : arithmetic_.binary(expr::Op::logical_or, arithmetic_.unary(expr::Op::logical_not, sink.path),
                               message->condition);
  if (holds.known) {
    if (holds.number == 0.0) {
      tell_failed_assertion(*message, statement.span);
    }
    return;
  }
  model_.assertions.push_back(
      {arithmetic_.node(holds), message->text, sink.mode, statement.span, message->is_warning});
}

}  // namespace saltus::lang
