// Modes and transitions (.saltus files).
#include <fmt/format.h>

#include "lang/syntax/class_parser.hpp"

namespace saltus::lang {

/// `mode x`, `initial mode x`, `sliding mode x between a, b`, or `initial mode = expression;`.
void ClassParser::mode_item(Class& item) {
  const SourceSpan start = peek().span;
  if (dialect_ == Dialect::modelica && !modes_refused_) {
    report(kNotSupported, "a .mo file cannot have modes, which Modelica does not know", start,
           "give the file the ending .saltus");
    modes_refused_ = true;
  } else if (item.kind == ClassKind::function) {
    report(kMisplacedStatement, "a function cannot have modes", start);
  }
  if (at(TokenKind::kw_initial) && peek(2).kind == TokenKind::equals) {
    take();
    take();
    take();
    if (item.initial_mode.valid()) {
      report(kSyntaxError, "'initial mode =' is given twice", start);
    }
    item.initial_mode = expression();
    item.initial_mode_span = since(start);
    return expect_semicolon("the choice of the initial mode");
  }
  Mode mode;
  mode_head(mode);
  if (recovering()) {
    return;
  }
  mode.span = since(start);
  open_block({TokenKind::identifier, mode.name, mode.span, {}});
  mode.description = description();
  mode_body(mode);
  mode.components.insert(mode.components.end(), misplaced_components_.begin(), misplaced_components_.end());
  misplaced_components_.clear();
  close_block();
  item.modes.push_back(std::move(mode));
}

void ClassParser::mode_head(Mode& mode) {
  if (accept(TokenKind::kw_initial)) {
    mode.is_initial = true;
  } else if (at_word("sliding")) {
    take();
    mode.is_sliding = true;
  }
  take();  // mode
  if (at(TokenKind::kw_equation) || at_transition()) {
    report(kSyntaxError, "the name of the mode is missing", after_previous());
    mode.name = builder_.intern("");
    mode.name_span = after_previous();
  } else {
    mode.name = expect_name("the name of the mode", &mode.name_span);
  }
  if (!mode.is_sliding || recovering()) {
    return;
  }
  if (!at_word("between")) {
    report(kSyntaxError, "a sliding mode lies between two modes", after_previous(),
           "write sliding mode x between a, b");
    return;
  }
  take();
  mode.between_first = expect_name("the name of a mode", &mode.between_first_span);
  if (at(TokenKind::kw_and) && !recovering()) {
    report(kSyntaxError, "the two modes are separated by ','", peek().span);
    take();
  } else if (!accept(TokenKind::comma)) {
    report(kSyntaxError, "a sliding mode lies between two modes", after_previous(),
           "write sliding mode x between a, b");
    return;
  }
  mode.between_second = expect_name("the name of a mode", &mode.between_second_span);
}

void ClassParser::mode_body(Mode& mode) {
  bool in_equations = false;
  while (!at(TokenKind::end_of_file)) {
    const std::size_t before = progress();
    if (!mode_body_item(mode, in_equations)) {
      return;
    }
    if (recovering()) {
      synchronize();
    }
    if (progress() == before) {
      take();
    }
  }
}

/// One thing in a mode; false at its end.
bool ClassParser::mode_body_item(Mode& mode, bool& in_equations) {
  begin_element();
  if (at_transition()) {
    transition(mode);
    return true;
  }
  if (at(TokenKind::kw_equation)) {
    take();
    in_equations = true;
    return true;
  }
  if (at(TokenKind::kw_initial) && peek(1).kind == TokenKind::kw_equation) {
    refuse("'initial equation' in a mode", peek().span, "give values by the jump equations of a transition");
    take();
    take();
    in_equations = true;
    return true;
  }
  if (at(TokenKind::kw_annotation)) {
    annotation_item(mode.annotations);
    return true;
  }
  if (at(TokenKind::kw_else) || at(TokenKind::kw_elseif) || at(TokenKind::kw_elsewhen)) {
    fail(kStrayToken, fmt::format("this '{}' belongs to nothing", text(peek())), peek().span,
         "was the block closed before it?");
    take();
    return true;
  }
  const bool block_end = at(TokenKind::kw_end) && !peek(1).first_on_line &&
                         (is_keyword(peek(1).kind) || at_word("transition", 1));
  if (block_end) {
    stray_end();
    return true;
  }
  if (at_end_of_statements() || at_class_start()) {
    return false;
  }
  if (!in_equations && !at_misplaced_equation()) {
    if (!at_identifier() && !at_declaration_prefix()) {
      fail_expected("a declaration, 'equation', a transition or 'end'");
    } else if (peek(1).first_on_line && repair_keyword(0, {TokenKind::kw_equation})) {
      return true;
    } else {
      component_clause(mode.components, {});
    }
    return true;
  }
  if (!in_equations) {
    report(kMisplacedStatement, "an equation cannot stand among the declarations", peek().span,
           "put the keyword 'equation' before it");
    in_equations = true;
  }
  ListBuilder<Statement> list(builder_);
  statement(list, StatementPlace::equation);
  mode.equations.insert(mode.equations.end(), list.items().begin(), list.items().end());
  return true;
}

/// `transition to x when c;` or `transition to x when c then … end transition;`
void ClassParser::transition(Mode& mode) {
  Transition item;
  const SourceSpan start = take().span;
  if (!at_word("to")) {
    report(kSyntaxError, "'to' is missing after 'transition'", after_previous());
  }
  if (at_word("to") || at_identifier(1)) {
    take();
  }
  item.target = expect_name("the name of the mode to enter", &item.target_span);
  if (at(TokenKind::semicolon)) {
    fail_expected("'when' and a condition");
    return;
  }
  expect_keyword(TokenKind::kw_when, kSyntaxError, "the target of the transition");
  item.condition = condition();
  if (at(TokenKind::identifier) && !recovering()) {
    repair_keyword(0, {TokenKind::kw_then});
  }
  if (!at(TokenKind::kw_then) && keyword_follows(TokenKind::kw_then)) {
    fail_expected("'then' or an operator");
  }
  recover_at(TokenKind::kw_then);
  if (recovering()) {
    return;
  }
  item.span = since(start);
  if (accept(TokenKind::kw_then)) {
    open_block({TokenKind::identifier, builder_.intern("transition"), item.span, {}});
    item.has_body = true;
    ListBuilder<Statement> list(builder_);
    statements(list, StatementPlace::equation);
    item.body = list.finish();
    close_block();
  } else {
    expect_semicolon("the transition");
  }
  mode.transitions.push_back(item);
}

}  // namespace saltus::lang
