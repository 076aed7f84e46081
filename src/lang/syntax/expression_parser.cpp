#include "lang/syntax/expression_parser.hpp"

#include <fmt/format.h>

#include <array>

namespace saltus::lang {
namespace {

Operator additive_operator(TokenKind kind) {
  switch (kind) {
    case TokenKind::plus: return Operator::add;
    case TokenKind::minus: return Operator::subtract;
    case TokenKind::dot_plus: return Operator::elementwise_add;
    case TokenKind::dot_minus: return Operator::elementwise_subtract;
    default: return Operator::none;
  }
}

Operator multiplicative_operator(TokenKind kind) {
  switch (kind) {
    case TokenKind::star: return Operator::multiply;
    case TokenKind::slash: return Operator::divide;
    case TokenKind::dot_star: return Operator::elementwise_multiply;
    case TokenKind::dot_slash: return Operator::elementwise_divide;
    default: return Operator::none;
  }
}

Operator relational_operator(TokenKind kind) {
  switch (kind) {
    case TokenKind::less: return Operator::less;
    case TokenKind::less_equal: return Operator::less_equal;
    case TokenKind::greater: return Operator::greater;
    case TokenKind::greater_equal: return Operator::greater_equal;
    case TokenKind::equal_equal: return Operator::equal;
    case TokenKind::not_equal: return Operator::not_equal;
    default: return Operator::none;
  }
}

Operator power_operator(TokenKind kind) {
  switch (kind) {
    case TokenKind::caret: return Operator::power;
    case TokenKind::dot_caret: return Operator::elementwise_power;
    default: return Operator::none;
  }
}

Operator and_operator(TokenKind kind) {
  return kind == TokenKind::kw_and ? Operator::logical_and : Operator::none;
}
Operator or_operator(TokenKind kind) {
  return kind == TokenKind::kw_or ? Operator::logical_or : Operator::none;
}

}  // namespace

ExpressionId ExpressionParser::expression() {
  return at(TokenKind::kw_if) ? conditional() : simple_expression();
}

ExpressionId ExpressionParser::simple_expression() {
  const Nesting nesting(*this);
  const ExpressionId first = logical_expression();
  if (!at(TokenKind::colon) || recovering()) {
    return first;
  }
  std::array<ExpressionId, 3> parts{first};
  std::size_t n_parts = 1;
  while (n_parts < parts.size() && !recovering() && accept(TokenKind::colon)) {
    parts[n_parts++] = logical_expression();
  }
  ListBuilder<ExpressionId> operands(builder_);
  for (std::size_t i = 0; i < n_parts; ++i) {
    operands.push(parts[i]);
  }
  return builder_.compound(ExpressionKind::range, Operator::none, operands.finish(), since(span_of(first)));
}

ExpressionId ExpressionParser::condition() {
  const ExpressionId left = expression();
  if (!at(TokenKind::equals) && !at(TokenKind::assign)) {
    return left;
  }
  report(kEquationAsComparison, fmt::format("'{}' does not compare values", token_text(peek().kind)),
         peek().span, "values are compared by '=='");
  take();
  const ExpressionId right = expression();
  return builder_.binary(Operator::equal, left, right, since(span_of(left)));
}

// `else if` is read like `elseif`, which means the same, so that long tables of cases do not nest.
ExpressionId ExpressionParser::conditional() {
  const Nesting nesting(*this);
  const SourceSpan start = peek().span;
  ListBuilder<ExpressionId> operands(builder_);
  bool another_case = true;
  while (another_case) {
    const Token keyword = take();
    operands.push(condition());
    expect_keyword(TokenKind::kw_then, kMissingThen,
                   fmt::format("the condition of '{}'", token_text(keyword.kind)));
    operands.push(expression());
    if (at(TokenKind::identifier) && !peek().first_on_line) {
      repair_keyword(0, {TokenKind::kw_elseif, TokenKind::kw_else});
    }
    const bool else_if = at(TokenKind::kw_else) && peek(1).kind == TokenKind::kw_if;
    if (else_if && !recovering()) {
      take();
    }
    another_case = !recovering() && (else_if || at(TokenKind::kw_elseif));
  }
  if (!recovering() && accept(TokenKind::kw_else)) {
    operands.push(expression());
  } else {
    report(kMissingElseValue, "'else' is missing: an if-expression needs a value in every case",
           after_previous());
    operands.push(builder_.error(after_previous()));
  }
  return builder_.compound(ExpressionKind::conditional, Operator::none, operands.finish(), since(start));
}

template <class Next, class OperatorOf>
ExpressionId ExpressionParser::chain(Next next, OperatorOf operator_of) {
  const SourceSpan start = peek().span;  // a parenthesis may stand before the first operand
  const ExpressionId first = next();
  if (operator_of(peek().kind) == Operator::none || recovering()) {
    return first;
  }
  ListBuilder<ExpressionId> operands(builder_);
  ListBuilder<Operator> operators(builder_);
  operands.push(first);
  while (!recovering()) {
    const Operator op = operator_of(peek().kind);
    if (op == Operator::none) {
      break;
    }
    take();
    operators.push(op);
    operands.push(next());
  }
  const List<ExpressionId> operand_list = operands.finish();
  return builder_.chain(operand_list, operators.finish(), since(start));
}

ExpressionId ExpressionParser::logical_expression() {
  return chain([this] { return logical_term(); }, or_operator);
}

ExpressionId ExpressionParser::logical_term() {
  return chain([this] { return logical_factor(); }, and_operator);
}

ExpressionId ExpressionParser::logical_factor() {
  if (!at(TokenKind::kw_not)) {
    return relation();
  }
  const SourceSpan start = take().span;
  bool negated = true;
  while (at(TokenKind::kw_not)) {
    report(kNeedsParentheses, "'not' cannot follow 'not' directly", peek().span, "write not (not …)");
    negated = !negated;
    take();
  }
  const ExpressionId operand = relation();
  return negated ? builder_.unary(Operator::logical_not, operand, since(start)) : operand;
}

ExpressionId ExpressionParser::relation() {
  const SourceSpan start = peek().span;
  const ExpressionId first = arithmetic();
  Operator op = relational_operator(peek().kind);
  if (op == Operator::none || recovering()) {
    return first;
  }
  take();
  ExpressionId right = arithmetic();
  const ExpressionId result = builder_.binary(op, first, right, since(start));
  bool reported = false;
  while (!recovering() && relational_operator(peek().kind) != Operator::none) {
    if (!reported) {
      report(kChainedRelation, "relations cannot be chained", peek().span, "write a < b and b < c");
      reported = true;
    }
    take();
    right = arithmetic();
  }
  return result;
}

// [sign] term {sign term}: a leading sign belongs to the whole first term, -x^2*y = -(x^2*y).
ExpressionId ExpressionParser::arithmetic() {
  bool is_first = true;
  return chain(
      [this, &is_first] {
        if (additive_operator(peek().kind) == Operator::none) {
          is_first = false;
          return term();
        }
        if (!is_first) {
          report(kNeedsParentheses, fmt::format("the sign {} follows an operator", describe(peek())),
                 peek().span, "put the signed value in parentheses: a + (-b)");
        }
        is_first = false;
        return signed_term();
      },
      additive_operator);
}

ExpressionId ExpressionParser::signed_term() {
  const Token sign = take();
  bool reported = false;
  while (additive_operator(peek().kind) != Operator::none) {
    if (!reported) {
      report(kNeedsParentheses, "two signs in a row", peek().span,
             "put the signed value in parentheses: -(-a)");
      reported = true;
    }
    take();
  }
  const ExpressionId operand = term();
  return builder_.unary(additive_operator(sign.kind), operand, since(sign.span));
}

ExpressionId ExpressionParser::term() {
  bool is_first = true;
  return chain(
      [this, &is_first] {
        const bool sign_allowed = is_first;
        is_first = false;
        return sign_allowed || additive_operator(peek().kind) == Operator::none ? factor() : signed_factor();
      },
      multiplicative_operator);
}

ExpressionId ExpressionParser::signed_factor() {
  const Token sign = peek();
  report(kNeedsParentheses, fmt::format("the sign '{}' follows an operator", token_text(sign.kind)),
         sign.span, "put the signed value in parentheses: a*(-b)");
  while (additive_operator(peek().kind) != Operator::none) {
    take();
  }
  const ExpressionId operand = factor();
  return builder_.unary(additive_operator(sign.kind), operand, since(sign.span));
}

ExpressionId ExpressionParser::factor() {
  const ExpressionId base = primary();
  const Operator op = power_operator(peek().kind);
  if (op == Operator::none || recovering()) {
    return base;
  }
  take();
  if (additive_operator(peek().kind) != Operator::none) {
    report(kNeedsParentheses,
           fmt::format("the sign '{}' follows '{}'", token_text(peek().kind), to_string(op)), peek().span,
           "put the exponent in parentheses: a^(-b)");
    while (additive_operator(peek().kind) != Operator::none) {
      take();
    }
  }
  const ExpressionId exponent = primary();
  const ExpressionId result = builder_.binary(op, base, exponent, since(span_of(base)));
  bool reported = false;
  while (!recovering() && power_operator(peek().kind) != Operator::none) {
    if (!reported) {
      report(kChainedPower, "powers cannot be chained", peek().span,
             "say which is meant: (a^b)^c or a^(b^c)");
      reported = true;
    }
    take();
    primary();
  }
  return result;
}

}  // namespace saltus::lang
