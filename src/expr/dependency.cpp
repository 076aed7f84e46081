#include "expr/dependency.hpp"

#include <algorithm>

#include "expr/traversal.hpp"

namespace saltus::expr {

Kinds kind_of(const Node& leaf) {
  switch (leaf.op) {
    case Op::parameter: return Kinds::parameter;
    case Op::time: return Kinds::time;
    case Op::condition: return Kinds::condition;
    case Op::previous: return Kinds::previous;
    case Op::variable: return leaf.second == 0 ? Kinds::variable : Kinds::derivative;
    default: return Kinds::none;
  }
}

std::vector<Kinds> dependency_kinds(const Graph& graph) {
  std::vector<Kinds> kinds(graph.size(), Kinds::none);
  for (std::size_t id = 0; id < graph.size(); ++id) {
    const Node& node = graph[NodeId(id)];
    kinds[id] = kind_of(node);
    for (int i = 0; i < n_operands(node.op); ++i) {
      kinds[id] = kinds[id] | kinds[node.operand(i)];
    }
  }
  return kinds;
}

Kinds dependency_kinds(const Graph& graph, NodeId node) {
  Kinds kinds = Kinds::none;
  for (const NodeId id : needed_nodes(graph, std::span<const NodeId>(&node, 1))) {
    kinds = kinds | kind_of(graph[id]);
  }
  return kinds;
}

std::vector<NodeId> leaves_of(const Graph& graph, std::span<const NodeId> roots) {
  std::vector<NodeId> result = needed_nodes(graph, roots);
  std::erase_if(result, [&](NodeId id) { return n_operands(graph[id].op) != 0 || graph.is_constant(id); });
  return result;
}

bool depends_on(const Graph& graph, NodeId node, NodeId part) {
  const std::vector<NodeId> nodes = needed_nodes(graph, std::span<const NodeId>(&node, 1));
  return std::binary_search(nodes.begin(), nodes.end(), part);
}

bool influences_derivative(Op op, int i) {
  switch (op) {
    case Op::sign:
    case Op::floor:
    case Op::ceil:
    case Op::truncate:
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::not_equal:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not: return false;
    case Op::select: return i != 0;
    case Op::power_integer: return i == 0;
    default: return true;
  }
}

}  // namespace saltus::expr
