/// UTF-8 as RFC 3629 has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace saltus {

/// Bytes of the sequence at `at`, or 0 if the bytes there are not UTF-8.
[[nodiscard]] std::size_t utf8_length(std::string_view text, std::size_t at);
/// The code point of such a sequence.
[[nodiscard]] std::uint32_t utf8_code_point(std::string_view text, std::size_t at, std::size_t length);

/// C0, DEL and C1.
[[nodiscard]] constexpr bool is_control(std::uint32_t code_point) {
  return code_point < 0x20U || (code_point >= 0x7fU && code_point < 0xa0U);
}

}  // namespace saltus
