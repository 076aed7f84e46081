// Expressions: literals, operators, conditionals, ranges.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/work_watch.hpp"
#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"
#include "lang/syntax/diagnostic_codes.hpp"

namespace saltus::lang {
namespace {

/// Levels of expressions within expressions and inlined functions; each costs a few hundred bytes of stack.
constexpr int kMaxDepth = 2000;

/// base/work_watch.hpp: names are looked up, values are built.
constexpr std::int64_t kWorkOfAnExpression = 200;

bool is_number(const Value& value) {
  return value.type == flat::Type::real || value.type == flat::Type::integer;
}

flat::Condition::Kind relation_kind(Operator op) {
  switch (op) {
    case Operator::less: return flat::Condition::Kind::less;
    case Operator::less_equal: return flat::Condition::Kind::less_equal;
    case Operator::greater: return flat::Condition::Kind::greater;
    default: return flat::Condition::Kind::greater_equal;
  }
}

}  // namespace

Value Elaborator::lower(ExpressionId id) {
  if (!id.valid()) {
    return failed_value();  // lost with an error of syntax, as the condition of 'when … else'
  }
  const Expression& expression = ast_[id];
  if (depth_ >= kMaxDepth) {
    if (!depth_reported_) {
      depth_reported_ = true;
      return fail(kNestingTooDeep, "expressions and functions are nested too deeply", expression.span);
    }
    return failed_value();
  }
  if (context_.in_function && !spend(1.0, expression.span)) {
    return failed_value();
  }
  count_work(kWorkOfAnExpression);
  ++depth_;
  Value value = lower_kind(id, expression);
  count_work(static_cast<std::int64_t>(value.size()));
  --depth_;
  return value;
}

Value Elaborator::lower_kind(ExpressionId id, const Expression& expression) {
  switch (expression.kind) {
    case ExpressionKind::error: return failed_value();
    case ExpressionKind::real: return scalar_value(flat::Type::real, known_scalar(ast_.real(id)));
    case ExpressionKind::integer: return integer_value(static_cast<double>(ast_.integer(id)));
    case ExpressionKind::boolean:
      return scalar_value(flat::Type::boolean, known_scalar(ast_.boolean(id) ? 1.0 : 0.0));
    case ExpressionKind::string: {
      Value value = scalar_value(flat::Type::string, Scalar());
      value.text = std::make_shared<const std::string>(ast_.text(ast_.string(id)));
      return value;
    }
    case ExpressionKind::name: return lower_name(id);
    case ExpressionKind::call: return lower_call(id);
    case ExpressionKind::unary: return lower_unary(id, expression);
    case ExpressionKind::binary: return lower_binary(id, expression);
    case ExpressionKind::chain: return lower_chain(id);
    case ExpressionKind::conditional: return lower_conditional(id);
    case ExpressionKind::range: return lower_range(id);
    case ExpressionKind::array: return lower_array(id);
    case ExpressionKind::matrix: return lower_matrix(id);
    case ExpressionKind::comprehension:
      return lower_comprehension(ast_.operands(id)[0], ast_.iterators(id), expression.span);
    case ExpressionKind::last:
      return end_sizes_.empty() ? failed_value() : integer_value(static_cast<double>(end_sizes_.back()));
    case ExpressionKind::element: {
      const Value value = lower(ast_.operands(id)[0]);
      return value.failed ? value
                          : subscripted(value, ast_.element_subscripts(id), expression.span, "this value");
    }
    case ExpressionKind::member:
      return fail(kMisplaced, fmt::format("this has no member {}", quoted(ast_.member_name(id))),
                  expression.span);
    case ExpressionKind::tuple:
      return fail(kMisplaced, "several values in parentheses may only stand on the left of a function call",
                  expression.span);
    case ExpressionKind::matrix_row:
    case ExpressionKind::all: break;
  }
  return fail(kMisplaced, "this may only stand in a subscript", expression.span);
}

bool Elaborator::check_finite(const Value& value, SourceSpan span) {
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i].known && !std::isfinite(value[i].number)) {
      error(kNotFinite,
            fmt::format("the value of this expression is {}",
                        std::isnan(value[i].number) ? "not a number" : "infinite"),
            span);
      return false;
    }
    if (value.type == flat::Type::integer && value[i].known && std::abs(value[i].number) > kMaxInteger) {
      error(kIntegerOverflow, fmt::format("the Integer {} is too large", value[i].number), span);
      return false;
    }
  }
  return true;
}

Value Elaborator::combine_checked(Operator op, const Value& a, const Value& b, SourceSpan span) {
  if (a.failed || b.failed) {
    return failed_value();
  }
  if (a.type == flat::Type::string && b.type == flat::Type::string && op == Operator::add) {
    return fail(kNotSupported, "'+' of Strings is not supported yet", span);
  }
  if (!is_number(a) || !is_number(b)) {
    return fail(
        kWrongType,
        fmt::format("'{}' needs numbers, not {}", to_string(op), to_string(is_number(a) ? b.type : a.type)),
        span);
  }
  if (!a.is_scalar() || !b.is_scalar()) {
    double work = static_cast<double>(std::max(a.size(), b.size()));
    if (op == Operator::multiply && b.shape.size() == 2) {
      work *= static_cast<double>(b.shape[1]);
    } else if (op == Operator::power && b.is_scalar() && b.scalar.known && b.scalar.number > 1.0) {
      work *= static_cast<double>(a.shape.back()) * b.scalar.number;  // one product after the other
    }
    if (!spend(work, span)) {
      return failed_value();
    }
  }
  Value result = checked(combine(arithmetic_, op, a, b), span);
  return result.failed || check_finite(result, span) ? result : failed_value();
}

Value Elaborator::lower_unary(ExpressionId id, const Expression& expression) {
  const Value a = lower(ast_.operands(id)[0]);
  if (a.failed) {
    return a;
  }
  if (expression.op == Operator::logical_not) {
    if (a.type != flat::Type::boolean) {
      return fail(kWrongType, fmt::format("'not' needs a Boolean, not {}", to_string(a.type)),
                  expression.span);
    }
    return map_elements(a, flat::Type::boolean,
                        [&](const Scalar& s) { return arithmetic_.unary(expr::Op::logical_not, s); });
  }
  if (!is_number(a)) {
    return fail(kWrongType,
                fmt::format("'{}' needs a number, not {}", to_string(expression.op), to_string(a.type)),
                expression.span);
  }
  if (expression.op == Operator::add || expression.op == Operator::elementwise_add) {
    return a;
  }
  return map_elements(a, a.type, [&](const Scalar& s) { return arithmetic_.unary(expr::Op::negate, s); });
}

Value Elaborator::lower_binary(ExpressionId id, const Expression& expression) {
  switch (expression.op) {
    case Operator::less:
    case Operator::less_equal:
    case Operator::greater:
    case Operator::greater_equal:
    case Operator::equal:
    case Operator::not_equal: return lower_relation(id, expression);
    default: break;
  }
  const auto operands = ast_.operands(id);
  const Value a = lower(operands[0]);
  const Value b = lower(operands[1]);
  return combine_checked(expression.op, a, b, expression.span);
}

Value Elaborator::lower_chain(ExpressionId id) {
  const auto operands = ast_.operands(id);
  const auto operators = ast_.operators(id);
  if (operators[0] == Operator::logical_and || operators[0] == Operator::logical_or) {
    return lower_logical_chain(id);
  }
  Value result = lower(operands[0]);
  for (std::size_t k = 1; k < operands.size(); ++k) {
    const Value next = lower(operands[k]);
    result =
        combine_checked(operators[k - 1], result, next, cover(span_of(operands[0]), span_of(operands[k])));
  }
  return result;
}

Value Elaborator::lower_logical_chain(ExpressionId id) {
  const auto operands = ast_.operands(id);
  const Operator op = ast_.operators(id)[0];
  const expr::Op operation = op == Operator::logical_and ? expr::Op::logical_and : expr::Op::logical_or;
  Value result;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    Value next = lower(operands[k]);
    if (next.failed) {
      return next;
    }
    if (next.type != flat::Type::boolean) {
      return fail(kWrongType, fmt::format("'{}' needs Booleans, not {}", to_string(op), to_string(next.type)),
                  span_of(operands[k]));
    }
    if (k > 0 && next.shape != result.shape) {
      return fail(
          kShapeMismatch,
          fmt::format("sizes do not agree: {} and {}", to_string(result.shape), to_string(next.shape)),
          span_of(id));
    }
    for (std::size_t i = 0; k > 0 && i < next.size(); ++i) {
      next[i] = arithmetic_.binary(operation, result[i], next[i]);
    }
    result = std::move(next);
    // What follows is not looked at once the answer is known, so that `n > 0 and x[n] > 1` is legal.
    if (result.is_scalar() && result.scalar.known &&
        (result.scalar.number != 0.0) == (op == Operator::logical_or)) {
      break;
    }
  }
  return result;
}

Value Elaborator::equality(bool negated, const Value& a, const Value& b, SourceSpan span) {
  const bool same_kind = (is_number(a) && is_number(b)) || a.type == b.type;
  if (!same_kind) {
    return fail(kWrongType, fmt::format("{} and {} cannot be compared", to_string(a.type), to_string(b.type)),
                span);
  }
  if (a.type == flat::Type::string) {
    const bool equal = a.text && b.text && *a.text == *b.text;
    return scalar_value(flat::Type::boolean, known_scalar(equal != negated ? 1.0 : 0.0));
  }
  if (std::max(variability(a.scalar), variability(b.scalar)) == flat::NodeVariability::continuous) {
    return fail(kRealEquality,
                fmt::format("'{}' compares values that change at events only", negated ? "<>" : "=="), span,
                "two continuous values are seldom equal; use '<=', '>=' or 'abs(a - b) < eps'");
  }
  return scalar_value(flat::Type::boolean, arithmetic_.binary(negated ? expr::Op::not_equal : expr::Op::equal,
                                                              a.scalar, b.scalar));
}

Value Elaborator::lower_relation(ExpressionId id, const Expression& expression) {
  const auto operands = ast_.operands(id);
  const Value a = lower(operands[0]);
  const Value b = lower(operands[1]);
  if (a.failed || b.failed) {
    return failed_value();
  }
  if (!a.is_scalar() || !b.is_scalar()) {
    return fail(kShapeMismatch,
                fmt::format("'{}' compares scalars, not {} and {}", to_string(expression.op),
                            to_string(a.shape), to_string(b.shape)),
                expression.span);
  }
  if (expression.op == Operator::equal || expression.op == Operator::not_equal) {
    return equality(expression.op == Operator::not_equal, a, b, expression.span);
  }
  if (!is_number(a) || !is_number(b)) {
    return fail(kWrongType,
                fmt::format("'{}' compares numbers, not {}{}", to_string(expression.op),
                            to_string(is_number(a) ? b.type : a.type),
                            a.type == b.type ? ": that is not supported yet" : ""),
                expression.span);
  }
  return scalar_value(flat::Type::boolean, conditions_.relation(relation_kind(expression.op), a.scalar,
                                                                b.scalar, relation_context(expression.span)));
}

Scalar Elaborator::lower_condition(ExpressionId id, std::string_view what) {
  const Value value = lower(id);
  if (value.failed) {
    return {};
  }
  if (value.type != flat::Type::boolean || !value.is_scalar()) {
    error(kWrongType,
          fmt::format("{} must be a Boolean, not {}", what,
                      value.is_scalar() ? std::string(to_string(value.type)) : "an array"),
          span_of(id));
    return {};
  }
  return value.scalar;
}

bool Elaborator::merge_types(Value& a, Value& b, SourceSpan span) {
  const bool same_kind = (is_number(a) && is_number(b)) || a.type == b.type;
  if (a.type == flat::Type::string && b.type == flat::Type::string) {
    error(kNotSupported, "Strings in arrays and in branches of 'if' are not supported yet", span);
    return false;
  }
  if (!same_kind) {
    error(kWrongType,
          fmt::format("values of different types: {} and {}", to_string(a.type), to_string(b.type)), span);
    return false;
  }
  if (a.type != b.type) {
    a.type = b.type = flat::Type::real;
  }
  return true;
}

Value Elaborator::lower_conditional(ExpressionId id) {
  const auto operands = ast_.operands(id);
  std::vector<Scalar> conditions;
  std::vector<Value> values;
  bool failed = false;
  for (std::size_t k = 0; k + 1 < operands.size(); k += 2) {
    const Scalar condition = lower_condition(operands[k], "the condition of 'if'");
    failed = failed || !condition.defined();
    // A branch that cannot be taken is not looked at: in it, subscripts may lie outside.
    const std::optional<double> holds = settled_now(condition, span_of(operands[k]));
    if (holds && *holds == 0.0) {
      continue;
    }
    values.push_back(lower(operands[k + 1]));
    if (holds) {
      break;
    }
    conditions.push_back(condition);
  }
  if (values.size() == conditions.size()) {
    values.push_back(lower(operands.back()));
  }
  Value result = std::move(values.back());
  for (std::size_t k = conditions.size(); k-- > 0;) {
    Value& chosen = values[k];
    if (failed || chosen.failed || result.failed) {
      return failed_value();
    }
    if (!merge_types(chosen, result, span_of(id))) {
      return failed_value();
    }
    if (chosen.shape != result.shape) {
      return fail(kShapeMismatch,
                  fmt::format("the branches of 'if' have different sizes: {} and {}", to_string(chosen.shape),
                              to_string(result.shape)),
                  span_of(id));
    }
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = arithmetic_.select(conditions[k], chosen[i], result[i]);
    }
  }
  return failed ? failed_value() : result;
}

Value Elaborator::lower_range(ExpressionId id) {
  const auto operands = ast_.operands(id);
  std::vector<double> numbers;
  flat::Type type = flat::Type::integer;
  for (const ExpressionId operand : operands) {
    const Value value = lower(operand);
    if (value.failed) {
      return value;
    }
    if (!value.is_scalar() || !is_number(value)) {
      return fail(kWrongRange, "the parts of a range must be scalar numbers", span_of(operand));
    }
    const std::optional<double> number = evaluate_now(value.scalar, span_of(operand), "a range");
    if (!number) {
      return failed_value();
    }
    type = value.type == flat::Type::real ? flat::Type::real : type;
    numbers.push_back(*number);
  }
  const double step = numbers.size() == 3 ? numbers[1] : 1.0;
  if (step == 0.0 || !std::isfinite(step)) {
    return fail(kWrongRange, "the step of a range must not be zero", span_of(id));
  }
  // The last value is included if it is met up to rounding of the division.
  const double count = std::floor((numbers.back() - numbers.front()) / step + 1e-10) + 1.0;
  if (!(count < static_cast<double>(kTooManyElements))) {
    return fail(kTooLarge, fmt::format("the range has too many values: {}", count), span_of(id));
  }
  if (!spend(std::max(count, 0.0), span_of(id))) {
    return failed_value();
  }
  Value result = array_value(type, {static_cast<Index>(std::max(count, 0.0))});
  for (std::size_t i = 0; i < result.elements.size(); ++i) {
    result.elements[i] = known_scalar(numbers.front() + static_cast<double>(i) * step);
  }
  return result;
}

}  // namespace saltus::lang
