// Texts: `String(…)` of values that are known (Modelica 3.7.2), and String variables that have one value for the whole run.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include "lang/instance/instance_codes.hpp"
#include "lang/instance/instantiator.hpp"
#include "lang/syntax/diagnostic_codes.hpp"

namespace saltus::lang {
namespace {

using Type = KnownValue::Type;

/// Digits of a Real without further options (Modelica 3.7.2).
constexpr std::int64_t kSignificantDigits = 6;
/// Longer texts are no numbers that somebody reads.
constexpr std::int64_t kLongestNumber = 1000;

/// `[-+ #0]* width? (. precision)? conversion` of C without its `%`, of at most two digits each; the conversion fits the type.
bool is_format(std::string_view format, Type type) {
  const auto skip = [&](std::string_view these, std::size_t at_most) {
    std::size_t n = 0;
    while (n < format.size() && n < at_most && these.find(format[n]) != std::string_view::npos) {
      ++n;
    }
    format.remove_prefix(n);
  };
  skip("-+ #0", format.size());
  skip("0123456789", 2);
  if (!format.empty() && format[0] == '.') {
    format.remove_prefix(1);
    skip("0123456789", 2);
  }
  const std::string_view conversions = type == Type::integer ? "d" : "eEfgG";
  return format.size() == 1 && conversions.find(format[0]) != std::string_view::npos;
}

std::string printed(const std::string& format, const KnownValue& value) {
  std::array<char, 512> text{};
  if (value.type == Type::integer) {
    const std::string whole = "%" + format.substr(0, format.size() - 1) + "lld";
    std::snprintf(text.data(), text.size(), whole.c_str(), static_cast<long long>(value.whole()));
  } else {
    std::snprintf(text.data(), text.size(), ("%" + format).c_str(), value.numbers[0]);
  }
  return text.data();
}

}  // namespace

std::optional<KnownValue> Instantiator::evaluate_string(const ClassFile& file, const Call& call, Context from,
                                                        const Locals* locals) {
  const auto arguments = file.ast[call.arguments];
  const FilePlace place{&file, call.function_span};
  if (arguments.empty() || arguments[0].name.valid()) {
    return std::nullopt;
  }
  const std::optional<KnownValue> value = evaluate(file, arguments[0].value, from, locals);
  if (!value || !value->is_scalar()) {
    return std::nullopt;
  }
  std::int64_t digits = kSignificantDigits;
  std::int64_t length = 0;
  bool is_left = true;
  std::string format;
  for (const Argument& argument : arguments.subspan(1)) {
    const std::optional<KnownValue> option = evaluate(file, argument.value, from, locals);
    const std::string_view option_name = file.ast.text(argument.name);
    if (!option || !option->is_scalar()) {
      return std::nullopt;
    }
    const bool is_whole = option->type == Type::integer && std::abs(option->numbers[0]) <= kLongestNumber;
    if (option_name == "significantDigits" && is_whole) {
      digits = option->whole();
    } else if (option_name == "minimumLength" && is_whole) {
      length = option->whole();
    } else if (option_name == "leftJustified" && option->type == Type::boolean) {
      is_left = option->is_true();
    } else if (option_name == "format" && option->type == Type::string &&
               is_format(option->texts[0], value->type)) {
      format = option->texts[0];
    } else {
      return not_known("an option of 'String' cannot be used", place);
    }
  }
  const auto enumeration = enumeration_of(file, arguments[0].value, from, locals);
  std::string result;
  if (enumeration && *enumeration != nullptr) {
    const auto& literals = (*enumeration)->text->literals;
    const auto k = static_cast<std::size_t>(value->whole() - 1);
    if (k >= literals.size()) {
      return std::nullopt;
    }
    result = (*enumeration)->file->ast.text(literals[k].name);
  } else if (value->type == Type::boolean) {
    result = value->is_true() ? "true" : "false";
  } else if (value->type == Type::string) {
    result = value->texts[0];
  } else if (!format.empty()) {
    return known_text(printed(format, *value));
  } else if (value->type == Type::integer) {
    result = printed("d", *value);
  } else {
    result = printed(fmt::format(".{}g", std::clamp<std::int64_t>(digits, 1, 99)), *value);
  }
  const std::string blanks(static_cast<std::size_t>(std::max<std::int64_t>(length, 0)) > result.size()
                               ? static_cast<std::size_t>(length) - result.size()
                               : 0,
                           ' ');
  return known_text(is_left ? result + blanks : blanks + result);
}

/// `s = …` of a String variable gives it its value for the whole run.
bool Instantiator::gives_text(Target target, const ClassFile& file, const Statement& statement,
                              Context from) {
  if (&target.out != &equations_ || file.ast[statement.left].kind != ExpressionKind::name) {
    return false;
  }
  const Reference left = resolve(file, statement.left, from, target.locals);
  const bool is_text =
      left.kind == Reference::Kind::primitive && left.node->type->built_in == BuiltIn::string &&
      left.node->variability < VariabilityPrefix::parameter && left.last[0].subscripts.empty() &&
      left.last[0].known.empty() && left.node->sizes.empty() &&
      (left.node->type->attributes == nullptr || !left.node->type->attributes->value);
  const std::optional<KnownValue> value =
      is_text ? evaluate(file, statement.right, from, target.locals) : std::nullopt;
  if (!value || value->type != Type::string || !value->is_scalar() || given_at_start_.count(left.node) != 0) {
    return false;
  }
  given_at_start_[left.node] = to_text(*value);
  return true;
}

/// A String variable whose value parameters alone determine is one.
bool Instantiator::is_known_text(Node& node) {
  if (node.type->built_in != BuiltIn::string || node.variability >= VariabilityPrefix::parameter) {
    return false;
  }
  if (given_at_start_.count(&node) != 0) {
    return true;
  }
  const Modifier* const attributes = node.type->attributes;
  const std::optional<KnownValue> value =
      attributes != nullptr && attributes->value ? evaluate_binding(*attributes->value) : std::nullopt;
  if (value && value->type == Type::string) {
    given_at_start_[&node] = to_text(*value);
  }
  return given_at_start_.count(&node) != 0;
}

}  // namespace saltus::lang
