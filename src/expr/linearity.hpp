/// Is an expression affine in some unknowns, and with which coefficients?
///
/// Problem    write f as Σ aⱼ·uⱼ + b with aⱼ, b free of the unknowns u, if it has that form.
/// Method     one ascending pass decides for each node whether it is free of u, affine or neither, and builds b with
///            u = 0; one descending pass hands the factor of each affine node to its operands (reverse mode), so that
///            a sum of n terms costs n and not n².
/// Contract   structural: x·x - x·x is not affine, nor is an unknown in a relation or in the condition of a select.
///            The value of Σ aⱼ·uⱼ + b is that of the expression up to rounding. Sides of a select keep apart: what is
///            not finite in the side not chosen does not leak.
/// Choices    zero and one are not written down: a coefficient 1 makes no product, a remainder that is zero is an
///            invalid id. Several leaves may stand for one unknown, with either sign (aliases).
/// Cost       O(k log k) for k nodes of the expression; tables are shared by all expressions of one splitter.
/// Checked by tests/unit/expr/linearity_test.cpp
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "expr/graph.hpp"

namespace saltus::expr {

struct AffineForm {
  struct Term {
    std::uint32_t unknown = 0;  ///< number of the unknown
    NodeId coefficient;
  };
  bool is_affine = true;
  std::vector<Term> terms;  ///< ascending by unknown
  NodeId remainder;         ///< invalid: zero
};

/// How a node depends on the unknowns, the simplest first.
enum class Affinity : std::uint8_t { free, affine, other };

/// The unknown that a leaf stands for: leaf = ±unknown.
struct SignedUnknown {
  static constexpr std::uint32_t kNone = 0xffffffffU;
  std::uint32_t unknown = kNone;  ///< kNone: the leaf is known
  bool negative = false;
};

/// Splits many expressions; owns tables over the graph, which must outlive it.
class AffineSplitter {
 public:
  /// `unknown_of` is asked about leaves only, and may change its answers between two calls of split().
  AffineSplitter(Graph& graph, std::function<SignedUnknown(NodeId)> unknown_of);

  [[nodiscard]] AffineForm split(NodeId root);

 private:
  using Kind = Affinity;
  // ∂root/∂node and the truth value under which it counts (invalid: always). Masks are applied after the last product,
  // so that 0·∞ does not arise in a side that is not chosen.
  struct Factor {
    NodeId value;
    NodeId mask;
  };

  void grow();
  void gather(NodeId root);
  [[nodiscard]] Kind kind_of(NodeId node) const;
  [[nodiscard]] NodeId remainder_of(NodeId node);
  void hand_down(NodeId node);
  void receive(std::uint32_t operand, Factor factor);
  [[nodiscard]] NodeId unmasked(const Factor& factor);
  [[nodiscard]] NodeId both(NodeId mask, NodeId condition);
  [[nodiscard]] NodeId times(NodeId factor, NodeId other);
  void merge_terms(std::vector<AffineForm::Term>& terms);

  Graph& graph_;
  std::function<SignedUnknown(NodeId)> unknown_of_;
  NodeId one_;
  NodeId zero_;
  std::vector<NodeId> nodes_;  // of the current expression, ascending
  std::vector<NodeId> stack_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t stamp_ = 0;
  std::vector<Kind> kind_;
  std::vector<NodeId> remainder_;
  std::vector<Factor> factor_;
};

/// Whether every expression is affine in the unknowns, given as leaves. One pass; the graph does not grow.
[[nodiscard]] bool are_affine(const Graph& graph, std::span<const NodeId> nodes,
                              std::span<const NodeId> unknowns);

}  // namespace saltus::expr
