// What all parts of the parser share: the position in the token list, reports, recovery, open blocks.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "lang/syntax/ast_builder.hpp"
#include "lang/syntax/damage.hpp"
#include "lang/syntax/diagnostic_codes.hpp"
#include "lang/syntax/dialect.hpp"
#include "lang/syntax/token.hpp"
#include "saltus/diagnostic.hpp"
#include "saltus/source_text.hpp"

namespace saltus::lang {

/// Errors are of two sorts. After report() the parser knows how to go on and does. After fail() it does not: it is then
/// `recovering`, says nothing more, every list ends, and the innermost loop over statements or declarations calls
/// synchronize(), which skips to the next place where such a loop can go on.
class ParserBase {
 public:
  ParserBase(const SourceText& source, std::vector<Token> tokens, Dialect dialect, Diagnostics& diagnostics,
             std::size_t max_errors);
  virtual ~ParserBase() = default;
  ParserBase(const ParserBase&) = delete;
  ParserBase& operator=(const ParserBase&) = delete;

  /// What the language does not have is noted in the tree instead of reported: the class may never be used.
  void keep_refusals() { keeps_refusals_ = true; }

 protected:
  // The current place.
  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const {
    return tokens_[position_ + ahead < tokens_.size() ? position_ + ahead : tokens_.size() - 1];
  }
  [[nodiscard]] bool at(TokenKind kind) const { return tokens_[position_].kind == kind; }
  [[nodiscard]] bool at_identifier(std::size_t ahead = 0) const {
    const TokenKind kind = peek(ahead).kind;
    return kind == TokenKind::identifier || kind == TokenKind::quoted_identifier;
  }
  /// At an unquoted identifier spelt like this.
  [[nodiscard]] bool at_word(std::string_view word, std::size_t ahead = 0) const;
  Token take();
  bool accept(TokenKind kind);
  [[nodiscard]] std::size_t position() const { return position_; }
  /// Grows whenever a token is read or an error is reported: loops that see no change must take a token themselves.
  [[nodiscard]] std::size_t progress() const { return position_ + diagnostics_.n_errors(); }
  [[nodiscard]] bool has_errors() const { return diagnostics_.has_errors(); }
  /// Back to a place noted before, to read the text from there in another way.
  void rewind(std::size_t position);
  [[nodiscard]] SourceSpan previous() const { return previous_; }
  /// The place just after the token before the current one, where something is missing.
  [[nodiscard]] SourceSpan after_previous() const { return {previous_.end(), 0}; }
  /// From the start of `first` to the end of the last token taken.
  [[nodiscard]] SourceSpan since(SourceSpan first) const { return cover(first, previous_); }
  [[nodiscard]] std::string_view text(const Token& token) const { return source_.text(token.span); }
  [[nodiscard]] Symbol symbol_of(const Token& token);
  /// For messages: `'while'`, `'x'`, `a string`, `the end of the file`.
  [[nodiscard]] std::string describe(const Token& token) const;

  // Reports.
  /// Null when nothing is said: while recovering, and about a token the lexer has reported already.
  Diagnostic* report(DiagnosticCode code, std::string message, SourceSpan span, std::string hint = {});
  Diagnostic* fail(DiagnosticCode code, std::string message, SourceSpan span, std::string hint = {});
  /// "expected <what>, found <current token>"
  void fail_expected(std::string_view what, std::string hint = {});
  void warn(DiagnosticCode code, std::string message, SourceSpan span, std::string hint = {});
  void refuse(std::string_view construct, SourceSpan span, std::string hint = {});
  [[nodiscard]] bool recovering() const { return recovering_; }
  /// Ends the parse: nothing more is read or said.
  void give_up();

  // What must stand here.
  bool expect(TokenKind kind, std::string_view after);
  /// A keyword such as `then`; reported with `code` and read as if it were there when it is missing.
  void expect_keyword(TokenKind keyword, DiagnosticCode code, std::string_view opener);
  void expect_semicolon(std::string_view after);
  /// Reads the bracket that closes `open`.
  void close_bracket(TokenKind closing, const Token& open);
  /// A name that is being declared or referred to; a reserved word is reported and read as the name.
  Symbol expect_name(std::string_view what, SourceSpan* span = nullptr);
  /// If token `ahead` is an identifier that looks like one of these keywords, reports it and turns it into the keyword.
  bool repair_keyword(std::size_t ahead, std::initializer_list<TokenKind> candidates);
  /// The same for the words of mode blocks, which are no keywords.
  bool repair_word(std::size_t ahead, Token::Meant meant);

  // What could not be read.
  /// A statement, declaration or other element begins here; an error in it damages it from here to the next one.
  void begin_element();
  /// How many parts are damaged so far.
  [[nodiscard]] std::size_t n_damages() const { return damage_.regions.size() + (is_damaged_ ? 1 : 0); }
  /// Ends the last part; call once at the end of the text.
  [[nodiscard]] Damage take_damage();

  // Recovery.
  void synchronize();
  /// While recovering: goes on at this keyword if it stands on the same line, before a semicolon.
  void recover_at(TokenKind keyword);
  [[nodiscard]] bool keyword_follows(TokenKind keyword) const {
    return find_on_line(keyword) < tokens_.size();
  }
  /// `end` of a block, not of a subscript.
  [[nodiscard]] bool at_closing_end() const;
  /// A keyword with which another section, class or mode begins.
  [[nodiscard]] bool at_section_start() const;
  [[nodiscard]] bool at_mode_start() const;
  [[nodiscard]] bool at_transition() const;
  /// Skips to the semicolon that ends the element, brackets and all, and reads it.
  void skip_past_semicolon();

  // Blocks that must be closed by an `end`.
  struct OpenBlock {
    TokenKind keyword;  ///< if, for, when, while; `identifier`: closed by its name
    Symbol name;        ///< of a class or mode; "transition"
    SourceSpan span;
    std::string hint;  ///< said when the end is missing
  };
  void open_block(OpenBlock block) { blocks_.push_back(std::move(block)); }
  /// At the end of the innermost block, or where it should be: reads `end if`, `end Name`, or reports.
  void close_block();

  /// Counts the nesting of the text; too deep ends the parse.
  class Nesting {
   public:
    explicit Nesting(ParserBase& parser);
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    ~Nesting() { --parser_.depth_; }

   private:
    ParserBase& parser_;
  };

  const SourceText& source_;
  const Dialect dialect_;
  AstBuilder builder_;
  bool keeps_refusals_ = false;
  int open_matrices_ = 0;  ///< `[` of matrices around the current place: there `;` does not end a statement

 private:
  [[nodiscard]] std::size_t find_on_line(TokenKind keyword) const;
  /// Everything from this token on is damaged until the next element begins.
  void mark_damage(std::size_t first);
  void close_damage();
  [[nodiscard]] std::size_t token_at(SourceSpan span) const;
  [[nodiscard]] bool closes(const OpenBlock& block, const Token& word) const;
  [[nodiscard]] std::string end_text(const OpenBlock& block) const;
  [[nodiscard]] bool matrix_goes_on() const;
  void report_missing_end(const OpenBlock& block);

  std::vector<Token> tokens_;
  std::size_t position_ = 0;
  SourceSpan previous_;
  Diagnostics& diagnostics_;
  std::size_t error_limit_;
  bool recovering_ = false;
  bool gave_up_ = false;
  int pending_matrices_ = 0;  ///< open_matrices_ where fail() was called
  int depth_ = 0;
  std::vector<OpenBlock> blocks_;
  Damage damage_;
  std::size_t element_ = 0;  ///< where the current element begins
  bool is_damaged_ = false;
  std::size_t damaged_from_ = 0;  ///< first token of the damaged part that has not ended yet
};

}  // namespace saltus::lang
