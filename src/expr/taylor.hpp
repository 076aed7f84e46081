/// Taylor expansion in time as a graph transformation: node → nodes of its series.
///
/// Problem    with x(t₀ + h) = Σ xₖ hᵏ for every leaf x, the coefficients fₖ of a node f; k!·fₖ is its k-th total time
///            derivative
/// Method     the recurrences of Taylor arithmetic [Moo66; GW08, ch. 13] run over nodes instead of numbers;
///            the recurrence of each operation is in taylor_rules.cpp and docs/math/expressions.md
/// Contract   coefficients are normalised (divided by k!). Order 0 is the node itself. Coefficients that are zero
///            by structure are the constant 0 and no product with them is built. abs, minimum, maximum and select
///            stay on the side their order-0 values take; sign, floor, … and relations rest.
/// Choices    by default a variable leaf (i, m) expands to the leaves (i, m + k) / k!, so that the result is the
///            total derivative of a DAE; coefficients may be given instead. time expands to (t, 1, 0, …); parameters,
///            conditions and pre(…) rest.
/// Fails when a coefficient does not exist (sqrt at 0, aᵇ with b not a whole number at a = 0): its value is not
///            finite; whole powers exist at 0 and are built from products.
/// Cost       O(k) new nodes per node and order k, so O(k²) up to order k; everything is shared and remembered
/// Checked by tests/unit/expr/taylor_test.cpp (closed forms, and mpmath numbers for every operation)
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "expr/graph.hpp"

namespace saltus::expr {

/// How variable leaves move.
struct TaylorLeaves {
  /// Normalised coefficient of a variable leaf for an order >= 1; an invalid id is a structural zero. Empty: total
  /// derivatives, (i, m) → (i, m + order) / order!.
  std::function<NodeId(const Node& leaf, int order)> coefficient = {};
  /// True for variables that stay constant (discrete ones). Empty: none does.
  std::function<bool(const Node& leaf)> rests = {};
};

/// What a recurrence needs besides the operands.
struct TaylorAuxiliary {
  NodeId same_order;   ///< needed up to the order being computed
  NodeId lower_order;  ///< needed below that order only, so it may itself depend on the node
};

/// Coefficients found so far.
class SeriesTable {
 public:
  struct Series {
    std::vector<NodeId> coefficients;  // invalid: structural zero
    TaylorAuxiliary auxiliary;
    bool rests = false;  // all coefficients of order >= 1 are structural zeros
  };
  [[nodiscard]] bool knows(NodeId id) const { return id.index() < slot_.size() && slot_[id.index()] != 0; }
  [[nodiscard]] Series& operator[](NodeId id) { return series_[slot_[id.index()] - 1]; }
  [[nodiscard]] const Series& operator[](NodeId id) const { return series_[slot_[id.index()] - 1]; }
  /// Coefficient k, already computed; invalid for a structural zero.
  [[nodiscard]] NodeId at(NodeId id, int k) const;
  void add(NodeId id, Series series);

 private:
  std::vector<std::uint32_t> slot_;  // by node id; 0: unknown, else index + 1
  std::vector<Series> series_;
};

/// Expansions of nodes of one graph, with memory. The graph must outlive it and grows.
class TaylorExpansion {
 public:
  explicit TaylorExpansion(Graph& graph, TaylorLeaves leaves = {});
  /// Normalised coefficient of order >= 0.
  [[nodiscard]] NodeId coefficient(NodeId node, int order);
  /// dᵏ node / dtᵏ = k!·coefficient.
  [[nodiscard]] NodeId total_derivative(NodeId node, int order);

 private:
  void register_node(NodeId id);
  void collect(NodeId root);
  [[nodiscard]] NodeId leaf_coefficient(NodeId id, int order);
  Graph& graph_;
  TaylorLeaves leaves_;
  SeriesTable table_;
  std::vector<std::uint32_t> stamp_;  // by node id: the collection that visited it last
  std::uint32_t collection_ = 0;
  std::vector<NodeId> members_;   // of the last collection; each after all it needs at the same order
  std::size_t n_same_order_ = 0;  // the first ones: needed up to the order of the root itself
};

}  // namespace saltus::expr
