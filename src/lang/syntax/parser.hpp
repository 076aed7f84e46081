/// From model text to the syntax tree.
#pragma once

#include "lang/syntax/ast.hpp"
#include "lang/syntax/damage.hpp"
#include "lang/syntax/dialect.hpp"
#include "saltus/diagnostic.hpp"
#include "saltus/source_text.hpp"

namespace saltus::lang {

struct ParseResult {
  Ast ast;          ///< as far as the text could be understood
  Damage damage;    ///< where it could not
  bool ok = false;  ///< no error was reported
};

/// Brackets, calls, blocks and if-expressions may be nested this deep; deeper text is reported, not parsed.
inline constexpr int kMaxNestingDepth = 256;

/// After this many errors the parser stops and says so.
inline constexpr int kMaxReportedErrors = 100;

/// Parses a whole file. Problems are added to `diagnostics` in the order of the text; parsing goes on after
/// an error, so one call reports them all (up to kMaxReportedErrors). Never throws on account of the text.
/// Costs O(length of the text) time and memory.
/// `refusals`: whether constructs that the language does not have are errors or are kept in Ast::refusals.
enum class Refusals { report, keep };
[[nodiscard]] ParseResult parse(const SourceText& source, Dialect dialect, Diagnostics& diagnostics,
                                Refusals refusals = Refusals::report);

}  // namespace saltus::lang
