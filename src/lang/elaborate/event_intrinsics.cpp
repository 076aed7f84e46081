// pre, edge, change, sample, initial, terminal, smooth, noEvent.
#include <fmt/format.h>

#include <algorithm>

#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"

namespace saltus::lang {

using Kind = flat::Condition::Kind;

Value Elaborator::event_intrinsic(Intrinsic intrinsic, ExpressionId id, const Call& call) {
  const SourceSpan span = span_of(id);
  const auto arguments = ast_[call.arguments];
  const bool may_stand_in_function =
      intrinsic == Intrinsic::smooth || intrinsic == Intrinsic::no_event || intrinsic == Intrinsic::homotopy;
  if (context_.in_function && !may_stand_in_function) {
    return fail(kMisplaced, fmt::format("{} may not stand in a function", quoted(call.function)), span);
  }
  switch (intrinsic) {
    case Intrinsic::der: {
      const Value argument = lower(arguments[0].value);
      return argument.failed ? argument : derivative(argument, span);
    }
    case Intrinsic::pre: return previous(arguments[0].value, span, "pre");
    case Intrinsic::edge:
    case Intrinsic::change: {
      const bool is_edge = intrinsic == Intrinsic::edge;
      const Value now = lower(arguments[0].value);
      const Value before = now.failed ? now : previous(arguments[0].value, span, is_edge ? "edge" : "change");
      if (before.failed) {
        return before;
      }
      if (!now.is_scalar() || (is_edge && now.type != flat::Type::boolean)) {
        return fail(kWrongType,
                    fmt::format("{} needs a {}", quoted(call.function),
                                is_edge ? "Boolean variable" : "scalar variable"),
                    span);
      }
      if (!is_edge) {
        return equality(true, now, before, span);
      }
      return scalar_value(flat::Type::boolean,
                          arithmetic_.binary(expr::Op::logical_and, now.scalar,
                                             arithmetic_.unary(expr::Op::logical_not, before.scalar)));
    }
    case Intrinsic::initial:
      return scalar_value(flat::Type::boolean, conditions_.instant(Kind::initial, span));
    case Intrinsic::terminal:
      return scalar_value(flat::Type::boolean, conditions_.instant(Kind::terminal, span));
    case Intrinsic::sample: return sample(call, span);
    case Intrinsic::smooth:
    case Intrinsic::no_event: return smooth_or_no_event(intrinsic, call, span);
    case Intrinsic::homotopy: return homotopy(call, span);
    default: break;
  }
  return fail(kMisplaced, fmt::format("{} is a statement, not a value", quoted(call.function)), span);
}

Value Elaborator::previous(ExpressionId argument, SourceSpan span, std::string_view function) {
  SavedContext saved(*this);
  if (context_.in_body) {
    context_.mode = context_.pre_mode;
  }
  const Value value = lower(argument);
  if (value.failed) {
    return value;
  }
  Value result = value;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool is_node = !value[i].known && value[i].node.valid();  // neither is a String
    const expr::Op op = is_node ? model_.graph[value[i].node].op : expr::Op::constant;
    if (op != expr::Op::variable || model_.graph[value[i].node].second != 0) {
      return fail(kPreArgument, fmt::format("'{}' takes a variable", function), span);
    }
    const VariableId id(model_.graph[value[i].node].first);
    if (model_[id].variability == flat::Variability::continuous && !context_.in_body) {
      return fail(
          kPreArgument,
          fmt::format(
              "'{}' of the continuous variable '{}' is allowed in the body of 'when' and of transitions only",
              function, model_[id].name),
          span);
    }
    result[i] = node_scalar(model_.graph.previous(id));
  }
  return result;
}

Value Elaborator::sample(const Call& call, SourceSpan span) {
  const auto arguments = ast_[call.arguments];
  const Value start = lower(arguments[0].value);
  const Value interval = lower(arguments[1].value);
  if (start.failed || interval.failed || !check_numbers({start, interval}, call)) {
    return failed_value();
  }
  if (!start.is_scalar() || !interval.is_scalar()) {
    return fail(kShapeMismatch, "'sample' needs scalars", span);
  }
  if (std::max(variability(start), variability(interval)) > flat::NodeVariability::parameter) {
    return fail(kNotParametric, "start and interval of 'sample' must not depend on variables", span);
  }
  if (interval.scalar.known && !(interval.scalar.number > 0.0)) {
    return fail(kWrongArguments, "the interval of 'sample' must be positive", span_of(arguments[1].value));
  }
  const NodeId first = arithmetic_.node(start.scalar);
  return scalar_value(flat::Type::boolean,
                      conditions_.sample(first, arithmetic_.node(interval.scalar), span));
}

/// λ·actual + (1 - λ)·simplified (Modelica 3.7.4.4), of which only λ = 1 is the model. What has no part in it is not looked at.
Value Elaborator::homotopy(const Call& call, SourceSpan span) {
  const auto arguments = ast_[call.arguments];
  model_.has_homotopy = true;
  const auto given = overrides_.find(kHomotopySetting);
  const double lambda = given == overrides_.end() ? 1.0 : given->second->numbers.at(0);
  if (lambda == 1.0 || lambda == 0.0) {
    return lower(arguments[lambda == 1.0 ? 0 : 1].value);
  }
  const auto part = [&](std::size_t k, double weight) {
    return combine_checked(Operator::multiply, scalar_value(flat::Type::real, known_scalar(weight)),
                           lower(arguments[k].value), span);
  };
  const Value actual = part(0, lambda);
  return combine_checked(Operator::add, actual, part(1, 1.0 - lambda), span);
}

Value Elaborator::smooth_or_no_event(Intrinsic intrinsic, const Call& call, SourceSpan span) {
  const auto arguments = ast_[call.arguments];
  SavedContext saved(*this);
  if (intrinsic == Intrinsic::no_event) {
    context_.watching = Watching::none;
    return lower(arguments[0].value);
  }
  const std::optional<Index> order = integer_now(arguments[0].value, "the order of 'smooth'");
  if (order && *order < 0) {
    return fail(kWrongArguments, "the order of 'smooth' must not be negative", span);
  }
  constexpr Index kSmoothest = 1000;  // more than any method can make use of
  context_.continuity =
      std::max(context_.continuity, static_cast<int>(std::min(order.value_or(0), kSmoothest)));
  Value value = lower(arguments[1].value);
  return order ? value : failed_value();
}

}  // namespace saltus::lang
