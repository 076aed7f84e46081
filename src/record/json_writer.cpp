#include "record/json_writer.hpp"

#include <charconv>
#include <cmath>

#include "base/number_text.hpp"

namespace saltus::record {
namespace {

// Length of the UTF-8 sequence at `at`, or 0 if the bytes there are not UTF-8 (RFC 3629).
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

}  // namespace

void JsonWriter::new_line() {
  if (indent_) {
    text_ += '\n';
    text_.append(2 * has_items_.size(), ' ');
  }
}

void JsonWriter::before_item() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (!has_items_.empty()) {
    if (has_items_.back()) {
      text_ += ',';
    }
    has_items_.back() = true;
    new_line();
  }
}

void JsonWriter::open(char bracket) {
  before_item();
  text_ += bracket;
  has_items_.push_back(false);
}

void JsonWriter::close(char bracket) {
  const bool had_items = has_items_.back();
  has_items_.pop_back();
  if (had_items) {
    new_line();
  }
  text_ += bracket;
  if (has_items_.empty() && indent_) {
    text_ += '\n';
  }
}

void JsonWriter::key(std::string_view name) {
  before_item();
  append_string(name);
  text_ += indent_ ? ": " : ":";
  after_key_ = true;
}

void JsonWriter::value(std::string_view text) {
  before_item();
  append_string(text);
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) {
    null();
    return;
  }
  char buffer[kMaxNumberLength];
  raw({buffer, static_cast<std::size_t>(write_number(buffer, number) - buffer)});
}

void JsonWriter::value(std::int64_t number) {
  char buffer[kMaxNumberLength];
  raw({buffer,
       static_cast<std::size_t>(std::to_chars(buffer, buffer + kMaxNumberLength, number).ptr - buffer)});
}

void JsonWriter::raw(std::string_view json) {
  before_item();
  text_ += json;
}

void JsonWriter::append_string(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  text_ += '"';
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::size_t length = utf8_length(text, i);
    if (length == 0) {
      text_ += "\xef\xbf\xbd";  // the replacement character
      ++i;
      continue;
    }
    // '<' is escaped so that the text may stand inside a script element of a page.
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (static_cast<unsigned char>(c) < 0x20U || c == '<') {
      text_ += "\\u00";
      text_ += kHex[static_cast<unsigned char>(c) >> 4U];
      text_ += kHex[static_cast<unsigned char>(c) & 0xfU];
    } else {
      text_ += text.substr(i, length);
    }
    i += length;
  }
  text_ += '"';
}

}  // namespace saltus::record
