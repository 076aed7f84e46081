/// The equations of one instant, where states are unknown too.
///
/// Problem    F(z) = 0 with as many equations as unknowns, each determined by structure: the system of a round
/// Method     aliases, matching, blocks and tearing, as causalize.hpp without states
/// Contract   the model's graph gains nodes, its equations stay; blocks in the order in which they are solved
/// Fails when an equation cannot be made a block (blocks.hpp)
/// Checked by tests/unit/structure/index_reduction_test.cpp
#pragma once

#include <cstddef>
#include <vector>

#include "flat/model.hpp"
#include "saltus/result.hpp"
#include "structure/match/causalized.hpp"

namespace saltus::structure {

/// Of a class of aliases the unknowns that come last, from `first_representative` on, represent.
struct InstantSystem {
  std::vector<flat::Equation> equations;
  std::vector<Unknown> unknowns;
  std::size_t first_representative = 0;
};
[[nodiscard]] Result<std::vector<Block>> solve_instant(flat::Model& model, const InstantSystem& system);

}  // namespace saltus::structure
