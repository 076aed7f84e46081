/// An expression as Σ aⱼ·uⱼ + b, if it has that form.
///
/// Problem    given a few unknowns u (leaves, perhaps seen through aliases), find aⱼ and b free of them.
/// Method     one ascending pass decides for each node whether it is free of u, affine or neither, and builds b with
///            u = 0; one descending pass hands the factor of each affine node to its operands (reverse mode), so that
///            a sum of n terms costs n and not n².
/// Contract   the value of Σ aⱼ·uⱼ + b is that of the expression up to rounding. Sides of a select keep apart: what is
///            not finite in the side not chosen does not leak.
/// Choices    zero and one are not written down: a coefficient 1 makes no product, a remainder that is zero is an
///            invalid id. Products of two expressions that both contain unknowns count as not affine even where the
///            unknowns cancel.
///            expr/linearity.hpp answers the same question for a few leaves of one expression; here tables are shared
///            by all rows of a block, so that a block of n equations costs the sum of its rows, and unknowns are seen
///            through their aliases.
/// Cost       O(k log k) for k nodes of the expression.
/// Checked by tests/unit/structure/affine_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expr/graph.hpp"
#include "structure/slots.hpp"

namespace saltus::structure {

struct AffineForm {
  struct Term {
    std::uint32_t unknown = 0;  ///< index into the unknowns
    NodeId coefficient;
  };
  bool is_affine = true;
  std::vector<Term> terms;  ///< ascending
  NodeId remainder;         ///< invalid: zero
};

/// Splits many expressions; owns tables over the graph that are reused between them.
class AffineSplitter {
 public:
  AffineSplitter(expr::Graph& graph, const SlotTable& slots);

  /// The slots that count as unknown from now on; their order numbers the terms.
  void set_unknowns(std::span<const std::uint32_t> slots);
  [[nodiscard]] AffineForm split(NodeId root);

 private:
  enum class Kind : std::uint8_t { free, affine, other };
  // ∂root/∂node and the truth value under which it counts (invalid: always). Masks are applied after the last product,
  // so that 0·∞ does not arise in a side that is not chosen.
  struct Factor {
    NodeId value;
    NodeId mask;
  };

  void grow();
  void gather(NodeId root);
  [[nodiscard]] SignedSlot unknown_of(NodeId node) const;
  [[nodiscard]] Kind kind_of(NodeId node) const;
  [[nodiscard]] NodeId remainder_of(NodeId node);
  void hand_down(NodeId node);
  void receive(std::uint32_t operand, Factor factor);
  [[nodiscard]] NodeId unmasked(const Factor& factor);
  [[nodiscard]] NodeId both(NodeId mask, NodeId condition);
  [[nodiscard]] NodeId times(NodeId factor, NodeId other);

  expr::Graph& graph_;
  const SlotTable& slots_;
  NodeId one_;
  NodeId zero_;
  std::vector<std::uint32_t> unknown_of_slot_;
  std::vector<std::uint32_t> active_slots_;
  std::vector<NodeId> nodes_;  // of the current expression, ascending
  std::vector<NodeId> stack_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t stamp_ = 0;
  std::vector<Kind> kind_;
  std::vector<NodeId> remainder_;
  std::vector<Factor> factor_;
};

}  // namespace saltus::structure
