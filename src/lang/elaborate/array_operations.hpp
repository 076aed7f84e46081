/// Arithmetic on values of any shape. The functions know nothing of the text: where shapes do not fit they return
/// what is wrong as a phrase, and the caller says where.
#pragma once

#include <string>
#include <variant>

#include "lang/elaborate/arithmetic.hpp"
#include "lang/elaborate/value.hpp"
#include "lang/syntax/ast.hpp"

namespace saltus::lang {

/// A value, or a phrase such as "sizes [2] and [3] do not agree".
using ArrayResult = std::variant<Value, std::string>;

/// op is one of the arithmetic operators, elementwise ones included. Types must have been checked to be numbers.
[[nodiscard]] ArrayResult combine(Arithmetic& arithmetic, Operator op, const Value& a, const Value& b);
/// Applies a function to each element.
template <class Function>
[[nodiscard]] Value map_elements(const Value& a, flat::Type type, const Function& function) {
  if (a.is_scalar()) {
    return scalar_value(type, function(a.scalar));
  }
  Value result = array_value(type, a.shape);
  for (std::size_t i = 0; i < a.elements.size(); ++i) {
    result.elements[i] = function(a.elements[i]);
  }
  return result;
}

[[nodiscard]] ArrayResult transpose(const Value& a);
/// Joins along dimension `dimension` (from 0); all sizes but that one agree.
[[nodiscard]] ArrayResult concatenate(std::size_t dimension, const std::vector<Value>& parts);
/// As a matrix: a scalar has one element, a vector is one column.
[[nodiscard]] ArrayResult as_matrix(const Value& a);
[[nodiscard]] Value identity(Index n);
[[nodiscard]] Value filled(flat::Type type, Shape shape, const Scalar& element);
[[nodiscard]] Value diagonal(const Value& vector);
[[nodiscard]] Value linspace(Arithmetic& arithmetic, const Scalar& first, const Scalar& last, Index n);
[[nodiscard]] Value sum(Arithmetic& arithmetic, const Value& a);
[[nodiscard]] Value product(Arithmetic& arithmetic, const Value& a);
[[nodiscard]] flat::Type common_type(flat::Type a, flat::Type b);

}  // namespace saltus::lang
