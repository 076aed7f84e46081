/// The quantities of an analysis, numbered: every leaf "derivative k of variable i" that may be looked at has a slot.
///
/// Slots below n_unknowns() are unknowns (columns of the incidence), the others are known quantities that take part
/// only as targets of aliases (the states, when derivatives are sought). A slot may stand for another one: slot =
/// factor · representative, factor ±1 (alias.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.hpp"
#include "expr/graph.hpp"
#include "structure/match/causalized.hpp"

namespace saltus::structure {

/// No row, no column, no slot.
inline constexpr std::uint32_t kNone = 0xffffffffU;

/// A slot seen through its alias.
struct SignedSlot {
  std::uint32_t slot = kNone;
  bool negative = false;
};

class SlotTable {
 public:
  /// Interns the leaf of every slot.
  SlotTable(expr::Graph& graph, std::vector<Unknown> unknowns, const std::vector<Unknown>& knowns);

  [[nodiscard]] std::uint32_t n_unknowns() const { return n_unknowns_; }
  [[nodiscard]] std::uint32_t n_slots() const { return static_cast<std::uint32_t>(slots_.size()); }
  [[nodiscard]] const Unknown& operator[](std::uint32_t slot) const { return slots_[slot]; }
  [[nodiscard]] NodeId leaf(std::uint32_t slot) const { return leaves_[slot]; }

  /// The slot of a node, kNone if it is no leaf of this table.
  [[nodiscard]] std::uint32_t slot_of(NodeId node) const {
    return node.index() < slot_of_node_.size() ? slot_of_node_[node.index()] : kNone;
  }
  [[nodiscard]] SignedSlot representative(std::uint32_t slot) const { return representatives_[slot]; }
  [[nodiscard]] bool is_alias(std::uint32_t slot) const { return representatives_[slot].slot != slot; }
  void set_representative(std::uint32_t slot, SignedSlot target) { representatives_[slot] = target; }

 private:
  std::uint32_t n_unknowns_;
  std::vector<Unknown> slots_;
  std::vector<NodeId> leaves_;
  std::vector<std::uint32_t> slot_of_node_;
  std::vector<SignedSlot> representatives_;
};

}  // namespace saltus::structure
