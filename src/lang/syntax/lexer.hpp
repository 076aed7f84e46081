// From characters to tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/syntax/token.hpp"
#include "saltus/diagnostic.hpp"
#include "saltus/source_text.hpp"

namespace saltus::lang {

/// Splits the whole text into tokens; the last one is end_of_file, at the end of the text. Comments and white
/// space (CR included) disappear, a byte order mark at the start is skipped. Faults are added to
/// `diagnostics`; what was probably meant is returned where that is clear (`!=` gives not_equal), else a
/// token of kind error. Lexing ends early after `max_errors` errors. Strings and numbers are checked here but
/// their values are read by the parser.
[[nodiscard]] std::vector<Token> lex(const SourceText& source, Diagnostics& diagnostics,
                                     std::size_t max_errors);

/// The characters that a string literal or quoted identifier stands for, given with its quotes. Unknown
/// escapes stand for the character after the backslash; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string unescape(std::string_view literal);

}  // namespace saltus::lang
