#include "lang/syntax/declaration_parser.hpp"

#include <fmt/format.h>

namespace saltus::lang {

bool DeclarationParser::at_declaration_prefix() const {
  switch (peek().kind) {
    case TokenKind::kw_parameter:
    case TokenKind::kw_constant:
    case TokenKind::kw_discrete:
    case TokenKind::kw_input:
    case TokenKind::kw_output:
    case TokenKind::kw_final:
    case TokenKind::kw_flow:
    case TokenKind::kw_stream:
    case TokenKind::kw_inner:
    case TokenKind::kw_outer:
    case TokenKind::kw_redeclare:
    case TokenKind::kw_replaceable: return true;
    default: return false;
  }
}

void DeclarationParser::component_clause(std::vector<Component>& components, DeclarationPlace place) {
  Clause clause;
  prefixes(clause);
  type_of_clause(clause);
  while (!recovering() && component(clause, components, place) && accept(TokenKind::comma)) {
  }
  expect_semicolon("the declaration");
}

void DeclarationParser::prefixes(Clause& clause) {
  for (; at_declaration_prefix(); take()) {
    clause.has_prefix = true;
    switch (peek().kind) {
      case TokenKind::kw_parameter: variability_prefix(clause, VariabilityPrefix::parameter); break;
      case TokenKind::kw_constant: variability_prefix(clause, VariabilityPrefix::constant); break;
      case TokenKind::kw_discrete: variability_prefix(clause, VariabilityPrefix::discrete); break;
      case TokenKind::kw_input: causality_prefix(clause, CausalityPrefix::input); break;
      case TokenKind::kw_output: causality_prefix(clause, CausalityPrefix::output); break;
      case TokenKind::kw_final: clause.shared.final = true; break;
      case TokenKind::kw_flow: clause.shared.is_flow = true; break;
      case TokenKind::kw_stream: clause.shared.is_stream = true; break;
      case TokenKind::kw_inner: clause.shared.is_inner = true; break;
      case TokenKind::kw_outer: clause.shared.is_outer = true; break;
      case TokenKind::kw_replaceable: clause.shared.is_replaceable = true; break;
      case TokenKind::kw_redeclare: clause.shared.is_redeclare = true; break;
      default: refuse(fmt::format("'{}'", text(peek())), peek().span); break;
    }
  }
}

void DeclarationParser::variability_prefix(Clause& clause, VariabilityPrefix prefix) {
  if (clause.shared.variability != VariabilityPrefix::none) {
    report(kDuplicatePrefix, "a variable is 'parameter', 'constant' or 'discrete', once", peek().span);
    return;
  }
  clause.shared.variability = prefix;
}

void DeclarationParser::causality_prefix(Clause& clause, CausalityPrefix prefix) {
  if (clause.shared.causality != CausalityPrefix::none) {
    report(kDuplicatePrefix, "a variable is 'input' or 'output', once", peek().span);
    return;
  }
  clause.shared.causality = prefix;
}

Symbol DeclarationParser::dotted_name(std::string_view what, SourceSpan* span) {
  const SourceSpan start = peek().span;
  std::string joined;
  if (accept(TokenKind::dot)) {
    joined = ".";
  }
  Symbol name = expect_name(what);
  if ((at(TokenKind::dot) || !joined.empty()) && !recovering()) {
    joined.append(builder_.ast().text(name));
    while (!recovering() && accept(TokenKind::dot)) {
      joined.append(".").append(builder_.ast().text(expect_name("a name after '.'")));
    }
    name = builder_.intern(joined);
  }
  *span = since(start);
  return name;
}

/// A name stands alone where a type and a name should be: `parameter mu = 0.4;`.
bool DeclarationParser::type_is_missing(const Clause& clause) const {
  if (!clause.has_prefix) {
    return false;
  }
  switch (peek(1).kind) {
    case TokenKind::equals:
    case TokenKind::assign:
    case TokenKind::semicolon:
    case TokenKind::comma:
    case TokenKind::left_parenthesis:
    case TokenKind::string: return at_identifier();
    default: return false;
  }
}

void DeclarationParser::type_of_clause(Clause& clause) {
  if (type_is_missing(clause)) {
    report(kMissingType, fmt::format("the type of {} is missing", describe(peek())), peek().span,
           fmt::format("write Real {}", text(peek())));
    clause.shared.type = builder_.intern("Real");
    clause.shared.type_span = peek().span;
    return;
  }
  clause.shared.type = dotted_name("a type", &clause.shared.type_span);
  if (at(TokenKind::left_bracket) && !recovering()) {
    clause.type_dimensions = subscripts();
  }
  if (recovering()) {
    return;
  }
  if (at(TokenKind::equals) || at(TokenKind::assign)) {
    fail_expected("the name of a variable after the type", "equations stand after the keyword 'equation'");
  }
}

bool DeclarationParser::component(const Clause& clause, std::vector<Component>& components,
                                  DeclarationPlace place) {
  Component item = clause.shared;
  item.is_protected = place.is_protected;
  declared_name(item);
  if (recovering()) {
    return false;
  }
  dimensions(clause, item);
  if (at(TokenKind::left_parenthesis) && !recovering()) {
    item.modifications = class_modification();
  }
  declaration_equation(item, place);
  if (at(TokenKind::kw_if) && !recovering()) {
    take();
    item.condition = condition();
  }
  item.description = description();
  item.span = since(item.name_span);
  item.annotation = annotation();
  constraining_clause(item.constraint);
  components.push_back(item);
  return !recovering();
}

/// `x`, or in flattened text `a.b` and `a[1].b`; subscripts at the end are sizes and are left.
void DeclarationParser::declared_name(Component& item) {
  const std::string what =
      fmt::format("the name of a variable after the type '{}'", builder_.ast().text(item.type));
  if (at(TokenKind::left_parenthesis) || at(TokenKind::semicolon)) {
    fail_expected(what);
    return;
  }
  item.name = expect_name(what, &item.name_span);
  std::string joined;
  while (!recovering()) {
    const bool dot = at(TokenKind::dot);
    const bool element = at(TokenKind::left_bracket) && peek(1).kind == TokenKind::integer &&
                         peek(2).kind == TokenKind::right_bracket && peek(3).kind == TokenKind::dot;
    if (!dot && !element) {
      break;
    }
    joined = joined.empty() ? std::string(builder_.ast().text(item.name)) : joined;
    if (element) {
      take();
      joined.append("[").append(text(take())).append("]");
      take();
    }
    take();
    joined.append(".").append(builder_.ast().text(expect_name("a name after '.'")));
  }
  if (!joined.empty()) {
    item.name = builder_.intern(joined);
    item.name_span = since(item.name_span);
  }
}

void DeclarationParser::dimensions(const Clause& clause, Component& item) {
  if (!at(TokenKind::left_bracket)) {
    item.dimensions = clause.type_dimensions;
    return;
  }
  item.dimensions = subscripts();
  if (!clause.type_dimensions.empty()) {
    ListBuilder<ExpressionId> all(builder_);
    for (const List<ExpressionId> part : {item.dimensions, clause.type_dimensions}) {
      for (const ExpressionId id : builder_.ast()[part]) {
        all.push(id);
      }
    }
    item.dimensions = all.finish();
  }
}

void DeclarationParser::declaration_equation(Component& item, DeclarationPlace place) {
  if (recovering()) {
    return;
  }
  if (at(TokenKind::equal_equal)) {
    report(kComparisonAsEquation, "'==' compares; a value is given by '='", peek().span);
  } else if (at(TokenKind::assign) && !place.in_function) {
    report(kAssignmentInEquation, "':=' assigns in functions only; a value is given by '='", peek().span);
  } else if (!at(TokenKind::equals) && !at(TokenKind::assign)) {
    return;
  }
  take();
  item.value = expression();
}

List<Modification> DeclarationParser::class_modification() {
  const Nesting nesting(*this);
  const Token open = take();
  ListBuilder<Modification> list(builder_);
  if (!at(TokenKind::right_parenthesis)) {
    while (!recovering() && modification(list) && accept(TokenKind::comma)) {
    }
  }
  close_bracket(TokenKind::right_parenthesis, open);
  return list.finish();
}

bool DeclarationParser::modification(ListBuilder<Modification>& list) {
  Modification item;
  const SourceSpan start = peek().span;
  for (; at(TokenKind::kw_each) || at(TokenKind::kw_final); take()) {
    (at(TokenKind::kw_each) ? item.each : item.final) = true;
  }
  if (at(TokenKind::kw_redeclare) || at(TokenKind::kw_replaceable)) {
    redeclaration(list, item, start);
    return !recovering();
  }
  item.name = dotted_name("a name such as start", &item.name_span);
  if (at(TokenKind::left_parenthesis) && !recovering()) {
    item.nested = class_modification();
  }
  if (at(TokenKind::equal_equal) && !recovering()) {
    report(kComparisonAsEquation, "'==' compares; a value is given by '='", peek().span);
    take();
    item.value = expression();
  } else if (!recovering() && (accept(TokenKind::equals) || accept(TokenKind::assign))) {
    item.value = expression();
  }
  description();
  item.span = since(start);
  list.push(item);
  return !recovering();
}

/// `redeclare replaceable model A = B constrainedby C`, `redeclare Resistor r(R = 1)` (Modelica 7.3).
void DeclarationParser::redeclaration(ListBuilder<Modification>& list, Modification item, SourceSpan start) {
  Clause clause;
  Class definition;
  for (bool prefix = true; prefix; prefix = prefix && (take(), true)) {
    switch (peek().kind) {
      case TokenKind::kw_each: item.each = true; break;
      case TokenKind::kw_final: item.final = true; break;
      case TokenKind::kw_redeclare: definition.is_redeclare = clause.shared.is_redeclare = true; break;
      case TokenKind::kw_replaceable: definition.is_replaceable = clause.shared.is_replaceable = true; break;
      default: prefix = false; break;
    }
  }
  if (at_class_start()) {
    item.redeclared_class = class_in_modification(std::move(definition));
    if (item.redeclared_class != kNoIndex) {
      item.name = builder_.ast().classes[item.redeclared_class].name;
      item.name_span = builder_.ast().classes[item.redeclared_class].name_span;
    }
  } else {
    clause.has_prefix = true;
    prefixes(clause);
    type_of_clause(clause);
    std::vector<Component> one;
    if (!recovering() && component(clause, one, {}) && !one.empty()) {
      item.name = one.front().name;
      item.name_span = one.front().name_span;
      item.redeclared_component = static_cast<std::uint32_t>(builder_.ast().redeclared.size());
      builder_.ast().redeclared.push_back(one.front());
    }
  }
  item.span = since(start);
  if (item.name.valid()) {
    list.push(item);
  }
}

void DeclarationParser::constraining_clause(Constraint& constraint) {
  if (!at(TokenKind::kw_constrainedby) || recovering()) {
    return;
  }
  take();
  constraint.base = dotted_name("the name of a class", &constraint.span);
  if (at(TokenKind::left_parenthesis) && !recovering()) {
    constraint.modifications = class_modification();
  }
  description();
  annotation();
}

List<Modification> DeclarationParser::annotation() {
  if (!at(TokenKind::kw_annotation) || recovering()) {
    return {};
  }
  take();
  if (!at(TokenKind::left_parenthesis)) {
    fail_expected("'(' after 'annotation'");
    return {};
  }
  return class_modification();
}

}  // namespace saltus::lang
