#include "expr/lock.hpp"

#include "expr/substitute.hpp"

namespace saltus::expr {

std::vector<NodeId> lock_conditions(Graph& graph, std::span<const NodeId> nodes,
                                    std::span<const std::optional<double>> values) {
  std::vector<Replacement> replacements;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].has_value()) {
      replacements.push_back({.from = graph.condition(ConditionId(i)), .to = graph.constant(*values[i])});
    }
  }
  return substitute(graph, nodes, replacements);
}

}  // namespace saltus::expr
