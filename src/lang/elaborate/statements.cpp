// Statements of functions, run on values; an `if` decided while the model runs merges both results by selects.
#include <fmt/format.h>

#include "base/work_watch.hpp"
#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"
#include "lang/syntax/diagnostic_codes.hpp"

namespace saltus::lang {
namespace {

/// Turns of one `while`; the body runs at compile time, so more than this is a mistake.
constexpr int kMaxWhileIterations = 1'000'000;

/// base/work_watch.hpp: an element of a local is copied before and after a branch, and compared.
constexpr std::int64_t kWorkOfACopy = 10;

}  // namespace

Elaborator::Flow Elaborator::execute(std::span<const Statement> statements) {
  for (const Statement& statement : statements) {
    if (!spend(1.0, statement.span)) {
      return Flow::failed;
    }
    const Flow flow = execute_one(statement);
    if (flow != Flow::next) {
      return flow;
    }
  }
  return Flow::next;
}

Elaborator::Flow Elaborator::execute_one(const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::assignment: return execute_assignment(statement);
    case StatementKind::if_block: return execute_if(statement);
    case StatementKind::for_block: return execute_for(statement);
    case StatementKind::while_block: return execute_while(statement);
    case StatementKind::return_statement: return Flow::returned;
    case StatementKind::break_statement: return Flow::broken;
    case StatementKind::call: {
      const Intrinsic intrinsic = intrinsic_of_symbol_[ast_.call(statement.right).function.index()];
      if (intrinsic == Intrinsic::assert) {
        const auto message = message_call(ast_.call(statement.right), statement.span);
        if (message && message->condition.known && message->condition.number == 0.0) {
          tell_failed_assertion(*message, statement.span);
          return message->is_warning ? Flow::next : Flow::failed;
        }
        if (message) {
          add_function_assertion(*message, statement.span);
        }
        return message ? Flow::next : Flow::failed;
      }
      error(kMisplaced, "this call may not stand in a function", statement.span);
      return Flow::failed;
    }
    default: break;
  }
  error(kMisplaced, "this may not stand in a function", statement.span);
  return Flow::failed;
}

/// Of parameters alone: what depends on variables would be a guard, which functions do not have.
void Elaborator::add_function_assertion(const MessageCall& message, SourceSpan span) {
  Scalar holds = message.condition;
  for (const Scalar& step : function_path_) {
    holds = arithmetic_.binary(expr::Op::logical_or, arithmetic_.unary(expr::Op::logical_not, step), holds);
  }
  if (!holds.known && variability(holds) <= flat::NodeVariability::parameter) {
    model_.assertions.push_back({arithmetic_.node(holds), message.text, ModeId(), span, message.is_warning});
  }
}

bool Elaborator::assign(ExpressionId target, Value value, SourceSpan span) {
  if (ast_[target].kind != ExpressionKind::name || ast_.name_parts(target).size() != 1) {
    error(kMisplaced, "only a variable can be assigned", span_of(target));
    return false;
  }
  const NamePart& part = ast_.name_parts(target)[0];
  Local* local = const_cast<Local*>(find_local(part.name));
  if (local == nullptr) {
    return !unknown_name(ast_.text(part.name), part.span).failed;
  }
  if (local->role == Local::Role::input || local->role == Local::Role::iterator) {
    error(kAssignedInput,
          fmt::format("{} is {} and cannot be assigned", quoted(part.name),
                      local->role == Local::Role::input ? "an input" : "a loop variable"),
          part.span);
    return false;
  }
  const bool fits = value.type == local->value.type ||
                    (value.type == flat::Type::integer && local->value.type == flat::Type::real);
  if (!fits) {
    error(kWrongType,
          fmt::format("{} is {}, the value is {}", quoted(part.name), to_string(local->value.type),
                      to_string(value.type)),
          span);
    return false;
  }
  const auto place = static_cast<std::size_t>(local - locals_.data());
  ElementSelection chosen;
  if (part.subscripts.empty()) {
    chosen.shape = local->value.shape;
  } else {
    chosen = select_elements(local->value.shape, part.subscripts, span_of(target), ast_.text(part.name));
  }
  if (chosen.failed) {
    return false;
  }
  if (chosen.shape != value.shape) {
    error(kShapeMismatch,
          fmt::format("the target is {}, the value is {}", to_string(chosen.shape), to_string(value.shape)),
          span);
    return false;
  }
  Value& stored = locals_[place].value;
  if (part.subscripts.empty()) {
    value.type = stored.type;
    stored = std::move(value);
    return true;
  }
  for (std::size_t i = 0; i < chosen.positions.size(); ++i) {
    stored[chosen.positions[i]] = value[i];
  }
  return true;
}

Elaborator::Flow Elaborator::execute_assignment(const Statement& statement) {
  if (ast_[statement.left].kind != ExpressionKind::tuple) {
    Value value = lower(statement.right);
    const bool ok = !value.failed && assign(statement.left, std::move(value), statement.span);
    return ok ? Flow::next : Flow::failed;
  }
  const auto targets = ast_.operands(statement.left);
  const bool is_call = ast_[statement.right].kind == ExpressionKind::call;
  const std::uint32_t entity =
      is_call ? entity_of_symbol_[ast_.call(statement.right).function.index()] : kNoEntity;
  if (entity == kNoEntity || entities_[entity].kind != Entity::Kind::function) {
    error(kWrongArguments, "several targets need the call of a function with several outputs",
          statement.span);
    return Flow::failed;
  }
  InlinedOutputs outputs = inline_function(ast_.classes[entities_[entity].class_index],
                                           ast_.call(statement.right), statement.span);
  if (outputs.failed) {
    return Flow::failed;
  }
  if (targets.size() > outputs.values.size()) {
    error(kWrongArguments,
          fmt::format("the function has {} outputs, {} targets are given", outputs.values.size(),
                      targets.size()),
          statement.span);
    return Flow::failed;
  }
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (targets[k].valid() && !assign(targets[k], std::move(outputs.values[k]), statement.span)) {
      return Flow::failed;
    }
  }
  return Flow::next;
}

bool Elaborator::leaves(std::span<const Statement> statements) const {
  for (const Statement& statement : statements) {
    if (statement.kind == StatementKind::return_statement ||
        statement.kind == StatementKind::break_statement) {
      return true;
    }
    if (leaves(ast_[statement.body])) {
      return true;
    }
    for (const Branch& branch : ast_[statement.branches]) {
      if (leaves(ast_[branch.body])) {
        return true;
      }
    }
  }
  return false;
}

Elaborator::Flow Elaborator::execute_if(const Statement& statement) {
  const auto branches = ast_[statement.branches];
  bool any_leaves = false;
  for (const Branch& branch : branches) {
    any_leaves = any_leaves || leaves(ast_[branch.body]);
  }
  for (std::size_t k = 0; k < branches.size(); ++k) {
    if (!branches[k].condition.valid()) {
      return execute(ast_[branches[k].body]);
    }
    Scalar condition = lower_condition(branches[k].condition, "the condition of 'if'");
    if (!condition.defined()) {
      return Flow::failed;
    }
    if (const std::optional<double> settled = settled_now(condition, span_of(branches[k].condition))) {
      condition = known_scalar(*settled);
    }
    if (!condition.known && (any_leaves || inlining_depth_ > 2) &&
        variability(condition) <= flat::NodeVariability::parameter) {
      const std::optional<double> now =
          evaluate_now(condition, span_of(branches[k].condition), "the condition");
      if (!now) {
        return Flow::failed;
      }
      condition = known_scalar(*now);
    }
    if (condition.known) {
      if (condition.number != 0.0) {
        return execute(ast_[branches[k].body]);
      }
      continue;
    }
    if (any_leaves) {
      error(kNotKnown, "'return' and 'break' need a condition that is known at compile time",
            span_of(branches[k].condition));
      return Flow::failed;
    }
    return execute_runtime_if(statement, k, condition);
  }
  return Flow::next;
}

Elaborator::Flow Elaborator::execute_runtime_if(const Statement& statement, std::size_t first,
                                                const Scalar& condition) {
  const auto branches = ast_[statement.branches];
  const std::size_t frame = context_.frame;
  std::size_t n_copied = 0;
  for (std::size_t i = frame; i < locals_.size(); ++i) {
    n_copied += locals_[i].value.size();
  }
  count_work(kWorkOfACopy * static_cast<std::int64_t>(n_copied));
  std::vector<Local> before(locals_.begin() + static_cast<std::ptrdiff_t>(frame), locals_.end());
  function_path_.push_back(condition);
  const Flow flow = execute(ast_[branches[first].body]);
  function_path_.pop_back();
  if (flow == Flow::failed) {
    return Flow::failed;
  }
  std::vector<Local> chosen(locals_.begin() + static_cast<std::ptrdiff_t>(frame), locals_.end());
  std::move(before.begin(), before.end(), locals_.begin() + static_cast<std::ptrdiff_t>(frame));
  // The rest of the chain is the other side.
  Statement rest = statement;
  rest.branches.first += static_cast<std::uint32_t>(first + 1);
  rest.branches.count -= static_cast<std::uint32_t>(first + 1);
  function_path_.push_back(arithmetic_.unary(expr::Op::logical_not, condition));
  const Flow other_flow = rest.branches.empty() ? Flow::next : execute_if(rest);
  function_path_.pop_back();
  if (other_flow == Flow::failed) {
    return Flow::failed;
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    Value& other = locals_[frame + i].value;
    for (std::size_t k = 0; k < other.size() && chosen[i].value.shape == other.shape; ++k) {
      const Scalar& here = chosen[i].value[k];
      if (here == other[k]) {
        continue;
      }
      other[k] =
          here.defined() && other[k].defined() ? arithmetic_.select(condition, here, other[k]) : Scalar();
    }
  }
  return Flow::next;
}

Elaborator::Flow Elaborator::execute_for(const Statement& statement) {
  Flow flow = Flow::next;
  const bool ok = iterate(ast_[statement.iterators], [&] {
    flow = execute(ast_[statement.body]);
    return flow == Flow::next;
  });
  if (flow == Flow::broken) {
    return Flow::next;
  }
  return flow == Flow::next && !ok ? Flow::failed : flow;
}

Elaborator::Flow Elaborator::execute_while(const Statement& statement) {
  for (int turn = 0; turn < kMaxWhileIterations; ++turn) {
    const Scalar condition = lower_condition(statement.right, "the condition of 'while'");
    const std::optional<double> holds =
        condition.defined() ? evaluate_now(condition, span_of(statement.right), "the condition of 'while'")
                            : std::nullopt;
    if (!holds) {
      return Flow::failed;
    }
    if (*holds == 0.0) {
      return Flow::next;
    }
    const Flow flow = execute(ast_[statement.body]);
    if (flow != Flow::next) {
      return flow == Flow::broken ? Flow::next : flow;
    }
  }
  error(kEndlessLoop, fmt::format("'while' runs more than {} times", kMaxWhileIterations), statement.span);
  return Flow::failed;
}

}  // namespace saltus::lang
