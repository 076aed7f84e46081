#include "expr/substitute.hpp"

#include <algorithm>

namespace saltus::expr {

NodeId rebuild_with(Graph& graph, NodeId id, NodeId first, NodeId second, NodeId third) {
  const Node node = graph[id];
  if (node.op == Op::rated) {
    const bool is_same =
        first.value() == node.first && second.value() == node.second && third.value() == node.third;
    return !second.valid() || !third.valid() ? first
           : is_same                         ? id
                                             : graph.rated(first, second, third, node.value == 1.0);
  }
  switch (n_operands(node.op)) {
    case 0: return id;
    case 1: return first.value() == node.first ? id : graph.unary(node.op, first);
    case 2:
      if (first.value() == node.first && second.value() == node.second) {
        return id;
      }
      return graph.binary(node.op, first, second);
    default:
      if (first.value() == node.first && second.value() == node.second && third.value() == node.third) {
        return id;
      }
      return graph.select(first, second, third);
  }
}

Substitution::Substitution(Graph& graph, std::span<const Replacement> replacements)
    : graph_(graph), image_(graph.size()) {
  for (const Replacement& replacement : replacements) {
    image_[replacement.from.index()] = replacement.to;
  }
}

void Substitution::define(NodeId from, NodeId to) {
  image_.resize(std::max(image_.size(), from.index() + 1));
  image_[from.index()] = to;
}

NodeId Substitution::rebuild(NodeId id) {
  const Node node = graph_[id];
  const int n = n_references(node.op);
  return rebuild_with(graph_, id, n > 0 ? image_[node.first] : NodeId(),
                      n > 1 ? image_[node.second] : NodeId(), n > 2 ? image_[node.third] : NodeId());
}

NodeId Substitution::operator()(NodeId root) {
  image_.resize(std::max(image_.size(), root.index() + 1));
  pending_.assign(1, root);
  while (!pending_.empty()) {
    const NodeId id = pending_.back();
    const std::size_t before = pending_.size();
    if (!image_[id.index()].valid()) {
      const Node& node = graph_[id];
      for (int i = 0; i < n_references(node.op); ++i) {
        if (!image_[node.operand(i)].valid()) {
          pending_.emplace_back(node.operand(i));
        }
      }
    }
    if (pending_.size() > before) {
      continue;  // operands first
    }
    pending_.pop_back();
    if (!image_[id.index()].valid()) {
      image_[id.index()] = rebuild(id);
    }
  }
  return image_[root.index()];
}

NodeId substitute(Graph& graph, NodeId node, std::span<const Replacement> replacements) {
  return Substitution(graph, replacements)(node);
}

std::vector<NodeId> substitute(Graph& graph, std::span<const NodeId> nodes,
                               std::span<const Replacement> replacements) {
  Substitution substitution(graph, replacements);
  std::vector<NodeId> result;
  result.reserve(nodes.size());
  for (const NodeId node : nodes) {
    result.push_back(substitution(node));
  }
  return result;
}

}  // namespace saltus::expr
