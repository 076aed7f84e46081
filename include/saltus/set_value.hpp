// What a parameter is set to, or a variable starts from.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace saltus {

/// A number, a truth, a text, or an array of these: a list, of lists for each further dimension.
class GivenValue {
 public:
  using List = std::vector<GivenValue>;

  GivenValue() = default;  ///< 0
  template <class Number>
  requires std::is_arithmetic_v<Number> GivenValue(
      Number value) {  // NOLINT(google-explicit-constructor): {"k", 2} is to be written so
    if constexpr (std::is_same_v<Number, bool>) {
      value_ = value;
    } else {
      value_ = static_cast<double>(value);
    }
  }
  GivenValue(std::string text) : value_(std::move(text)) {}    // NOLINT(google-explicit-constructor)
  GivenValue(const char* text) : value_(std::string(text)) {}  // NOLINT(google-explicit-constructor)
  GivenValue(List elements) : value_(std::move(elements)) {}   // NOLINT(google-explicit-constructor)
  GivenValue(const std::vector<double>& elements)
      : value_(List(elements.begin(), elements.end())) {}  // NOLINT

  /// Null where it is something else.
  [[nodiscard]] const double* number() const { return std::get_if<double>(&value_); }
  [[nodiscard]] const bool* truth() const { return std::get_if<bool>(&value_); }
  [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&value_); }
  [[nodiscard]] const List* elements() const { return std::get_if<List>(&value_); }

  friend bool operator==(const GivenValue&, const GivenValue&) = default;

 private:
  std::variant<double, bool, std::string, List> value_;
};

/// A parameter or variable by its name, or a whole array of them.
struct SetValue {
  std::string name;
  GivenValue value;
};

}  // namespace saltus
