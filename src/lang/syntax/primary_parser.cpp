// The innermost parts of expressions: literals, names, calls, brackets.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "lang/syntax/expression_parser.hpp"
#include "lang/syntax/lexer.hpp"
#include "lang/syntax/lexer_character.hpp"

namespace saltus::lang {
namespace {

/// Whether a number literal beyond the range of double is large rather than small: the sign of the power of ten of its
/// first digit.
bool is_large(std::string_view literal) {
  const std::size_t exponent_at = literal.find_first_of("eE");
  const std::string_view mantissa = literal.substr(0, exponent_at);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = mantissa.find_first_of("123456789");
  long long power =
      first < point ? static_cast<long long>(point - first) : -static_cast<long long>(first - point);
  if (exponent_at != std::string_view::npos) {
    const bool negative = literal[exponent_at + 1] == '-';
    const std::size_t digits = exponent_at + 1 + (is_digit(literal[exponent_at + 1]) ? 0 : 1);
    long long exponent = 0;
    const auto read = std::from_chars(literal.data() + digits, literal.data() + literal.size(), exponent);
    if (read.ec != std::errc()) {
      return !negative;
    }
    power += negative ? -exponent : exponent;
  }
  return power > 0;
}

}  // namespace

ExpressionId ExpressionParser::primary() {
  if (recovering()) {
    return builder_.error(peek().span);
  }
  switch (peek().kind) {
    case TokenKind::identifier:
    case TokenKind::quoted_identifier: return name_or_call();
    case TokenKind::integer: return integer_literal();
    case TokenKind::real: return real_literal();
    case TokenKind::string: {
      const Token token = take();
      return builder_.string(builder_.add_string(unescape(text(token))), token.span);
    }
    case TokenKind::kw_true:
    case TokenKind::kw_false: {
      const Token token = take();
      return builder_.boolean(token.kind == TokenKind::kw_true, token.span);
    }
    case TokenKind::left_parenthesis: return parentheses();
    case TokenKind::left_brace: return braces();
    case TokenKind::left_bracket: return matrix();
    case TokenKind::kw_der:
    case TokenKind::kw_initial: {
      const Token token = take();
      if (!at(TokenKind::left_parenthesis)) {
        fail_expected(fmt::format("'(' after '{}'", text(token)));
        return builder_.error(token.span);
      }
      return call(symbol_of(token), token.span);
    }
    default: return no_primary();
  }
}

/// What stands where a value should be is not the beginning of one.
ExpressionId ExpressionParser::no_primary() {
  const Token token = peek();
  switch (token.kind) {
    case TokenKind::kw_end:
      if (open_subscripts_ > 0 && !at_closing_end()) {
        return builder_.leaf(ExpressionKind::last, take().span);
      }
      if (!at_closing_end()) {
        report(kEndOutsideSubscript, "'end' has a value inside subscripts only", token.span, "as in x[end]");
        return builder_.error(take().span);
      }
      break;
    case TokenKind::kw_if:
      report(kNeedsParentheses, "an if-expression inside another expression needs parentheses", token.span,
             "write (if c then a else b)");
      return conditional();
    case TokenKind::dot:
      if (at_identifier(1)) {
        return name_or_call();
      }
      break;
    case TokenKind::kw_block:
    case TokenKind::kw_class:
    case TokenKind::kw_connector:
    case TokenKind::kw_constant:
    case TokenKind::kw_discrete:
    case TokenKind::kw_each:
    case TokenKind::kw_external:
    case TokenKind::kw_final:
    case TokenKind::kw_flow:
    case TokenKind::kw_import:
    case TokenKind::kw_input:
    case TokenKind::kw_output:
    case TokenKind::kw_operator:
    case TokenKind::kw_package:
    case TokenKind::kw_parameter:
    case TokenKind::kw_partial:
    case TokenKind::kw_record:
    case TokenKind::kw_stream:
    case TokenKind::kw_type:
    case TokenKind::kw_model:
    case TokenKind::kw_public: {
      if (token.first_on_line && at_identifier(1)) {
        break;
      }
      SourceSpan span;
      ListBuilder<NamePart> parts(builder_);
      const Symbol name = expect_name("an expression", &span);
      parts.push({name, span, {}, false});
      return builder_.name(parts.finish(), span);
    }
    default: break;
  }
  fail(kMissingExpression, fmt::format("expected an expression, found {}", describe(token)), token.span);
  return builder_.error(token.span);
}

ExpressionId ExpressionParser::integer_literal() {
  const Token token = take();
  const std::string_view digits = text(token);
  std::int64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec != std::errc()) {
    report(kNumberTooLarge, "this whole number is larger than 9223372036854775807", token.span,
           fmt::format("write {}.0 for a Real", digits));
    return builder_.error(token.span);
  }
  return builder_.integer(value, token.span);
}

ExpressionId ExpressionParser::real_literal() {
  const Token token = take();
  const std::string_view digits = text(token);
  double value = 0.0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec == std::errc::result_out_of_range || !std::isfinite(value)) {
    if (is_large(digits)) {
      report(kNumberTooLarge, "this number is larger than 1.797e308, the largest one", token.span);
      return builder_.error(token.span);
    }
    value = 0.0;
    warn(kNumberTooSmall, "this number is smaller than 4.94e-324 and is read as 0", token.span);
  }
  return builder_.real(value, token.span);
}

ExpressionId ExpressionParser::name_or_call() {
  const SourceSpan start = peek().span;
  ListBuilder<NamePart> parts(builder_);
  bool has_subscripts = false;
  if (at(TokenKind::dot)) {  // from the top of all classes: an empty name stands before the dot
    parts.push({builder_.intern(""), take().span, {}, false});
    builder_.ast().needs_instances = true;
  }
  do {
    const bool quoted = at(TokenKind::quoted_identifier);
    NamePart part;
    part.name = expect_name("a name after '.'", &part.span);
    part.quoted = quoted;
    if (at(TokenKind::left_bracket) && !recovering()) {
      part.subscripts = subscripts();
      has_subscripts = true;
    }
    parts.push(part);
  } while (!recovering() && accept(TokenKind::dot));
  const SourceSpan span = since(start);
  if (!at(TokenKind::left_parenthesis) || recovering() || has_subscripts) {
    return builder_.name(parts.finish(), span);
  }
  if (parts.size() == 1) {
    return call(parts.items().front().name, span);
  }
  std::string joined;
  for (const NamePart& part : parts.items()) {
    joined.append(&part == parts.items().data() ? "" : ".").append(builder_.ast().text(part.name));
  }
  return call(builder_.intern(joined), span);
}

ExpressionId ExpressionParser::call(Symbol function, SourceSpan function_span) {
  const Token open = take();
  Call result{function, function_span, {}, {}};
  ListBuilder<Argument> arguments(builder_);
  if (!at(TokenKind::right_parenthesis)) {
    while (argument(arguments, result.iterators) && accept(TokenKind::comma)) {
    }
  }
  close_bracket(TokenKind::right_parenthesis, open);
  result.arguments = arguments.finish();
  const auto given = builder_.ast()[result.arguments];
  const bool has_names =
      std::any_of(given.begin(), given.end(), [](const Argument& argument) { return argument.name.valid(); });
  if (builder_.ast().text(function) == "array" && !given.empty() && !has_names && !recovering()) {
    return array_of(result, since(function_span));
  }
  return members_of(builder_.call(result, since(function_span)), function_span);
}

/// `array(a, b)` is `{a, b}`, `array(e for i in r)` is `{e for i in r}` (Modelica 10.4).
ExpressionId ExpressionParser::array_of(const Call& call, SourceSpan span) {
  const auto arguments = builder_.ast()[call.arguments];
  if (!call.iterators.empty()) {
    return builder_.comprehension(arguments[0].value, call.iterators, span);
  }
  ListBuilder<ExpressionId> items(builder_);
  for (const Argument& argument : arguments) {
    items.push(argument.value);
  }
  return builder_.compound(ExpressionKind::array, Operator::none, items.finish(), span);
}

/// `.a.b` after what is no name.
ExpressionId ExpressionParser::members_of(ExpressionId value, SourceSpan start) {
  while (at(TokenKind::dot) && at_identifier(1) && !recovering()) {
    take();
    builder_.ast().needs_instances = true;
    const Symbol name = symbol_of(take());
    value = builder_.member(value, name, since(start));
  }
  return value;
}

/// Reads one argument; false when no further one can follow.
bool ExpressionParser::argument(ListBuilder<Argument>& arguments, List<Iterator>& loop) {
  Argument item;
  const SourceSpan start = peek().span;
  if (at(TokenKind::kw_function)) {
    refuse("a function as an argument", start);
    take();
  }
  if (at_identifier() && peek(1).kind == TokenKind::equals) {
    item.name = symbol_of(take());
    take();
  } else if (arguments.size() > 0 && arguments.items().back().name.valid()) {
    report(kSyntaxError, "an argument without a name cannot follow a named one", start);
  }
  item.value = expression();
  item.span = since(start);
  if (at(TokenKind::kw_for) && !recovering()) {
    if (arguments.size() > 0) {
      report(kSyntaxError, "a reduction has one argument before 'for'", peek().span);
    }
    take();
    loop = iterators();
    arguments.push(item);
    return false;
  }
  arguments.push(item);
  return !recovering();
}

List<Iterator> ExpressionParser::iterators() {
  ListBuilder<Iterator> list(builder_);
  do {
    Iterator item;
    const SourceSpan start = peek().span;
    item.name = expect_name("the name of a loop variable");
    if (recovering()) {
      break;
    }
    if (!at(TokenKind::kw_in) && (at(TokenKind::equals) || at(TokenKind::assign))) {
      report(kSyntaxError, "a loop variable takes its values by 'in'", peek().span, "write for i in 1:N");
      take();
      item.range = expression();
    } else if (at(TokenKind::kw_loop) || at(TokenKind::comma) || at(TokenKind::right_brace) ||
               at(TokenKind::right_parenthesis)) {
      builder_.ast().needs_instances = true;  // the range follows from the sizes of what it subscripts
    } else {
      if (!accept(TokenKind::kw_in)) {
        fail_expected("'in' after the loop variable", "write for i in 1:N");
      }
      item.range = expression();
    }
    item.span = since(start);
    list.push(item);
  } while (!recovering() && accept(TokenKind::comma));
  return list.finish();
}

List<ExpressionId> ExpressionParser::subscripts() {
  const Nesting nesting(*this);
  const Token open = take();
  ++open_subscripts_;
  ListBuilder<ExpressionId> list(builder_);
  do {
    const TokenKind next = peek(1).kind;
    if (at(TokenKind::colon) && (next == TokenKind::comma || next == TokenKind::right_bracket)) {
      list.push(builder_.leaf(ExpressionKind::all, take().span));
    } else {
      list.push(expression());
    }
  } while (!recovering() && accept(TokenKind::comma));
  close_bracket(TokenKind::right_bracket, open);
  --open_subscripts_;
  return list.finish();
}

/// `(a)`, or `(a, , b)` as the target of a call with several outputs.
ExpressionId ExpressionParser::parentheses() {
  const Token open = take();
  if (at(TokenKind::right_parenthesis)) {
    fail(kMissingExpression, "expected an expression between '(' and ')'", peek().span);
    return builder_.error(open.span);
  }
  ListBuilder<ExpressionId> items(builder_);
  do {
    const bool omitted = at(TokenKind::comma) || (items.size() > 0 && at(TokenKind::right_parenthesis));
    items.push(omitted ? ExpressionId{} : expression());
  } while (!recovering() && accept(TokenKind::comma));
  close_bracket(TokenKind::right_parenthesis, open);
  if (items.size() == 1 && at(TokenKind::left_bracket) && !recovering()) {
    const List<ExpressionId> chosen = subscripts();
    for (const ExpressionId id : builder_.ast()[chosen]) {
      items.push(id);
    }
    return members_of(
        builder_.compound(ExpressionKind::element, Operator::none, items.finish(), since(open.span)),
        open.span);
  }
  if (items.size() == 1) {
    return members_of(items.items().front(), open.span);
  }
  return builder_.compound(ExpressionKind::tuple, Operator::none, items.finish(), since(open.span));
}

/// `{a, b}` or `{e for i in r}`.
ExpressionId ExpressionParser::braces() {
  const Token open = take();
  if (at(TokenKind::right_brace)) {
    fail(kMissingExpression, "an array literal needs at least one element", peek().span,
         "an empty array is written fill(0, 0)");
    return builder_.error(open.span);
  }
  ListBuilder<ExpressionId> items(builder_);
  do {
    items.push(expression());
  } while (!recovering() && accept(TokenKind::comma));
  if (items.size() == 1 && !recovering() && accept(TokenKind::kw_for)) {
    const List<Iterator> loop = iterators();
    close_bracket(TokenKind::right_brace, open);
    return builder_.comprehension(items.items().front(), loop, since(open.span));
  }
  close_bracket(TokenKind::right_brace, open);
  return builder_.compound(ExpressionKind::array, Operator::none, items.finish(), since(open.span));
}

ExpressionId ExpressionParser::matrix() {
  const Token open = take();
  ++open_matrices_;
  ListBuilder<ExpressionId> rows(builder_);
  do {
    rows.push(matrix_row());
  } while (!recovering() && accept(TokenKind::semicolon));
  close_bracket(TokenKind::right_bracket, open);
  --open_matrices_;
  return builder_.compound(ExpressionKind::matrix, Operator::none, rows.finish(), since(open.span));
}

ExpressionId ExpressionParser::matrix_row() {
  const SourceSpan start = peek().span;
  ListBuilder<ExpressionId> items(builder_);
  do {
    items.push(expression());
  } while (!recovering() && accept(TokenKind::comma));
  return builder_.compound(ExpressionKind::matrix_row, Operator::none, items.finish(), since(start));
}

StringId ExpressionParser::description() {
  if (!at(TokenKind::string) || recovering()) {
    return {};
  }
  std::string joined = unescape(text(take()));
  while (at(TokenKind::plus) && peek(1).kind == TokenKind::string) {
    take();
    joined += unescape(text(take()));
  }
  return builder_.add_string(std::move(joined));
}

}  // namespace saltus::lang
