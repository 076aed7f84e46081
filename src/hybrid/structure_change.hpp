/// Problem      conditions that decide which unknowns the equations contain give a mode several structures (StructureId):
///              another set of truths may need another system, with other states and another index.
/// Method       whenever truths have changed, the structure that they have is entered: states by name (mode_entry.hpp), moved
///              onto its constraints. Guards are looked at in it; those that are zero take the side that the solution moves
///              to. If that asks for another structure again, that one follows.
/// Contract     after follow() the mode of the run has the structure of its configuration.
/// Fails when   structures follow each other without an end: the run ends (`immediate_limit`), naming the conditions.
/// Checked by   tests/events/structures_test.cpp
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hybrid/guard_survey.hpp"
#include "hybrid/mode_entry.hpp"
#include "hybrid/rank_entry.hpp"
#include "hybrid/run_state.hpp"
#include "hybrid/sliding_control.hpp"
#include "hybrid/transfer.hpp"

namespace saltus::hybrid {

class StructureFollower {
 public:
  StructureFollower(RunState& state, SlidingControl& sliding, GuardSurvey& survey)
      : state_(state),
        sliding_(sliding),
        survey_(survey),
        entry_(state),
        transfer_(state),
        rank_entry_(state) {}

  /// Enters the structure of the configuration; where that is the present one, states follow constraints whose sides have changed.
  /// False: the run ended.
  bool follow();
  /// The first of that only: constraints are left to who has changed the states.
  bool enter_present_structure();
  /// After GuardSurvey::look(): the guards found zero take sides or are slid on. False: the run ended.
  bool decide_zero_guards();
  /// Where the structure of `wanted` can be entered only with a jump: a configuration near it, of another structure, that is
  /// entered without one and that guards and discrete equations agree with. What was decided in this instant stays. (A
  /// switch that closes beside a diode: the diode stops to conduct, rather than its capacitor being emptied.)
  [[nodiscard]] std::optional<system::Configuration> without_jump(const system::Configuration& wanted);
  /// Takes over sides that without_jump() found.
  void take_sides(const system::Configuration& found);
  /// Nothing jumps in silence: states of the mode left, `x_left`, whose variables have other values now are told, once in a run.
  void tell_jumps(const ModeData& left, std::span<const double> x_left);
  /// Whether the two sides of a guard belong to different structures here: then there is no blend of them.
  [[nodiscard]] bool divides(Index guard);
  /// In this instant a structure was entered.
  [[nodiscard]] bool has_changed() const { return has_changed_; }
  void begin_instant() { has_changed_ = false; }

 private:
  bool enter(const system::StructureId& structure);
  // The mode in which the structure is entered, by ranks if need be, with x_tried_ its states. Null: failure_ says why.
  [[nodiscard]] ModeData* find_entry(const system::StructureId& structure);
  [[nodiscard]] std::optional<system::Configuration> other_if_jumping(const system::StructureId& structure);
  [[nodiscard]] bool agrees(const system::Configuration& wanted, system::Configuration& configuration);
  [[nodiscard]] bool discrete_values_agree(ModeData& target, const system::Configuration& wanted,
                                           const system::Configuration& configuration);
  bool meet_constraints();
  [[nodiscard]] Index variable_of(std::string_view name);
  void end_at_limit(const std::vector<double>& latched_before);

  RunState& state_;
  SlidingControl& sliding_;
  GuardSurvey& survey_;
  ModeEntry entry_;
  Transfer transfer_;
  RankEntry rank_entry_;
  Transfer::Failure failure_;
  bool has_changed_ = false;
  std::vector<double> x_entry_;
  std::vector<double> x_tried_;
  std::vector<double> x_left_;
  std::unordered_map<std::string_view, Index> variables_;
  std::vector<double> guard_values_;
  std::vector<double> before_;
  std::vector<Index> dividing_;
  std::vector<Index> jumping_;
};

}  // namespace saltus::hybrid
