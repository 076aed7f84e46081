#include "lang/instance/flat_writer.hpp"

#include <algorithm>

#include "lang/syntax/lexer_character.hpp"
#include "lang/syntax/token.hpp"

namespace saltus::lang {

bool is_plain_identifier(std::string_view text) {
  return !text.empty() && is_name_start(text[0]) && std::all_of(text.begin(), text.end(), is_name_part) &&
         keyword_or_identifier(text) == TokenKind::identifier;
}

std::string flat_identifier(std::string_view path) {
  if (is_plain_identifier(path)) {
    return std::string(path);
  }
  std::string result = "'";
  for (const char c : path) {
    if (c == '\'' || c == '\\') {
      result += '\\';
    }
    result += c;
  }
  return result + "'";
}

FilePlace written_at(std::span<const Origin> origins, SourceSpan span) {
  const auto next =
      std::upper_bound(origins.begin(), origins.end(), span.offset,
                       [](std::uint32_t offset, const Origin& origin) { return offset < origin.begin; });
  std::uint32_t index =
      next == origins.begin() ? kNoIndex : static_cast<std::uint32_t>(next - origins.begin() - 1);
  while (index != kNoIndex && origins[index].end < span.end()) {
    index = origins[index].around;
  }
  return index == kNoIndex ? FilePlace{} : origins[index].place;
}

FlatWriter::Scope::Scope(FlatWriter& writer, FilePlace place)
    : writer_(writer), index_(static_cast<std::uint32_t>(writer.origins_.size())), around_(writer.open_) {
  Origin origin;
  origin.begin = static_cast<std::uint32_t>(writer.text_.size());
  origin.end = origin.begin;
  origin.around = writer.open_;
  origin.place = place;
  writer.origins_.push_back(origin);
  writer.open_ = index_;
}

FlatWriter::Scope::~Scope() {
  writer_.origins_[index_].end = static_cast<std::uint32_t>(writer_.text_.size());
  writer_.open_ = around_;
}

FlatWriter& FlatWriter::name(std::string_view path) {
  text_ += flat_identifier(path);
  return *this;
}

void FlatWriter::append(const FlatWriter& other) {
  const auto shift = static_cast<std::uint32_t>(text_.size());
  const auto n = static_cast<std::uint32_t>(origins_.size());
  text_ += other.text_;
  for (Origin origin : other.origins_) {
    origin.begin += shift;
    origin.end += shift;
    origin.around += origin.around == kNoIndex ? 0 : n;
    origins_.push_back(origin);
  }
}

void FlatWriter::rewind(Mark mark) {
  text_.resize(mark.text);
  origins_.resize(mark.origins);
}

}  // namespace saltus::lang
