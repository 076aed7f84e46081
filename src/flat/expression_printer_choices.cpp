// How conditions and the choices between values by them are written.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>

#include "base/number_text.hpp"
#include "flat/angles.hpp"
#include "flat/expression_printer.hpp"
#include "flat/precedence.hpp"

namespace saltus::flat {
namespace {

using expr::Op;
using Kind = Condition::Kind;

// A table of numbers that are held: up to its argument.
std::string table_text(const Condition& condition) {
  const Numbers& knots = *condition.knots;
  std::string text = "interpolate({";
  for (std::size_t i = 0; i < condition.numbers->size(); ++i) {
    // The first number holds below the first knot, wherever its point lies.
    const double x =
        i > 0 ? knots[i - 1] : std::nextafter(knots[0], -std::numeric_limits<double>::infinity());
    text +=
        fmt::format("{}{{{}, {}}}", i > 0 ? ", " : "", number_text(x), number_text((*condition.numbers)[i]));
  }
  return text + "}, ";
}

std::string_view relation_text(Kind kind) {
  switch (kind) {
    case Kind::greater: return " > ";
    case Kind::greater_equal: return " >= ";
    case Kind::less: return " < ";
    default: return " <= ";
  }
}

}  // namespace

void ExpressionPrinter::write_truncation(NodeId argument, std::vector<Item>& parts) {
  const expr::Node& node = model_.graph[argument];
  const bool is_quotient = node.op == Op::divide;
  parts.push_back({"div(", NodeId()});
  parts.push_back({"", is_quotient ? NodeId(node.first) : argument, false, kLoosest});
  if (is_quotient) {
    parts.push_back({", ", NodeId()});
    parts.push_back({"", NodeId(node.second), false, kLoosest});
    parts.push_back({")", NodeId()});
  } else {
    parts.push_back({", 1)", NodeId()});
  }
}

void ExpressionPrinter::write_condition(const Condition& condition, int precedence,
                                        std::vector<Item>& parts) {
  const auto text = [&](std::string written) { parts.push_back({std::move(written), NodeId()}); };
  const auto node = [&](NodeId id, int inner) { parts.push_back({"", id, false, inner}); };
  switch (condition.kind) {
    case Kind::floor:
    case Kind::ceil:
      text(condition.kind == Kind::floor ? "floor(" : "ceil(");
      node(condition.argument, kLoosest);
      text(")");
      return;
    case Kind::truncate: write_truncation(condition.argument, parts); return;
    case Kind::segment:
      text(form_ == Form::exact ? table_text(condition) : "interpolate(…, ");
      node(condition.argument, kLoosest);
      text(", rule = \"hold\")");
      return;
    case Kind::sample:
      text("sample(");
      node(condition.argument, kLoosest);
      text(", ");
      node(condition.interval, kLoosest);
      text(")");
      return;
    case Kind::external: text(condition.text); return;
    case Kind::norm:
      text("direction(…) held at zero, ");
      node(condition.argument, kLoosest);
      return;
    case Kind::component:
      text("direction(…) of ");
      node(condition.argument, kLoosest);
      return;
    case Kind::gap: text("0"); return;  // but while an impact is looked at
    case Kind::restitution: node(condition.argument, precedence); return;
    case Kind::initial: text("initial()"); return;
    case Kind::terminal: text("terminal()"); return;
    default: break;
  }
  const bool enclosed = precedence >= kRelation;
  if (form_ == Form::as_written && !condition.kink && !condition.text.empty()) {
    text(enclosed ? "(" + condition.text + ")" : condition.text);
    return;
  }
  text(enclosed ? "(" : "");
  node(model_[condition.guard].expression, kSum);
  text(std::string(relation_text(condition.kind)) + (enclosed ? "0)" : "0"));
}

int ExpressionPrinter::continuity_of(NodeId condition) const {
  int continuity = -1;
  std::vector<NodeId> stack{condition};
  std::unordered_set<NodeId> seen;
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    if (!seen.insert(id).second) {
      continue;
    }
    const expr::Node& node = model_.graph[id];
    if (node.op == Op::condition && model_.conditions[node.first].kink) {
      const int own = model_.conditions[node.first].continuity;
      continuity = continuity < 0 ? own : std::min(continuity, own);
    }
    const bool is_logical =
        node.op == Op::logical_and || node.op == Op::logical_or || node.op == Op::logical_not;
    for (int k = 0; is_logical && k < expr::n_operands(node.op); ++k) {
      stack.push_back(NodeId(node.operand(k)));
    }
  }
  return continuity;
}

const char* ExpressionPrinter::kink_function(const expr::Node& select) {
  const expr::Node& leaf = model_.graph[NodeId(select.first)];
  if (leaf.op != Op::condition || !model_.conditions[leaf.first].kink ||
      !model_.conditions[leaf.first].guard.valid()) {
    return nullptr;
  }
  const Condition& condition = model_.conditions[leaf.first];
  const NodeId guard = model_[condition.guard].expression;
  const NodeId a(select.second);
  const NodeId b(select.third);
  const auto is_relation = [&](NodeId left, NodeId right, Kind straight, Kind mirrored) {
    const CanonicalGuard canonical = canonicalizer_->canonical(left, right);
    return canonical.expression == guard && condition.kind == (canonical.flipped ? mirrored : straight);
  };
  if (scratch_->negate(a) == b &&
      is_relation(a, scratch_->constant(0.0), Kind::greater_equal, Kind::less_equal)) {
    return "abs";
  }
  if (is_relation(a, b, Kind::greater_equal, Kind::less_equal)) {
    return "max";
  }
  return is_relation(a, b, Kind::less_equal, Kind::greater_equal) ? "min" : nullptr;
}

bool ExpressionPrinter::write_angle(NodeId node, std::vector<Item>& parts) {
  const std::optional<Angle> angle =
      scratch_ ? find_angle(model_, *scratch_, *canonicalizer_, node) : std::nullopt;
  if (!angle) {
    return false;
  }
  parts.push_back({"atan2(", NodeId()});
  parts.push_back({"", angle->y, false, kLoosest});
  parts.push_back({", ", NodeId()});
  parts.push_back({"", angle->x, false, kLoosest});
  parts.push_back({")", NodeId()});
  return true;
}

// An element of direction(v) (flat/directions.hpp).
bool ExpressionPrinter::write_direction(const expr::Node& select, std::vector<Item>& parts) {
  const expr::Node& held = model_.graph[NodeId(select.first)];
  const expr::Node& element = model_.graph[NodeId(select.second)];
  if (held.op != Op::condition || model_.conditions[held.first].kind != Kind::norm ||
      element.op != Op::condition) {
    return false;
  }
  parts.push_back({"direction({", NodeId()});
  bool is_first = true;
  for (std::size_t i = held.first + 1; i < model_.conditions.size(); ++i) {
    const Condition& component = model_.conditions[i];
    if (component.kind != Kind::component || component.owner != ConditionId(held.first)) {
      break;
    }
    parts.push_back({is_first ? "" : ", ", NodeId()});
    parts.push_back({"", component.argument, false, kLoosest});
    is_first = false;
  }
  parts.push_back({"}, " + std::to_string(element.first - held.first) + ")", NodeId()});
  return true;
}

void ExpressionPrinter::write_select(const Item& item, const expr::Node& node, std::vector<Item>& parts) {
  if (write_direction(node, parts)) {
    return;
  }
  const auto text = [&](std::string written) { parts.push_back({std::move(written), NodeId()}); };
  const int continuity = continuity_of(NodeId(node.first));
  const bool kink = continuity >= 0;
  // abs, min and max say that the value is continuous and no more.
  const bool may_be_function = continuity == 0 || (kink && form_ != Form::exact);
  if (const char* function = may_be_function ? kink_function(node) : nullptr) {
    text(std::string(function) + "(");
    parts.push_back({"", NodeId(node.second), false, kLoosest});
    if (std::string_view(function) != "abs") {
      text(", ");
      parts.push_back({"", NodeId(node.third), false, kLoosest});
    }
    text(")");
    return;
  }
  const bool smooth = kink && form_ == Form::exact;
  const bool enclosed = item.precedence > kLoosest && !smooth;
  const bool boolean = item.as_boolean || is_boolean_[item.node.index()];
  text(smooth ? fmt::format("smooth({}, if ", continuity) : enclosed ? "(if " : "if ");
  parts.push_back({"", NodeId(node.first), true, kOr});
  text(" then ");
  parts.push_back({"", NodeId(node.second), boolean, kOr});
  text(" else ");
  parts.push_back({"", NodeId(node.third), boolean, kOr});
  text(smooth || enclosed ? ")" : "");
}

GuardId ExpressionPrinter::guard_of_sign(const expr::Node& difference) const {
  const auto guard_of_choice = [&](std::uint32_t id, Kind kind) {
    const expr::Node& choice = model_.graph[NodeId(id)];
    const bool is_one_or_zero = choice.op == Op::select &&
                                model_.graph.is_constant(NodeId(choice.second), 1.0) &&
                                model_.graph.is_constant(NodeId(choice.third), 0.0) &&
                                model_.graph[NodeId(choice.first)].op == Op::condition;
    if (!is_one_or_zero) {
      return GuardId();
    }
    const Condition& condition = model_.conditions[model_.graph[NodeId(choice.first)].first];
    return condition.kind == kind && !condition.kink ? condition.guard : GuardId();
  };
  if (difference.op != Op::subtract) {
    return {};
  }
  const GuardId guard = guard_of_choice(difference.first, Kind::greater);
  return guard.valid() && guard == guard_of_choice(difference.second, Kind::less) ? guard : GuardId();
}

}  // namespace saltus::flat
