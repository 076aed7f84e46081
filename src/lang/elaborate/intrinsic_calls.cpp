// Calls: which function is meant, and the functions of numbers.
#include <fmt/format.h>

#include "base/similar_name.hpp"
#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"
#include "lang/syntax/diagnostic_codes.hpp"
#include "lang/syntax/foreign_names.hpp"

namespace saltus::lang {

using Kind = flat::Condition::Kind;

Value Elaborator::lower_call(ExpressionId id) {
  const Call& call = ast_.call(id);
  const SourceSpan span = span_of(id);
  const Intrinsic intrinsic = intrinsic_of_symbol_[call.function.index()];
  if (intrinsic == Intrinsic::interpolate && call.iterators.empty()) {
    return lower_interpolate(call, span);
  }
  if (intrinsic != Intrinsic::none) {
    return lower_intrinsic(intrinsic, id, call);
  }
  const std::uint32_t entity = entity_of_symbol_[call.function.index()];
  if (entity != kNoEntity && entities_[entity].kind == Entity::Kind::function) {
    return call_function(ast_.classes[entities_[entity].class_index], call, span);
  }
  if (entity != kNoEntity) {
    return fail(kWrongKindOfName, fmt::format("{} is not a function", quoted(call.function)),
                call.function_span);
  }
  if (damage_.may_declare(ast_.text(call.function))) {
    return failed_value();
  }
  if (const std::string_view part = foreign_part(ast_.text(call.function)); !part.empty()) {
    return fail(kNotSupported, fmt::format("{}: {} are not supported yet", quoted(call.function), part),
                call.function_span);
  }
  std::vector<std::string_view> known = {
      "sin",       "cos",       "tan",     "asin",   "acos",      "atan",     "atan2",  "sinh",
      "cosh",      "tanh",      "exp",     "log",    "log10",     "sqrt",     "abs",    "sign",
      "min",       "max",       "floor",   "ceil",   "mod",       "div",      "rem",    "integer",
      "der",       "pre",       "edge",    "change", "initial",   "terminal", "sample", "smooth",
      "noEvent",   "sum",       "product", "zeros",  "ones",      "fill",     "size",   "identity",
      "linspace",  "transpose", "reinit",  "assert", "terminate", "cat",      "cross",  "interpolate",
      "direction", "contact",   "skew"};
  for (const Entity& other : entities_) {
    if (other.kind == Entity::Kind::function) {
      known.push_back(ast_.text(other.name));
    }
  }
  return fail(kUnknownFunction, fmt::format("there is no function {}", quoted(call.function)),
              call.function_span, did_you_mean(ast_.text(call.function), known));
}

Value Elaborator::lower_intrinsic(Intrinsic intrinsic, ExpressionId id, const Call& call) {
  const SourceSpan span = span_of(id);
  const IntrinsicInfo& info = *find_intrinsic(ast_.text(call.function));
  const auto arguments = ast_[call.arguments];
  if (intrinsic == Intrinsic::refused) {
    return fail(kNotSupported, fmt::format("{} is not supported yet", quoted(call.function)),
                call.function_span);
  }
  if (!call.iterators.empty()) {
    const bool reduces = intrinsic == Intrinsic::sum || intrinsic == Intrinsic::product ||
                         intrinsic == Intrinsic::min || intrinsic == Intrinsic::max;
    if (!reduces || arguments.size() != 1) {
      return fail(
          kWrongArguments,
          fmt::format("{} takes no 'for'; 'sum', 'product', 'min' and 'max' do", quoted(call.function)),
          span);
    }
    return lower_reduction(intrinsic, arguments[0].value, ast_[call.iterators], span);
  }
  const int n = static_cast<int>(arguments.size());
  if (n < info.n_least || n > info.n_most) {
    const std::string expected = info.n_least == info.n_most ? std::to_string(info.n_least)
                                 : info.n_most > 3           ? fmt::format("at least {}", info.n_least)
                                                   : fmt::format("{} or {}", info.n_least, info.n_most);
    return fail(kWrongArguments,
                fmt::format("{} takes {} argument{}, not {}", quoted(call.function), expected,
                            expected == "1" ? "" : "s", n),
                span);
  }
  for (const Argument& argument : arguments) {
    if (argument.name.valid()) {
      return fail(kWrongArguments, fmt::format("{} takes no named arguments", quoted(call.function)),
                  argument.span);
    }
  }
  if (intrinsic >= Intrinsic::der) {
    return event_intrinsic(intrinsic, id, call);
  }
  std::vector<Value> values;
  values.reserve(arguments.size());
  bool failed = false;
  for (const Argument& argument : arguments) {
    const bool is_sized = intrinsic == Intrinsic::size || intrinsic == Intrinsic::ndims;
    values.push_back(is_sized && values.empty() ? lower_for_shape(argument.value) : lower(argument.value));
    failed = failed || values.back().failed;
  }
  if (failed) {
    return failed_value();
  }
  if (intrinsic >= Intrinsic::size) {
    return array_intrinsic(intrinsic, values, call, span);
  }
  if (!check_numbers(values, call)) {
    return failed_value();
  }
  return intrinsic == Intrinsic::elementary ? elementary(info, values, span)
                                            : discontinuous(intrinsic, values, call, span);
}

bool Elaborator::check_numbers(const std::vector<Value>& values, const Call& call) {
  const auto arguments = ast_[call.arguments];
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].type != flat::Type::real && values[i].type != flat::Type::integer) {
      error(kWrongType,
            fmt::format("{} needs a number, not {}", quoted(call.function), to_string(values[i].type)),
            span_of(arguments[i].value));
      return false;
    }
  }
  return true;
}

Value Elaborator::elementary(const IntrinsicInfo& info, const std::vector<Value>& values, SourceSpan span) {
  const Value result = map_elements(values[0], flat::Type::real,
                                    [&](const Scalar& s) { return arithmetic_.unary(info.operation, s); });
  return check_finite(result, span) ? result : failed_value();
}

Value Elaborator::discontinuous(Intrinsic intrinsic, const std::vector<Value>& values, const Call& call,
                                SourceSpan span) {
  RelationContext context = relation_context(span);
  const Value& a = values[0];
  context.repeated = context.repeated || !a.is_scalar();
  switch (intrinsic) {
    case Intrinsic::atan2:
      if (!a.is_scalar() || !values[1].is_scalar()) {
        return fail(kShapeMismatch, fmt::format("{} needs scalars", quoted(call.function)), span);
      }
      return scalar_value(flat::Type::real, conditions_.angle(a.scalar, values[1].scalar, context));
    case Intrinsic::abs:
      return map_elements(a, a.type, [&](const Scalar& s) { return conditions_.absolute(s, context); });
    case Intrinsic::sign:
      return map_elements(a, flat::Type::integer,
                          [&](const Scalar& s) { return conditions_.sign(s, context); });
    case Intrinsic::min:
    case Intrinsic::max: return extremum(intrinsic, values, call, span);
    case Intrinsic::div:
    case Intrinsic::mod:
    case Intrinsic::rem: return quotient(intrinsic, values, call, span);
    default: break;
  }
  if (a.type == flat::Type::integer) {
    return a;
  }
  const Kind kind = intrinsic == Intrinsic::ceil ? Kind::ceil : Kind::floor;
  return map_elements(a, flat::Type::integer,
                      [&](const Scalar& s) { return conditions_.whole_number(kind, s, context); });
}

Value Elaborator::extremum(Intrinsic intrinsic, const std::vector<Value>& values, const Call& call,
                           SourceSpan span) {
  RelationContext context = relation_context(span);
  const auto combine_two = [&](const Scalar& a, const Scalar& b) {
    return intrinsic == Intrinsic::min ? conditions_.minimum(a, b, context)
                                       : conditions_.maximum(a, b, context);
  };
  if (values.size() == 2) {
    if (!values[0].is_scalar() || !values[1].is_scalar()) {
      return fail(kShapeMismatch, fmt::format("{} takes two scalars or one array", quoted(call.function)),
                  span);
    }
    return scalar_value(common_type(values[0].type, values[1].type),
                        combine_two(values[0].scalar, values[1].scalar));
  }
  const Value& all = values[0];
  if (all.is_scalar() || all.size() == 0) {
    return all.is_scalar()
               ? fail(kWrongArguments,
                      fmt::format("{} takes two scalars or one array", quoted(call.function)), span)
               : fail(kWrongSize, fmt::format("{} of no elements has no value", quoted(call.function)), span);
  }
  context.repeated = true;
  Scalar result = all.elements[0];
  for (std::size_t i = 1; i < all.size(); ++i) {
    result = combine_two(result, all.elements[i]);
  }
  return scalar_value(all.type, result);
}

Value Elaborator::quotient(Intrinsic intrinsic, const std::vector<Value>& values, const Call& call,
                           SourceSpan span) {
  if (!values[0].is_scalar() || !values[1].is_scalar()) {
    return fail(kShapeMismatch, fmt::format("{} needs scalars", quoted(call.function)), span);
  }
  const Scalar& a = values[0].scalar;
  const Scalar& b = values[1].scalar;
  if (b.known && b.number == 0.0) {
    return fail(kNotFinite, fmt::format("{} divides by zero", quoted(call.function)), span);
  }
  const bool by_one = b.known && b.number == 1.0;
  const Scalar ratio = by_one ? a : arithmetic_.binary(expr::Op::divide, a, b);
  const Kind kind = intrinsic == Intrinsic::mod ? Kind::floor : Kind::truncate;
  const Scalar whole = conditions_.whole_number(kind, ratio, relation_context(span));
  const flat::Type type = common_type(values[0].type, values[1].type);
  if (intrinsic == Intrinsic::div) {
    return scalar_value(flat::Type::integer, whole);
  }
  return scalar_value(type,
                      arithmetic_.binary(expr::Op::subtract, a,
                                         by_one ? whole : arithmetic_.binary(expr::Op::multiply, whole, b)));
}

}  // namespace saltus::lang
