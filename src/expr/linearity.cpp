#include "expr/linearity.hpp"

#include <algorithm>
#include <cstdint>

#include "expr/chain_rule.hpp"
#include "expr/derivative.hpp"
#include "expr/traversal.hpp"

namespace saltus::expr {
namespace {

enum class Degree : std::uint8_t { free, affine, nonlinear };

Degree degree_of(const Node& node, const NodeTable<Degree>& degrees) {
  const auto of = [&](int i) { return degrees[node.operand(i)]; };
  Degree highest = Degree::free;
  for (int i = 0; i < n_operands(node.op); ++i) {
    highest = std::max(highest, of(i));
  }
  if (highest != Degree::affine) {
    return highest;
  }
  switch (node.op) {
    case Op::negate:
    case Op::add:
    case Op::subtract: return Degree::affine;
    case Op::multiply:
      return of(0) == Degree::free || of(1) == Degree::free ? Degree::affine : Degree::nonlinear;
    case Op::divide: return of(1) == Degree::free ? Degree::affine : Degree::nonlinear;
    case Op::select: return of(0) == Degree::free ? Degree::affine : Degree::nonlinear;
    default: return Degree::nonlinear;
  }
}

template <class IsLeaf>
Degree classify(const Graph& graph, std::span<const NodeId> order, const IsLeaf& is_leaf) {
  NodeTable<Degree> degrees(graph.size());
  Degree last = Degree::free;
  for (const NodeId id : order) {
    const Node& node = graph[id];
    last = n_operands(node.op) > 0 ? degree_of(node, degrees) : is_leaf(id) ? Degree::affine : Degree::free;
    degrees[id] = last;
  }
  return last;  // the root has the largest id
}

// The part of an affine node without the leaves, from that of its operands; invalid is a structural zero.
NodeId remainder_of(Graph& graph, NodeId id, const NodeTable<std::uint32_t>& parts) {
  const Node node = graph[id];
  const int n = n_operands(node.op);
  const NodeId a(parts[node.first]);
  const NodeId b = n > 1 ? NodeId(parts[node.second]) : NodeId();
  switch (node.op) {
    case Op::negate: return a.valid() ? graph.negate(a) : a;
    case Op::add: return add_structural(graph, a, b);
    case Op::subtract: return add_structural(graph, a, b.valid() ? graph.negate(b) : b);
    case Op::multiply: return a.valid() && b.valid() ? graph.multiply(a, b) : NodeId();
    case Op::divide: return a.valid() ? graph.divide(a, b) : a;
    default: {
      const NodeId c(parts[node.third]);
      if (!b.valid() && !c.valid()) {
        return {};
      }
      const NodeId zero = graph.constant(0.0);
      return graph.select(a, b.valid() ? b : zero, c.valid() ? c : zero);
    }
  }
}

}  // namespace

AffineExtractor::AffineExtractor(Graph& graph, std::span<const NodeId> leaves)
    : graph_(graph), leaves_(leaves.begin(), leaves.end()) {
  std::sort(leaves_.begin(), leaves_.end());
}

bool AffineExtractor::is_leaf(NodeId id) const {
  return std::binary_search(leaves_.begin(), leaves_.end(), id);
}

bool AffineExtractor::is_affine(NodeId node) const {
  const std::vector<NodeId> order = needed_nodes(graph_, std::span<const NodeId>(&node, 1));
  return classify(graph_, order, [&](NodeId id) { return is_leaf(id); }) != Degree::nonlinear;
}

NodeId AffineExtractor::remainder(NodeId root, std::span<const NodeId> order) const {
  NodeTable<std::uint32_t> parts(graph_.size());
  NodeTable<char> contains(graph_.size());
  for (const NodeId id : order) {
    const Node node = graph_[id];
    const bool leaf = n_operands(node.op) == 0 && is_leaf(id);
    contains[id] = leaf ? 1 : 0;
    for (int i = 0; i < n_operands(node.op); ++i) {
      contains[id] = contains[id] != 0 || contains[node.operand(i)] != 0 ? 1 : 0;
    }
    const NodeId part = leaf ? NodeId() : contains[id] == 0 ? id : remainder_of(graph_, id, parts);
    parts[id] = part.value();
  }
  const NodeId result(parts[root]);
  return result.valid() ? result : graph_.constant(0.0);
}

std::optional<AffineForm> AffineExtractor::operator()(NodeId node) {
  const std::span<const NodeId> root(&node, 1);
  const std::vector<NodeId> order = needed_nodes(graph_, root);
  if (classify(graph_, order, [&](NodeId id) { return is_leaf(id); }) == Degree::nonlinear) {
    return std::nullopt;
  }
  std::vector<NodeId> occurring;
  for (const NodeId id : order) {
    if (is_leaf(id)) {
      occurring.push_back(id);
    }
  }
  AffineForm form;
  ReverseSweep sweep(graph_, root, occurring);
  for (const ReverseSweep::Entry& entry : sweep(node)) {
    if (!graph_.is_constant(entry.value, 0.0)) {
      form.terms.push_back({.leaf = entry.leaf, .coefficient = entry.value});
    }
  }
  form.remainder = remainder(node, order);
  return form;
}

bool is_affine(Graph& graph, NodeId node, std::span<const NodeId> leaves) {
  return AffineExtractor(graph, leaves).is_affine(node);
}

std::optional<AffineForm> affine_form(Graph& graph, NodeId node, std::span<const NodeId> leaves) {
  return AffineExtractor(graph, leaves)(node);
}

std::optional<SolvedForm> solve_affine(Graph& graph, NodeId left, NodeId right, NodeId leaf) {
  AffineExtractor extract(graph, std::span<const NodeId>(&leaf, 1));
  const std::optional<AffineForm> a = extract(left);
  const std::optional<AffineForm> b = extract(right);
  if (!a.has_value() || !b.has_value() || (a->terms.empty() && b->terms.empty())) {
    return std::nullopt;
  }
  // (cₐ - c_b)·x = r_b - r_a, written so that x = e and e = x give e itself
  if (a->terms.empty()) {
    const NodeId coefficient = b->terms.front().coefficient;
    return SolvedForm{.formula = graph.divide(graph.subtract(left, b->remainder), coefficient),
                      .coefficient = coefficient};
  }
  const NodeId coefficient = b->terms.empty()
                                 ? a->terms.front().coefficient
                                 : graph.subtract(a->terms.front().coefficient, b->terms.front().coefficient);
  return SolvedForm{.formula = graph.divide(graph.subtract(b->remainder, a->remainder), coefficient),
                    .coefficient = coefficient};
}

}  // namespace saltus::expr
