#include "api/model/number_option.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "api/model/diagnostic_codes.hpp"

namespace saltus::api {

std::optional<double> parse_number(std::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
  }
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::int64_t> parse_count(std::string_view text) {
  const std::optional<double> value = parse_number(text);
  if (!value || *value < 0.0 || *value > 9e15 || *value != std::trunc(*value)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*value);
}

Diagnostics wrong_value(std::string_view name, std::string_view value, std::string_view expected) {
  Diagnostics problems;
  problems.error(kWrongOptionValue, fmt::format("--{} takes {}, not '{}'", name, expected, value));
  return problems;
}

Diagnostics set_count(std::int64_t& count, std::int64_t least, std::string_view name,
                      std::string_view value) {
  const std::optional<std::int64_t> number = parse_count(value);
  if (!number || *number < least) {
    return wrong_value(name, value, fmt::format("a whole number of at least {}", least));
  }
  count = *number;
  return {};
}

}  // namespace saltus::api
