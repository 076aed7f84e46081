#include "expr/chain_rule.hpp"
#include "expr/derivative.hpp"

namespace saltus::expr {

std::vector<NodeId> forward_derivatives(Graph& graph, std::span<const NodeId> nodes,
                                        std::span<const Seed> seeds) {
  const std::vector<NodeId> order = needed_nodes(graph, nodes);
  NodeTable<std::uint32_t> tangent(graph.size());  // ids; the invalid id is a structural zero
  NodeTable<char> seeded(graph.size());
  for (const NodeId id : order) {
    tangent[id] = NodeId().value();
    seeded[id] = 0;
  }
  for (const Seed& seed : seeds) {
    tangent[seed.leaf] = seed.tangent.value();
    seeded[seed.leaf] = 1;
  }
  for (const NodeId id : order) {
    const Node node = graph[id];
    const int n = n_operands(node.op);
    if (n > 0 && seeded[id] == 0) {
      const NodeId second = n > 1 ? NodeId(tangent[node.second]) : NodeId();
      const NodeId third = n > 2 ? NodeId(tangent[node.third]) : NodeId();
      tangent[id] = tangent_of(graph, id, NodeId(tangent[node.first]), second, third).value();
    }
  }
  std::vector<NodeId> result;
  result.reserve(nodes.size());
  for (const NodeId node : nodes) {
    const NodeId value(tangent[node]);
    result.push_back(value.valid() ? value : graph.constant(0.0));
  }
  return result;
}

NodeId derivative(Graph& graph, NodeId node, NodeId leaf) {
  const Seed seed{.leaf = leaf, .tangent = graph.constant(1.0)};
  return forward_derivatives(graph, std::span<const NodeId>(&node, 1), std::span<const Seed>(&seed, 1))
      .front();
}

}  // namespace saltus::expr
