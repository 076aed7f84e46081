#include "flat/expression_printer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_set>

#include <fmt/format.h>

#include "base/number_text.hpp"
#include "base/work_watch.hpp"
#include "flat/angles.hpp"
#include "flat/precedence.hpp"

namespace saltus::flat {
namespace {

using expr::Op;
using Kind = Condition::Kind;

/// Whole numbers up to this are written without exponent, so that they are read as Integers.
constexpr double kMaxPlainInteger = 1e15;

// A text for people ends after so many bytes: a node that is used twice is written twice, so that the whole text may be
// exponential in the number of nodes.
constexpr std::size_t kLongestReadable = 2000;
constexpr std::int64_t kWorkOfANode = 100;  // base/work_watch.hpp

constexpr std::array<std::string_view, 53> kKeywords = {
    "algorithm", "and",         "annotation", "block",   "break",    "class",   "connect",  "connector",
    "constant",  "der",         "discrete",   "each",    "else",     "elseif",  "elsewhen", "encapsulated",
    "end",       "enumeration", "equation",   "extends", "external", "false",   "final",    "flow",
    "for",       "function",    "if",         "import",  "in",       "initial", "inner",    "input",
    "loop",      "model",       "mode",       "not",     "or",       "outer",   "output",   "package",
    "parameter", "protected",   "public",     "record",  "return",   "sliding", "then",     "transition",
    "true",      "type",        "when",       "while",   "within"};

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || is_digit(c); }) &&
         std::find(kKeywords.begin(), kKeywords.end(), name) == kKeywords.end();
}

std::string escaped(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char c : text) {
    if (c == quote || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (c == '\r') {
      result += "\\r";
    } else {
      result += c;
    }
  }
  return result + quote;
}

std::string number(double value) {
  if (value == std::trunc(value) && std::abs(value) < kMaxPlainInteger) {
    std::string written = std::signbit(value) ? "-" : "";
    written.append(std::to_string(static_cast<long long>(std::abs(value))));
    return written;
  }
  return number_text(value);
}

std::string_view function_name(Op op) {
  switch (op) {
    case Op::minimum: return "min";
    case Op::maximum: return "max";
    case Op::less: return "less";
    case Op::less_equal: return "less_equal";
    default: return expr::name_of(op);
  }
}

bool is_number(Kind kind) {
  return (kind >= Kind::floor && kind <= Kind::segment) || kind == Kind::external || kind >= Kind::component;
}

bool has_operation(const expr::Graph& graph, Op op) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph[NodeId(i)].op == op) {
      return true;
    }
  }
  return false;
}

bool is_plain_discontinuity(Op op) {
  return op == Op::abs || op == Op::sign || op == Op::floor || op == Op::ceil || op == Op::truncate ||
         op == Op::minimum || op == Op::maximum || op == Op::atan2 || op == Op::less || op == Op::less_equal;
}

}  // namespace

std::string quoted_name(std::string_view name) {
  return is_identifier(name) ? std::string(name) : escaped(name, '\'');
}
std::string quoted_text(std::string_view text) {
  return escaped(text, '"');
}

ExpressionPrinter::ExpressionPrinter(const Model& model, Form form)
    : model_(model), form_(form), variability_(model) {
  const bool has_functions = std::any_of(model.conditions.begin(), model.conditions.end(),
                                         [](const Condition& c) { return c.kink; }) ||
                             (!model.conditions.empty() && has_operation(model.graph, Op::atan2));
  if (has_functions) {
    scratch_ = std::make_unique<expr::Graph>(model.graph);
    canonicalizer_ = std::make_unique<GuardCanonicalizer>(*scratch_);
  }
  analyse();
}

void ExpressionPrinter::analyse() {
  const std::size_t n = model_.graph.size();
  is_boolean_.resize(n);
  has_condition_.resize(n);
  sizes_.resize(n, 1.0);
  for (std::size_t i = 0; i < n; ++i) {
    const expr::Node& node = model_.graph[NodeId(i)];
    if (node.op == Op::variable || node.op == Op::previous) {
      is_boolean_[i] = model_.variables[node.first].type == Type::boolean;
    } else if (node.op == Op::parameter) {
      is_boolean_[i] = model_.parameters[node.first].type == Type::boolean;
    } else if (node.op == Op::condition) {
      const Condition& condition = model_.conditions[node.first];
      is_boolean_[i] = !is_number(condition.kind);
      has_condition_[i] = true;
      const NodeId inside = condition.guard.valid() ? model_[condition.guard].expression : condition.argument;
      sizes_[i] += inside.valid() ? sizes_[inside.index()] : 0.0;
    } else if (node.op == Op::select) {
      is_boolean_[i] = is_boolean_[node.second] || is_boolean_[node.third];
    } else if (node.op == Op::rated) {
      is_boolean_[i] = is_boolean_[node.first];
    } else {
      is_boolean_[i] = node.op >= Op::less && node.op <= Op::logical_not;
    }
    for (int k = 0; k < expr::n_operands(node.op); ++k) {
      has_condition_[i] = has_condition_[i] || has_condition_[node.operand(k)];
      sizes_[i] += sizes_[node.operand(k)];
    }
  }
}

std::string ExpressionPrinter::name(std::string_view text) const {
  return form_ == Form::exact ? quoted_name(text) : std::string(text);
}

void ExpressionPrinter::write(NodeId node, bool as_boolean, std::string& out, bool on_left) {
  const std::size_t begin = out.size();
  std::vector<Item> stack{{"", node, as_boolean, on_left ? kOr : kLoosest}};
  std::vector<Item> parts;
  while (!stack.empty()) {
    const Item item = std::move(stack.back());
    stack.pop_back();
    if (!item.node.valid()) {
      out += item.text;
      continue;
    }
    if (form_ != Form::exact && out.size() > begin + kLongestReadable) {
      out += " …";
      return;
    }
    count_work(kWorkOfANode);
    parts.clear();
    take_apart(item, parts);
    std::move(parts.rbegin(), parts.rend(), std::back_inserter(stack));
  }
}

void ExpressionPrinter::take_apart(const Item& item, std::vector<Item>& parts) {
  const expr::Node& node = model_.graph[item.node];
  const int n = expr::n_operands(node.op);
  if (n == 0) {
    write_leaf(item, node, parts);
  } else if (node.op == Op::rated) {
    parts.push_back({"", NodeId(node.first), item.as_boolean, item.precedence});
  } else if (write_angle(item.node, parts)) {
    return;
  } else if (node.op == Op::select) {
    write_select(item, node, parts);
  } else if (is_plain_discontinuity(node.op)) {
    write_plain(item, node, parts);
  } else if (node.op >= Op::sqrt && node.op <= Op::tanh) {
    parts.push_back({std::string(expr::name_of(node.op)) + "(", NodeId()});
    parts.push_back({"", NodeId(node.first), false, kLoosest});
    parts.push_back({")", NodeId()});
  } else {
    write_infix(item, node, parts);
  }
}

void ExpressionPrinter::write_leaf(const Item& item, const expr::Node& node, std::vector<Item>& parts) {
  const auto text = [&](std::string written) { parts.push_back({std::move(written), NodeId()}); };
  switch (node.op) {
    case Op::constant: {
      if (item.as_boolean) {
        text(node.value != 0.0 ? "true" : "false");
        return;
      }
      const std::string written = number(node.value);
      text(std::signbit(node.value) && item.precedence >= kProduct ? "(" + written + ")" : written);
      return;
    }
    case Op::time: text("time"); return;
    case Op::variable: {
      std::string written = name(model_.variables[node.first].name);
      const bool is_discrete = model_.variables[node.first].variability == Variability::discrete;
      for (std::uint32_t k = 0; k < node.second; ++k) {
        written = (is_discrete ? "pre(" : "der(") + written + ")";
      }
      text(std::move(written));
      return;
    }
    case Op::parameter: text(name(model_.parameters[node.first].name)); return;
    case Op::previous: text("pre(" + name(model_.variables[node.first].name) + ")"); return;
    default: write_condition(model_.conditions[node.first], item.precedence, parts); return;
  }
}

void ExpressionPrinter::write_plain(const Item& item, const expr::Node& node, std::vector<Item>& parts) {
  const auto text = [&](std::string written) { parts.push_back({std::move(written), NodeId()}); };
  bool continuous = false;
  bool conditional = false;
  const int n = expr::n_operands(node.op);
  for (int k = 0; k < n; ++k) {
    continuous = continuous || variability_.of(NodeId(node.operand(k))) == NodeVariability::continuous;
    conditional = conditional || has_condition_[node.operand(k)];
  }
  const bool has_cut = node.op != Op::atan2 || meets_cut(model_.graph, NodeId(node.second));
  const bool needs_silence = continuous && has_cut && form_ == Form::exact;
  const bool needs_helper = needs_silence && conditional;
  const bool is_relation = node.op == Op::less || node.op == Op::less_equal;
  if (needs_helper) {
    helpers_.insert(node.op);
    text("'plain " + std::string(function_name(node.op)) + "'(");
  } else if (needs_silence) {
    text("noEvent(");
  }
  const bool enclosed = !needs_silence && item.precedence >= kRelation && is_relation;
  if (is_relation && !needs_helper) {
    text(enclosed ? "(" : "");
    parts.push_back({"", NodeId(node.first), false, kSum});
    text(node.op == Op::less ? " < " : " <= ");
    parts.push_back({"", NodeId(node.second), false, kSum});
    text(enclosed ? ")" : "");
  } else if (node.op == Op::truncate && !needs_helper) {
    write_truncation(NodeId(node.first), parts);
  } else {
    text(needs_helper ? "" : std::string(function_name(node.op)) + "(");
    parts.push_back({"", NodeId(node.first), false, kLoosest});
    if (n == 2) {
      text(", ");
      parts.push_back({"", NodeId(node.second), false, kLoosest});
    }
    text(needs_helper ? "" : ")");
  }
  text(needs_silence ? ")" : "");
}

void ExpressionPrinter::write_infix(const Item& item, const expr::Node& node, std::vector<Item>& parts) {
  if (const GuardId guard = guard_of_sign(node); guard.valid()) {
    parts.push_back({"sign(", NodeId()});
    parts.push_back({"", model_[guard].expression, false, kLoosest});
    parts.push_back({")", NodeId()});
    return;
  }
  struct Shape {
    std::string_view symbol;
    int own, left, right;
  };
  const bool boolean_sides =
      expr::n_operands(node.op) == 2 && (is_boolean_[node.first] || is_boolean_[node.second]);
  Shape shape{};
  switch (node.op) {
    case Op::negate: shape = {"-", kSum, kProduct, kProduct}; break;
    case Op::logical_not: shape = {"not ", kNot, kRelation, kRelation}; break;
    case Op::add: shape = {" + ", kSum, kSum, kProduct}; break;
    case Op::subtract: shape = {" - ", kSum, kSum, kProduct}; break;
    case Op::multiply: shape = {"*", kProduct, kProduct, kPower}; break;
    case Op::divide: shape = {"/", kProduct, kProduct, kPower}; break;
    case Op::power:
    case Op::power_integer: shape = {"^", kPower, kPrimary, kPrimary}; break;
    case Op::equal: shape = {" == ", kRelation, kSum, kSum}; break;
    case Op::not_equal: shape = {" <> ", kRelation, kSum, kSum}; break;
    case Op::logical_and: shape = {" and ", kAnd, kAnd, kNot}; break;
    default: shape = {" or ", kOr, kOr, kAnd}; break;
  }
  const bool unary = expr::n_operands(node.op) == 1;
  const bool logical = node.op >= Op::logical_and;
  const bool enclosed = shape.own < item.precedence;
  if (enclosed) {
    parts.push_back({"(", NodeId()});
  }
  if (unary) {
    parts.push_back({std::string(shape.symbol), NodeId()});
    parts.push_back({"", NodeId(node.first), logical, shape.left});
  } else {
    parts.push_back({"", NodeId(node.first), logical || boolean_sides, shape.left});
    parts.push_back({std::string(shape.symbol), NodeId()});
    parts.push_back({"", NodeId(node.second), logical || boolean_sides, shape.right});
  }
  if (enclosed) {
    parts.push_back({")", NodeId()});
  }
}

std::string ExpressionPrinter::helper_function(Op op) {
  const bool is_relation = op == Op::less || op == Op::less_equal;
  const bool two = is_relation || op == Op::minimum || op == Op::maximum || op == Op::atan2;
  const std::string head =
      fmt::format("function 'plain {}'\n  input Real a;\n{}  output {} r;\nalgorithm\n  r := noEvent(",
                  function_name(op), two ? "  input Real b;\n" : "", is_relation ? "Boolean" : "Real");
  const std::string body = is_relation          ? (op == Op::less ? "a < b" : "a <= b")
                           : op == Op::truncate ? "div(a, 1)"
                                                : fmt::format("{}(a{})", function_name(op), two ? ", b" : "");
  return head + body + fmt::format(");\nend 'plain {}';\n", function_name(op));
}

}  // namespace saltus::flat
