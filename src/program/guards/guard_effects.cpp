#include "program/guards/guard_effects.hpp"

#include <algorithm>
#include <unordered_map>

#include "expr/dependency.hpp"
#include "expr/traversal.hpp"

namespace saltus::program {
namespace {

using expr::Op;

class EffectFinder {
 public:
  EffectFinder(expr::Graph& graph, const ConditionInputs& conditions)
      : graph_(graph),
        conditions_(conditions),
        is_always_(conditions.guards().size(), 0),
        effects_(conditions.guards().size()) {}

  void look(std::span<const NodeId> roots) {
    const std::vector<NodeId> nodes = expr::needed_nodes(graph_, roots);
    is_read_.assign(graph_.size(), 0);
    for (const NodeId root : roots) {
      is_read_[root.index()] = 1;
    }
    // Operands have smaller numbers: what is above a node comes before it.
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
      visit(*node);
    }
  }

  [[nodiscard]] std::vector<NodeId> finish() {
    for (std::size_t i = 0; i < effects_.size(); ++i) {
      effects_[i] = is_always_[i] != 0 ? NodeId() : effects_[i];
    }
    return std::move(effects_);
  }

 private:
  // The proposition under which a node is read; invalid: always.
  [[nodiscard]] NodeId proposition(NodeId node) const {
    const auto found = propositions_.find(node.index());
    return found == propositions_.end() ? NodeId() : found->second;
  }

  void visit(NodeId id) {
    const expr::Node node = graph_[id];
    const NodeId own = is_read_[id.index()] != 0 ? NodeId() : proposition(id);
    if (node.op == Op::condition) {
      note(node, own);
      return;
    }
    for (int k = 0; k < expr::n_operands(node.op); ++k) {
      const NodeId operand(node.operand(k));
      const bool is_branch = node.op == Op::select && k > 0 && is_held(NodeId(node.operand(0)));
      if (!is_branch) {
        read(operand, own);
        continue;
      }
      const NodeId chosen =
          k == 1 ? NodeId(node.operand(0)) : graph_.unary(Op::logical_not, NodeId(node.operand(0)));
      read(operand, own.valid() ? graph_.binary(Op::logical_and, own, chosen) : chosen);
    }
  }

  void read(NodeId node, NodeId under) {
    if (is_read_[node.index()] != 0) {
      return;
    }
    if (!under.valid()) {
      is_read_[node.index()] = 1;
      return;
    }
    const auto [place, is_new] = propositions_.emplace(node.index(), under);
    if (!is_new) {
      place->second = graph_.binary(Op::logical_or, place->second, under);
    }
  }

  [[nodiscard]] bool is_held(NodeId condition) const {
    using expr::Kinds;
    return !has(expr::dependency_kinds(graph_, condition), Kinds::time | Kinds::variable | Kinds::derivative);
  }

  void note(const expr::Node& node, NodeId under) {
    const Index guard =
        node.first < conditions_.n_conditions() ? conditions_.guard_of(ConditionId(node.first)) : -1;
    if (guard < 0) {
      return;
    }
    const auto i = static_cast<std::size_t>(guard);
    is_always_[i] = is_always_[i] != 0 || !under.valid() ? 1 : 0;
    if (under.valid()) {
      effects_[i] = effects_[i].valid() ? graph_.binary(Op::logical_or, effects_[i], under) : under;
    }
  }

  expr::Graph& graph_;
  const ConditionInputs& conditions_;
  std::vector<char> is_read_;  // by node: always
  std::unordered_map<std::size_t, NodeId> propositions_;
  std::vector<char> is_always_;
  std::vector<NodeId> effects_;
};

}  // namespace

std::vector<NodeId> find_guard_effects(expr::Graph& graph, const ConditionInputs& conditions,
                                       const structure::Causalized& causalized) {
  EffectFinder finder(graph, conditions);
  std::vector<NodeId> roots;
  for (const flat::Equation& equation : causalized.equations) {
    roots.push_back(equation.left);
    roots.push_back(equation.right);
  }
  for (const structure::Constraint& constraint : causalized.constraints) {
    roots.push_back(constraint.equation.left);
    roots.push_back(constraint.equation.right);
  }
  finder.look(roots);
  // What a guard is made of is read wherever the guard is watched.
  roots.clear();
  for (const ConditionInputs::Guard& guard : conditions.guards()) {
    roots.push_back(guard.expression);
  }
  finder.look(roots);
  return finder.finish();
}

}  // namespace saltus::program
