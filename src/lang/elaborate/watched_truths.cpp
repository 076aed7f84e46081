// Truths and whole numbers that decide something are events, whatever stands around them.
//
// Problem    noEvent in the condition of a clause, a transition, assert or terminate, or in an equation of a Boolean or Integer:
//            what it decides changes at instants alone, and there would be none
// Method     such an expression changes all the time (flat::NodeVariability). The plain relations and whole numbers that it is made of become
//            conditions. Where one of them has no value everywhere and another truth may keep it from there (noEvent(x > 0 and log(x) > 1)), the condition
//            of assert or terminate stays as it is written and is compared with 1/2: a guard that jumps where it is violated, which ends the run.
// Contract   operands of relations stay as they are: what noEvent silences in a number is a number
// Checked by tests/events/silent_truths_test.cpp
#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "expr/substitute.hpp"
#include "expr/traversal.hpp"
#include "lang/elaborate/elaborator.hpp"

namespace saltus::lang {
namespace {

using expr::Op;

bool is_relation(Op op) {
  return op == Op::less || op == Op::less_equal;
}

bool is_whole_number(Op op) {
  return op == Op::floor || op == Op::ceil || op == Op::truncate;
}

flat::Condition::Kind kind_of(Op op) {
  switch (op) {
    case Op::less: return flat::Condition::Kind::less;
    case Op::floor: return flat::Condition::Kind::floor;
    case Op::ceil: return flat::Condition::Kind::ceil;
    case Op::truncate: return flat::Condition::Kind::truncate;
    default: return flat::Condition::Kind::less_equal;
  }
}

bool is_discrete_variable(const flat::Model& model, NodeId node) {
  const expr::Node& leaf = model.graph[node];
  return leaf.op == Op::variable && model.variables[leaf.first].variability == flat::Variability::discrete;
}

bool has_value_everywhere(const expr::Graph& graph, const expr::Node& node) {
  switch (node.op) {
    case Op::divide: {
      const expr::Node& divisor = graph[NodeId(node.second)];
      return divisor.op == Op::constant && divisor.value != 0.0;
    }
    case Op::power_integer: return graph[NodeId(node.second)].value > 0.0;
    case Op::power:
    case Op::sqrt:
    case Op::log:
    case Op::log10:
    case Op::tan:
    case Op::asin:
    case Op::acos: return false;
    default: return true;
  }
}

}  // namespace

NodeId ConditionTable::watch(NodeId root, SourceSpan span, bool ends_run) {
  if (!root.valid() || variability_.of(root) != flat::NodeVariability::continuous) {
    return root;
  }
  expr::Graph& graph = model_.graph;
  const std::vector<NodeId> nodes = expr::needed_nodes(graph, {&root, 1});
  // From the root down: what decides, and not what is compared.
  std::unordered_set<std::uint32_t> decides{root.value()};
  bool may_hide = false;
  for (auto id = nodes.rbegin(); id != nodes.rend(); ++id) {
    const expr::Node& node = graph[*id];
    if (decides.count(id->value()) == 0 || is_relation(node.op) || is_whole_number(node.op)) {
      continue;
    }
    may_hide = may_hide || node.op == Op::select || node.op == Op::logical_and || node.op == Op::logical_or;
    for (int k = 0; k < expr::n_operands(node.op); ++k) {
      decides.insert(node.operand(k));
    }
  }
  RelationContext context;
  context.repeated = true;
  context.span = span;
  const bool is_total = std::all_of(nodes.begin(), nodes.end(),
                                    [&graph](NodeId id) { return has_value_everywhere(graph, graph[id]); });
  if (ends_run && may_hide && !is_total) {
    return arithmetic_.node(
        relation(flat::Condition::Kind::greater, node_scalar(root), known_scalar(0.5), context));
  }
  std::unordered_map<std::uint32_t, NodeId> made;
  for (const NodeId id : nodes) {
    const expr::Node node = graph[id];
    const int n = expr::n_operands(node.op);
    const NodeId first(node.first);
    if (decides.count(id.value()) == 0 || n == 0) {
      made[id.value()] = id;
    } else if (is_relation(node.op)) {
      made[id.value()] = arithmetic_.node(
          relation(kind_of(node.op), node_scalar(first), node_scalar(NodeId(node.second)), context));
    } else if (is_whole_number(node.op)) {
      made[id.value()] = arithmetic_.node(whole_number(kind_of(node.op), node_scalar(first), context));
    } else {
      std::array<NodeId, 3> operands;
      for (int k = 0; k < n; ++k) {
        operands[static_cast<std::size_t>(k)] = made[node.operand(k)];
      }
      made[id.value()] = expr::rebuild_with(graph, id, operands[0], operands[1], operands[2]);
    }
  }
  return made[root.value()];
}

void Elaborator::watch_truths() {
  const auto watch = [this](NodeId& node, SourceSpan span, bool ends_run = false) {
    node = conditions_.watch(node, span, ends_run);
  };
  const auto watch_equations = [&](std::vector<flat::Equation>& equations) {
    for (flat::Equation& equation : equations) {
      if (is_discrete_variable(model_, equation.left) || is_discrete_variable(model_, equation.right)) {
        watch(equation.left, equation.span);
        watch(equation.right, equation.span);
      }
    }
  };
  watch_equations(model_.equations);
  for (flat::Mode& mode : model_.modes) {
    watch_equations(mode.equations);
    for (flat::Transition& transition : mode.transitions) {
      watch(transition.condition, transition.span);
    }
  }
  for (flat::WhenClause& clause : model_.when_clauses) {
    for (flat::WhenBranch& branch : clause.branches) {
      watch(branch.condition, branch.span);
      for (NodeId& element : branch.vector_elements) {
        watch(element, branch.span);
      }
    }
  }
  for (flat::Assertion& assertion : model_.assertions) {
    watch(assertion.condition, assertion.span, true);
  }
  for (flat::Body::Message& terminate : model_.terminates) {
    watch(terminate.condition, terminate.span, true);
  }
}

}  // namespace saltus::lang
