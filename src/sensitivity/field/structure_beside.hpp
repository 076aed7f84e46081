/// The structure of another system that is the same as one of the run's.
///
/// Problem      structures are numbered as a system meets them: a number of the run means nothing, or another structure, in a twin
/// Method       what decides the structure is written and read again (HybridSystem::structure_fields), as between processes
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "base/archive.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::sensitivity {

/// None: the other system has no such structure.
[[nodiscard]] inline std::optional<system::StructureId> structure_beside(
    const system::HybridSystem& own, const system::HybridSystem& other,
    const system::StructureId& structure) {
  if (&own == &other || !own.has_structures()) {
    return structure;
  }
  system::StructureId found = structure;
  Archive saved;
  own.structure_fields(saved, found);
  const std::string bytes = saved.saved();
  Archive loaded(bytes);
  other.structure_fields(loaded, found);
  return loaded.ok() ? std::optional(found) : std::nullopt;
}

/// Whether states of two systems are the same quantities in the same order: a parameter that is zero in one of them may make others states.
[[nodiscard]] inline bool have_same_states(const system::LockedDae& a, const system::LockedDae& b) {
  return std::equal(a.states().begin(), a.states().end(), b.states().begin(), b.states().end(),
                    [](const system::StateInfo& mine, const system::StateInfo& other) {
                      return mine.quantity == other.quantity;
                    });
}

/// Whether the same guards are looked at in the same way: a condition within a term of a parameter that is zero is no part of the equations without it.
[[nodiscard]] inline bool watch_same_guards(const system::HybridSystem& own, const system::LockedDae& mine,
                                            const system::HybridSystem& other,
                                            const system::LockedDae& theirs) {
  for (std::size_t g = 0; g < own.guards().size(); ++g) {
    const system::GuardInfo& here = own.guards()[g];
    const system::GuardInfo& there = other.guards()[g];
    const auto guard = static_cast<Index>(g);
    if (mine.watches(guard) != theirs.watches(guard) || here.in_equations != there.in_equations ||
        here.continuity != there.continuity) {
      return false;
    }
  }
  return true;
}

}  // namespace saltus::sensitivity
