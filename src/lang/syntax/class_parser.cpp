#include "lang/syntax/class_parser.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace saltus::lang {
namespace {

bool is_class_keyword(TokenKind kind) {
  switch (kind) {
    case TokenKind::kw_model:
    case TokenKind::kw_class:
    case TokenKind::kw_function:
    case TokenKind::kw_type:
    case TokenKind::kw_block:
    case TokenKind::kw_connector:
    case TokenKind::kw_package:
    case TokenKind::kw_record:
    case TokenKind::kw_operator: return true;
    default: return false;
  }
}

bool is_class_prefix(TokenKind kind) {
  return kind == TokenKind::kw_partial || kind == TokenKind::kw_encapsulated ||
         kind == TokenKind::kw_expandable || kind == TokenKind::kw_pure || kind == TokenKind::kw_impure ||
         kind == TokenKind::kw_final || kind == TokenKind::kw_replaceable ||
         kind == TokenKind::kw_redeclare || kind == TokenKind::kw_inner || kind == TokenKind::kw_outer;
}

}  // namespace

bool ClassParser::at_class_start(std::size_t ahead) const {
  std::size_t n_prefixes = ahead;
  while (is_class_prefix(peek(n_prefixes).kind)) {
    ++n_prefixes;
  }
  return is_class_keyword(peek(n_prefixes).kind);
}

Ast ClassParser::file() {
  while (!at(TokenKind::end_of_file)) {
    const std::size_t before = progress();
    file_item();
    if (recovering()) {
      synchronize();
    }
    if (progress() == before) {
      take();
    }
  }
  const std::vector<Class>& classes = builder_.ast().classes;
  const bool can_run = std::any_of(classes.begin(), classes.end(), [](const Class& item) {
    return item.kind != ClassKind::function && item.kind != ClassKind::type;
  });
  if (!can_run && !keeps_refusals_ && !has_errors()) {
    report(kNoModel, "the file holds no model", SourceSpan{0, 0}, "a file holds 'model Name … end Name;'");
  }
  return std::move(builder_.ast());
}

void ClassParser::file_item() {
  begin_element();
  if (at_class_start()) {
    return class_definition(kNoIndex, false);
  }
  switch (peek().kind) {
    case TokenKind::kw_within: return within_clause();
    case TokenKind::kw_import:
      refuse(fmt::format("'{}'", text(peek())), peek().span);
      return skip_past_semicolon();
    case TokenKind::semicolon:
      warn(kStrayToken, "this ';' ends nothing", peek().span, "remove it");
      take();
      return;
    case TokenKind::kw_end: return stray_end();
    default: break;
  }
  if (at_identifier(1) &&
      repair_keyword(0, {TokenKind::kw_model, TokenKind::kw_function, TokenKind::kw_type, TokenKind::kw_class,
                         TokenKind::kw_package, TokenKind::kw_block})) {
    return;
  }
  fail_expected("'model', 'function' or 'type'", "everything else stands inside a model");
  while (!at(TokenKind::end_of_file) && !(at_class_start() && peek().first_on_line)) {
    take();
  }
}

void ClassParser::stray_end() {
  const SourceSpan start = take().span;
  if (!peek().first_on_line && (at_identifier() || is_keyword(peek().kind))) {
    take();
  }
  report(kStrayToken, fmt::format("'{}' closes nothing", source_.text(since(start))), since(start));
  accept(TokenKind::semicolon);
}

void ClassParser::class_prefixes(Class& item) {
  for (; is_class_prefix(peek().kind); take()) {
    switch (peek().kind) {
      case TokenKind::kw_partial: item.is_partial = true; break;
      case TokenKind::kw_encapsulated: item.is_encapsulated = true; break;
      case TokenKind::kw_expandable: item.is_expandable = true; break;
      case TokenKind::kw_final: item.is_final = true; break;
      case TokenKind::kw_replaceable: item.is_replaceable = true; break;
      case TokenKind::kw_redeclare: item.is_redeclare = true; break;
      case TokenKind::kw_inner:
      case TokenKind::kw_outer: refuse(fmt::format("'{}' before a class", text(peek())), peek().span); break;
      default: break;  // pure and impure: no function here has effects
    }
  }
}

bool ClassParser::class_keyword(Class& item) {
  if (at(TokenKind::kw_operator)) {
    const Token keyword = take();
    refuse("'operator'", keyword.span);
    item.is_operator = true;
    if (!at(TokenKind::kw_record) && !at(TokenKind::kw_function)) {
      const Symbol name = expect_name("the name of the operator");
      at(TokenKind::equals) ? skip_past_semicolon() : skip_class(name);
      return false;
    }
  }
  switch (peek().kind) {
    case TokenKind::kw_block: item.kind = ClassKind::block; break;
    case TokenKind::kw_record: item.kind = ClassKind::record; break;
    case TokenKind::kw_connector: item.kind = ClassKind::connector; break;
    case TokenKind::kw_package: item.kind = ClassKind::package; break;
    case TokenKind::kw_function: item.kind = ClassKind::function; break;
    case TokenKind::kw_type: item.kind = ClassKind::type; break;
    case TokenKind::kw_class: item.is_plain_class = true; break;
    default: break;
  }
  return true;
}

void ClassParser::class_definition(std::uint32_t parent, bool is_protected) {
  const Nesting nesting(*this);
  const SourceSpan start = peek().span;
  Class item;
  item.parent = parent;
  item.is_protected = is_protected;
  class_prefixes(item);
  if (!class_keyword(item)) {
    return;
  }
  const TokenKind keyword = take().kind;
  if (at(TokenKind::kw_extends)) {
    take();
    item.is_class_extends = true;
  }
  if (peek().first_on_line && at_identifier() && at_identifier(1)) {
    report(kSyntaxError, fmt::format("the name of the {} is missing", token_text(keyword)), after_previous());
    item.name = builder_.intern("");
    item.name_span = after_previous();
  } else {
    item.name = expect_name(fmt::format("the name of the {}", token_text(keyword)), &item.name_span);
  }
  if (recovering()) {
    return;
  }
  item.span = since(start);
  const std::size_t n_damages_before = n_damages();
  if (item.is_class_extends && at(TokenKind::left_parenthesis)) {
    item.modifications = class_modification();
  }
  const bool has_body = item.kind == ClassKind::type ? at(TokenKind::kw_extends) || at(TokenKind::string)
                                                     : !at(TokenKind::equals);
  const auto index = static_cast<std::uint32_t>(builder_.ast().classes.size());
  if (has_body || item.is_class_extends) {
    builder_.ast().classes.emplace_back();
    class_body(item, index);
  } else {
    short_definition(item);
    if (item.kind != ClassKind::type && !item.is_short() && !item.is_enumeration) {
      return;  // refused
    }
    expect_semicolon(fmt::format("the definition of the {}", token_text(keyword)));
  }
  item.extent = since(start);
  item.is_damaged = n_damages() != n_damages_before;
  if (has_body || item.is_class_extends) {
    builder_.ast().classes[index] = std::move(item);
  } else {
    builder_.ast().classes.push_back(std::move(item));
  }
}

/// To the end of the class with this name, which is open.
void ClassParser::skip_class(Symbol name) {
  if (recovering()) {
    return;
  }
  for (; !at(TokenKind::end_of_file); take()) {
    if (at(TokenKind::kw_end) && at_identifier(1) && symbol_of(peek(1)) == name) {
      take();
      take();
      return expect_semicolon("the end of the class");
    }
  }
}

void ClassParser::class_body(Class& item, std::uint32_t index) {
  open_block({TokenKind::identifier, item.name, item.span, {}});
  item.description = description();
  Section section = Section::declarations;
  bool is_protected = false;
  while (true) {
    const std::size_t before = progress();
    if (!class_item(item, index, section, is_protected)) {
      break;
    }
    if (recovering()) {
      synchronize();
    }
    if (progress() == before) {
      take();
    }
  }
  item.components.insert(item.components.end(), misplaced_components_.begin(), misplaced_components_.end());
  misplaced_components_.clear();
  close_block();
}

/// One thing in a class; false at its end.
bool ClassParser::class_item(Class& item, std::uint32_t index, Section& section, bool& is_protected) {
  begin_element();
  repair_mode_words();
  if (section_keyword(item, section, is_protected)) {
    return true;
  }
  if (at_mode_start()) {
    mode_item(item);
    return true;
  }
  switch (peek().kind) {
    case TokenKind::end_of_file: return false;
    case TokenKind::kw_end:
      if (peek(1).kind != TokenKind::kw_if && peek(1).kind != TokenKind::kw_for &&
          peek(1).kind != TokenKind::kw_when && peek(1).kind != TokenKind::kw_while) {
        return false;
      }
      stray_end();
      return true;
    case TokenKind::kw_else:
    case TokenKind::kw_elseif:
    case TokenKind::kw_elsewhen:
      fail(kStrayToken, fmt::format("this '{}' belongs to nothing", text(peek())), peek().span,
           "was the block closed before it?");
      take();
      recover_at(TokenKind::kw_then);
      accept(TokenKind::kw_then);
      return true;
    case TokenKind::kw_annotation: annotation_item(item.annotations); return true;
    default: break;
  }
  if (at_transition()) {
    report(kMisplacedStatement, "a transition stands in a mode", peek().span,
           "close the mode after its transitions");
    Mode discarded;
    transition(discarded);
    return true;
  }
  if (at_class_start()) {
    // A class that begins at the margin after equations: the end of this one was forgotten.
    if (section != Section::declarations && item.kind == ClassKind::model && !item.is_nested()) {
      return false;
    }
    class_definition(index, is_protected);
  } else if (repair_class_item(item, section)) {
    return true;
  } else if (section == Section::declarations) {
    declaration_item(item, section, is_protected);
  } else {
    equation_item(item, section);
  }
  return true;
}

bool ClassParser::section_keyword(Class& item, Section& section, bool& is_protected) {
  const bool initial = at(TokenKind::kw_initial);
  if (initial && peek(1).kind == TokenKind::identifier && !at_word("mode", 1)) {
    repair_keyword(1, {TokenKind::kw_equation, TokenKind::kw_algorithm});
  }
  const TokenKind kind = peek(initial ? 1 : 0).kind;
  const bool is_function = item.kind == ClassKind::function;
  if (kind == TokenKind::kw_equation) {
    if (is_function) {
      report(kMisplacedStatement, "a function cannot have equations", peek().span,
             "its body begins with 'algorithm'");
    }
    section = initial ? Section::initial_equation : Section::equation;
  } else if (kind == TokenKind::kw_algorithm) {
    if (!is_function && !initial) {
      refuse("'algorithm' in a model", peek().span, "write equations, or put the algorithm into a function");
    }
    section = is_function ? Section::algorithm
              : initial   ? Section::initial_algorithm
                          : Section::refused_algorithm;
  } else if (kind == TokenKind::kw_public || kind == TokenKind::kw_protected) {
    is_protected = kind == TokenKind::kw_protected;
    section = Section::declarations;
  } else {
    return false;
  }
  if (initial) {
    take();
  }
  take();
  return true;
}

void ClassParser::annotation_item(std::vector<Modification>& annotations) {
  for (const Modification& modification : builder_.ast()[annotation()]) {
    annotations.push_back(modification);
  }
  expect_semicolon("the annotation");
}

/// Whether this begins an equation: `der(x) = …`, `x = …`, `a.b[1] = …`, `when …`.
bool ClassParser::at_misplaced_equation() const {
  switch (peek().kind) {
    case TokenKind::kw_der:
    case TokenKind::kw_if:
    case TokenKind::kw_for:
    case TokenKind::kw_when:
    case TokenKind::kw_while:
    case TokenKind::kw_connect: return true;
    case TokenKind::identifier:
    case TokenKind::quoted_identifier: break;
    default: return false;
  }
  if (peek(1).kind == TokenKind::left_parenthesis) {
    return at_word("assert") || at_word("terminate") || at_word("reinit") || at_word("contact");
  }
  constexpr std::size_t kClassLookAhead = 50;
  int depth = 0;
  for (std::size_t ahead = 1; ahead < kClassLookAhead; ++ahead) {
    const TokenKind kind = peek(ahead).kind;
    if (kind == TokenKind::left_bracket) {
      ++depth;
    } else if (kind == TokenKind::right_bracket) {
      --depth;
    } else if (kind == TokenKind::equals || kind == TokenKind::assign || kind == TokenKind::equal_equal) {
      return depth == 0;
    } else if (depth == 0 && kind != TokenKind::dot && (peek(ahead - 1).kind != TokenKind::dot)) {
      return false;
    } else if (kind == TokenKind::semicolon || kind == TokenKind::end_of_file) {
      return false;
    }
  }
  return false;
}

/// `mde left` before an equation section, `initial moed left`.
void ClassParser::repair_mode_words() {
  if (dialect_ != Dialect::saltus) {
    return;
  }
  if (at(TokenKind::kw_initial) && (at_identifier(2) || peek(2).kind == TokenKind::equals)) {
    repair_word(1, Token::Meant::mode);
  } else if (at(TokenKind::identifier) && peek().first_on_line && at_identifier(1) &&
             peek(2).kind == TokenKind::kw_equation) {
    repair_word(0, Token::Meant::mode);
  } else if (at_word("sliding") && at_identifier(2) && at_word("between", 3)) {
    repair_word(1, Token::Meant::mode);
  }
}

/// A misspelt keyword at the start of an item, where what follows shows that a keyword is meant.
bool ClassParser::repair_class_item(const Class& item, Section section) {
  if (!at(TokenKind::identifier)) {
    return false;
  }
  if (at_identifier(1) && peek(2).kind == TokenKind::semicolon && looks_like(text(peek()), "end") &&
      text(peek(1)) == builder_.ast().text(item.name)) {
    return repair_keyword(0, {TokenKind::kw_end});
  }
  if (section != Section::declarations) {
    return false;
  }
  const bool alone = peek(1).first_on_line || is_keyword(peek(1).kind);
  if (alone) {
    return repair_keyword(
        0, {TokenKind::kw_equation, TokenKind::kw_algorithm, TokenKind::kw_protected, TokenKind::kw_public,
            TokenKind::kw_initial, TokenKind::kw_parameter, TokenKind::kw_constant, TokenKind::kw_final});
  }
  if (at_identifier(1) && (at_identifier(2) || peek(2).kind == TokenKind::dot)) {
    return repair_keyword(0, {TokenKind::kw_parameter, TokenKind::kw_constant, TokenKind::kw_discrete,
                              TokenKind::kw_input, TokenKind::kw_output, TokenKind::kw_final,
                              TokenKind::kw_when, TokenKind::kw_import, TokenKind::kw_extends});
  }
  return false;
}

void ClassParser::declaration_item(Class& item, Section& section, bool is_protected) {
  switch (peek().kind) {
    case TokenKind::kw_import: return import_clause(item);
    case TokenKind::kw_extends: return extends_clause(item, is_protected);
    case TokenKind::kw_external:
      if (peek(1).kind == TokenKind::string && text(peek(1)) == "\"builtin\"") {
        return built_in_body(item);
      }
      refuse("'external'", peek().span);
      return skip_past_semicolon();
    case TokenKind::kw_constrainedby:
      refuse(fmt::format("'{}'", text(peek())), peek().span);
      return skip_past_semicolon();
    case TokenKind::semicolon:
      warn(kStrayToken, "this ';' ends nothing", peek().span, "remove it");
      take();
      return;
    default: break;
  }
  const bool is_function = item.kind == ClassKind::function;
  if (at_misplaced_equation()) {
    report(kMisplacedStatement,
           is_function ? "a statement cannot stand among the declarations"
                       : "an equation cannot stand among the declarations",
           peek().span,
           fmt::format("put the keyword '{}' before it", is_function ? "algorithm" : "equation"));
    section = is_function ? Section::algorithm : Section::equation;
    return;
  }
  if (!at_identifier() && !at_declaration_prefix() && !at(TokenKind::dot)) {
    fail_expected("a declaration, a section or 'end'");
    return;
  }
  component_clause(item.components, {is_function, is_protected});
}

void ClassParser::equation_item(Class& item, Section section) {
  ListBuilder<Statement> list(builder_);
  const bool algorithm = section == Section::algorithm || section == Section::initial_algorithm ||
                         section == Section::refused_algorithm;
  statement(list, algorithm ? StatementPlace::algorithm : StatementPlace::equation);
  if (section == Section::refused_algorithm) {
    return;
  }
  std::vector<Statement>& target = section == Section::algorithm           ? item.algorithm
                                   : section == Section::equation          ? item.equations
                                   : section == Section::initial_algorithm ? item.initial_algorithm
                                                                           : item.initial_equations;
  target.insert(target.end(), list.items().begin(), list.items().end());
}

}  // namespace saltus::lang
