/// The order of blocks and aliases; part of blocks.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "structure/match/blocks.hpp"
#include "structure/match/strong_components.hpp"

namespace saltus::structure {

/// One step of the computation: a component, or an alias.
struct OrderedStep {
  std::uint32_t component = kNone;
  std::uint32_t alias = kNone;  ///< index into the aliases
};

[[nodiscard]] std::vector<OrderedStep> order_steps(const MatchedSystem& system, const Components& components);

}  // namespace saltus::structure
