#include "lang/syntax/statement_parser.hpp"

#include <fmt/format.h>

namespace saltus::lang {

bool StatementParser::at_end_of_statements() const {
  switch (peek().kind) {
    case TokenKind::end_of_file:
    case TokenKind::kw_end:
    case TokenKind::kw_else:
    case TokenKind::kw_elseif:
    case TokenKind::kw_elsewhen: return true;
    default: return at_section_start() || at_mode_start() || at_transition();
  }
}

void StatementParser::statements(ListBuilder<Statement>& list, StatementPlace place) {
  while (!at_end_of_statements()) {
    const std::size_t before = progress();
    statement(list, place);
    if (recovering()) {
      synchronize();
    }
    if (progress() == before) {
      take();
    }
  }
}

List<Statement> StatementParser::body(StatementPlace place) {
  ListBuilder<Statement> list(builder_);
  statements(list, place);
  return list.finish();
}

bool StatementParser::at_misplaced_declaration() const {
  if (at_declaration_prefix()) {
    return at_identifier(1) || is_keyword(peek(1).kind);
  }
  const bool builtin = at_word("Real") || at_word("Integer") || at_word("Boolean") || at_word("String");
  return builtin && at_identifier(1);
}

void StatementParser::statement(ListBuilder<Statement>& list, StatementPlace place) {
  const Nesting nesting(*this);
  begin_element();
  switch (peek().kind) {
    case TokenKind::kw_if:
    case TokenKind::kw_when: return branches(list, place);
    case TokenKind::kw_for: return for_block(list, place);
    case TokenKind::kw_while: return while_block(list, place);
    case TokenKind::kw_return:
    case TokenKind::kw_break: return jump_statement(list, place);
    case TokenKind::kw_connect: return connect_equation(list, place);
    case TokenKind::kw_extends:
    case TokenKind::kw_import:
    case TokenKind::kw_external:
      refuse(fmt::format("'{}'", text(peek())), peek().span);
      return skip_past_semicolon();
    case TokenKind::semicolon:
      warn(kStrayToken, "this ';' ends nothing", peek().span, "remove it");
      take();
      return;
    case TokenKind::kw_annotation:
      report(kMisplacedStatement, "an annotation stands at the end of a section, not inside a block",
             peek().span);
      annotation();
      return expect_semicolon("the annotation");
    default: break;
  }
  if (at_misplaced_declaration()) {
    report(kMisplacedStatement, "a declaration cannot stand among the equations", peek().span,
           "declare variables before the keyword 'equation'");
    return component_clause(misplaced_components_, {});
  }
  simple_statement(list, place);
}

/// `connect(a.p, b.n);` (Modelica 9.3)
void StatementParser::connect_equation(ListBuilder<Statement>& list, StatementPlace place) {
  const Token keyword = take();
  if (place == StatementPlace::algorithm) {
    report(kMisplacedStatement, "'connect' stands in equation sections", keyword.span);
  }
  Statement item;
  item.kind = StatementKind::connect;
  const Token open = peek();
  if (!expect(TokenKind::left_parenthesis, "'connect'")) {
    return;
  }
  item.left = expression();
  expect(TokenKind::comma, "the first end of 'connect'");
  item.right = expression();
  close_bracket(TokenKind::right_parenthesis, open);
  if (!recovering()) {
    finish_statement(list, item, keyword.span);
  }
}

/// An equation, an assignment or a call.
void StatementParser::simple_statement(ListBuilder<Statement>& list, StatementPlace place) {
  const std::size_t start = position();
  const SourceSpan start_span = peek().span;
  Statement item;
  item.left = simple_expression();
  if (recovering()) {
    return;
  }
  const bool algorithm = place == StatementPlace::algorithm;
  item.kind = algorithm ? StatementKind::assignment : StatementKind::equation;
  const ExpressionKind left_kind = builder_.ast()[item.left].kind;
  if (at(TokenKind::equals) || at(TokenKind::assign)) {
    if (at(TokenKind::equals) && algorithm) {
      report(kEquationInAlgorithm, "'=' cannot stand in an algorithm", peek().span,
             "values are assigned by ':='");
    } else if (at(TokenKind::assign) && !algorithm) {
      report(kAssignmentInEquation, "':=' cannot stand in an equation section", peek().span,
             "equations use '='");
    }
    take();
    item.right = expression();
  } else if (left_kind == ExpressionKind::call && (peek().first_on_line || !repair_statement(start))) {
    item.kind = StatementKind::call;
    item.right = item.left;
    item.left = {};
  } else if (left_kind == ExpressionKind::binary && builder_.ast()[item.left].op == Operator::equal) {
    comparison_as_equation(item);
  } else if (position() == start || repair_statement(start)) {
    return;
  } else {
    fail_expected(algorithm ? "':=' after the target of an assignment"
                            : "'=' after the left side of an equation");
    return;
  }
  finish_statement(list, item, start_span);
}

/// The statement begins with a misspelt keyword, if what follows can only be explained by that: goes back to read it
/// again.
bool StatementParser::repair_statement(std::size_t start) {
  if (at(TokenKind::semicolon) || recovering()) {
    return false;
  }
  const std::size_t here = position();
  rewind(start);
  if (at_word("to", 1) && repair_word(0, Token::Meant::transition)) {
    return true;
  }
  if (repair_keyword(0, {TokenKind::kw_when, TokenKind::kw_if, TokenKind::kw_for, TokenKind::kw_while,
                         TokenKind::kw_elsewhen, TokenKind::kw_elseif, TokenKind::kw_else, TokenKind::kw_end,
                         TokenKind::kw_equation, TokenKind::kw_algorithm, TokenKind::kw_initial,
                         TokenKind::kw_annotation, TokenKind::kw_parameter, TokenKind::kw_constant})) {
    return true;
  }
  rewind(here);
  return false;
}

void StatementParser::comparison_as_equation(Statement& item) {
  const std::span<const ExpressionId> sides = builder_.ast().operands(item.left);
  const std::uint32_t begin = builder_.ast()[sides[0]].span.end();
  const std::uint32_t end = builder_.ast()[sides[1]].span.offset;
  const std::size_t sign = source_.text({begin, end - begin}).find("==");
  report(kComparisonAsEquation, "'==' compares; an equation is written with '='",
         {begin + static_cast<std::uint32_t>(sign == std::string_view::npos ? 0 : sign), 2});
  item.right = sides[1];
  item.left = sides[0];
}

void StatementParser::finish_statement(ListBuilder<Statement>& list, Statement item, SourceSpan start) {
  item.span = since(start);
  item.description = description();
  annotation();
  list.push(item);
  expect_semicolon(item.kind == StatementKind::equation     ? "the equation"
                   : item.kind == StatementKind::assignment ? "the assignment"
                   : item.kind == StatementKind::connect    ? "'connect'"
                                                            : "the call");
}

/// if/elseif/else and when/elsewhen.
void StatementParser::branches(ListBuilder<Statement>& list, StatementPlace place) {
  const Token opener = peek();
  const bool is_if = opener.kind == TokenKind::kw_if;
  if (!is_if && place == StatementPlace::algorithm) {
    refuse("'when' in an algorithm", opener.span);
  }
  const bool after_else = source_.text(previous()) == "else" && !opener.first_on_line;
  open_block({opener.kind,
              {},
              opener.span,
              after_else ? "'else if' opens a new 'if'; write 'elseif' to go on with the old one" : ""});
  Statement item;
  item.kind = is_if ? StatementKind::if_block : StatementKind::when_block;
  ListBuilder<Branch> list_of_branches(builder_);
  bool has_else = false;
  do {
    const Token keyword = take();
    const bool wrong_family =
        (keyword.kind == TokenKind::kw_elsewhen) == is_if && keyword.kind != opener.kind;
    if (has_else || (list_of_branches.size() > 0 && wrong_family)) {
      report(kMisplacedStatement,
             has_else ? fmt::format("'{}' cannot follow 'else'", text(keyword))
                      : fmt::format("'{}' does not belong to '{}'", text(keyword), text(opener)),
             keyword.span);
    }
    Branch branch;
    if (keyword.kind == TokenKind::kw_else) {
      has_else = true;
    } else {
      branch.condition = condition();
      recover_at(TokenKind::kw_then);
      expect_keyword(TokenKind::kw_then, kMissingThen, fmt::format("the condition of '{}'", text(keyword)));
    }
    branch.span = since(keyword.span);
    branch.body = body(place);
    list_of_branches.push(branch);
  } while (at(TokenKind::kw_else) || at(TokenKind::kw_elseif) || at(TokenKind::kw_elsewhen));
  item.branches = list_of_branches.finish();
  close_block();
  item.span = since(opener.span);
  list.push(item);
}

void StatementParser::for_block(ListBuilder<Statement>& list, StatementPlace place) {
  const Token opener = take();
  open_block({opener.kind, {}, opener.span, {}});
  Statement item;
  item.kind = StatementKind::for_block;
  item.iterators = iterators();
  recover_at(TokenKind::kw_loop);
  expect_keyword(TokenKind::kw_loop, kMissingLoop, "the range of 'for'");
  ++n_loops_;
  item.body = body(place);
  --n_loops_;
  close_block();
  item.span = since(opener.span);
  list.push(item);
}

void StatementParser::while_block(ListBuilder<Statement>& list, StatementPlace place) {
  const Token opener = take();
  if (place == StatementPlace::equation) {
    report(kMisplacedStatement, "'while' can stand in the algorithm of a function only", opener.span);
  }
  open_block({opener.kind, {}, opener.span, {}});
  Statement item;
  item.kind = StatementKind::while_block;
  item.right = condition();
  recover_at(TokenKind::kw_loop);
  expect_keyword(TokenKind::kw_loop, kMissingLoop, "the condition of 'while'");
  ++n_loops_;
  item.body = body(place);
  --n_loops_;
  close_block();
  item.span = since(opener.span);
  list.push(item);
}

void StatementParser::jump_statement(ListBuilder<Statement>& list, StatementPlace place) {
  const Token keyword = take();
  if (place == StatementPlace::equation) {
    report(kMisplacedStatement,
           fmt::format("'{}' can stand in the algorithm of a function only", text(keyword)), keyword.span);
  } else if (keyword.kind == TokenKind::kw_break && n_loops_ == 0) {
    report(kMisplacedStatement, "'break' ends a loop, and there is none around it", keyword.span,
           "'return' ends the function");
  }
  Statement item;
  item.kind =
      keyword.kind == TokenKind::kw_return ? StatementKind::return_statement : StatementKind::break_statement;
  item.span = keyword.span;
  list.push(item);
  expect_semicolon(fmt::format("'{}'", text(keyword)));
}

}  // namespace saltus::lang
