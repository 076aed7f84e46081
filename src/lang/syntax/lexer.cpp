#include "lang/syntax/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/work_watch.hpp"
#include "lang/syntax/diagnostic_codes.hpp"
#include "lang/syntax/lexer_character.hpp"

namespace saltus::lang {
namespace {

/// Typographic characters that word processors put in the place of ASCII ones.
struct Lookalike {
  std::uint32_t code_point;
  std::string_view name;
  std::string_view ascii;
  TokenKind kind;  ///< what it stands for; end_of_file: white space
};

constexpr std::array<Lookalike, 14> kLookalikes = {
    {{0x00a0, "a no-break space", " ", TokenKind::end_of_file},
     {0x2009, "a thin space", " ", TokenKind::end_of_file},
     {0x200b, "a zero-width space", " ", TokenKind::end_of_file},
     {0xfeff, "a byte order mark", " ", TokenKind::end_of_file},
     {0x2212, "a minus sign", "-", TokenKind::minus},
     {0x2013, "a dash", "-", TokenKind::minus},
     {0x00b7, "a middle dot", "*", TokenKind::star},
     {0x00d7, "a multiplication sign", "*", TokenKind::star},
     {0x2264, "a less-or-equal sign", "<=", TokenKind::less_equal},
     {0x2265, "a greater-or-equal sign", ">=", TokenKind::greater_equal},
     {0x2260, "a not-equal sign", "<>", TokenKind::not_equal},
     {0x201c, "a typographic quotation mark", "\"", TokenKind::error},
     {0x201d, "a typographic quotation mark", "\"", TokenKind::error},
     {0x2019, "a typographic quotation mark", "'", TokenKind::error}}};

/// Spellings of operators in other languages.
struct ForeignOperator {
  std::string_view spelling;
  std::string_view meant;
  TokenKind kind;
};

constexpr std::array<ForeignOperator, 9> kForeignOperators = {{{"!=", "<>", TokenKind::not_equal},
                                                               {"~=", "<>", TokenKind::not_equal},
                                                               {"&&", "and", TokenKind::kw_and},
                                                               {"||", "or", TokenKind::kw_or},
                                                               {"**", "^", TokenKind::caret},
                                                               {"=>", ">=", TokenKind::greater_equal},
                                                               {"=<", "<=", TokenKind::less_equal},
                                                               {"!", "not", TokenKind::kw_not},
                                                               {"%", "mod(a, b)", TokenKind::error}}};

class Lexer {
 public:
  Lexer(const SourceText& source, Diagnostics& diagnostics, std::size_t max_errors)
      : text_(source.text()), diagnostics_(diagnostics), error_limit_(diagnostics.n_errors() + max_errors) {}

  std::vector<Token> run() {
    tokens_.reserve(text_.size() / 4 + 1);
    if (text_.substr(0, 3) == "\xef\xbb\xbf") {
      position_ = 3;
    }
    while (diagnostics_.n_errors() < error_limit_ && skip_blanks()) {
      count_work(kWorkOfAToken);
      next_token();
    }
    position_ = text_.size();
    add(TokenKind::end_of_file, position_);
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }
  [[nodiscard]] static SourceSpan span(std::size_t begin, std::size_t end) {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin)};
  }
  void add(TokenKind kind, std::size_t begin) {
    tokens_.push_back({span(begin, position_), kind, line_ended_, Token::Meant::as_written});
    line_ended_ = false;
  }
  void take(TokenKind kind, std::size_t length) {
    const std::size_t begin = position_;
    position_ += length;
    add(kind, begin);
  }
  void error(DiagnosticCode code, std::string message, std::size_t begin, std::size_t end,
             std::string hint = {}) {
    diagnostics_.error(code, std::move(message), span(begin, end), std::move(hint));
  }

  /// Skips white space and comments; false at the end of the text.
  bool skip_blanks() {
    while (position_ < text_.size()) {
      const char c = text_[position_];
      if (c == '\n') {
        line_ended_ = true;
        ++position_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
        ++position_;
      } else if (c == '/' && peek(1) == '/') {
        const std::size_t end = text_.find('\n', position_);
        position_ = end == std::string_view::npos ? text_.size() : end;
      } else if (c == '/' && peek(1) == '*') {
        skip_block_comment();
      } else {
        return true;
      }
    }
    return false;
  }

  void skip_block_comment() {
    const std::size_t end = text_.find("*/", position_ + 2);
    if (end == std::string_view::npos) {
      error(kUnterminatedComment, "this comment is not closed", position_, position_ + 2,
            "close it with '*/'");
      take(TokenKind::error, text_.size() - position_);
      return;
    }
    line_ended_ =
        line_ended_ || text_.substr(position_, end - position_).find('\n') != std::string_view::npos;
    position_ = end + 2;
  }

  void next_token() {
    const char c = text_[position_];
    if (is_name_start(c)) {
      name();
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else if (c == '"') {
      string();
    } else if (c == '\'') {
      quoted_name();
    } else if (static_cast<unsigned char>(c) >= 0x80U) {
      beyond_ascii();
    } else if (!foreign_operator()) {
      punctuation();
    }
  }

  void name() {
    const std::size_t begin = position_;
    while (is_name_part(peek())) {
      ++position_;
    }
    if (static_cast<unsigned char>(peek()) >= 0x80U && letter_at(text_, position_)) {
      foreign_letters(begin);
      return;
    }
    add(keyword_or_identifier(text_.substr(begin, position_ - begin)), begin);
  }

  /// A name that goes on with letters outside ASCII, as one token.
  void foreign_letters(std::size_t begin) {
    const std::size_t first = position_;
    while (is_name_part(peek()) || letter_at(text_, position_)) {
      position_ += decode_utf8(text_, position_).length;
    }
    error(kInvalidCharacter,
          fmt::format("'{}' cannot stand in a plain name",
                      text_.substr(first, decode_utf8(text_, first).length)),
          first, first + decode_utf8(text_, first).length,
          fmt::format("put the name in quotes: '{}'", text_.substr(begin, position_ - begin)));
    add(TokenKind::identifier, begin);
  }

  void beyond_ascii() {
    const Utf8 point = decode_utf8(text_, position_);
    if (!point.valid) {
      const std::size_t begin = position_;
      while (position_ < text_.size() && !decode_utf8(text_, position_).valid) {
        ++position_;
      }
      error(kInvalidCharacter, "this byte is not valid UTF-8", begin, begin + 1, "save the file in UTF-8");
      add(TokenKind::error, begin);
      return;
    }
    for (const Lookalike& lookalike : kLookalikes) {
      if (lookalike.code_point == point.code) {
        error(kInvalidCharacter, fmt::format("this is {}", lookalike.name), position_,
              position_ + point.length,
              lookalike.ascii == " " ? "replace it by a plain space"
                                     : fmt::format("write {}", lookalike.ascii));
        lookalike.kind == TokenKind::end_of_file ? void(position_ += point.length)
                                                 : take(lookalike.kind, point.length);
        return;
      }
    }
    if (letter_at(text_, position_)) {
      foreign_letters(position_);
      return;
    }
    error(kInvalidCharacter, fmt::format("'{}' has no meaning here", text_.substr(position_, point.length)),
          position_, position_ + point.length);
    take(TokenKind::error, point.length);
  }

  /// digits [. [digits]] [e [+-] digits]
  void number() {
    const std::size_t begin = position_;
    bool is_real = false;
    std::string fault = peek() == '.' ? "a number begins with a digit" : "";
    skip_digits();
    if (peek() == '.') {
      is_real = true;
      ++position_;
      skip_digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      is_real = true;
      ++position_;
      position_ += peek() == '+' || peek() == '-' ? 1 : 0;
      if (!is_digit(peek())) {
        fault = "the exponent of this number has no digits";
      }
      skip_digits();
    }
    if (is_name_part(peek())) {
      fault = "letters follow this number directly";
    } else if (peek() == '.' && is_digit(peek(1))) {
      fault = "this number has two decimal points";
    }
    if (!fault.empty()) {
      while (is_name_part(peek()) || (peek() == '.' && is_digit(peek(1)))) {
        ++position_;
      }
      const bool bare_point = text_[begin] == '.';
      error(kInvalidNumber, fault, begin, position_,
            bare_point ? fmt::format("write 0{}", text_.substr(begin, position_ - begin))
                       : "numbers are written like 42, 0.5 or 1.5e-3; a product needs '*'");
      add(TokenKind::error, begin);
      return;
    }
    add(is_real ? TokenKind::real : TokenKind::integer, begin);
  }

  void skip_digits() {
    while (is_digit(peek())) {
      ++position_;
    }
  }

  void string() {
    const std::size_t begin = position_++;
    bool several_lines = false;
    std::size_t first_line_end = std::string_view::npos;
    while (position_ < text_.size() && text_[position_] != '"') {
      if (text_[position_] == '\n' && !several_lines) {
        several_lines = true;
        first_line_end = position_;
      }
      position_ += text_[position_] == '\\' ? 2 : 1;
    }
    if (position_ >= text_.size()) {
      unterminated_string(begin, first_line_end);
      return;
    }
    ++position_;
    check_characters(begin);
    if (several_lines && first_long_string_.length == 0) {
      first_long_string_ = span(begin, begin + 1);
    }
    add(TokenKind::string, begin);
  }

  /// Goes on after the line, as if the string ended there.
  void unterminated_string(std::size_t begin, std::size_t first_line_end) {
    Diagnostic& diagnostic = diagnostics_.error(kUnterminatedString, "this string is not closed",
                                                span(begin, begin + 1), "close it with '\"'");
    if (first_long_string_.length != 0) {
      diagnostic.notes.push_back(
          {"this string goes over several lines: is its closing quote missing?", first_long_string_});
    }
    position_ = first_line_end == std::string_view::npos ? text_.size() : first_line_end;
    add(TokenKind::error, begin);
  }

  void quoted_name() {
    const std::size_t begin = position_++;
    while (position_ < text_.size() && text_[position_] != '\'' && text_[position_] != '\n') {
      position_ += text_[position_] == '\\' && peek(1) != '\n' ? 2 : 1;
    }
    position_ = std::min(position_, text_.size());
    if (peek() != '\'' || position_ == text_.size()) {
      error(kUnterminatedQuotedName, "this quoted name is not closed on its line", begin, begin + 1,
            "close it with \"'\"; texts are written in double quotes");
      add(TokenKind::error, begin);
      return;
    }
    ++position_;
    if (position_ - begin == 2) {
      error(kSyntaxError, "a quoted name needs at least one character", begin, position_);
      add(TokenKind::error, begin);
      return;
    }
    const std::size_t n_before = diagnostics_.n_errors();
    check_characters(begin);
    add(diagnostics_.n_errors() == n_before ? TokenKind::quoted_identifier : TokenKind::error, begin);
  }

  /// Escapes and bytes of the string or quoted name that ends at the current position.
  void check_characters(std::size_t begin) {
    const bool is_name = text_[begin] == '\'';
    for (std::size_t i = begin + 1; i + 1 < position_; ++i) {
      const auto c = static_cast<unsigned char>(text_[i]);
      if (c == '\\') {
        if (!escaped_character(text_[i + 1])) {
          error(kInvalidEscape, "this escape sequence is unknown", i,
                i + 1 + decode_utf8(text_, i + 1).length,
                "write \\\\ for a backslash; known are \\n \\t \\r \\\" \\' \\? \\a \\b \\f \\v");
        }
        ++i;
      } else if (c == 0) {
        error(kInvalidCharacter, "a zero byte in the text", i, i + 1,
              "the file may be damaged, or not in UTF-8");
        return;
      } else if (c >= 0x80U) {
        const Utf8 point = decode_utf8(text_, i);
        if (is_name && !point.valid) {
          error(kInvalidCharacter, "this byte is not valid UTF-8", i, i + 1, "save the file in UTF-8");
          return;
        }
        i += point.length - 1;
      }
    }
  }

  bool foreign_operator() {
    for (const ForeignOperator& foreign : kForeignOperators) {
      if (foreign.spelling.front() == text_[position_] &&
          text_.substr(position_, foreign.spelling.size()) == foreign.spelling) {
        error(kSyntaxError, fmt::format("'{}' is no operator of this language", foreign.spelling), position_,
              position_ + foreign.spelling.size(), fmt::format("write {}", foreign.meant));
        take(foreign.kind, foreign.spelling.size());
        return true;
      }
    }
    return false;
  }

  void punctuation() {
    const char next = peek(1);
    switch (text_[position_]) {
      case '(': return take(TokenKind::left_parenthesis, 1);
      case ')': return take(TokenKind::right_parenthesis, 1);
      case '{': return take(TokenKind::left_brace, 1);
      case '}': return take(TokenKind::right_brace, 1);
      case '[': return take(TokenKind::left_bracket, 1);
      case ']': return take(TokenKind::right_bracket, 1);
      case ',': return take(TokenKind::comma, 1);
      case ';': return take(TokenKind::semicolon, 1);
      case '+': return take(TokenKind::plus, 1);
      case '-': return take(TokenKind::minus, 1);
      case '/': return take(TokenKind::slash, 1);
      case '^': return take(TokenKind::caret, 1);
      case '*':
        if (next == '/') {
          error(kStrayToken, "'*/' closes no comment", position_, position_ + 2, "comments do not nest");
          return take(TokenKind::error, 2);
        }
        return take(TokenKind::star, 1);
      case ':': return next == '=' ? take(TokenKind::assign, 2) : take(TokenKind::colon, 1);
      case '=': return next == '=' ? take(TokenKind::equal_equal, 2) : take(TokenKind::equals, 1);
      case '<':
        return next == '=' ? take(TokenKind::less_equal, 2)
                           : (next == '>' ? take(TokenKind::not_equal, 2) : take(TokenKind::less, 1));
      case '>': return next == '=' ? take(TokenKind::greater_equal, 2) : take(TokenKind::greater, 1);
      case '.': return dot(next);
      default: return unknown_character();
    }
  }

  void dot(char next) {
    switch (next) {
      case '+': return take(TokenKind::dot_plus, 2);
      case '-': return take(TokenKind::dot_minus, 2);
      case '*': return take(TokenKind::dot_star, 2);
      case '/': return take(TokenKind::dot_slash, 2);
      case '^': return take(TokenKind::dot_caret, 2);
      default: return take(TokenKind::dot, 1);
    }
  }

  /// One report for a run of the same byte (a damaged file holds thousands of zeros).
  void unknown_character() {
    const std::size_t begin = position_;
    const char c = text_[begin];
    while (position_ < text_.size() && text_[position_] == c) {
      ++position_;
    }
    if (c == '\0') {
      error(kInvalidCharacter, "a zero byte in the text", begin, position_,
            "the file may be damaged, or not in UTF-8");
    } else if (static_cast<unsigned char>(c) < 0x20U || c == 0x7f) {
      error(kInvalidCharacter, fmt::format("a control character (code {})", static_cast<int>(c)), begin,
            position_);
    } else {
      error(kInvalidCharacter, fmt::format("'{}' has no meaning here", c), begin, begin + 1);
    }
    add(TokenKind::error, begin);
  }

  std::string_view text_;
  Diagnostics& diagnostics_;
  std::size_t error_limit_;
  std::size_t position_ = 0;
  bool line_ended_ = true;
  SourceSpan first_long_string_;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> lex(const SourceText& source, Diagnostics& diagnostics, std::size_t max_errors) {
  return Lexer(source, diagnostics, max_errors).run();
}

}  // namespace saltus::lang
