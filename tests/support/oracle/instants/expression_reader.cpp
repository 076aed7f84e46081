#include "support/oracle/instants/expression_reader.hpp"

#include <cstdlib>

namespace saltus::test::instants {

bool ExpressionReader::take(const std::string& text) {
  const bool is_there = at(text);
  place_ += is_there ? 1 : 0;
  return is_there;
}

void ExpressionReader::expect(const std::string& text) {
  if (!take(text)) {
    throw Unsupported("'" + text + "' expected before '" + tokens_[place_].text + "'");
  }
}

std::string ExpressionReader::name() {
  if (!at_name()) {
    throw Unsupported("a name expected before '" + tokens_[place_].text + "'");
  }
  return tokens_[place_++].text;
}

std::size_t ExpressionReader::variable(const std::string& name) {
  for (std::size_t i = 0; i < model_.variables.size(); ++i) {
    if (model_.variables[i].name == name) {
      return i;
    }
  }
  model_.variables.push_back({.name = name});
  return model_.variables.size() - 1;
}

std::size_t ExpressionReader::rate_of(const std::string& name) {
  const std::size_t state = variable(name);
  const std::size_t rate = variable("der(" + name + ")");
  model_.variables[state].role = Role::state;
  model_.variables[state].partner = rate;
  model_.variables[rate].role = Role::rate;
  model_.variables[rate].partner = state;
  return model_.node({.op = Op::variable, .which = rate});
}

Real ExpressionReader::constant_value(std::size_t place) const {
  const Node& node = model_.nodes[place];
  switch (node.op) {
    case Op::number: return node.value;
    case Op::add: return constant_value(node.a) + constant_value(node.b);
    case Op::subtract: return constant_value(node.a) - constant_value(node.b);
    case Op::multiply: return constant_value(node.a) * constant_value(node.b);
    case Op::divide: return constant_value(node.a) / constant_value(node.b);
    default: throw Unsupported("a value of parameters and numbers expected");
  }
}

std::size_t ExpressionReader::expression() {
  if (!take("if")) {
    return disjunction();
  }
  const std::size_t condition = expression();
  expect("then");
  const std::size_t then = expression();
  if (at("elseif")) {
    // `elseif` begins the rest as `if` begins the whole.
    tokens_[place_].text = "if";
    return select(condition, then, expression());
  }
  expect("else");
  return select(condition, then, expression());
}

std::size_t ExpressionReader::disjunction() {
  std::size_t left = conjunction();
  while (take("or")) {
    left = model_.binary(Op::logical_or, left, conjunction());
  }
  return left;
}

std::size_t ExpressionReader::conjunction() {
  std::size_t left = negation();
  while (take("and")) {
    left = model_.binary(Op::logical_and, left, negation());
  }
  return left;
}

std::size_t ExpressionReader::negation() {
  return take("not") ? not_of(relation()) : relation();
}

std::size_t ExpressionReader::relation() {
  const std::size_t left = sum();
  if (take(">")) {
    return greater(Op::greater, left, sum());
  }
  if (take(">=")) {
    return greater(Op::greater_equal, left, sum());
  }
  if (take("<")) {
    return greater(Op::greater, sum(), left);
  }
  if (take("<=")) {
    return greater(Op::greater_equal, sum(), left);
  }
  if (take("==")) {
    return model_.binary(Op::equal, left, sum());
  }
  return take("<>") ? not_of(model_.binary(Op::equal, left, sum())) : left;
}

std::size_t ExpressionReader::sum() {
  std::size_t left = 0;
  if (take("-")) {
    left = negative(product());
  } else {
    static_cast<void>(take("+"));
    left = product();
  }
  while (at("+") || at("-")) {
    const Op op = take("+") ? Op::add : (skip(), Op::subtract);
    left = model_.binary(op, left, product());
  }
  return left;
}

std::size_t ExpressionReader::product() {
  std::size_t left = factor();
  while (at("*") || at("/")) {
    const Op op = take("*") ? Op::multiply : (skip(), Op::divide);
    left = model_.binary(op, left, factor());
  }
  return left;
}

std::size_t ExpressionReader::factor() {
  if (take("(")) {
    const std::size_t inner = expression();
    expect(")");
    return inner;
  }
  if (tokens_[place_].kind == Token::Kind::number) {
    return model_.number(std::strtold(tokens_[place_++].text.c_str(), nullptr));
  }
  const std::string word = name();
  if (word == "true" || word == "false") {
    return model_.number(word == "true" ? 1 : 0);
  }
  if (word == "time") {
    return model_.node({.op = Op::time});
  }
  if (at("(")) {
    return call(word);
  }
  const auto parameter = parameters_.find(word);
  return parameter != parameters_.end() ? parameter->second
                                        : model_.node({.op = Op::variable, .which = variable(word)});
}

std::size_t ExpressionReader::call(const std::string& function) {
  expect("(");
  if (function == "der" || function == "pre" || function == "edge" || function == "change") {
    const std::string argument = name();
    expect(")");
    if (function == "der") {
      return rate_of(argument);
    }
    const std::size_t which = variable(argument);
    const std::size_t now = model_.node({.op = Op::variable, .which = which});
    const std::size_t before = model_.node({.op = Op::pre, .which = which});
    return function == "pre"    ? before
           : function == "edge" ? model_.binary(Op::logical_and, now, not_of(before))
                                : not_of(model_.binary(Op::equal, now, before));
  }
  std::vector<std::size_t> arguments;
  while (!at(")")) {
    arguments.push_back(expression());
    static_cast<void>(take(","));
  }
  expect(")");
  const std::size_t n = arguments.size();
  const std::size_t a = n > 0 ? arguments[0] : 0;
  const std::size_t b = n > 1 ? arguments[1] : 0;
  if (n == 0 && function == "initial") {
    return model_.node({.op = Op::initial});
  }
  if (n == 2 && function == "sample") {
    model_.clocks.push_back({constant_value(a), constant_value(b)});
    return model_.node({.op = Op::sample, .which = model_.clocks.size() - 1});
  }
  if (n == 1 && (function == "sin" || function == "cos" || function == "exp")) {
    return model_.node({.op = function == "sin"   ? Op::sine
                              : function == "cos" ? Op::cosine
                                                  : Op::exponential,
                        .a = a});
  }
  if (n == 1 && (function == "floor" || function == "integer")) {
    return floor_of(a);
  }
  if (n == 1 && function == "ceil") {
    return negative(floor_of(negative(a)));
  }
  if (n == 2 && function == "mod") {
    const std::size_t turns = floor_of(model_.binary(Op::divide, a, b));
    return model_.binary(Op::subtract, a, model_.binary(Op::multiply, turns, b));
  }
  if (n == 1 && function == "abs") {
    return select(greater(Op::greater_equal, a, model_.number(0)), a, negative(a));
  }
  if (n == 1 && function == "sign") {
    const std::size_t zero = model_.number(0);
    const std::size_t not_positive =
        select(greater(Op::greater, zero, a), model_.number(-1), model_.number(0));
    return select(greater(Op::greater, a, zero), model_.number(1), not_positive);
  }
  if (n == 2 && (function == "min" || function == "max")) {
    return select(function == "min" ? greater(Op::greater, b, a) : greater(Op::greater, a, b), a, b);
  }
  if (n == 1 && function == "noEvent") {
    return a;  // the values are the same; only rows of events differ
  }
  throw Unsupported("function " + function);
}

}  // namespace saltus::test::instants
