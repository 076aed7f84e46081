#include "structure/match/slots.hpp"

#include <utility>

namespace saltus::structure {

SlotTable::SlotTable(expr::Graph& graph, std::vector<Unknown> unknowns, const std::vector<Unknown>& knowns)
    : n_unknowns_(static_cast<std::uint32_t>(unknowns.size())), slots_(std::move(unknowns)) {
  slots_.insert(slots_.end(), knowns.begin(), knowns.end());
  leaves_.reserve(slots_.size());
  representatives_.reserve(slots_.size());
  for (std::uint32_t slot = 0; slot < n_slots(); ++slot) {
    leaves_.push_back(graph.variable(slots_[slot].variable, slots_[slot].order));
    representatives_.push_back({.slot = slot, .negative = false});
  }
  slot_of_node_.assign(graph.size(), kNone);
  for (std::uint32_t slot = 0; slot < n_slots(); ++slot) {
    slot_of_node_[leaves_[slot].index()] = slot;
  }
}

}  // namespace saltus::structure
