#include "lang/elaborate/mentioned_variables.hpp"

#include <vector>

namespace saltus::lang {

VariableId MentionedVariables::first_in(NodeId root) {
  std::vector<NodeId> stack{root};
  while (!stack.empty()) {
    const NodeId id = stack.back();
    const expr::Node& node = graph_[id];
    if (found_.count(id.value()) != 0) {
      stack.pop_back();
      continue;
    }
    VariableId first;
    if (node.op == expr::Op::variable && wanted_.count(node.first) != 0) {
      first = VariableId(node.first);
    }
    const std::size_t n_open = stack.size();
    for (int k = 0; k < expr::n_references(node.op); ++k) {
      const auto operand = found_.find(node.operand(k));
      if (operand == found_.end()) {
        stack.push_back(NodeId(node.operand(k)));
      } else if (!first.valid()) {
        first = operand->second;
      }
    }
    if (stack.size() == n_open) {
      found_.emplace(id.value(), first);
      stack.pop_back();
    }
  }
  return found_.at(root.value());
}

void add_mentioned(const expr::Graph& graph, NodeId root, std::unordered_set<std::uint32_t>& seen,
                   std::unordered_set<std::uint32_t>& variables) {
  std::vector<NodeId> stack{root};
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    if (!seen.insert(id.value()).second) {
      continue;
    }
    const expr::Node& node = graph[id];
    if (node.op == expr::Op::variable) {
      variables.insert(node.first);
    }
    for (int k = 0; k < expr::n_references(node.op); ++k) {
      stack.push_back(NodeId(node.operand(k)));
    }
  }
}

}  // namespace saltus::lang
