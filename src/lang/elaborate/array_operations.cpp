#include "lang/elaborate/array_operations.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace saltus::lang {
namespace {

using expr::Op;

std::size_t as_size(Index n) {
  return static_cast<std::size_t>(n);
}

std::string disagree(const Value& a, const Value& b) {
  return fmt::format("sizes do not agree: {} and {}", to_string(a.shape), to_string(b.shape));
}

Scalar scalar_operation(Arithmetic& arithmetic, Operator op, const Scalar& a, const Scalar& b) {
  switch (op) {
    case Operator::add:
    case Operator::elementwise_add: return arithmetic.binary(Op::add, a, b);
    case Operator::subtract:
    case Operator::elementwise_subtract: return arithmetic.binary(Op::subtract, a, b);
    case Operator::multiply:
    case Operator::elementwise_multiply: return arithmetic.binary(Op::multiply, a, b);
    case Operator::divide:
    case Operator::elementwise_divide: return arithmetic.binary(Op::divide, a, b);
    default: return arithmetic.power(a, b);
  }
}

/// Element by element; a scalar stands for an array of its value.
Value broadcast(Arithmetic& arithmetic, Operator op, const Value& a, const Value& b, flat::Type type) {
  const Value& larger = a.is_scalar() ? b : a;
  Value result = array_value(type, larger.shape);
  for (std::size_t i = 0; i < result.elements.size(); ++i) {
    result.elements[i] = scalar_operation(arithmetic, op, a.is_scalar() ? a.scalar : a.elements[i],
                                          b.is_scalar() ? b.scalar : b.elements[i]);
  }
  return result;
}

/// Sum over k of a[a_first + k·a_stride] · b[b_first + k·b_stride].
Scalar inner_product(Arithmetic& arithmetic, const Value& a, std::size_t a_first, std::size_t a_stride,
                     const Value& b, std::size_t b_first, std::size_t b_stride, Index n) {
  if (n == 0) {
    return known_scalar(0.0);
  }
  Scalar total = arithmetic.binary(Op::multiply, a.elements[a_first], b.elements[b_first]);
  for (std::size_t k = 1; k < as_size(n); ++k) {
    total = arithmetic.binary(Op::add, total,
                              arithmetic.binary(Op::multiply, a.elements[a_first + k * a_stride],
                                                b.elements[b_first + k * b_stride]));
  }
  return total;
}

ArrayResult matrix_product(Arithmetic& arithmetic, const Value& a, const Value& b) {
  const std::size_t rank_a = a.shape.size();
  const std::size_t rank_b = b.shape.size();
  if (rank_a > 2 || rank_b > 2) {
    return std::string("only vectors and matrices can be multiplied; '.*' works element by element");
  }
  const Index inner = a.shape.back();
  if (inner != b.shape.front()) {
    return fmt::format("inner sizes of the product do not agree: {} and {}", to_string(a.shape),
                       to_string(b.shape));
  }
  const Index rows = rank_a == 2 ? a.shape[0] : 1;
  const Index columns = rank_b == 2 ? b.shape[1] : 1;
  Shape shape;
  if (rank_a == 2) {
    shape.push_back(rows);
  }
  if (rank_b == 2) {
    shape.push_back(columns);
  }
  const flat::Type type = common_type(a.type, b.type);
  if (shape.empty()) {
    return scalar_value(type, inner_product(arithmetic, a, 0, 1, b, 0, 1, inner));
  }
  if (n_elements(shape) >= kTooManyElements) {
    return fmt::format("the product has too many elements: {}", to_string(shape));
  }
  Value result = array_value(type, shape);
  for (std::size_t i = 0; i < as_size(rows); ++i) {
    for (std::size_t j = 0; j < as_size(columns); ++j) {
      result.elements[i * as_size(columns) + j] =
          inner_product(arithmetic, a, i * as_size(inner), 1, b, j, as_size(columns), inner);
    }
  }
  return result;
}

ArrayResult matrix_power(Arithmetic& arithmetic, const Value& a, const Value& b) {
  const bool square = a.shape.size() == 2 && a.shape[0] == a.shape[1];
  const bool whole = b.is_scalar() && b.type == flat::Type::integer && b.scalar.known && b.scalar.number >= 0;
  if (!square || !whole || b.scalar.number > 64) {
    return std::string(
        "'^' of arrays needs a square matrix and a known Integer exponent from 0 to 64; '.^' works element "
        "by element");
  }
  Value result = identity(a.shape[0]);
  for (int k = 0; k < static_cast<int>(b.scalar.number); ++k) {
    ArrayResult next = k == 0 ? ArrayResult(a) : matrix_product(arithmetic, result, a);
    result = std::move(std::get<Value>(next));
  }
  return result;
}

bool is_elementwise(Operator op) {
  return op >= Operator::elementwise_add && op <= Operator::elementwise_power;
}

}  // namespace

flat::Type common_type(flat::Type a, flat::Type b) {
  return a == flat::Type::integer && b == flat::Type::integer ? flat::Type::integer : flat::Type::real;
}

ArrayResult combine(Arithmetic& arithmetic, Operator op, const Value& a, const Value& b) {
  flat::Type type = common_type(a.type, b.type);
  const bool is_power = op == Operator::power || op == Operator::elementwise_power;
  const bool is_quotient = op == Operator::divide || op == Operator::elementwise_divide;
  if (is_quotient || (is_power && !(b.is_scalar() && b.scalar.known && b.scalar.number >= 0))) {
    type = flat::Type::real;
  }
  if (a.is_scalar() && b.is_scalar()) {
    return scalar_value(type, scalar_operation(arithmetic, op, a.scalar, b.scalar));
  }
  if (a.shape == b.shape && (is_elementwise(op) || op == Operator::add || op == Operator::subtract)) {
    return broadcast(arithmetic, op, a, b, type);
  }
  if (a.is_scalar() || b.is_scalar()) {
    const bool allowed =
        is_elementwise(op) || op == Operator::multiply || (op == Operator::divide && b.is_scalar());
    if (allowed) {
      return broadcast(arithmetic, op, a, b, type);
    }
    if (op == Operator::power) {
      return matrix_power(arithmetic, a, b);
    }
    return fmt::format("'{}' between a scalar and an array; '.{}' works element by element", to_string(op),
                       to_string(op));
  }
  if (op == Operator::multiply) {
    return matrix_product(arithmetic, a, b);
  }
  if (op == Operator::divide || op == Operator::power) {
    return fmt::format("'{}' by an array; '.{}' works element by element", to_string(op), to_string(op));
  }
  return disagree(a, b);
}

ArrayResult transpose(const Value& a) {
  if (a.shape.size() != 2) {
    return fmt::format("'transpose' needs a matrix, not {}", to_string(a.shape));
  }
  Value result = array_value(a.type, {a.shape[1], a.shape[0]});
  const std::size_t rows = as_size(a.shape[0]);
  const std::size_t columns = as_size(a.shape[1]);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      result.elements[j * rows + i] = a.elements[i * columns + j];
    }
  }
  return result;
}

ArrayResult concatenate(std::size_t dimension, const std::vector<Value>& parts) {
  Value result = parts.front();
  if (dimension >= result.shape.size()) {
    return fmt::format("there is no dimension {} to join along", dimension + 1);
  }
  Index joined = 0;
  for (const Value& part : parts) {
    Shape expected = result.shape;
    if (part.shape.size() == expected.size()) {
      expected[dimension] = part.shape[dimension];
    }
    if (part.shape != expected) {
      return disagree(parts.front(), part);
    }
    joined += part.shape[dimension];
    result.type = result.type == part.type ? part.type : common_type(result.type, part.type);
  }
  Shape shape = result.shape;
  shape[dimension] = joined;
  if (n_elements(shape) >= kTooManyElements) {
    return fmt::format("the array has too many elements: {}", to_string(shape));
  }
  std::size_t n_outer = 1;
  for (std::size_t d = 0; d < dimension; ++d) {
    n_outer *= as_size(shape[d]);
  }
  Value all = array_value(result.type, shape);
  auto out = all.elements.begin();
  for (std::size_t outer = 0; outer < n_outer; ++outer) {
    for (const Value& part : parts) {
      const std::size_t n = part.elements.size() / n_outer;
      out = std::copy_n(part.elements.begin() + static_cast<std::ptrdiff_t>(outer * n), n, out);
    }
  }
  return all;
}

ArrayResult as_matrix(const Value& a) {
  if (a.shape.size() > 2) {
    return fmt::format("an array of size {} cannot stand in a matrix", to_string(a.shape));
  }
  Value result = a;
  if (a.is_scalar()) {
    result.elements = {a.scalar};
    result.shape = {1, 1};
  } else if (a.shape.size() == 1) {
    result.shape = {a.shape[0], 1};
  }
  return result;
}

Value filled(flat::Type type, Shape shape, const Scalar& element) {
  Value result = array_value(type, std::move(shape));
  if (result.is_scalar()) {
    result.scalar = element;
  }
  std::fill(result.elements.begin(), result.elements.end(), element);
  return result;
}

Value identity(Index n) {
  Value result = filled(flat::Type::integer, {n, n}, known_scalar(0.0));
  for (std::size_t i = 0; i < as_size(n); ++i) {
    result.elements[i * as_size(n) + i] = known_scalar(1.0);
  }
  return result;
}

Value diagonal(const Value& vector) {
  const Index n = vector.shape[0];
  Value result = filled(vector.type, {n, n}, known_scalar(0.0));
  for (std::size_t i = 0; i < as_size(n); ++i) {
    result.elements[i * as_size(n) + i] = vector.elements[i];
  }
  return result;
}

Value linspace(Arithmetic& arithmetic, const Scalar& first, const Scalar& last, Index n) {
  Value result = array_value(flat::Type::real, {n});
  for (Index i = 0; i < n; ++i) {
    const Scalar share = known_scalar(static_cast<double>(i) / static_cast<double>(n - 1));
    const Scalar width = arithmetic.binary(Op::subtract, last, first);
    result.elements[as_size(i)] =
        i == 0       ? first
        : i == n - 1 ? last
                     : arithmetic.binary(Op::add, first, arithmetic.binary(Op::multiply, width, share));
  }
  return result;
}

Value sum(Arithmetic& arithmetic, const Value& a) {
  Scalar total = a.size() == 0 ? known_scalar(0.0) : a[0];
  for (std::size_t i = 1; i < a.size(); ++i) {
    total = arithmetic.binary(Op::add, total, a[i]);
  }
  return scalar_value(a.type, total);
}

Value product(Arithmetic& arithmetic, const Value& a) {
  Scalar total = a.size() == 0 ? known_scalar(1.0) : a[0];
  for (std::size_t i = 1; i < a.size(); ++i) {
    total = arithmetic.binary(Op::multiply, total, a[i]);
  }
  return scalar_value(a.type, total);
}

}  // namespace saltus::lang
