/// What fires in the initial problem: of each chain the first branch of the form `when initial()` or `when {…, initial(), …}`.
#pragma once

#include <cstdint>
#include <vector>

#include "system/hybrid_system.hpp"

namespace saltus::settle {

/// By action.
[[nodiscard]] inline std::vector<std::uint8_t> fired_at_start(const system::HybridSystem& system) {
  const std::vector<system::ActionInfo>& actions = system.actions();
  std::vector<std::uint8_t> fired(actions.size(), 0);
  Index last = -1;  // branches of a chain follow each other
  for (std::size_t a = 0; a < actions.size(); ++a) {
    const bool belongs = !actions[a].mode.valid() || actions[a].mode == system.initial_mode();
    if (actions[a].is_at_start && belongs && actions[a].clause != last) {
      fired[a] = 1;
      last = actions[a].clause;
    }
  }
  return fired;
}

}  // namespace saltus::settle
