/// A text made of own words and of pieces of another one, so that what is found in it can be shown where it was written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "saltus/source_text.hpp"

namespace saltus::api {

class MappedText {
 public:
  /// `original` outlives it.
  explicit MappedText(std::string_view original, std::string begin = {})
      : original_(original), text_(std::move(begin)) {}

  void add(std::string_view own) { text_ += own; }
  void copy(SourceSpan span) {
    pieces_.push_back({static_cast<std::uint32_t>(text_.size()), span});
    text_ += original_.substr(span.offset, span.length);
  }
  /// In place of a piece of the original.
  void replace(SourceSpan span, std::string_view own) {
    pieces_.push_back({static_cast<std::uint32_t>(text_.size()), {span.offset, span.length}, true});
    text_ += own;
  }

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::string& text() { return text_; }

  /// Where it was written; what is not of the original lies at the end of the piece before it.
  [[nodiscard]] SourceSpan original(SourceSpan span) const {
    const std::uint32_t begin = original(span.offset, false);
    const std::uint32_t end = original(span.end(), true);
    return {begin, std::max(begin, end) - begin};
  }

 private:
  struct Piece {
    std::uint32_t at = 0;
    SourceSpan span;
    bool is_replaced = false;
  };

  [[nodiscard]] std::uint32_t original(std::uint32_t offset, bool is_end) const {
    std::uint32_t found = 0;
    for (const Piece& piece : pieces_) {
      if (piece.at > offset || (is_end && piece.at == offset)) {
        break;
      }
      const std::uint32_t within = std::min(offset - piece.at, piece.span.length);
      found =
          piece.is_replaced ? (is_end ? piece.span.end() : piece.span.offset) : piece.span.offset + within;
    }
    return found;
  }

  std::string_view original_;
  std::string text_;
  std::vector<Piece> pieces_;
};

}  // namespace saltus::api
