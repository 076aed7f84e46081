#include "saltus/source_text.hpp"

#include <algorithm>

#include "saltus/contract.hpp"

namespace saltus {

SourceSpan cover(SourceSpan first, SourceSpan second) {
  const std::uint32_t begin = std::min(first.offset, second.offset);
  return {begin, std::max(first.end(), second.end()) - begin};
}

SourceText::SourceText(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  SALTUS_EXPECT(text_.size() < 0xffffffffU, "model text of 4 GiB or more");
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') {
      line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
    }
  }
}

std::string_view SourceText::text(SourceSpan span) const {
  const std::string_view all = text_;
  const std::size_t begin = std::min<std::size_t>(span.offset, all.size());
  return all.substr(begin, span.length);
}

SourcePosition SourceText::position(std::uint32_t offset) const {
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const std::uint32_t start = *(next - 1);
  const std::string_view before = std::string_view(text_).substr(start, offset - start);
  // A UTF-8 continuation byte (10xxxxxx) belongs to the code point before it.
  const auto is_first_byte = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; };
  return {static_cast<int>(next - line_starts_.begin()),
          1 + static_cast<int>(std::count_if(before.begin(), before.end(), is_first_byte))};
}

std::string_view SourceText::line(int number) const {
  const auto index = static_cast<std::size_t>(number - 1);
  SALTUS_EXPECT(number >= 1 && index < line_starts_.size(), "line number outside the text");
  const std::size_t begin = line_starts_[index];
  std::size_t end = index + 1 < line_starts_.size() ? line_starts_[index + 1] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r') {
    --end;
  }
  return std::string_view(text_).substr(begin, end - begin);
}

}  // namespace saltus
