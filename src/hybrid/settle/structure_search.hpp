/// Other structures in which a run can go on from the present instant.
///
/// Problem      the structure that conditions ask for may be one in which the run should not go on: states would have to jump, equations
///              contradict each other, or unknowns are left undetermined that were determined (four ideal diodes that all block
///              leave the potential of their source open; two that conduct join two voltages).
/// Method       configurations near the one that is asked for (other_structures.hpp), the nearest first. One is taken if its structure
///              determines what was determined, is entered without a jump, guards and discrete equations agree with its values,
///              and guards that are zero do not move to the side of another structure.
/// Contract     neither the state of the run nor its configuration changes.
/// Choices      a guard that stays zero (a diode that conducts no current) may have either side: the one whose structure determines
///              everything is found here.
/// Cost         an analysis for each structure that was not met before
/// Checked by   tests/events/structures_test.cpp, tests/events/ideal_bridge_test.cpp
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hybrid/enter/mode_entry.hpp"
#include "hybrid/enter/transfer.hpp"
#include "hybrid/settle/other_structures.hpp"
#include "hybrid/settle/rank_entry.hpp"
#include "hybrid/slide/sliding_control.hpp"
#include "hybrid/state/run_state.hpp"
#include "hybrid/watch/guard_survey.hpp"

namespace saltus::hybrid {

class StructureSearch {
 public:
  StructureSearch(RunState& state, SlidingControl& sliding, GuardSurvey& survey)
      : state_(state),
        sliding_(sliding),
        survey_(survey),
        entry_(state),
        transfer_(state),
        rank_entry_(state) {}

  /// The nearest configuration to `wanted`, of another structure, in which the run can go on; guards with a flag in
  /// `is_settled` (empty: none) keep their sides.
  [[nodiscard]] std::optional<system::Configuration> nearest(const system::Configuration& wanted,
                                                             std::span<const std::uint8_t> is_settled);
  /// `wanted` itself, if the run can go on in it, with the sides to which guards at zero move; else the nearest to it. These sides
  /// of `zero` guards belong to different structures, together if not one by one.
  [[nodiscard]] std::optional<system::Configuration> at_zero(const system::Configuration& wanted,
                                                             std::span<const Index> zero);
  /// Whether a mode that was moved onto its constraints leaves more unknowns open than the present one.
  [[nodiscard]] bool leaves_more_open(const ModeData& target) const;
  /// … or contradicts itself.
  [[nodiscard]] bool is_less_determined(const ModeData& target) const;

 private:
  [[nodiscard]] std::optional<system::Configuration> first_of(OtherStructures& others,
                                                              const system::Configuration& wanted);
  [[nodiscard]] bool agrees(const system::Configuration& wanted, system::Configuration& configuration);
  [[nodiscard]] bool can_be_entered(ModeData& target, const system::Configuration& configuration);
  [[nodiscard]] bool sides_agree(ModeData& target, system::Configuration& configuration);
  [[nodiscard]] bool motions_agree(ModeData& target, system::Configuration& configuration);
  [[nodiscard]] bool discrete_values_agree(ModeData& target, const system::Configuration& wanted,
                                           const system::Configuration& configuration);

  RunState& state_;
  SlidingControl& sliding_;
  GuardSurvey& survey_;
  ModeEntry entry_;
  Transfer transfer_;
  RankEntry rank_entry_;
  std::vector<double> x_tried_;
  std::vector<double> guard_values_;
  std::vector<Index> zero_;
  std::vector<double> before_;
};

}  // namespace saltus::hybrid
