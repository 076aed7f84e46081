#include "api/optimize/constraint_text.hpp"

#include <fmt/format.h>

#include <optional>

#include "api/gradient/diagnostic_codes.hpp"
#include "lang/syntax/lexer.hpp"

namespace saltus::api {
namespace {

std::optional<ConstraintText::Relation> relation_of(lang::TokenKind kind) {
  switch (kind) {
    case lang::TokenKind::less_equal: return ConstraintText::Relation::at_most;
    case lang::TokenKind::greater_equal: return ConstraintText::Relation::at_least;
    case lang::TokenKind::equal_equal: return ConstraintText::Relation::equal;
    default: return std::nullopt;
  }
}

int depth_of(lang::TokenKind kind) {
  switch (kind) {
    case lang::TokenKind::left_parenthesis:
    case lang::TokenKind::left_bracket:
    case lang::TokenKind::left_brace:
    case lang::TokenKind::kw_if: return 1;
    case lang::TokenKind::right_parenthesis:
    case lang::TokenKind::right_bracket:
    case lang::TokenKind::right_brace:
    case lang::TokenKind::kw_else: return -1;
    default: return 0;
  }
}

}  // namespace

Result<ConstraintText> read_constraint(const std::string& text) {
  const auto source = std::make_shared<const SourceText>("--subject", text);
  Diagnostics problems(source);
  int depth = 0;
  int n_relations = 0;
  ConstraintText found;
  for (const lang::Token& token : lang::lex(*source, problems, 1)) {
    depth += depth_of(token.kind);
    if (const auto relation = relation_of(token.kind); relation && depth == 0) {
      ++n_relations;
      found = {text.substr(0, token.span.offset), text.substr(token.span.end()), *relation};
    }
  }
  if (n_relations != 1 && !problems.has_errors()) {
    problems.error(kWrongFunctional, "a constraint is two functionals with <=, >= or == between them",
                   SourceSpan{0, static_cast<std::uint32_t>(text.size())}, "as in 'final(x) <= 3'");
  }
  if (problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  return found;
}

}  // namespace saltus::api
