#include "base/json_writer.hpp"

#include <charconv>
#include <cmath>

#include "base/number_text.hpp"
#include "base/utf8.hpp"

namespace saltus {

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
    } else if (const std::uint32_t point = utf8_code_point(text, i, length); is_control(point) || c == '<') {
      text_ += "\\u00";
      text_ += kHex[point >> 4U];
      text_ += kHex[point & 0xfU];
    } else {
      text_ += text.substr(i, length);
    }
    i += length;
  }
  text_ += '"';
}

}  // namespace saltus
