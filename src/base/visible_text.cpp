#include "saltus/visible_text.hpp"

#include <fmt/format.h>

#include "base/utf8.hpp"

namespace saltus {
namespace {

// Marks, embeddings, overrides and isolates of Unicode's bidirectional algorithm (UAX #9), and the line and paragraph separators.
bool changes_layout(std::uint32_t point) {
  return point == 0x61cU || point == 0x200eU || point == 0x200fU || (point >= 0x2028U && point <= 0x202eU) ||
         (point >= 0x2066U && point <= 0x2069U);
}

bool is_shown(std::uint32_t point) {
  return point == '\t' || point == '\n' || !(is_control(point) || changes_layout(point));
}

}  // namespace

bool is_visible_text(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0 || !is_shown(utf8_code_point(text, i, length))) {
      return false;
    }
    i += length;
  }
  return true;
}

std::string visible_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i++]));
      continue;
    }
    const std::uint32_t point = utf8_code_point(text, i, length);
    if (is_shown(point)) {
      out += text.substr(i, length);
    } else {
      out += point < 0x100U ? fmt::format("\\x{:02x}", point) : fmt::format("\\u{:04x}", point);
    }
    i += length;
  }
  return out;
}

}  // namespace saltus
