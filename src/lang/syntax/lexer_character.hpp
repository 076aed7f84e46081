// Characters of the model text: names, escapes, UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace saltus::lang {

[[nodiscard]] constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
[[nodiscard]] constexpr bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
[[nodiscard]] constexpr bool is_name_part(char c) {
  return is_name_start(c) || is_digit(c);
}

/// What `\c` stands for; none for an unknown escape (Modelica 3.6, section 2.3.2).
[[nodiscard]] std::optional<char> escaped_character(char c);

/// One code point of UTF-8; of length 1 and not valid where the bytes are no UTF-8 (overlong forms and
/// surrogates included).
struct Utf8 {
  std::uint32_t code = 0xfffd;
  std::size_t length = 1;
  bool valid = false;
};
[[nodiscard]] Utf8 decode_utf8(std::string_view text, std::size_t position);

/// Whether a code point outside ASCII at this position is a letter or digit of some script, roughly:
/// everything except the Latin-1 signs, general punctuation, symbols and private or special areas.
[[nodiscard]] bool letter_at(std::string_view text, std::size_t position);

}  // namespace saltus::lang
