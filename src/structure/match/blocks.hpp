/// From a matching to blocks that can be computed one after the other.
///
/// Problem    each unknown is matched to one equation; find the order and the form of each block.
/// Method     strong components (strong_components.hpp); a block of one equation that is affine in its unknown is solved
///            by a formula, a block whose equations are affine in its unknowns together is a linear system, any other
///            block is solved by Newton's iteration with the symbolic Jacobian.
/// Choices    blocks are ordered by the length of the longest chain of blocks they need and, among equals, by the place of
///            their first equation in the source: so the elements of an array stay together and in order, which is what
///            the slab compiler re-rolls. `x = f` and `f = x` give f itself; a factor ±1 gives no division.
///            An alias becomes a formula one place in the chain after what it stands for.
/// Fails when an unknown cancels out of the only equation left for it; an Integer or Boolean is part of a loop.
/// Cost       linear in the size of the equations, plus the entries of the Jacobians.
/// Checked by tests/unit/structure/causalize_test.cpp
#pragma once

#include <span>
#include <vector>

#include "flat/model.hpp"
#include "structure/match/alias.hpp"
#include "structure/match/causalized.hpp"
#include "structure/match/matching.hpp"

namespace saltus::structure {

struct MatchedSystem {
  std::span<const flat::Equation> equations;
  const SlotTable& slots;
  const Incidence& incidence;
  const Matching& matching;
  std::span<const Alias> aliases;
};

/// The graph of the model gains nodes. Problems are added to the diagnostics; the blocks are then incomplete.
[[nodiscard]] std::vector<Block> build_blocks(flat::Model& model, const MatchedSystem& system,
                                              Diagnostics& diagnostics);

/// The matrix of a nonlinear block: ∂residual/∂leaves.
[[nodiscard]] std::vector<MatrixEntry> jacobian_entries(expr::Graph& graph, std::span<const NodeId> residual,
                                                        std::span<const NodeId> leaves);

}  // namespace saltus::structure
