// Where the parser goes on after an error, and what closes a block.
#include <fmt/format.h>

#include <algorithm>

#include "lang/syntax/lexer.hpp"
#include "lang/syntax/parser_base.hpp"
#include "saltus/contract.hpp"

namespace saltus::lang {
namespace {

bool begins_class(TokenKind kind) {
  switch (kind) {
    case TokenKind::kw_model:
    case TokenKind::kw_class:
    case TokenKind::kw_function:
    case TokenKind::kw_type:
    case TokenKind::kw_block:
    case TokenKind::kw_connector:
    case TokenKind::kw_package:
    case TokenKind::kw_record:
    case TokenKind::kw_operator:
    case TokenKind::kw_expandable:
    case TokenKind::kw_partial:
    case TokenKind::kw_encapsulated: return true;
    default: return false;
  }
}

}  // namespace

void ParserBase::mark_damage(std::size_t first) {
  damaged_from_ = is_damaged_ ? std::min(damaged_from_, first) : first;
  is_damaged_ = true;
}

void ParserBase::close_damage() {
  if (!is_damaged_) {
    return;
  }
  is_damaged_ = false;
  const std::size_t last = std::max(position_, damaged_from_ + 1);
  SourceSpan region = cover(tokens_[damaged_from_].span, tokens_[last - 1].span);
  for (std::size_t i = damaged_from_; i < last; ++i) {
    if (tokens_[i].kind == TokenKind::identifier) {
      damage_.names.emplace(text(tokens_[i]));
    } else if (tokens_[i].kind == TokenKind::quoted_identifier) {
      damage_.names.insert(unescape(text(tokens_[i])));
    }
  }
  // A block that is not closed swallows the damaged parts inside it.
  while (!damage_.regions.empty() && damage_.regions.back().end() >= region.offset) {
    region = cover(damage_.regions.back(), region);
    damage_.regions.pop_back();
  }
  damage_.regions.push_back(region);
}

void ParserBase::begin_element() {
  close_damage();
  element_ = position_;
}

Damage ParserBase::take_damage() {
  close_damage();
  return std::move(damage_);
}

std::size_t ParserBase::token_at(SourceSpan span) const {
  const auto found =
      std::lower_bound(tokens_.begin(), tokens_.end(), span.offset,
                       [](const Token& token, std::uint32_t offset) { return token.span.offset < offset; });
  return static_cast<std::size_t>(found - tokens_.begin());
}

bool ParserBase::at_closing_end() const {
  if (!at(TokenKind::kw_end)) {
    return false;
  }
  switch (peek(1).kind) {
    case TokenKind::identifier:
    case TokenKind::quoted_identifier:
    case TokenKind::kw_if:
    case TokenKind::kw_for:
    case TokenKind::kw_when:
    case TokenKind::kw_while:
    case TokenKind::semicolon:
    case TokenKind::end_of_file: return true;
    default: return is_keyword(peek(1).kind) && !peek(1).first_on_line;
  }
}

bool ParserBase::at_mode_start() const {
  if (at(TokenKind::kw_initial)) {
    return at_word("mode", 1);
  }
  if (at_word("sliding") && at_word("mode", 1) && at_identifier(2)) {
    return true;
  }
  if (!at_word("mode") || !at_identifier(1)) {
    return false;
  }
  if (dialect_ == Dialect::saltus) {
    return true;
  }
  // In a .mo file `mode` may be the name of a type: `mode m = 1;`.
  switch (peek(2).kind) {
    case TokenKind::semicolon:
    case TokenKind::comma:
    case TokenKind::equals:
    case TokenKind::assign:
    case TokenKind::left_parenthesis:
    case TokenKind::left_bracket:
    case TokenKind::dot:
    case TokenKind::string: return false;
    default: return true;
  }
}

bool ParserBase::at_section_start() const {
  switch (peek().kind) {
    case TokenKind::kw_equation:
    case TokenKind::kw_algorithm:
    case TokenKind::kw_public:
    case TokenKind::kw_protected: return true;
    case TokenKind::kw_initial:
      return peek(1).kind == TokenKind::kw_equation || peek(1).kind == TokenKind::kw_algorithm ||
             at_word("mode", 1);
    case TokenKind::identifier: return peek().first_on_line && (at_mode_start() || at_transition());
    default: return begins_class(peek().kind) && peek().first_on_line;
  }
}

bool ParserBase::matrix_goes_on() const {
  constexpr std::size_t kRecoveryLookAhead = 1000;
  for (std::size_t ahead = 1; ahead < kRecoveryLookAhead; ++ahead) {
    const TokenKind kind = peek(ahead).kind;
    if (kind == TokenKind::right_bracket) {
      return true;
    }
    if (kind == TokenKind::equals || kind == TokenKind::assign || kind == TokenKind::kw_end ||
        kind == TokenKind::end_of_file || kind == TokenKind::kw_equation) {
      return false;
    }
  }
  return false;
}

void ParserBase::synchronize() {
  recovering_ = gave_up_;
  for (;; take()) {
    if (at(TokenKind::end_of_file) || at_closing_end() || at_section_start()) {
      return;
    }
    switch (peek().kind) {
      case TokenKind::semicolon:
        if (pending_matrices_ > 0 && matrix_goes_on()) {
          break;
        }
        take();
        return;
      case TokenKind::right_bracket: pending_matrices_ -= pending_matrices_ > 0 ? 1 : 0; break;
      case TokenKind::kw_if:
      case TokenKind::kw_for:
      case TokenKind::kw_when:
      case TokenKind::kw_while:
      case TokenKind::kw_elseif:
      case TokenKind::kw_else:
      case TokenKind::kw_elsewhen:
      case TokenKind::kw_annotation:
        if (peek().first_on_line) {
          return;
        }
        break;
      default: break;
    }
  }
}

void ParserBase::recover_at(TokenKind keyword) {
  if (!recovering_ || gave_up_) {
    return;
  }
  const std::size_t place = find_on_line(keyword);
  if (place < tokens_.size()) {
    rewind(place);
    recovering_ = false;
  }
}

/// The place of the keyword, or the number of tokens if it does not follow.
std::size_t ParserBase::find_on_line(TokenKind keyword) const {
  for (std::size_t i = position_; i < tokens_.size() && (i == position_ || !tokens_[i].first_on_line); ++i) {
    if (tokens_[i].kind == keyword) {
      return i;
    }
    if (tokens_[i].kind == TokenKind::semicolon) {
      break;
    }
  }
  return tokens_.size();
}

bool ParserBase::at_transition() const {
  if (!at_word("transition")) {
    return false;
  }
  if (at_word("to", 1)) {
    return true;
  }
  // `transition left when`, `transition ot left when`
  return dialect_ == Dialect::saltus && at_identifier(1) &&
         (peek(2).kind == TokenKind::kw_when || (at_identifier(2) && peek(3).kind == TokenKind::kw_when));
}

void ParserBase::skip_past_semicolon() {
  int depth = 0;
  for (; !at(TokenKind::end_of_file); take()) {
    switch (peek().kind) {
      case TokenKind::left_parenthesis:
      case TokenKind::left_brace:
      case TokenKind::left_bracket: ++depth; break;
      case TokenKind::right_parenthesis:
      case TokenKind::right_brace:
      case TokenKind::right_bracket: --depth; break;
      case TokenKind::semicolon:
        if (depth <= 0) {
          take();
          return;
        }
        break;
      default:
        if ((at_closing_end() || at_section_start()) && peek().first_on_line) {
          return;
        }
        break;
    }
  }
}

bool ParserBase::closes(const OpenBlock& block, const Token& word) const {
  if (block.keyword != TokenKind::identifier) {
    return word.kind == block.keyword;
  }
  if (builder_.ast().text(block.name).empty()) {
    return true;  // a class whose name is missing
  }
  if (word.kind == TokenKind::quoted_identifier) {
    return unescape(text(word)) == builder_.ast().text(block.name);
  }
  return (word.kind == TokenKind::identifier || is_keyword(word.kind)) &&
         text(word) == builder_.ast().text(block.name);
}

std::string ParserBase::end_text(const OpenBlock& block) const {
  return fmt::format("end {}", block.keyword == TokenKind::identifier ? builder_.ast().text(block.name)
                                                                      : token_text(block.keyword));
}

void ParserBase::report_missing_end(const OpenBlock& block) {
  const bool at_end_of_file = at(TokenKind::end_of_file);
  if (at_end_of_file && position_ > 0 && tokens_[position_ - 1].kind == TokenKind::error) {
    damage_.unread = true;
    give_up();  // a comment or string that is not closed has swallowed the rest
  }
  Diagnostic* diagnostic =
      report(kMissingEnd, fmt::format("'{};' is missing before {}", end_text(block), describe(peek())),
             at_end_of_file ? after_previous() : peek().span, block.hint);
  if (diagnostic != nullptr) {
    diagnostic->notes.push_back({"the block is opened here", block.span});
  }
  if (at_end_of_file) {
    give_up();  // the blocks around it are not closed either: one report says enough
  }
}

void ParserBase::close_block() {
  SALTUS_ASSERT(!blocks_.empty());
  const OpenBlock block = blocks_.back();
  blocks_.pop_back();
  const bool is_class_or_mode =
      block.keyword == TokenKind::identifier && builder_.ast().text(block.name) != "transition";
  if (!at(TokenKind::kw_end)) {
    if (!is_class_or_mode) {
      mark_damage(token_at(block.span));
    }
    report_missing_end(block);
    return;
  }
  const Token word = peek(1);
  if (!closes(block, word) && !is_class_or_mode) {
    mark_damage(token_at(block.span));
  }
  if (!closes(block, word)) {
    for (const OpenBlock& outer : blocks_) {
      if (closes(outer, word)) {
        report_missing_end(block);
        return;
      }
    }
    const bool has_word = word.kind == TokenKind::identifier || word.kind == TokenKind::quoted_identifier ||
                          (is_keyword(word.kind) && !word.first_on_line);
    Diagnostic* diagnostic =
        report(kWrongEndName,
               has_word ? fmt::format("'end {}' closes no open block", text(word))
                        : "'end' does not say what it closes",
               has_word ? word.span : peek().span, fmt::format("write '{};'", end_text(block)));
    if (diagnostic != nullptr) {
      diagnostic->notes.push_back({"the block is opened here", block.span});
    }
    take();
    if (has_word) {
      take();
    }
  } else {
    take();
    take();
  }
  expect_semicolon(fmt::format("'{}'", end_text(block)));
}

}  // namespace saltus::lang
