/// What the equations of a mode say about each guard: how smooth they are across its surface, whether a blend of both
/// sides makes sense, and whether the blend is Filippov's solution.
///
/// Problem      continuity: the largest k such that k derivatives of the equations are continuous across g = 0.
///              affine: ẋ as a function of the weight s of one guard, all else fixed, is affine; then the blend
///              α·f₊ + (1 - α)·f₋ is what the blended equations give (DESIGN 2).
/// Method       continuity: for each node n of an equation that depends on the guard, lower bounds of two orders at g = 0:
///              o, n = O(g^o), and j, n₊ - n₋ = O(g^j), where n₊ and n₋ are the smooth functions on either side. A choice
///              over g has j = o(a - b); a product has j = min(j(a) + o(b), o(a) + j(b)). √ and powers halve or
///              multiply o, so both are real numbers: k = ⌈j⌉ - 1 of the residual, the
///              smallest over all equations: unknowns depend on residuals smoothly.
///              affine: blocks in their order, only those that s reaches; each node is free of s, affine in s, or neither.
/// Contract     conservative: a fact is stated where the graph shows it. smooth(p, e) is believed.
/// Choices      even powers of abs(g) do not depend on the guard; anything inside a relation of noEvent counts as a jump.
/// Cost         per guard the equations and blocks that depend on it
/// Checked by   tests/unit/program/guard_facts_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flat/model.hpp"
#include "structure/match/causalized.hpp"

namespace saltus::program {

struct GuardFacts {
  /// Stands for every order: the equations do not depend on the side.
  static constexpr int kAll = 1000;

  bool in_equations = false;  ///< some equation depends on a relation over it
  bool is_kink = false;       ///< every such relation was written as abs, min, max or inside smooth
  int continuity = kAll;      ///< -1: they may jump
  bool has_root = false;      ///< they do not jump, and their slopes are infinite on the surface: √g
  bool can_slide = false;     ///< they may jump, and only through real-valued choices of real equations
  bool is_affine_in_weight = true;
};

/// `differentiated`: by condition, how often equations that contain it are (guard_continuity.hpp).
/// One mode: its equations, and the blocks and derivatives of the states into which they were causalised. Facts by guard
/// of the model. The graph grows.
[[nodiscard]] std::vector<GuardFacts> find_guard_facts(flat::Model& model,
                                                       std::span<const flat::Equation> equations,
                                                       std::span<const structure::Block> blocks,
                                                       std::span<const int> differentiated = {});

/// Of the components of direction(v), by condition: whether ẋ is affine in what holds v at zero. 1 for other conditions.
[[nodiscard]] std::vector<std::uint8_t> find_affine_components(flat::Model& model,
                                                               std::span<const structure::Block> blocks);

/// What holds in every mode: the weakest of both.
[[nodiscard]] GuardFacts combine(const GuardFacts& a, const GuardFacts& b);

}  // namespace saltus::program
