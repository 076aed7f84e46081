// What classes are made of besides declarations and equations: 'within', short definitions, enumerations, 'extends', 'import'.
#include <fmt/format.h>

#include "lang/syntax/class_parser.hpp"

namespace saltus::lang {

/// `within A.B;` before the first class (Modelica 13.2).
void ClassParser::within_clause() {
  Ast& ast = builder_.ast();
  if (ast.has_within || !ast.classes.empty()) {
    report(kMisplacedStatement, "'within' stands once, before the first class", peek().span);
  }
  ast.has_within = true;
  ast.within_span = take().span;
  if (!at(TokenKind::semicolon)) {
    ast.within = dotted_name("the name of a package", &ast.within_span);
  }
  expect_semicolon("'within'");
}

/// `model A = B(k = 1)` in a modification, without a semicolon.
std::uint32_t ClassParser::class_in_modification(Class item) {
  const Nesting nesting(*this);
  const SourceSpan start = peek().span;
  item.is_in_modification = true;
  class_prefixes(item);
  if (!class_keyword(item)) {
    return kNoIndex;
  }
  const TokenKind keyword = take().kind;
  item.name = expect_name(fmt::format("the name of the {}", token_text(keyword)), &item.name_span);
  item.span = since(start);
  short_definition(item);
  item.extent = since(start);
  if (recovering()) {
    return kNoIndex;
  }
  builder_.ast().classes.push_back(std::move(item));
  return static_cast<std::uint32_t>(builder_.ast().classes.size() - 1);
}

/// `= Real(unit = "V") "text"`, `= enumeration(a, b)`; all but the semicolon (Modelica 4.5.1, 4.9.5).
void ClassParser::short_definition(Class& item) {
  if (!expect(TokenKind::equals, fmt::format("the name of the {}", to_string(item.kind)))) {
    return;
  }
  if (at(TokenKind::kw_enumeration)) {
    enumeration(item);
  } else if (at(TokenKind::kw_der)) {
    refuse("a function that is the derivative of another", peek().span);
    return skip_past_semicolon();
  } else {
    for (; at(TokenKind::kw_input) || at(TokenKind::kw_output); take()) {
      item.base_causality = at(TokenKind::kw_input) ? CausalityPrefix::input : CausalityPrefix::output;
    }
    item.base = dotted_name("a type", &item.base_span);
    if (at(TokenKind::left_bracket) && !recovering()) {
      item.dimensions = subscripts();
    }
    if (at(TokenKind::left_parenthesis) && !recovering()) {
      item.modifications = class_modification();
    }
  }
  item.description = description();
  for (const Modification& modification : builder_.ast()[annotation()]) {
    item.annotations.push_back(modification);
  }
  constraining_clause(item.constraint);
}

/// `enumeration(a "text", b)` or `enumeration(:)`.
void ClassParser::enumeration(Class& item) {
  take();
  item.is_enumeration = true;
  const Token open = peek();
  if (!expect(TokenKind::left_parenthesis, "'enumeration'")) {
    return;
  }
  if (!accept(TokenKind::colon)) {
    do {
      EnumerationLiteral literal;
      literal.name = expect_name("the name of a literal", &literal.span);
      description();
      annotation();
      item.literals.push_back(literal);
    } while (!recovering() && accept(TokenKind::comma));
  }
  close_bracket(TokenKind::right_parenthesis, open);
}

/// `extends Base(k = 1) annotation(…);` (Modelica 7.1).
void ClassParser::extends_clause(Class& item, bool is_protected) {
  const SourceSpan start = take().span;
  Extends clause;
  clause.is_protected = is_protected;
  clause.base = dotted_name("the name of a class", &clause.base_span);
  if (at(TokenKind::left_parenthesis) && !recovering()) {
    clause.modifications = class_modification();
  }
  clause.span = since(start);
  description();
  annotation();
  item.extends.push_back(clause);
  expect_semicolon("'extends'");
}

/// `external "builtin" y = sin(x);` (Modelica 12.9): the name before the parenthesis, or that of the function itself.
void ClassParser::built_in_body(Class& item) {
  take();
  take();
  item.built_in_function = item.name;
  for (std::size_t ahead = 0; ahead < 4; ++ahead) {
    if (at_identifier(ahead) && peek(ahead + 1).kind == TokenKind::left_parenthesis) {
      item.built_in_function = symbol_of(peek(ahead));
      break;
    }
  }
  skip_past_semicolon();
}

/// All four forms (Modelica 13.2.1).
void ClassParser::import_clause(Class& item) {
  const SourceSpan start = take().span;
  Import clause;
  if (at_identifier() && peek(1).kind == TokenKind::equals) {
    clause.alias = symbol_of(take());
    take();
  }
  std::string path(builder_.ast().text(expect_name("the name of a package or class")));
  Symbol last = builder_.intern(path);
  bool all = false;
  bool several = false;
  while (!recovering() && !several && at(TokenKind::dot)) {
    take();
    if (at(TokenKind::left_brace)) {
      several = true;
      break;
    }
    last = expect_name("a name after '.'");
    path.append(".").append(builder_.ast().text(last));
  }
  if (at(TokenKind::dot_star) && !recovering()) {
    take();
    all = true;
  }
  if (several) {
    const Token open = take();
    do {
      Import one;
      one.alias = expect_name("a name", &one.span);
      one.path = builder_.intern(fmt::format("{}.{}", path, builder_.ast().text(one.alias)));
      item.imports.push_back(one);
    } while (!recovering() && accept(TokenKind::comma));
    close_bracket(TokenKind::right_brace, open);
  } else {
    clause.path = builder_.intern(path);
    clause.alias = all ? Symbol() : clause.alias.valid() ? clause.alias : last;
    clause.span = since(start);
    item.imports.push_back(clause);
  }
  description();
  annotation();
  expect_semicolon("'import'");
}

}  // namespace saltus::lang
