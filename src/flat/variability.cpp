#include "flat/variability.hpp"

#include <algorithm>

namespace saltus::flat {
namespace {

NodeVariability of_leaf(const Model& model, const expr::Node& node) {
  switch (node.op) {
    case expr::Op::constant: return NodeVariability::constant;
    case expr::Op::parameter: return NodeVariability::parameter;
    case expr::Op::condition:
    case expr::Op::previous: return NodeVariability::discrete;
    case expr::Op::variable:
      return model.variables[node.first].variability == Variability::discrete ? NodeVariability::discrete
                                                                              : NodeVariability::continuous;
    default: return NodeVariability::continuous;
  }
}

}  // namespace

NodeVariability VariabilityOfNodes::of(NodeId node) {
  while (known_.size() <= node.index()) {
    const expr::Node& next = model_.graph[NodeId(known_.size())];
    const int n = expr::n_operands(next.op);
    NodeVariability result = n == 0 ? of_leaf(model_, next) : NodeVariability::constant;
    for (int k = 0; k < n; ++k) {
      result = std::max(result, known_[next.operand(k)]);
    }
    known_.push_back(result);
  }
  return known_[node.index()];
}

}  // namespace saltus::flat
