#include "lang/instance/known_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/number_text.hpp"

namespace saltus::lang {
namespace {

using Type = KnownValue::Type;

/// Larger arrays decide nothing about components.
constexpr std::int64_t kMostElements = 1'000'000;

bool is_number(const KnownValue& value) {
  return value.type == Type::real || value.type == Type::integer;
}

std::string scalar_text(const KnownValue& value, std::size_t i) {
  switch (value.type) {
    case Type::boolean: return value.numbers[i] != 0.0 ? "true" : "false";
    case Type::integer: return fmt::format("{}", to_whole(value.numbers[i]));
    case Type::string: {
      std::string text = "\"";
      for (const char c : value.texts[i]) {
        text += c == '"' || c == '\\' ? std::string("\\") + c : c == '\n' ? "\\n" : std::string(1, c);
      }
      return text + "\"";
    }
    case Type::real: break;
  }
  std::string text = fmt::format("{}", value.numbers[i]);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string nested_text(const KnownValue& value, std::size_t dimension, std::size_t& next) {
  if (dimension == value.shape.size()) {
    return scalar_text(value, next++);
  }
  if (value.shape[dimension] == 0) {
    return "fill(0, 0)";
  }
  std::string text = "{";
  for (std::int64_t i = 0; i < value.shape[dimension]; ++i) {
    text += (i > 0 ? ", " : "") + nested_text(value, dimension + 1, next);
  }
  return text + "}";
}

std::optional<double> arithmetic(Operator op, double a, double b) {
  switch (op) {
    case Operator::add:
    case Operator::elementwise_add: return a + b;
    case Operator::subtract:
    case Operator::elementwise_subtract: return a - b;
    case Operator::multiply:
    case Operator::elementwise_multiply: return a * b;
    case Operator::divide:
    case Operator::elementwise_divide: return b == 0.0 ? std::nullopt : std::optional(a / b);
    case Operator::power:
    case Operator::elementwise_power: return std::pow(a, b);
    default: return std::nullopt;
  }
}

std::optional<bool> compared(Operator op, const KnownValue& a, const KnownValue& b) {
  const auto decide = [&](const auto& left, const auto& right) -> std::optional<bool> {
    switch (op) {
      case Operator::less: return left < right;
      case Operator::less_equal: return left <= right;
      case Operator::greater: return left > right;
      case Operator::greater_equal: return left >= right;
      case Operator::equal: return left == right;
      case Operator::not_equal: return left != right;
      default: return std::nullopt;
    }
  };
  if (!a.is_scalar() || !b.is_scalar() || (a.type == Type::string) != (b.type == Type::string)) {
    return std::nullopt;
  }
  return a.type == Type::string ? decide(a.texts[0], b.texts[0]) : decide(a.numbers[0], b.numbers[0]);
}

bool is_relation(Operator op) {
  return op >= Operator::less && op <= Operator::not_equal;
}

Type result_type(Operator op, const KnownValue& a, const KnownValue& b) {
  const bool whole = a.type == Type::integer && b.type == Type::integer && op != Operator::divide &&
                     op != Operator::elementwise_divide && op != Operator::power &&
                     op != Operator::elementwise_power;
  return whole ? Type::integer : Type::real;
}

std::optional<KnownValue> filled(const KnownValue& value, const std::vector<KnownValue>& sizes,
                                 std::size_t first) {
  KnownValue result = value;
  std::int64_t n = 1;
  for (std::size_t i = first; i < sizes.size(); ++i) {
    if (!sizes[i].is_scalar() || sizes[i].type != Type::integer || sizes[i].whole() < 0) {
      return std::nullopt;
    }
    result.shape.push_back(sizes[i].whole());
    n *= sizes[i].whole();
    if (n > kMostElements) {
      return std::nullopt;
    }
  }
  if (!value.is_scalar()) {
    return std::nullopt;
  }
  if (value.type == Type::string) {
    result.texts.assign(static_cast<std::size_t>(n), value.texts[0]);
  } else {
    result.numbers.assign(static_cast<std::size_t>(n), value.numbers[0]);
  }
  return result;
}

std::optional<KnownValue> extreme(bool largest, const std::vector<KnownValue>& arguments) {
  KnownValue all = known_number(Type::integer, 0.0);
  all.numbers.clear();
  for (const KnownValue& argument : arguments) {
    if (!is_number(argument) && argument.type != Type::boolean) {
      return std::nullopt;
    }
    all.type = argument.type == Type::real ? Type::real : all.type;
    all.numbers.insert(all.numbers.end(), argument.numbers.begin(), argument.numbers.end());
  }
  if (all.numbers.empty()) {
    return std::nullopt;
  }
  return known_number(all.type, largest ? *std::max_element(all.numbers.begin(), all.numbers.end())
                                        : *std::min_element(all.numbers.begin(), all.numbers.end()));
}

std::optional<KnownValue> function_of_number(std::string_view function, const KnownValue& x) {
  if (!x.is_scalar() || !is_number(x)) {
    return std::nullopt;
  }
  const double a = x.numbers[0];
  if (function == "abs") return known_number(x.type, std::abs(a));
  if (function == "integer" || function == "floor" || function == "ceil") {
    return known_number(function == "integer" ? Type::integer : x.type,
                        function == "ceil" ? std::ceil(a) : std::floor(a));
  }
  if (function == "sign") return known_number(Type::integer, a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : 0.0);
  using Function = double (*)(double);
  struct Entry {
    std::string_view name;
    Function function;
  };
  static constexpr Entry kFunctions[] = {
      {"sqrt", std::sqrt}, {"sin", std::sin},   {"cos", std::cos},  {"tan", std::tan}, {"asin", std::asin},
      {"acos", std::acos}, {"atan", std::atan}, {"exp", std::exp},  {"log", std::log}, {"log10", std::log10},
      {"sinh", std::sinh}, {"cosh", std::cosh}, {"tanh", std::tanh}};
  for (const Entry& entry : kFunctions) {
    if (entry.name == function) {
      return known_number(Type::real, entry.function(a));
    }
  }
  return std::nullopt;
}

std::optional<KnownValue> function_of_two(std::string_view function, const KnownValue& x,
                                          const KnownValue& y) {
  if (!x.is_scalar() || !y.is_scalar() || !is_number(x) || !is_number(y)) {
    return std::nullopt;
  }
  const double a = x.numbers[0];
  const double b = y.numbers[0];
  const Type type = x.type == Type::integer && y.type == Type::integer ? Type::integer : Type::real;
  if (function == "atan2") return known_number(Type::real, std::atan2(a, b));
  if (b == 0.0) return std::nullopt;
  if (function == "mod") return known_number(type, a - std::floor(a / b) * b);
  if (function == "rem") return known_number(type, a - std::trunc(a / b) * b);
  if (function == "div") return known_number(type, std::trunc(a / b));
  return std::nullopt;
}

}  // namespace

std::int64_t to_whole(double number) {
  constexpr double kBeyondWholeNumbers = 0x1p63;
  if (number >= kBeyondWholeNumbers) {
    return std::numeric_limits<std::int64_t>::max();
  }
  return number < -kBeyondWholeNumbers ? std::numeric_limits<std::int64_t>::min()
                                       : static_cast<std::int64_t>(number);
}

std::int64_t KnownValue::whole() const {
  return to_whole(numbers[0]);
}

KnownValue known_number(Type type, double number) {
  KnownValue value;
  value.type = type;
  value.numbers = {number};
  return value;
}

KnownValue known_text(std::string text) {
  KnownValue value;
  value.type = Type::string;
  value.texts = {std::move(text)};
  return value;
}

std::string to_text(const KnownValue& value) {
  std::size_t next = 0;
  return nested_text(value, 0, next);
}

std::optional<KnownValue> combined(Operator op, const KnownValue& a, const KnownValue& b) {
  if (is_relation(op)) {
    const std::optional<bool> truth = compared(op, a, b);
    return truth ? std::optional(known_number(Type::boolean, *truth ? 1.0 : 0.0)) : std::nullopt;
  }
  if (op == Operator::logical_and || op == Operator::logical_or) {
    if (a.type != Type::boolean || b.type != Type::boolean || !a.is_scalar() || !b.is_scalar()) {
      return std::nullopt;
    }
    const bool truth = op == Operator::logical_and ? a.is_true() && b.is_true() : a.is_true() || b.is_true();
    return known_number(Type::boolean, truth ? 1.0 : 0.0);
  }
  if (a.type == Type::string && b.type == Type::string && op == Operator::add && a.is_scalar() &&
      b.is_scalar()) {
    return known_text(a.texts[0] + b.texts[0]);
  }
  const bool matrices = (op == Operator::multiply || op == Operator::power || op == Operator::divide) &&
                        !a.is_scalar() && (!b.is_scalar() || op == Operator::power);
  if (!is_number(a) || !is_number(b) || matrices ||
      (!a.is_scalar() && !b.is_scalar() && a.shape != b.shape)) {
    return std::nullopt;
  }
  KnownValue result = a.is_scalar() ? b : a;
  result.type = result_type(op, a, b);
  for (std::size_t i = 0; i < result.numbers.size(); ++i) {
    const std::optional<double> number =
        arithmetic(op, a.numbers[a.is_scalar() ? 0 : i], b.numbers[b.is_scalar() ? 0 : i]);
    if (!number) {
      return std::nullopt;
    }
    result.numbers[i] = *number;
  }
  return result;
}

std::optional<KnownValue> stacked(const std::vector<KnownValue>& parts) {
  if (parts.empty()) {
    return std::nullopt;
  }
  KnownValue result;
  result.type = parts[0].type;
  result.shape.push_back(static_cast<std::int64_t>(parts.size()));
  result.shape.insert(result.shape.end(), parts[0].shape.begin(), parts[0].shape.end());
  for (const KnownValue& part : parts) {
    const bool mixed = is_number(part) && is_number(result);
    if (part.shape != parts[0].shape || (part.type != result.type && !mixed)) {
      return std::nullopt;
    }
    result.type = part.type == Type::real ? Type::real : result.type;
    result.numbers.insert(result.numbers.end(), part.numbers.begin(), part.numbers.end());
    result.texts.insert(result.texts.end(), part.texts.begin(), part.texts.end());
  }
  return result;
}

std::optional<KnownValue> part_at(const KnownValue& value, const std::vector<std::int64_t>& subscripts) {
  if (subscripts.size() > value.shape.size()) {
    return std::nullopt;
  }
  std::size_t position = 0;
  for (std::size_t d = 0; d < subscripts.size(); ++d) {
    if (subscripts[d] < 1 || subscripts[d] > value.shape[d]) {
      return std::nullopt;
    }
    position =
        position * static_cast<std::size_t>(value.shape[d]) + static_cast<std::size_t>(subscripts[d] - 1);
  }
  KnownValue result;
  result.type = value.type;
  result.shape.assign(value.shape.begin() + static_cast<std::ptrdiff_t>(subscripts.size()),
                      value.shape.end());
  const auto n = static_cast<std::size_t>(
      std::accumulate(result.shape.begin(), result.shape.end(), std::int64_t{1}, std::multiplies<>()));
  for (std::size_t i = position * n; i < (position + 1) * n; ++i) {
    if (value.type == Type::string) {
      result.texts.push_back(value.texts[i]);
    } else {
      result.numbers.push_back(value.numbers[i]);
    }
  }
  return result;
}

std::optional<KnownValue> known_function(std::string_view function,
                                         const std::vector<KnownValue>& arguments) {
  if (function == "fill" && arguments.size() >= 2) {
    return filled(arguments[0], arguments, 1);
  }
  if ((function == "zeros" || function == "ones") && !arguments.empty()) {
    return filled(known_number(Type::integer, function == "ones" ? 1.0 : 0.0), arguments, 0);
  }
  if (function == "max" || function == "min") {
    return extreme(function == "max", arguments);
  }
  if ((function == "sum" || function == "product") && arguments.size() == 1 && is_number(arguments[0])) {
    const std::vector<double>& all = arguments[0].numbers;
    return known_number(arguments[0].type, function == "sum" ? std::accumulate(all.begin(), all.end(), 0.0)
                                                             : std::accumulate(all.begin(), all.end(), 1.0,
                                                                               std::multiplies<>()));
  }
  if (function == "ndims" && arguments.size() == 1) {
    return known_number(Type::integer, static_cast<double>(arguments[0].shape.size()));
  }
  if (function == "scalar" && arguments.size() == 1 && arguments[0].size() == 1) {
    KnownValue value = arguments[0];
    value.shape.clear();
    return value;
  }
  if (function == "noEvent" && arguments.size() == 1) {
    return arguments[0];
  }
  if (arguments.size() == 1) {
    return function_of_number(function, arguments[0]);
  }
  return arguments.size() == 2 ? function_of_two(function, arguments[0], arguments[1]) : std::nullopt;
}

}  // namespace saltus::lang
