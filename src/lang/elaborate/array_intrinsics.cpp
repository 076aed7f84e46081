// Functions that make, measure and take apart arrays.
#include <fmt/format.h>

#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"

namespace saltus::lang {
namespace {

/// Square matrices made from one number or vector: four million elements.
constexpr Index kMaxSquareSize = 2000;

}  // namespace

std::optional<Shape> Elaborator::shape_arguments(const std::vector<Value>& values, std::size_t first,
                                                 const Call& call) {
  const auto arguments = ast_[call.arguments];
  Shape shape;
  for (std::size_t i = first; i < values.size(); ++i) {
    const SourceSpan span = span_of(arguments[i].value);
    if (!values[i].is_scalar() || values[i].type != flat::Type::integer) {
      error(kWrongType, fmt::format("sizes of {} must be Integers", quoted(call.function)), span);
      return std::nullopt;
    }
    const std::optional<double> number = evaluate_now(values[i].scalar, span, "the size of an array");
    if (!number) {
      return std::nullopt;
    }
    if (*number < 0.0) {
      error(kWrongSize, fmt::format("the size {} is negative", *number), span);
      return std::nullopt;
    }
    shape.push_back(*number < 1e15 ? static_cast<Index>(*number) : kTooManyElements);
  }
  if (n_elements(shape) >= kTooManyElements ||
      !spend(static_cast<double>(n_elements(shape)), call.function_span)) {
    if (n_elements(shape) >= kTooManyElements) {
      error(kTooLarge, fmt::format("the array has more than {} elements", kTooManyElements),
            call.function_span);
    }
    return std::nullopt;
  }
  return shape;
}

Value Elaborator::lower_for_shape(ExpressionId id) {
  if (ast_[id].kind == ExpressionKind::name && ast_.name_parts(id).size() == 1) {
    const NamePart& part = ast_.name_parts(id)[0];
    const Local* const local = find_local(part.name);
    if (local != nullptr && part.subscripts.empty()) {
      return local->value;
    }
  }
  return lower(id);
}

Value Elaborator::size_of(const std::vector<Value>& values, const Call& call, SourceSpan span) {
  const Value& a = values[0];
  if (values.size() == 1) {
    Value result = array_value(flat::Type::integer, {static_cast<Index>(a.shape.size())});
    for (std::size_t d = 0; d < a.shape.size(); ++d) {
      result.elements[d] = known_scalar(static_cast<double>(a.shape[d]));
    }
    return result;
  }
  const SourceSpan where = span_of(ast_[call.arguments][1].value);
  if (!values[1].is_scalar() || values[1].type != flat::Type::integer) {
    return fail(kWrongType, "the dimension must be an Integer", where);
  }
  const std::optional<double> dimension = evaluate_now(values[1].scalar, where, "the dimension");
  if (!dimension) {
    return failed_value();
  }
  if (*dimension < 1.0 || *dimension > static_cast<double>(a.shape.size())) {
    return fail(kSubscriptOutOfRange,
                fmt::format("there is no dimension {}: the argument is {}", *dimension, to_string(a.shape)),
                span);
  }
  return integer_value(static_cast<double>(a.shape[static_cast<std::size_t>(*dimension) - 1]));
}

bool Elaborator::needs_shape(bool fits, std::string_view what, const Value& given, const Call& call,
                             SourceSpan span) {
  if (!fits) {
    error(kShapeMismatch,
          fmt::format("{} needs {}, not {}", quoted(call.function), what, to_string(given.shape)), span);
  }
  return fits;
}

Value Elaborator::array_intrinsic(Intrinsic intrinsic, const std::vector<Value>& values, const Call& call,
                                  SourceSpan span) {
  const Value& a = values[0];
  switch (intrinsic) {
    case Intrinsic::size: return size_of(values, call, span);
    case Intrinsic::ndims: return integer_value(static_cast<double>(a.shape.size()));
    case Intrinsic::zeros:
    case Intrinsic::ones:
    case Intrinsic::fill:
    case Intrinsic::identity:
    case Intrinsic::linspace: return new_array(intrinsic, values, call, span);
    case Intrinsic::diagonal:
      return needs_shape(a.shape.size() == 1 && a.shape[0] <= kMaxSquareSize,
                         "a vector of at most 2000 elements", a, call, span)
                 ? diagonal(a)
                 : failed_value();
    case Intrinsic::sum: return check_numbers(values, call) ? sum(arithmetic_, a) : failed_value();
    case Intrinsic::product: return check_numbers(values, call) ? product(arithmetic_, a) : failed_value();
    case Intrinsic::transpose: return checked(transpose(a), span);
    case Intrinsic::scalar:
      return needs_shape(a.size() == 1, "exactly one element", a, call, span) ? scalar_value(a.type, a[0])
                                                                              : failed_value();
    case Intrinsic::matrix: return checked(as_matrix(a), span);
    case Intrinsic::vector: {
      Value result = array_value(a.type, {static_cast<Index>(a.size())});
      for (std::size_t i = 0; i < a.size(); ++i) {
        result.elements[i] = a[i];
      }
      return result;
    }
    case Intrinsic::direction: return direction_of(values, call, span);
    case Intrinsic::cross:
    case Intrinsic::outer_product: return vector_product(intrinsic, values, call, span);
    case Intrinsic::skew: return skew_matrix(a, call, span);
    case Intrinsic::cat: {
      const bool is_integer = a.is_scalar() && a.type == flat::Type::integer;
      const std::optional<double> dimension =
          is_integer ? evaluate_now(a.scalar, span, "the dimension") : std::optional(0.0);
      if (!dimension) {
        return failed_value();
      }
      if (*dimension < 1.0) {
        return fail(kWrongArguments, "the first argument of 'cat' is the dimension, a known Integer from 1",
                    span);
      }
      return checked(
          concatenate(static_cast<std::size_t>(*dimension) - 1, {values.begin() + 1, values.end()}), span);
    }
    default: break;
  }
  return failed_value();
}

/// direction(v), or its k-th element.
Value Elaborator::direction_of(const std::vector<Value>& values, const Call& call, SourceSpan span) {
  const Value& v = values[0];
  if (!check_numbers(values, call) ||
      !needs_shape(v.shape.size() == 1 && v.shape[0] >= 1, "a vector", v, call, span)) {
    return failed_value();
  }
  Value result = array_value(flat::Type::real, v.shape);
  result.elements = conditions_.direction(v.elements, relation_context(span));
  if (values.size() == 1) {
    return result;
  }
  const bool is_integer = values[1].is_scalar() && values[1].type == flat::Type::integer;
  const std::optional<double> k =
      is_integer ? evaluate_now(values[1].scalar, span, "the element") : std::optional(0.0);
  if (!k) {
    return failed_value();
  }
  if (*k < 1.0 || *k > static_cast<double>(v.shape[0])) {
    return fail(kWrongArguments,
                "the second argument of 'direction' is the number of an element, a known Integer from 1",
                span);
  }
  return scalar_value(flat::Type::real, result.elements[static_cast<std::size_t>(*k) - 1]);
}

/// zeros, ones, fill, identity, linspace: arrays whose size is an argument.
Value Elaborator::new_array(Intrinsic intrinsic, const std::vector<Value>& values, const Call& call,
                            SourceSpan span) {
  const std::size_t first = intrinsic == Intrinsic::fill ? 1 : intrinsic == Intrinsic::linspace ? 2 : 0;
  const std::optional<Shape> shape = shape_arguments(values, first, call);
  if (!shape) {
    return failed_value();
  }
  const Value& a = values[0];
  switch (intrinsic) {
    case Intrinsic::zeros: return filled(flat::Type::integer, *shape, known_scalar(0.0));
    case Intrinsic::ones: return filled(flat::Type::integer, *shape, known_scalar(1.0));
    case Intrinsic::fill:
      return needs_shape(a.is_scalar(), "a scalar to fill with", a, call, span)
                 ? filled(a.type, *shape, a.scalar)
                 : failed_value();
    case Intrinsic::identity:
      return shape->front() > kMaxSquareSize ? fail(kTooLarge, "the identity matrix is too large", span)
                                             : identity(shape->front());
    default: break;
  }
  if (!needs_shape(a.is_scalar() && values[1].is_scalar(), "scalar ends", a, call, span) ||
      !check_numbers(values, call)) {
    return failed_value();
  }
  return shape->front() < 2 ? fail(kWrongSize, "'linspace' needs at least two points", span)
                            : linspace(arithmetic_, a.scalar, values[1].scalar, shape->front());
}

Value Elaborator::vector_product(Intrinsic intrinsic, const std::vector<Value>& values, const Call& call,
                                 SourceSpan span) {
  const Value& a = values[0];
  const Value& b = values[1];
  if (intrinsic == Intrinsic::outer_product) {
    if (!needs_shape(a.shape.size() == 1 && b.shape.size() == 1, "two vectors", a, call, span) ||
        !check_numbers(values, call)) {
      return failed_value();
    }
    Value column = a;
    column.shape = {a.shape[0], 1};
    Value row = b;
    row.shape = {1, b.shape[0]};
    return combine_checked(Operator::multiply, column, row, span);
  }
  const Shape three{3};
  if (!needs_shape(a.shape == three && b.shape == three, "two vectors of three elements", a, call, span) ||
      !check_numbers(values, call)) {
    return failed_value();
  }
  Value result = array_value(common_type(a.type, b.type), three);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const std::size_t k = (i + 2) % 3;
    result.elements[i] = arithmetic_.binary(
        expr::Op::subtract, arithmetic_.binary(expr::Op::multiply, a.elements[j], b.elements[k]),
        arithmetic_.binary(expr::Op::multiply, a.elements[k], b.elements[j]));
  }
  return result;
}

/// skew(x)*y is cross(x, y) (Modelica 10.3.5).
Value Elaborator::skew_matrix(const Value& x, const Call& call, SourceSpan span) {
  if (!needs_shape(x.shape == Shape{3}, "a vector of three elements", x, call, span) ||
      !check_numbers({x}, call)) {
    return failed_value();
  }
  Value result = array_value(x.type, {3, 3});
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const std::size_t k = (i + 2) % 3;
    result.elements[3 * i + i] = known_scalar(0.0);
    result.elements[3 * j + k] = arithmetic_.unary(expr::Op::negate, x.elements[i]);
    result.elements[3 * k + j] = x.elements[i];
  }
  return result;
}

}  // namespace saltus::lang
