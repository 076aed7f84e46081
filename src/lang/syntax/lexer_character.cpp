#include "lang/syntax/lexer_character.hpp"

#include <string>

#include "lang/syntax/lexer.hpp"

namespace saltus::lang {

std::optional<char> escaped_character(char c) {
  switch (c) {
    case '\'':
    case '"':
    case '?':
    case '\\': return c;
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    default: return std::nullopt;
  }
}

Utf8 decode_utf8(std::string_view text, std::size_t position) {
  if (position >= text.size()) {
    return {};
  }
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[position + k]); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80U) {
    return {lead, 1, true};
  }
  const std::size_t length = lead >= 0xf0U ? 4 : (lead >= 0xe0U ? 3 : 2);
  if (lead < 0xc2U || lead > 0xf4U || position + length > text.size()) {
    return {};
  }
  std::uint32_t code = lead & (0xffU >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xc0U) != 0x80U) {
      return {};
    }
    code = (code << 6U) | (byte(k) & 0x3fU);
  }
  const bool overlong = (length == 3 && code < 0x800U) || (length == 4 && code < 0x10000U);
  const bool surrogate = code >= 0xd800U && code <= 0xdfffU;
  return overlong || surrogate || code > 0x10ffffU ? Utf8{} : Utf8{code, length, true};
}

bool letter_at(std::string_view text, std::size_t position) {
  const Utf8 point = decode_utf8(text, position);
  const std::uint32_t code = point.code;
  if (!point.valid || code < 0xc0U) {
    return point.valid && (code == 0xb5U || code == 0xaaU || code == 0xbaU);
  }
  const bool sign = code == 0xd7U || code == 0xf7U || (code >= 0x2000U && code < 0x2c00U) ||
                    (code >= 0x3000U && code < 0x3005U) || (code >= 0xe000U && code < 0xf900U) ||
                    code >= 0xfe00U;
  return !sign || (code >= 0x2080U && code < 0x2090U);
}

std::string unescape(std::string_view literal) {
  std::string result;
  const std::string_view inside =
      literal.size() >= 2 ? literal.substr(1, literal.size() - 2) : std::string_view();
  result.reserve(inside.size());
  for (std::size_t i = 0; i < inside.size();) {
    if (inside[i] == '\\' && i + 1 < inside.size()) {
      result.push_back(escaped_character(inside[i + 1]).value_or(inside[i + 1]));
      i += 2;
      continue;
    }
    const Utf8 point = decode_utf8(inside, i);
    result.append(point.valid ? inside.substr(i, point.length) : std::string_view("\xef\xbf\xbd"));
    i += point.length;
  }
  return result;
}

}  // namespace saltus::lang
