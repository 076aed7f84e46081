/// Problem      two modes with different states that meet on a surface: the states of one as states of the other
/// Method       by quantity: a state of the smaller mode is the same quantity among the states of the larger one; a state that only the larger one has is a
///              variable that the equations of the smaller one give (slide/field/mapped_evaluator.hpp)
/// Fails when   a state of the smaller mode is none of the larger, or a state of the larger is a derivative or no variable: no map
/// Checked by   tests/events/sliding_dae_test.cpp
#pragma once

#include <memory>
#include <optional>

#include "slide/field/mapped_evaluator.hpp"
#include "slide/field/sliding_field.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::settle {

[[nodiscard]] std::optional<slide::StateMap> map_states(const system::HybridSystem& system,
                                                        const system::LockedDae& smaller,
                                                        const system::LockedDae& larger);

/// Whether two modes have the same states in the same order.
[[nodiscard]] bool has_same_states(const system::LockedDae& a, const system::LockedDae& b);

/// One side of a pair of modes.
struct PairSide {
  system::Evaluator* evaluator = nullptr;
  const system::LockedDae* locked = nullptr;
};
/// The field between two modes, over the states of the larger one, with the constraints of both. Null where neither has all states
/// of the other. Owns what it needs besides the evaluators.
struct PairField {
  std::unique_ptr<slide::MappedEvaluator> mapped;  ///< the smaller mode, where states differ
  bool plus_is_mapped = false;
  std::unique_ptr<slide::SlidingField> field;
};
[[nodiscard]] PairField make_pair_field(const system::HybridSystem& system, const PairSide& plus,
                                        const PairSide& minus);

/// Constraints of a mode that a sliding field holds: none where the mode is reduced by ranks and projects by itself.
[[nodiscard]] std::shared_ptr<const system::EquationSet> sliding_constraints(const system::LockedDae& locked);

}  // namespace saltus::settle
