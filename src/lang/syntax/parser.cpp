// Problem     A model text may be wrong in many places; every one is to be named in one run, where a person would look.
// Method      Recursive descent over the grammar of Modelica 3.6 (appendix A.2) reduced to LANGUAGE's subset, with
//             recovery in panic mode: Aho, Lam, Sethi, Ullman, Compilers, 2nd ed., section 4.1.4 (synchronising tokens:
//             semicolon, `end`, section keywords). Chains of one level of precedence are loops, not recursion.
// Contract    O(length) time and memory; no recursion deeper than kMaxNestingDepth levels of the text; diagnostics
//             come in the order of the text.
// Choices     All tokens first (12 bytes each): looking ahead and reading a misspelt keyword again are then trivial.
//             What Modelica allows and saltus does not is parsed or skipped, and refused by its name.
// Fails when  After kMaxReportedErrors errors or beyond the nesting limit the rest of the text is not read.
// Checked by  tests/unit/lang/parser_*_test.cpp, tests/corpus/fail/{lexical,syntax}.test, fuzz/parse_fuzz.cpp
#include "lang/syntax/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "lang/syntax/class_parser.hpp"
#include "lang/syntax/diagnostic_codes.hpp"
#include "lang/syntax/lexer.hpp"

namespace saltus::lang {
namespace {

/// Adds what lexer and parser found in the order of the text, without warnings beyond the limit.
void add_in_order(const Diagnostics& found, Diagnostics& diagnostics) {
  std::vector<const Diagnostic*> order;
  for (const Diagnostic& item : found.items()) {
    order.push_back(&item);
  }
  std::stable_sort(order.begin(), order.end(), [](const Diagnostic* a, const Diagnostic* b) {
    return a->span.value_or(SourceSpan{}).offset < b->span.value_or(SourceSpan{}).offset;
  });
  int n_errors = 0;
  int n_warnings = 0;
  for (const Diagnostic* item : order) {
    int& count = item->severity == Severity::error ? n_errors : n_warnings;
    if (++count <= kMaxReportedErrors) {
      diagnostics.add(item->severity, DiagnosticCode{item->code}, item->message, item->span, item->hint)
          .notes = item->notes;
    }
  }
  if (n_errors >= kMaxReportedErrors) {
    diagnostics.add(
        Severity::note, kTooManyErrors,
        fmt::format("{} errors are shown; the rest of the file was not read", kMaxReportedErrors));
  }
}

}  // namespace

ParseResult parse(const SourceText& source, Dialect dialect, Diagnostics& diagnostics, Refusals refusals) {
  Diagnostics found;
  std::vector<Token> tokens = lex(source, found, kMaxReportedErrors);
  ParseResult result;
  if (found.n_errors() < static_cast<std::size_t>(kMaxReportedErrors)) {
    ClassParser parser(source, std::move(tokens), dialect, found, kMaxReportedErrors);
    if (refusals == Refusals::keep) {
      parser.keep_refusals();
    }
    result.ast = parser.file();
    result.damage = parser.damage();
  }
  result.ok = !found.has_errors();
  add_in_order(found, diagnostics);
  return result;
}

}  // namespace saltus::lang
