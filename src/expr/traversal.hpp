/// The nodes an expression needs, in an order in which they can be computed.
///
/// Method     operands have smaller ids than their node, so taking the largest id first visits every node
/// after all
///            that need it. Few nodes: a heap of ids, no table. Many: marks over all ids, one descending
///            loop.
/// Cost       O(k log k) for k nodes needed, never more than O(largest id).
/// Checked by tests/unit/expr/graph_test.cpp
#pragma once

#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "expr/graph.hpp"

namespace saltus::expr {

/// All nodes reachable from the roots (roots included; invalid ids are skipped), ascending and without
/// repetition.
[[nodiscard]] std::vector<NodeId> needed_nodes(const Graph& graph, std::span<const NodeId> roots);

/// A table over node ids of which only the entries written are ever read: not initialised, so that a pass
/// over a small expression in a large graph does not pay for the graph.
template <class T>
class NodeTable {
  static_assert(std::is_trivially_default_constructible_v<T>, "else every entry would be initialised");

 public:
  explicit NodeTable(std::size_t size) : entries_(std::make_unique_for_overwrite<T[]>(size)) {}
  [[nodiscard]] T& operator[](NodeId id) { return entries_[id.index()]; }
  [[nodiscard]] const T& operator[](NodeId id) const { return entries_[id.index()]; }
  [[nodiscard]] T& operator[](std::uint32_t id) { return entries_[id]; }
  [[nodiscard]] const T& operator[](std::uint32_t id) const { return entries_[id]; }

 private:
  std::unique_ptr<T[]> entries_;
};

}  // namespace saltus::expr
