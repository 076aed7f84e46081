#include "api/expression_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/number_text.hpp"
#include "flat/expression_printer.hpp"

namespace saltus {
namespace api {
namespace {

using Node = ExpressionNode;
using SharedNode = std::shared_ptr<const Node>;

Expression make(Node::Form form, std::string_view text, Binding binding, std::vector<SharedNode> parts) {
  auto node = std::make_shared<Node>();
  node->form = form;
  node->text = text;
  node->binding = binding;
  node->length = text.size() + 2;
  for (const SharedNode& part : parts) {
    node->length = std::min(node->length + part->length + 2, 2 * kLongestExpression);
    node->is_finite = node->is_finite && part->is_finite;
  }
  node->parts = std::move(parts);
  return Expression(std::move(node));
}

Expression word(std::string_view text, Binding binding = Binding::primary) {
  return make(Node::Form::word, text, binding, {});
}

Expression infix(const Expression& a, std::string_view op, const Expression& b, Binding binding) {
  return make(Node::Form::infix, op, binding, {a.shared(), b.shared()});
}

Binding tighter(Binding binding) {
  return static_cast<Binding>(static_cast<int>(binding) + 1);
}

// What is still to be written: a piece of text, or a node that must bind at least so tightly.
struct Item {
  std::string_view text;
  const Node* node = nullptr;
  Binding least = Binding::choice;
};

void take_apart(const Node& node, std::vector<Item>& items) {
  const auto part = [&](std::size_t i, Binding least) { items.push_back({{}, node.parts[i].get(), least}); };
  const auto text = [&](std::string_view written) { items.push_back({written}); };
  switch (node.form) {
    case Node::Form::word: text(node.text); return;
    case Node::Form::prefix:
      text(node.text);
      part(0, tighter(node.binding));
      return;
    case Node::Form::infix: {
      // Relations and powers do not associate.
      const bool associates = node.binding != Binding::relation && node.binding != Binding::power;
      part(0, associates ? node.binding : tighter(node.binding));
      text(node.text);
      part(1, tighter(node.binding));
      return;
    }
    case Node::Form::choice:
      text("if ");
      part(0, Binding::disjunction);
      text(" then ");
      part(1, Binding::disjunction);
      text(" else ");
      part(2, Binding::choice);
      return;
    case Node::Form::call:
    case Node::Form::braces: break;
  }
  text(node.form == Node::Form::call ? std::string_view(node.text) : std::string_view());
  text(node.form == Node::Form::call ? "(" : "{");
  for (std::size_t i = 0; i < node.parts.size(); ++i) {
    text(i > 0 ? ", " : "");
    part(i, Binding::choice);
  }
  text(node.form == Node::Form::call ? ")" : "}");
}

}  // namespace

ExpressionNode::~ExpressionNode() {
  std::vector<SharedNode> pending = std::move(parts);
  while (!pending.empty()) {
    const SharedNode last = std::move(pending.back());
    pending.pop_back();
    if (last.use_count() == 1) {
      // Nobody else has it, and it is not const itself: its parts may be taken before it goes.
      std::vector<SharedNode>& inner = const_cast<Node&>(*last).parts;
      std::move(inner.begin(), inner.end(), std::back_inserter(pending));
      inner.clear();
    }
  }
}

std::string expression_problem(const Expression& expression) {
  if (!expression.node().is_finite) {
    return "an expression contains a number that is not finite";
  }
  return expression.node().length > kLongestExpression
             ? "an expression is too large to be written; give what it "
               "uses again and again a name, as a variable"
             : "";
}

std::string expression_text(const Expression& expression, Binding least) {
  std::string written;
  std::vector<Item> stack{{{}, &expression.node(), least}};
  std::vector<Item> items;
  while (!stack.empty()) {
    const Item item = stack.back();
    stack.pop_back();
    if (item.node == nullptr) {
      written += item.text;
      continue;
    }
    items.clear();
    const bool is_enclosed = item.node->binding < item.least;
    if (is_enclosed) {
      items.push_back({"("});
    }
    take_apart(*item.node, items);
    if (is_enclosed) {
      items.push_back({")"});
    }
    stack.insert(stack.end(), items.rbegin(), items.rend());
  }
  return written;
}

}  // namespace api

using api::Binding;
using Form = api::ExpressionNode::Form;

Expression::Expression(double value) {
  auto node = std::make_shared<api::ExpressionNode>();
  node->text = number_text(value);
  node->binding = std::signbit(value) ? Binding::sum : Binding::primary;
  node->is_finite = std::isfinite(value);
  node->length = node->text.size();
  node_ = std::move(node);
}
Expression::Expression(int value)
    : node_(api::word(std::to_string(value), value < 0 ? Binding::sum : Binding::primary).shared()) {}
Expression::Expression(bool value) : node_(api::word(value ? "true" : "false").shared()) {}

Expression Expression::text(std::string_view written) {
  return api::word(written);
}
Expression Expression::string(std::string_view value) {
  return api::word(flat::quoted_text(value));
}

Expression operator+(const Expression& a, const Expression& b) {
  return api::infix(a, " + ", b, Binding::sum);
}
Expression operator-(const Expression& a, const Expression& b) {
  return api::infix(a, " - ", b, Binding::sum);
}
Expression operator*(const Expression& a, const Expression& b) {
  return api::infix(a, "*", b, Binding::product);
}
Expression operator/(const Expression& a, const Expression& b) {
  return api::infix(a, "/", b, Binding::product);
}
Expression operator-(const Expression& a) {
  return api::make(Form::prefix, "-", Binding::sum, {a.shared()});
}
Expression operator<(const Expression& a, const Expression& b) {
  return api::infix(a, " < ", b, Binding::relation);
}
Expression operator<=(const Expression& a, const Expression& b) {
  return api::infix(a, " <= ", b, Binding::relation);
}
Expression operator>(const Expression& a, const Expression& b) {
  return api::infix(a, " > ", b, Binding::relation);
}
Expression operator>=(const Expression& a, const Expression& b) {
  return api::infix(a, " >= ", b, Binding::relation);
}
Expression operator&&(const Expression& a, const Expression& b) {
  return api::infix(a, " and ", b, Binding::conjunction);
}
Expression operator||(const Expression& a, const Expression& b) {
  return api::infix(a, " or ", b, Binding::disjunction);
}
Expression operator!(const Expression& a) {
  return api::make(Form::prefix, "not ", Binding::negation, {a.shared()});
}
Expression equal(const Expression& a, const Expression& b) {
  return api::infix(a, " == ", b, Binding::relation);
}
Expression not_equal(const Expression& a, const Expression& b) {
  return api::infix(a, " <> ", b, Binding::relation);
}
Expression pow(const Expression& base, const Expression& exponent) {
  return api::infix(base, "^", exponent, Binding::power);
}
Expression if_else(const Expression& condition, const Expression& if_true, const Expression& if_false) {
  return api::make(Form::choice, "", Binding::choice,
                   {condition.shared(), if_true.shared(), if_false.shared()});
}
Expression call(std::string_view function, const std::vector<Expression>& arguments) {
  std::vector<api::SharedNode> parts;
  for (const Expression& argument : arguments) {
    parts.push_back(argument.shared());
  }
  return api::make(Form::call, function, Binding::primary, std::move(parts));
}
Expression array(const std::vector<Expression>& elements) {
  std::vector<api::SharedNode> parts;
  for (const Expression& element : elements) {
    parts.push_back(element.shared());
  }
  return api::make(Form::braces, "", Binding::primary, std::move(parts));
}

Expression time() {
  return api::word("time");
}
Expression der(const Expression& a) {
  return call("der", {a});
}
Expression pre(const Expression& a) {
  return call("pre", {a});
}
Expression edge(const Expression& a) {
  return call("edge", {a});
}
Expression change(const Expression& a) {
  return call("change", {a});
}
Expression initial() {
  return call("initial", {});
}
Expression terminal() {
  return call("terminal", {});
}
Expression sample(const Expression& start, const Expression& interval) {
  return call("sample", {start, interval});
}
Expression no_event(const Expression& a) {
  return call("noEvent", {a});
}
Expression smooth(int continuous_derivatives, const Expression& a) {
  return call("smooth", {continuous_derivatives, a});
}

// The functions of one and two numbers that have the name of the language's.
#define SALTUS_ONE(name)                 \
  Expression name(const Expression& a) { \
    return call(#name, {a});             \
  }
#define SALTUS_TWO(name)                                      \
  Expression name(const Expression& a, const Expression& b) { \
    return call(#name, {a, b});                               \
  }
SALTUS_ONE(sin)
SALTUS_ONE(cos)
SALTUS_ONE(tan)
SALTUS_ONE(asin)
SALTUS_ONE(acos)
SALTUS_ONE(atan)
SALTUS_ONE(sinh)
SALTUS_ONE(cosh)
SALTUS_ONE(tanh)
SALTUS_ONE(exp)
SALTUS_ONE(log)
SALTUS_ONE(log10)
SALTUS_ONE(sqrt)
SALTUS_ONE(abs)
SALTUS_ONE(sign)
SALTUS_ONE(floor)
SALTUS_ONE(ceil)
SALTUS_ONE(integer)
SALTUS_TWO(atan2)
SALTUS_TWO(mod)
SALTUS_TWO(div)
SALTUS_TWO(rem)
SALTUS_TWO(min)
SALTUS_TWO(max)
#undef SALTUS_ONE
#undef SALTUS_TWO

}  // namespace saltus
