/// Values that are known while components are made: numbers, truth values, texts and arrays of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lang/syntax/ast.hpp"

namespace saltus::lang {

struct KnownValue {
  enum class Type : std::uint8_t { real, integer, boolean, string } type = Type::real;
  std::vector<std::int64_t> shape = {};  ///< empty: a scalar
  std::vector<double> numbers = {};      ///< of all but Strings; in row-major order
  std::vector<std::string> texts = {};

  [[nodiscard]] bool is_scalar() const { return shape.empty(); }
  [[nodiscard]] std::size_t size() const { return type == Type::string ? texts.size() : numbers.size(); }
  [[nodiscard]] bool is_true() const { return numbers[0] != 0.0; }
  [[nodiscard]] std::int64_t whole() const;
};

/// The whole number that a double holds. One beyond all of them is the largest or smallest there is, on every machine: whoever counts
/// with it finds too many.
[[nodiscard]] std::int64_t to_whole(double number);

[[nodiscard]] KnownValue known_number(KnownValue::Type type, double number);
[[nodiscard]] KnownValue known_text(std::string text);
/// As it is written in a text.
[[nodiscard]] std::string to_text(const KnownValue& value);
/// Element by element, a scalar with all; nothing where the operator does not apply.
[[nodiscard]] std::optional<KnownValue> combined(Operator op, const KnownValue& a, const KnownValue& b);
/// Values of one type and shape one after the other, in a new first dimension; nothing if they differ.
[[nodiscard]] std::optional<KnownValue> stacked(const std::vector<KnownValue>& parts);
/// The part of an array at these positions from 1 in its first dimensions; nothing outside of it.
[[nodiscard]] std::optional<KnownValue> part_at(const KnownValue& value,
                                                const std::vector<std::int64_t>& subscripts);
/// `abs`, `max`, `sum`, …: a function of the language of known arguments; nothing where it is no such function.
[[nodiscard]] std::optional<KnownValue> known_function(std::string_view function,
                                                       const std::vector<KnownValue>& arguments);

}  // namespace saltus::lang
