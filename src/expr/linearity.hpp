/// Is an expression affine in some leaves, and with which coefficients?
///
/// Problem    f = Σ cᵢ·xᵢ + r with cᵢ, r free of all xᵢ
/// Method     one pass classifies every node as free, affine or nonlinear by its operation; coefficients are the
///            derivatives (reverse sweep), the remainder is rebuilt without the leaves
/// Contract   structural: x*x - x*x is nonlinear. A leaf in a condition of a select or in a relation makes it
///            nonlinear. Coefficients and remainder do not contain the leaves.
/// Cost       proportional to the nodes below the root (times log of the number of leaves)
/// Checked by tests/unit/expr/linearity_test.cpp
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "expr/graph.hpp"

namespace saltus::expr {

struct AffineForm {
  struct Term {
    NodeId leaf;
    NodeId coefficient;
  };
  std::vector<Term> terms;  ///< leaves with a coefficient that is not zero by structure; ascending leaf ids
  NodeId remainder;         ///< the constant 0 if there is none
};

/// Affine forms in one set of leaves, for one expression after the other. The graph must outlive it.
class AffineExtractor {
 public:
  AffineExtractor(Graph& graph, std::span<const NodeId> leaves);
  [[nodiscard]] bool is_affine(NodeId node) const;
  /// None if the node is not affine.
  [[nodiscard]] std::optional<AffineForm> operator()(NodeId node);

 private:
  [[nodiscard]] bool is_leaf(NodeId id) const;
  NodeId remainder(NodeId root, std::span<const NodeId> order) const;
  Graph& graph_;
  std::vector<NodeId> leaves_;  // sorted
};

[[nodiscard]] bool is_affine(Graph& graph, NodeId node, std::span<const NodeId> leaves);
[[nodiscard]] std::optional<AffineForm> affine_form(Graph& graph, NodeId node,
                                                    std::span<const NodeId> leaves);

/// left = right solved for one leaf: leaf = formula, valid where coefficient ≠ 0 (the caller decides whether it can
/// be zero; it is the constant ±1 for an equation that already is an assignment).
struct SolvedForm {
  NodeId formula;
  NodeId coefficient;
};
/// None if the equation is not affine in the leaf or does not contain it.
[[nodiscard]] std::optional<SolvedForm> solve_affine(Graph& graph, NodeId left, NodeId right, NodeId leaf);

}  // namespace saltus::expr
