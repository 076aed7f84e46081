// The tokens of the model language.
#pragma once

#include <cstdint>
#include <string_view>

#include "saltus/source_text.hpp"

namespace saltus::lang {

/// Keywords are the reserved words of Modelica 3.6, section 2.3.3; `mode`, `transition`, `to`, `sliding` and
/// `between` are identifiers that have a meaning in some places of .saltus files only.
enum class TokenKind : std::uint8_t {
  end_of_file,
  error,  ///< reported by the lexer already
  identifier,
  quoted_identifier,
  integer,
  real,
  string,

  left_parenthesis,
  right_parenthesis,
  left_brace,
  right_brace,
  left_bracket,
  right_bracket,
  comma,
  semicolon,
  dot,
  colon,
  assign,  // :=
  equals,  // =
  equal_equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  plus,
  minus,
  star,
  slash,
  caret,
  dot_plus,
  dot_minus,
  dot_star,
  dot_slash,
  dot_caret,

  kw_algorithm,  // the first keyword: see is_keyword()
  kw_and,
  kw_annotation,
  kw_block,
  kw_break,
  kw_class,
  kw_connect,
  kw_connector,
  kw_constant,
  kw_constrainedby,
  kw_der,
  kw_discrete,
  kw_each,
  kw_else,
  kw_elseif,
  kw_elsewhen,
  kw_encapsulated,
  kw_end,
  kw_enumeration,
  kw_equation,
  kw_expandable,
  kw_extends,
  kw_external,
  kw_false,
  kw_final,
  kw_flow,
  kw_for,
  kw_function,
  kw_if,
  kw_import,
  kw_impure,
  kw_in,
  kw_initial,
  kw_inner,
  kw_input,
  kw_loop,
  kw_model,
  kw_not,
  kw_operator,
  kw_or,
  kw_outer,
  kw_output,
  kw_package,
  kw_parameter,
  kw_partial,
  kw_protected,
  kw_public,
  kw_pure,
  kw_record,
  kw_redeclare,
  kw_replaceable,
  kw_return,
  kw_stream,
  kw_then,
  kw_true,
  kw_type,
  kw_when,
  kw_while,
  kw_within,  // the last token kind
};

/// To read one and to take it, in units of base/work_watch.hpp.
inline constexpr std::int64_t kWorkOfAToken = 50;

struct Token {
  SourceSpan span;
  TokenKind kind = TokenKind::end_of_file;
  bool first_on_line = false;  ///< a line ends between the token before it and this one
  /// Of an identifier: the word of the language it was found to be a misspelling of.
  enum class Meant : std::uint8_t { as_written, mode, transition } meant = Meant::as_written;
};

[[nodiscard]] constexpr bool is_keyword(TokenKind kind) {
  return kind >= TokenKind::kw_algorithm;
}

/// As written ("while", ":="), or what it is ("a name", "a number", "the end of the file").
[[nodiscard]] std::string_view token_text(TokenKind kind);

/// The keyword with this spelling, or `identifier`.
[[nodiscard]] TokenKind keyword_or_identifier(std::string_view spelling);

/// Whether `word` looks like `intended` with a slip of the typing: another case, or at most two letters
/// inserted, lost, replaced or swapped with their neighbour (one only for intended words of up to four
/// letters).
[[nodiscard]] bool looks_like(std::string_view word, std::string_view intended);

}  // namespace saltus::lang
