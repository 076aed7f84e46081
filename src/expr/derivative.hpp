/// Symbolic derivatives of nodes: forward (one direction, many nodes) and reverse (one node, many leaves).
///
/// Problem    ∂f/∂x for nodes f and leaves x as nodes of the same graph
/// Method     forward and reverse accumulation over the DAG [GW08, ch. 3] with the rules of chain_rule.hpp
/// Contract   leaves are independent of each other: ∂der(x)/∂x = 0. A derivative that is zero by structure is
/// the
///            constant 0. A side of a select, minimum or maximum that is not taken does not leak, in either
///            mode.
/// Choices    forward: the tangent of a select is the select of the tangents. reverse: an adjoint is
/// accompanied by
///            the condition under which it counts (its mask); masks are applied with a select where adjoints
///            of different masks meet and at the leaves, after the last product, so 0·∞ never arises from
///            masking.
/// Cost       a small constant times the nodes between the leaves and the results
/// Checked by tests/unit/expr/derivative_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expr/graph.hpp"
#include "expr/traversal.hpp"

namespace saltus::expr {

struct Seed {
  NodeId leaf;
  NodeId tangent;  ///< d leaf / dε
};

/// d node / dε of each node when the leaves move with their tangents (others rest).
[[nodiscard]] std::vector<NodeId> forward_derivatives(Graph& graph, std::span<const NodeId> nodes,
                                                      std::span<const Seed> seeds);
/// ∂node/∂leaf.
[[nodiscard]] NodeId derivative(Graph& graph, NodeId node, NodeId leaf);
/// ∂node/∂leaf for each leaf, by one reverse sweep.
[[nodiscard]] std::vector<NodeId> gradient(Graph& graph, NodeId node, std::span<const NodeId> leaves);

/// Reverse sweeps over one graph that share their tables: what gradient() and jacobian() use. The nodes
/// differentiated are among the roots or below them; the graph grows meanwhile.
class ReverseSweep {
 public:
  ReverseSweep(Graph& graph, std::span<const NodeId> roots, std::span<const NodeId> leaves);

  struct Entry {
    NodeId leaf;
    NodeId value;
  };
  /// Derivatives of a root with respect to the leaves it depends on, ascending leaf ids.
  [[nodiscard]] const std::vector<Entry>& operator()(NodeId root);
  /// Number of nodes between the leaves and the root: the cost of a sweep.
  [[nodiscard]] std::size_t cone_size(NodeId root);

 private:
  struct Adjoint {
    NodeId value;  // invalid: none yet
    NodeId mask;   // invalid: counts always
  };
  struct Place {
    char active;  // depends on a leaf through differentiable operands
    char is_leaf;
    std::uint32_t stamp;     // sweep that visited the node last
    std::uint32_t position;  // in the cone of that sweep
  };
  void collect_cone(NodeId root);
  void push_down(NodeId id);
  void accumulate(NodeId id, NodeId value, NodeId mask);

  Graph& graph_;
  NodeTable<Place> place_;  // written for the nodes below the roots and the leaves
  std::uint32_t sweep_ = 0;
  std::vector<NodeId> cone_;
  std::vector<Adjoint> adjoints_;  // by position in the cone
  std::vector<Entry> entries_;
};

}  // namespace saltus::expr
