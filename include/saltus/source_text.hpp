// The text of a model file and positions in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace saltus {

/// A range of bytes of the model text; length 0 marks a place between two bytes (as at the end of the file).
struct SourceSpan {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;

  [[nodiscard]] constexpr std::uint32_t end() const { return offset + length; }
  friend constexpr bool operator==(SourceSpan, SourceSpan) = default;
};

/// The smallest span that covers both.
[[nodiscard]] SourceSpan cover(SourceSpan first, SourceSpan second);

/// Line and column as editors count them: from 1, columns in Unicode code points.
struct SourcePosition {
  int line = 1;
  int column = 1;
};

/// Immutable text with its name; finds lines and columns in O(log n). At most 4 GiB - 1.
class SourceText {
 public:
  SourceText(std::string name, std::string text);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::string_view text(SourceSpan span) const;
  [[nodiscard]] SourcePosition position(std::uint32_t offset) const;
  /// The line with this number (from 1) without its line ending.
  [[nodiscard]] std::string_view line(int number) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<std::uint32_t> line_starts_;
};

}  // namespace saltus
