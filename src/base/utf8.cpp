#include "base/utf8.hpp"

namespace saltus {

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  const std::size_t length = lead < 0x80U                     ? 1
                             : lead >= 0xc2U && lead <= 0xdfU ? 2
                             : (lead & 0xf0U) == 0xe0U        ? 3
                             : lead >= 0xf0U && lead <= 0xf4U ? 4
                                                              : 0;
  if (length == 0 || at + length > text.size()) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0U) != 0x80U) {
      return 0;
    }
  }
  const bool overlong = (lead == 0xe0U && byte(at + 1) < 0xa0U) || (lead == 0xf0U && byte(at + 1) < 0x90U);
  const bool surrogate = lead == 0xedU && byte(at + 1) >= 0xa0U;
  const bool too_large = lead == 0xf4U && byte(at + 1) >= 0x90U;
  return overlong || surrogate || too_large ? 0 : length;
}

std::uint32_t utf8_code_point(std::string_view text, std::size_t at, std::size_t length) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  std::uint32_t point = length == 1 ? byte(at) : byte(at) & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    point = (point << 6U) | (byte(at + i) & 0x3fU);
  }
  return point;
}

}  // namespace saltus
