#include "lang/syntax/parser_base.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/work_watch.hpp"
#include "lang/syntax/lexer.hpp"
#include "lang/syntax/parser.hpp"
#include "saltus/contract.hpp"

namespace saltus::lang {
namespace {

/// Keywords that hold the text together: where a name is missing before one, nobody meant it as the name.
bool is_structural(TokenKind kind) {
  switch (kind) {
    case TokenKind::kw_algorithm:
    case TokenKind::kw_annotation:
    case TokenKind::kw_else:
    case TokenKind::kw_elseif:
    case TokenKind::kw_elsewhen:
    case TokenKind::kw_end:
    case TokenKind::kw_equation:
    case TokenKind::kw_for:
    case TokenKind::kw_if:
    case TokenKind::kw_in:
    case TokenKind::kw_loop:
    case TokenKind::kw_protected:
    case TokenKind::kw_public:
    case TokenKind::kw_then:
    case TokenKind::kw_when:
    case TokenKind::kw_while: return true;
    default: return false;
  }
}

/// After these errors it is certain what is meant: the rest of the statement can be trusted.
bool is_certain(DiagnosticCode code) {
  for (const DiagnosticCode certain : {kMissingSemicolon, kMisspeltKeyword, kAssignmentInEquation,
                                       kComparisonAsEquation, kEquationInAlgorithm, kNeedsParentheses}) {
    if (code.name == certain.name) {
      return true;
    }
  }
  return false;
}

std::string_view word_text(Token::Meant meant) {
  return meant == Token::Meant::mode ? "mode" : "transition";
}

}  // namespace

ParserBase::ParserBase(const SourceText& source, std::vector<Token> tokens, Dialect dialect,
                       Diagnostics& diagnostics, std::size_t max_errors)
    : source_(source),
      dialect_(dialect),
      tokens_(std::move(tokens)),
      diagnostics_(diagnostics),
      error_limit_(diagnostics.n_errors() + max_errors) {
  SALTUS_ASSERT(!tokens_.empty() && tokens_.back().kind == TokenKind::end_of_file);
}

bool ParserBase::at_word(std::string_view word, std::size_t ahead) const {
  const Token& token = peek(ahead);
  if (token.kind != TokenKind::identifier) {
    return false;
  }
  return token.meant == Token::Meant::as_written ? text(token) == word : word_text(token.meant) == word;
}

Token ParserBase::take() {
  count_work(kWorkOfAToken);
  const Token token = tokens_[position_];
  if (position_ + 1 < tokens_.size()) {
    ++position_;
    previous_ = token.span;
  }
  return token;
}

void ParserBase::rewind(std::size_t position) {
  if (!gave_up_) {
    position_ = position;
    previous_ = position > 0 ? tokens_[position - 1].span : SourceSpan{};
  }
}

bool ParserBase::accept(TokenKind kind) {
  if (!at(kind)) {
    return false;
  }
  take();
  return true;
}

Symbol ParserBase::symbol_of(const Token& token) {
  return token.kind == TokenKind::quoted_identifier ? builder_.intern(unescape(text(token)))
                                                    : builder_.intern(text(token));
}

std::string ParserBase::describe(const Token& token) const {
  constexpr std::size_t kLongest = 40;
  if (token.kind == TokenKind::end_of_file || token.kind == TokenKind::string) {
    return std::string(token_text(token.kind));
  }
  const std::string_view spelling = text(token);
  return spelling.size() > kLongest ? std::string(token_text(token.kind)) : fmt::format("'{}'", spelling);
}

Diagnostic* ParserBase::report(DiagnosticCode code, std::string message, SourceSpan span, std::string hint) {
  if (recovering_ || gave_up_) {
    return nullptr;
  }
  const bool about_block = code.name == kMissingEnd.name || code.name == kWrongEndName.name;
  if (!is_certain(code) && !about_block) {  // close_block marks what belongs to the block
    mark_damage(element_);
  }
  if (at(TokenKind::error) && span == peek().span) {
    return nullptr;
  }
  if (!diagnostics_.empty() && diagnostics_.items().back().code == code.name &&
      diagnostics_.items().back().span == span) {
    return nullptr;
  }
  Diagnostic& diagnostic = diagnostics_.error(code, std::move(message), span, std::move(hint));
  if (diagnostics_.n_errors() >= error_limit_) {
    give_up();
  }
  return &diagnostic;
}

Diagnostic* ParserBase::fail(DiagnosticCode code, std::string message, SourceSpan span, std::string hint) {
  Diagnostic* diagnostic = report(code, std::move(message), span, std::move(hint));
  if (!recovering_) {
    mark_damage(element_);
    recovering_ = true;
    pending_matrices_ = open_matrices_;
  }
  return diagnostic;
}

void ParserBase::fail_expected(std::string_view what, std::string hint) {
  fail(kSyntaxError, fmt::format("expected {}, found {}", what, describe(peek())), peek().span,
       std::move(hint));
}

void ParserBase::warn(DiagnosticCode code, std::string message, SourceSpan span, std::string hint) {
  if (!recovering_) {
    diagnostics_.warning(code, std::move(message), span, std::move(hint));
  }
}

void ParserBase::refuse(std::string_view construct, SourceSpan span, std::string hint) {
  if (keeps_refusals_) {
    if (!recovering_ && !gave_up_) {
      builder_.ast().refusals.push_back({std::string(construct), span, std::move(hint)});
    }
    return;
  }
  damage_.hides_names = damage_.hides_names || at(TokenKind::kw_extends) || at(TokenKind::kw_import);
  report(kNotSupported, fmt::format("{} is not supported yet", construct), span, std::move(hint));
}

void ParserBase::give_up() {
  damage_.unread = damage_.unread || !at(TokenKind::end_of_file);
  gave_up_ = true;
  recovering_ = true;
  position_ = tokens_.size() - 1;
}

bool ParserBase::expect(TokenKind kind, std::string_view after) {
  if (recovering_) {
    return false;
  }
  if (accept(kind)) {
    return true;
  }
  fail_expected(fmt::format("'{}' after {}", token_text(kind), after));
  return false;
}

void ParserBase::expect_keyword(TokenKind keyword, DiagnosticCode code, std::string_view opener) {
  if (recovering_ || accept(keyword)) {
    return;
  }
  if (repair_keyword(0, {keyword})) {
    take();
    return;
  }
  if (keyword_follows(keyword)) {
    fail_expected(fmt::format("'{}' or an operator", token_text(keyword)));
    recover_at(keyword);
    accept(keyword);
    return;
  }
  report(code, fmt::format("'{}' is missing after {}", token_text(keyword), opener), after_previous());
  // What stands in its place is skipped if it is plainly a slip.
  if (!peek().first_on_line && (at(TokenKind::semicolon) || at(TokenKind::colon) || at(TokenKind::comma) ||
                                at(TokenKind::kw_then) || at(TokenKind::kw_loop) || at_word("do"))) {
    take();
  }
}

void ParserBase::expect_semicolon(std::string_view after) {
  if (recovering_ || accept(TokenKind::semicolon)) {
    return;
  }
  const TokenKind kind = peek().kind;
  if (kind == TokenKind::right_parenthesis || kind == TokenKind::right_brace ||
      kind == TokenKind::right_bracket) {
    report(kStrayToken, fmt::format("this '{}' closes nothing", token_text(kind)), peek().span);
    while (at(kind)) {
      take();
    }
    expect_semicolon(after);
    return;
  }
  const bool can_begin = at_identifier() || kind == TokenKind::left_parenthesis || is_keyword(kind) ||
                         kind == TokenKind::integer || kind == TokenKind::real;
  if (kind == TokenKind::end_of_file || (peek().first_on_line && can_begin) || at_closing_end() ||
      at_section_start()) {
    report(kMissingSemicolon, fmt::format("';' is missing after {}", after), after_previous());
    return;
  }
  std::string hint;
  if (position_ > 0 &&
      (tokens_[position_ - 1].kind == TokenKind::integer || tokens_[position_ - 1].kind == TokenKind::real ||
       kind == TokenKind::left_parenthesis)) {
    hint = "a product is written with '*'";
  } else if (kind == TokenKind::equals) {
    hint = "one equation has one '='; is a ';' missing before it?";
  }
  fail_expected("';'", std::move(hint));
}

void ParserBase::close_bracket(TokenKind closing, const Token& open) {
  if (recovering_ || accept(closing)) {
    return;
  }
  const TokenKind kind = peek().kind;
  const bool other_closing = kind == TokenKind::right_parenthesis || kind == TokenKind::right_brace ||
                             kind == TokenKind::right_bracket;
  const bool ends_here = kind == TokenKind::semicolon || kind == TokenKind::end_of_file ||
                         kind == TokenKind::kw_then || kind == TokenKind::kw_loop || at_closing_end() ||
                         at_section_start();
  if (other_closing || ends_here) {
    Diagnostic* diagnostic =
        report(kUnclosedBracket,
               fmt::format("'{}' is missing to close '{}'", token_text(closing), token_text(open.kind)),
               other_closing ? peek().span : after_previous());
    if (diagnostic != nullptr) {
      diagnostic->notes.push_back({fmt::format("'{}' is opened here", token_text(open.kind)), open.span});
    }
    if (other_closing) {
      take();
    }
    return;
  }
  if (kind == TokenKind::equals && open_matrices_ > 0 && open.kind == TokenKind::left_bracket) {
    fail(kUnclosedBracket, "']' is missing to close this '['", open.span);
    return;
  }
  if (kind == TokenKind::equals) {
    fail(kEquationAsComparison, "'=' cannot stand inside an expression", peek().span,
         "values are compared by '=='");
    return;
  }
  const bool after_number = position_ > 0 && (tokens_[position_ - 1].kind == TokenKind::integer ||
                                              tokens_[position_ - 1].kind == TokenKind::real);
  fail_expected(fmt::format("',' or '{}'", token_text(closing)),
                after_number ? "a product is written with '*'" : "");
}

Symbol ParserBase::expect_name(std::string_view what, SourceSpan* span) {
  if (recovering_) {
    return {};
  }
  if (!at_identifier()) {
    if (!is_keyword(peek().kind) || is_structural(peek().kind)) {
      fail_expected(what);
      return {};
    }
    report(kReservedWord, fmt::format("'{}' is a reserved word and cannot be a name", text(peek())),
           peek().span, fmt::format("choose another name, or put it in quotes: '{}'", text(peek())));
  }
  const Token token = take();
  if (span != nullptr) {
    *span = token.span;
  }
  return symbol_of(token);
}

bool ParserBase::repair_keyword(std::size_t ahead, std::initializer_list<TokenKind> candidates) {
  if (recovering_ || peek(ahead).kind != TokenKind::identifier) {
    return false;
  }
  const Token& token = peek(ahead);
  const std::size_t place =
      std::min(position_ + ahead, tokens_.size() - 1);  // the last error moves on to the end
  for (const TokenKind candidate : candidates) {
    if (looks_like(text(token), token_text(candidate))) {
      report(kMisspeltKeyword, fmt::format("'{}' is no keyword", text(token)), token.span,
             fmt::format("did you mean '{}'?", token_text(candidate)));
      tokens_[place].kind = candidate;
      return true;
    }
  }
  return false;
}

bool ParserBase::repair_word(std::size_t ahead, Token::Meant meant) {
  const Token& token = peek(ahead);
  if (recovering_ || token.kind != TokenKind::identifier || token.meant != Token::Meant::as_written ||
      at_word(word_text(meant), ahead) || !looks_like(text(token), word_text(meant))) {
    return false;
  }
  const std::size_t place = std::min(position_ + ahead, tokens_.size() - 1);
  report(kMisspeltKeyword, fmt::format("'{}' is no keyword", text(token)), token.span,
         fmt::format("did you mean '{}'?", word_text(meant)));
  tokens_[place].meant = meant;
  return true;
}

ParserBase::Nesting::Nesting(ParserBase& parser) : parser_(parser) {
  if (++parser.depth_ > kMaxNestingDepth && !parser.gave_up_) {
    parser.report(kNestingTooDeep, fmt::format("the text is nested deeper than {} levels", kMaxNestingDepth),
                  parser.peek().span, "the rest of the file is not read");
    parser.give_up();
  }
}

}  // namespace saltus::lang
