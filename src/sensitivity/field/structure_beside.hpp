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

}  // namespace saltus::sensitivity
