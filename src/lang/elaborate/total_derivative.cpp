// Problem    der(e) of an expression: its total derivative with respect to time.
// Method     one order of the Taylor expansion in time (expr/taylor.hpp): a variable's derivative is the next leaf of that
//            variable, parameters rest, time moves with 1. der(x*y) becomes der(x)*y + x*der(y).
// Contract   an expression that may jump while the model runs has no derivative and is refused with the reason. Kinks are
//            no jumps: the derivative is that of the side taken.
// Choices    a choice decided by a condition is continuous if its sides are equal on the surface by structure
//            (abs, min, max, `if x > 0 then x else 0`), or if smooth(...) says so. Choices in noEvent are taken literally.
//            A Real that is set in a 'when' and occurs in der(expression) only is discrete, as in Modelica.
// Cost       O(nodes of the expression); derivatives of shared parts are remembered.
// Checked by tests/unit/lang/total_derivative_test.cpp, tests/corpus/fail/derivatives.test
#include <fmt/format.h>

#include "lang/elaborate/elaborator.hpp"
#include "lang/elaborate/semantic_codes.hpp"

namespace saltus::lang {

Value Elaborator::derivative(const Value& argument, SourceSpan span) {
  const bool is_number = argument.type == flat::Type::real || argument.type == flat::Type::integer;
  if (!is_number ||
      (argument.type == flat::Type::integer && variability(argument) > flat::NodeVariability::parameter)) {
    return fail(kDerArgument, fmt::format("'der' needs a continuous Real, not {}", to_string(argument.type)),
                span);
  }
  Value result = argument;
  result.type = flat::Type::real;
  for (std::size_t i = 0; i < argument.size(); ++i) {
    if (variability(argument[i]) <= flat::NodeVariability::parameter) {
      result[i] = known_scalar(0.0);
      continue;
    }
    const expr::Node leaf = model_.graph[argument[i].node];
    const bool is_variable = leaf.op == expr::Op::variable;
    if (is_variable && variability(argument[i]) == flat::NodeVariability::continuous) {
      result[i] =
          node_scalar(model_.graph.variable(VariableId(leaf.first), static_cast<int>(leaf.second) + 1));
      continue;
    }
    const std::optional<Jump> jump = find_jump(argument[i].node);
    if (jump) {
      return fail(kDerArgument, jump->reason, span, jump->hint);
    }
    const NodeId moved = total_derivatives_.total_derivative(argument[i].node, 1);
    const expr::Node& node = model_.graph[moved];
    result[i] = node.op == expr::Op::constant ? known_scalar(node.value) : node_scalar(moved);
  }
  return result;
}

std::optional<Elaborator::Jump> Elaborator::find_jump(NodeId root) {
  std::vector<NodeId> stack{root};
  std::unordered_set<std::uint32_t> seen;
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    if (variability_.of(id) <= flat::NodeVariability::parameter || !seen.insert(id.value()).second) {
      continue;
    }
    if (const std::optional<flat::Angle> angle = conditions_.find_angle(id)) {
      stack.push_back(angle->y);  // it turns with the same rate on both sides of its cut
      stack.push_back(angle->x);
      continue;
    }
    const expr::Node node = model_.graph[id];
    switch (node.op) {
      case expr::Op::variable:
        if (variability_.of(id) == flat::NodeVariability::discrete) {
          return Jump{fmt::format("'{}' changes at events only: it has no derivative",
                                  model_.variables[node.first].name),
                      {}};
        }
        is_differentiated_[entities_[entity_of_variable_[node.first]].name.index()] = true;
        continue;
      case expr::Op::previous:
        return Jump{fmt::format("pre({}) changes at events only: it has no derivative",
                                model_.variables[node.first].name),
                    {}};
      case expr::Op::condition:
        if (model_.conditions[node.first].kind == flat::Condition::Kind::segment &&
            model_.conditions[node.first].continuity >= 0) {
          continue;  // coefficients jump, the interpolant does not
        }
        [[fallthrough]];
      case expr::Op::sign:
      case expr::Op::floor:
      case expr::Op::ceil:
      case expr::Op::truncate:
        return Jump{"the argument of 'der' contains a step, which has no derivative", {}};
      case expr::Op::rated:  // says that it has a derivative
        stack.push_back(NodeId(node.third));
        if (node.value != 1.0) {
          stack.push_back(NodeId(node.first));
        }
        continue;
      case expr::Op::select:
        if (!conditions_.is_continuous_choice(id)) {
          return Jump{
              "the argument of 'der' may jump: the sides of an 'if' need not be equal where it changes",
              "smooth(0, if ...) says that it does not jump"};
        }
        stack.push_back(NodeId(node.second));
        stack.push_back(NodeId(node.third));
        continue;
      default: break;
    }
    for (int k = 0; k < expr::n_operands(node.op); ++k) {
      stack.push_back(NodeId(node.operand(k)));
    }
  }
  return std::nullopt;
}

}  // namespace saltus::lang
