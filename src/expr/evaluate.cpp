#include "expr/evaluate.hpp"

#include <limits>
#include <utility>

#include "expr/operation.hpp"
#include "expr/traversal.hpp"

namespace saltus::expr {
namespace {

template <class Values>
double compute(const Node& node, const LeafValues& leaves, const Values& values) {
  switch (n_operands(node.op)) {
    case 0: return leaves.value_of(node);
    case 1: return apply(node.op, values[node.first]);
    case 2: return apply(node.op, values[node.first], values[node.second]);
    default: return apply(node.op, values[node.first], values[node.second], values[node.third]);
  }
}

}  // namespace

double LeafValues::value_of(const Node& leaf) const {
  std::span<const double> values;
  switch (leaf.op) {
    case Op::constant: return leaf.value;
    case Op::time: return time;
    case Op::variable:
      if (leaf.second <= 1) {
        values = leaf.second == 0 ? variables : derivatives;
      }
      break;
    case Op::parameter: values = parameters; break;
    case Op::condition: values = conditions; break;
    case Op::previous: values = previous; break;
    default: break;
  }
  if (leaf.first < values.size()) {
    return values[leaf.first];
  }
  return other ? other(leaf) : std::numeric_limits<double>::quiet_NaN();
}

double evaluate(const Graph& graph, NodeId node, const LeafValues& leaves) {
  return evaluate(graph, std::span<const NodeId>(&node, 1), leaves).front();
}

std::vector<double> evaluate(const Graph& graph, std::span<const NodeId> nodes, const LeafValues& leaves) {
  NodeTable<double> values(graph.size());
  for (const NodeId id : needed_nodes(graph, nodes)) {
    values[id] = compute(graph[id], leaves, values);
  }
  std::vector<double> result;
  result.reserve(nodes.size());
  for (const NodeId node : nodes) {
    result.push_back(values[node]);
  }
  return result;
}

double Evaluator::operator()(NodeId root) {
  if (values_.size() < graph_.size()) {
    values_.resize(graph_.size());
    known_.resize(graph_.size(), 0);
  }
  pending_.assign(1, root);
  while (!pending_.empty()) {
    const NodeId id = pending_.back();
    const Node& node = graph_[id];
    const std::size_t before = pending_.size();
    if (known_[id.index()] == 0) {
      for (int i = 0; i < n_operands(node.op); ++i) {
        if (known_[node.operand(i)] == 0) {
          pending_.emplace_back(node.operand(i));
        }
      }
    }
    if (pending_.size() > before) {
      continue;  // operands first
    }
    pending_.pop_back();
    if (known_[id.index()] == 0) {
      values_[id.index()] = compute(node, leaves_, values_);
      known_[id.index()] = 1;
    }
  }
  return values_[root.index()];
}

}  // namespace saltus::expr
