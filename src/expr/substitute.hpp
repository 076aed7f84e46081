/// Replacing nodes by others in an expression.
///
/// Method     rebuild bottom up, simplifying (simplify.hpp), with a memory of what has been rebuilt
/// Contract   all replacements happen at once: a replacement is not searched for further ones. Any node may
/// be
///            replaced, not only leaves. Nodes that contain no replaced node keep their id.
/// Cost       proportional to the nodes needed, each visited once in the life of a Substitution
/// Checked by tests/unit/expr/substitute_test.cpp
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "expr/graph.hpp"

namespace saltus::expr {

struct Replacement {
  NodeId from;
  NodeId to;
};

/// A set of replacements applied to one expression after the other. The graph must outlive it.
class Substitution {
 public:
  Substitution(Graph& graph, std::span<const Replacement> replacements);
  [[nodiscard]] NodeId operator()(NodeId node);
  /// One replacement more. No expression that contains `from` was rebuilt before.
  void define(NodeId from, NodeId to);

 private:
  NodeId rebuild(NodeId id);
  Graph& graph_;
  std::vector<NodeId> image_;  // by node id; invalid: not visited
  std::vector<NodeId> pending_;
};

[[nodiscard]] NodeId substitute(Graph& graph, NodeId node, std::span<const Replacement> replacements);
[[nodiscard]] std::vector<NodeId> substitute(Graph& graph, std::span<const NodeId> nodes,
                                             std::span<const Replacement> replacements);

/// The same operation over other operands, simplified; for a leaf the node itself. A rated node (graph.hpp) of which `second` or
/// `third` is not given is its value from then on: its derivatives are those of the expression.
[[nodiscard]] NodeId rebuild_with(Graph& graph, NodeId node, NodeId first, NodeId second, NodeId third);

}  // namespace saltus::expr
