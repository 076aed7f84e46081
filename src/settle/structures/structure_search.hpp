/// Other structures in which a run can go on from the present instant.
///
/// Problem      the structure that conditions ask for may be one in which the run should not go on: states would have to jump, equations
///              contradict each other, or unknowns are left undetermined that were determined (four ideal diodes that all block
///              leave the potential of their source open; two that conduct join two voltages).
/// Method       first the sides that the equations of a moment later have (mixed_sides.hpp), then configurations near the one that is asked for (other_structures.hpp), the nearest first. One is taken if its structure
///              determines what was determined, is entered without a jump, guards and discrete equations agree with its values,
///              and guards that are zero do not move to the side of another structure. Parts of the model that have nothing to do
///              with each other (system::ModelParts) are looked for at once, each by itself: a trial has the next configuration of every
///              part that does not agree yet, and says of each part whether it agrees. Where it cannot say which part it
///              is (no values are found at all), every part that takes part in the instant goes on to its next one.
/// Contract     neither the state of the run nor its configuration changes. A part for which nothing is found has what was asked for.
/// Choices      a guard that stays zero (a diode that conducts no current) may have either side: the one whose structure determines
///              everything is found here.
/// Cost         an analysis for each structure that was not met before; as many trials as the part with the most needs
/// Checked by   tests/events/structures_test.cpp, tests/events/ideal_bridge_test.cpp
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "settle/check/guard_survey.hpp"
#include "settle/enter/mode_entry.hpp"
#include "settle/enter/rank_entry.hpp"
#include "settle/enter/transfer.hpp"
#include "settle/sliding/sliding_control.hpp"
#include "settle/state/run_state.hpp"
#include "settle/structures/mixed_sides.hpp"
#include "settle/structures/other_structures.hpp"

namespace saltus::settle {

class StructureSearch {
 public:
  StructureSearch(RunState& state, SlidingControl& sliding, GuardSurvey& survey)
      : state_(state),
        sliding_(sliding),
        survey_(survey),
        entry_(state),
        transfer_(state),
        rank_entry_(state),
        mixed_(state.system()) {}

  /// The sides that the equations of a moment later have, looked for from those of `wanted` on, if the run can go on with them; guards with
  /// a flag in `is_settled` (empty: none) keep their sides.
  [[nodiscard]] std::optional<system::Configuration> by_equations(const system::Configuration& wanted,
                                                                  std::span<const std::uint8_t> is_settled);
  /// Those that the last by_equations() found but for a jump of states: it is theirs, if there is one. (Two diodes before capacitors that a
  /// switch joins with a third: the one through which charge would flow back does not conduct in the instant.)
  [[nodiscard]] const std::optional<system::Configuration>& with_jump() const { return with_jump_; }
  /// Whether equations of the present mode contain relations over what they determine in the same instant.
  [[nodiscard]] bool is_coupled() { return mixed_.is_coupled(state_.at.configuration().mode); }
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
  // A part whose configurations are looked through.
  struct PartSearch {
    Index part = -1;
    OtherStructures others;
    bool is_given_up = false;
  };

  [[nodiscard]] std::optional<system::Configuration> search(const system::Configuration& wanted,
                                                            std::span<const std::uint8_t> is_settled,
                                                            std::span<const Index> zero, bool tries_wanted);
  [[nodiscard]] bool advance(const system::Configuration& wanted, std::span<const std::uint8_t> is_settled,
                             system::Configuration& trial);
  [[nodiscard]] std::optional<system::Configuration> found_in_parts(const system::Configuration& wanted,
                                                                    const system::Configuration& found) const;
  // Whether the run can go on in a configuration; sides of guards at zero are set. If not, failing_ has the parts that are to blame.
  [[nodiscard]] bool agrees(const system::Configuration& wanted, system::Configuration& configuration);
  // Of agrees(): false where there is nothing more to look at.
  [[nodiscard]] bool can_be_entered(ModeData& target, const system::Configuration& configuration);
  [[nodiscard]] bool sides_agree(ModeData& target, system::Configuration& configuration);
  [[nodiscard]] bool sides_agree_by_parts(const system::StructureId& structure,
                                          system::Configuration& configuration);
  [[nodiscard]] bool motions_agree(ModeData& target, system::Configuration& configuration);
  [[nodiscard]] bool discrete_values_agree(ModeData& target, const system::Configuration& wanted,
                                           system::Configuration& configuration);

  [[nodiscard]] bool has_parts() const;
  void blame(Index part);
  void blame_guard(Index guard);
  void blame_variable(Index column);
  void blame_suspects();
  void blame_undetermined(const ModeData& target);
  [[nodiscard]] std::vector<double> undetermined_by_part(const ModeData& mode) const;

  RunState& state_;
  SlidingControl& sliding_;
  GuardSurvey& survey_;
  ModeEntry entry_;
  Transfer transfer_;
  RankEntry rank_entry_;
  MixedSides mixed_;
  std::optional<system::Configuration> with_jump_;
  std::vector<double> x_tried_;
  std::vector<double> guard_values_;
  std::vector<Index> zero_;
  std::vector<double> before_;
  std::vector<PartSearch> searches_;
  std::vector<Index> failing_;     // parts, ascending
  std::vector<Index> zero_asked_;  // guards of at_zero()
  std::vector<double> asked_;      // sides before those of values
};

}  // namespace saltus::settle
