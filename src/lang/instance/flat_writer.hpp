/// Text that remembers where each part of it was written.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lang/instance/reports.hpp"
#include "saltus/source_text.hpp"

namespace saltus::lang {

/// A part of a text that was made from others, and where it comes from. Parts nest: those inside come after the one around them.
struct Origin {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t around = kNoIndex;  ///< the part around this one
  FilePlace place;
};

/// Where a span of the text was written: the place of the smallest part that holds it. Origins are in the order of their begins.
[[nodiscard]] FilePlace written_at(std::span<const Origin> origins, SourceSpan span);

class FlatWriter {
 public:
  FlatWriter& operator<<(std::string_view text) {
    text_ += text;
    return *this;
  }
  /// Everything written until it ends comes from this place.
  class Scope {
   public:
    Scope(FlatWriter& writer, FilePlace place);
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    FlatWriter& writer_;
    std::uint32_t index_;
    std::uint32_t around_;
  };
  /// A name of the flat model: as an identifier if it is one, else in quotes.
  FlatWriter& name(std::string_view path);
  void append(const FlatWriter& other);
  /// Takes back what was written since the text had this size.
  struct Mark {
    std::size_t text = 0;
    std::size_t origins = 0;
  };
  [[nodiscard]] Mark mark() const { return {text_.size(), origins_.size()}; }
  void rewind(Mark mark);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::vector<Origin>& origins() const { return origins_; }

 private:
  std::string text_;
  std::vector<Origin> origins_;
  std::uint32_t open_ = kNoIndex;
};

/// `x`, or `'a.b[1]'` with its quotes and backslashes escaped.
[[nodiscard]] std::string flat_identifier(std::string_view path);
[[nodiscard]] bool is_plain_identifier(std::string_view text);

}  // namespace saltus::lang
