// Diagnostics as text with a caret, and as JSON.

#include <fmt/format.h>

#include <algorithm>

#include "saltus/diagnostic.hpp"

#include "base/json_writer.hpp"
#include "base/utf8.hpp"
#include "saltus/visible_text.hpp"

namespace saltus {
namespace {

// A source line longer than this is shown as a window around the span: generated files have lines of
// megabytes.
constexpr std::size_t kMaxShownLine = 160;

std::string_view color_of(Severity severity) {
  switch (severity) {
    case Severity::error: return "\x1b[1;31m";
    case Severity::warning: return "\x1b[1;35m";
    case Severity::note: return "\x1b[1;36m";
  }
  return "";
}

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

// Of a source line every character keeps its width of one, so that the caret stands under what it means: a control character, a
// tab and a byte that is not UTF-8 are blanks.
std::string with_blanks(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    const std::string_view character = text.substr(i, std::max<std::size_t>(length, 1));
    const bool is_shown = length > 0 && text[i] != '\t' && is_visible_text(character);
    const bool has_width = length > 0 || !is_continuation(text[i]);
    out += is_shown ? character : std::string_view(has_width ? " " : "");
    i += character.size();
  }
  return out;
}

std::string source_excerpt(const SourceText& source, SourceSpan span) {
  const SourcePosition position = source.position(span.offset);
  std::string_view line = source.line(position.line);
  const auto line_start = static_cast<std::size_t>(line.data() - source.text().data());
  std::size_t begin = std::min<std::size_t>(span.offset - line_start, line.size());
  std::size_t end = std::min<std::size_t>(begin + std::max<std::uint32_t>(span.length, 1), line.size());
  if (line.size() > kMaxShownLine) {
    std::size_t cut = begin > kMaxShownLine / 2 ? begin - kMaxShownLine / 2 : 0;
    while (cut > 0 && is_continuation(line[cut])) {
      --cut;
    }
    line = line.substr(cut, kMaxShownLine);
    begin -= cut;
    end = std::min(end - cut, line.size());
  }
  const auto width = [&](std::size_t from, std::size_t to) {
    return static_cast<std::size_t>(std::count_if(line.begin() + static_cast<std::ptrdiff_t>(from),
                                                  line.begin() + static_cast<std::ptrdiff_t>(to),
                                                  [](char c) { return !is_continuation(c); }));
  };
  return fmt::format("{:>5} | {}\n      | {}{}\n", position.line, with_blanks(line),
                     std::string(width(0, begin), ' '),
                     std::string(std::max<std::size_t>(end > begin ? width(begin, end) : 1, 1), '^'));
}

std::string place(const SourceText* source, const std::optional<SourceSpan>& span) {
  if (source == nullptr) {
    return "";
  }
  if (!span) {
    return visible_text(source->name()) + ": ";
  }
  const SourcePosition position = source->position(span->offset);
  return fmt::format("{}:{}:{}: ", visible_text(source->name()), position.line, position.column);
}

void render_item(std::string& out, const Diagnostic& item, const SourceText* source, bool color) {
  const std::string_view on = color ? color_of(item.severity) : "";
  const std::string_view off = color ? "\x1b[0m" : "";
  out += fmt::format("{}{}{}:{} {} [{}]\n", place(source, item.span), on, to_string(item.severity), off,
                     visible_text(item.message), visible_text(item.code));
  if (source != nullptr && item.span) {
    out += source_excerpt(*source, *item.span);
  }
  if (!item.hint.empty()) {
    out += fmt::format("  hint: {}\n", visible_text(item.hint));
  }
  for (const Diagnostic::Note& note : item.notes) {
    out += fmt::format("{}note: {}\n", place(source, note.span), visible_text(note.message));
    if (source != nullptr && note.span) {
      out += source_excerpt(*source, *note.span);
    }
  }
}

void put_place(JsonWriter& json, const SourceText* source, const std::optional<SourceSpan>& span) {
  if (source == nullptr) {
    return;
  }
  json.member("file", std::string_view(source->name()));
  if (span) {
    const SourcePosition begin = source->position(span->offset);
    const SourcePosition end = source->position(span->end());
    json.member("line", static_cast<std::int64_t>(begin.line));
    json.member("column", static_cast<std::int64_t>(begin.column));
    json.member("end_line", static_cast<std::int64_t>(end.line));
    json.member("end_column", static_cast<std::int64_t>(end.column));
  }
}

}  // namespace

std::string render_text(const Diagnostics& diagnostics, bool color) {
  std::string out;
  for (const Diagnostic& item : diagnostics.items()) {
    render_item(out, item, diagnostics.source().get(), color);
  }
  return out;
}

std::string render_json(const Diagnostics& diagnostics) {
  const SourceText* source = diagnostics.source().get();
  JsonWriter json;
  json.begin_array();
  for (const Diagnostic& item : diagnostics.items()) {
    json.begin_object();
    json.member("severity", std::string_view(to_string(item.severity)));
    json.member("code", std::string_view(item.code));
    json.member("message", std::string_view(item.message));
    put_place(json, source, item.span);
    if (!item.hint.empty()) {
      json.member("hint", std::string_view(item.hint));
    }
    if (!item.notes.empty()) {
      json.key("notes");
      json.begin_array();
      for (const Diagnostic::Note& note : item.notes) {
        json.begin_object();
        json.member("message", std::string_view(note.message));
        put_place(json, source, note.span);
        json.end_object();
      }
      json.end_array();
    }
    json.end_object();
  }
  json.end_array();
  return json.take();
}

}  // namespace saltus
