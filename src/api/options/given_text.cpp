#include "api/options/given_text.hpp"

#include "api/model/number_option.hpp"
#include "base/name_list.hpp"

namespace saltus::api {
namespace {

// What stands between double quotes; nullopt: they do not end where the text does.
std::optional<GivenValue> parse_quoted(std::string_view text) {
  std::string value;
  std::size_t i = 1;
  for (; i < text.size() && text[i] != '"'; ++i) {
    i += text[i] == '\\' ? 1 : 0;
    if (i < text.size()) {
      value += text[i];
    }
  }
  return i + 1 == text.size() ? std::optional<GivenValue>(std::move(value)) : std::nullopt;
}

std::optional<GivenValue> parse_at(std::string_view text, int nesting);

std::optional<GivenValue> parse_list(std::string_view text, int nesting) {
  if (nesting == kMostNesting || text.back() != '}') {
    return std::nullopt;
  }
  const std::string_view inner = trimmed(text.substr(1, text.size() - 2));
  GivenValue::List list;
  for (const std::string& item : inner.empty() ? std::vector<std::string>() : split_names(inner)) {
    std::optional<GivenValue> value = parse_at(item, nesting + 1);
    if (!value) {
      return std::nullopt;
    }
    list.push_back(*std::move(value));
  }
  return GivenValue(std::move(list));
}

std::optional<GivenValue> parse_at(std::string_view text, int nesting) {
  if (text.empty()) {
    return std::nullopt;
  }
  if (text.front() == '{') {
    return parse_list(text, nesting);
  }
  if (text.front() == '"') {
    return parse_quoted(text);
  }
  if (text == "true" || text == "false") {
    return GivenValue(text == "true");
  }
  if (const std::optional<double> number = parse_number(text)) {
    return GivenValue(*number);
  }
  return text.find_first_of("{}\"") == std::string_view::npos ? std::optional<GivenValue>(std::string(text))
                                                              : std::nullopt;
}

// Where the name ends: a quoted one may hold an equals sign.
std::size_t end_of_name(std::string_view text) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '\'') {
      is_quoted = !is_quoted;
    } else if (text[i] == '=' && !is_quoted) {
      return i;
    }
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<GivenValue> parse_given(std::string_view text) {
  return parse_at(trimmed(text), 0);
}

std::optional<SetValue> parse_set(std::string_view text) {
  const std::size_t at = end_of_name(text);
  const std::string_view name = trimmed(text.substr(0, at));
  std::optional<GivenValue> value =
      at == std::string_view::npos || name.empty() ? std::nullopt : parse_given(text.substr(at + 1));
  return value ? std::optional(SetValue{std::string(name), *std::move(value)}) : std::nullopt;
}

}  // namespace saltus::api
