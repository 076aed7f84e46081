/// Problem      conditions that decide which unknowns the equations contain give a mode several structures (StructureId):
///              another set of truths may need another system, with other states and another index.
/// Method       whenever truths have changed, the structure that they have is entered: states by name (mode_entry.hpp), moved
///              onto its constraints. Guards are looked at in it; those that are zero take the side that the solution moves
///              to. If that asks for another structure again, that one follows. Where one would make a jump, or leave open what was
///              determined, another is looked for (structure_search.hpp).
/// Contract     after follow() the mode of the run has the structure of its configuration.
/// Fails when   structures follow each other without an end: the run ends (`immediate_limit`), naming the conditions.
/// Checked by   tests/events/structures_test.cpp
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "settle/check/guard_survey.hpp"
#include "settle/enter/event_log.hpp"
#include "settle/enter/mode_entry.hpp"
#include "settle/enter/rank_entry.hpp"
#include "settle/enter/transfer.hpp"
#include "settle/sliding/sliding_control.hpp"
#include "settle/state/run_state.hpp"
#include "settle/structures/structure_search.hpp"

namespace saltus::settle {

class StructureFollower {
 public:
  StructureFollower(RunState& state, EventLog& log, SlidingControl& sliding, GuardSurvey& survey)
      : state_(state),
        log_(log),
        sliding_(sliding),
        survey_(survey),
        entry_(state),
        transfer_(state),
        rank_entry_(state),
        search_(state, sliding, survey) {}

  /// Enters the structure of the configuration; where that is the present one, states follow constraints whose sides have changed.
  /// False: the run ended.
  bool follow();
  /// The first of that only: constraints are left to who has changed the states.
  bool enter_present_structure();
  /// Where the equations have no solution with the sides at hand (a switch has opened, and the diode beside it does not conduct yet): those
  /// that the equations themselves give, if there are such. True: these are taken.
  bool leave_unsolvable_sides();
  enum class Decided : std::uint8_t { by_motion, by_equations, ended };
  /// SlidingControl::decide(); where trying sides meets one that the equations have no values with, the sides that the equations themselves
  /// give a moment later, if there are such: these are complete, and may be of another structure.
  Decided decide(std::span<const Index> zero);
  /// SlidingControl::settle_sides(), likewise.
  Decided settle_sides();
  /// After GuardSurvey::look(): the guards found zero take sides or are slid on. False: the run ended.
  bool decide_zero_guards();
  /// Of these, those across which nothing is blended: sides to which they move, once the field is installed. False: the run ended.
  bool decide_others(std::span<const Index> guards);
  /// Where `target`, of the structure of `wanted`, leaves open what is determined now, or is entered with a jump that nobody asked for: a
  /// configuration near it, of another structure, in which that is not so and with which guards and discrete equations agree.
  /// For a jump what was decided in this instant stays. (A switch that closes beside a diode: the diode stops to conduct,
  /// rather than its capacitor being emptied.)
  [[nodiscard]] std::optional<system::Configuration> instead_of(const ModeData& target,
                                                                const system::Configuration& wanted,
                                                                bool jumps);
  /// Takes over sides that instead_of() found.
  void take_sides(const system::Configuration& found);
  /// Nothing jumps in silence: states of the mode left, `x_left`, whose variables have other values now, and the rule that moved them
  /// in `transfer`; empty: there are none. A warning, once in a run, where that was the least change.
  std::string tell_jumps(const ModeData& left, std::span<const double> x_left, const Transfer& transfer);
  /// Whether the two sides of a guard belong to different structures here: then there is no blend of them.
  [[nodiscard]] bool divides(Index guard);
  /// … or some sides of these guards, which are zero, together do: these are taken from the list, and have sides with which the run can
  /// go on, as far as there are such.
  void settle_dividing(std::vector<Index>& guards);
  /// In this instant a structure was entered.
  [[nodiscard]] bool has_changed() const { return has_changed_; }
  /// Somebody else has entered one.
  void note_change() { has_changed_ = true; }
  void begin_instant() { has_changed_ = false; }

  void fields(Archive& a) {
    // Not saved: what an instant works with: entry_, transfer_, rank_entry_, search_, replaced_by_ranks_, failure_, x_entry_, x_tried_, x_left_,
    // guard_values_, latched_before_, dividing_, tried_, jumping_, together_, group_, divided_parts_, entered_, in_error_.
    a(has_changed_, has_told_open_);
  }

 private:
  void go_on_in(const system::Configuration& found);
  Decided decided(bool is_decided);
  [[nodiscard]] bool divide(std::span<const Index> guards);
  void take_dividing(std::vector<Index>& guards, std::vector<Index>& dividing);
  bool enter(const system::StructureId& structure);
  // The mode in which the structure is entered, by ranks if need be, with x_tried_ its states. Null: failure_ says why.
  [[nodiscard]] ModeData* find_entry(const system::StructureId& structure);
  // A configuration without it, or, where there is none, with the sides that the equations give the jump itself.
  [[nodiscard]] std::optional<system::Configuration> instead_of_jump(const system::Configuration& wanted);
  [[nodiscard]] std::optional<system::Configuration> better_than(const system::StructureId& structure);
  void tell_what_is_left_open(const ModeData& target);
  bool meet_constraints();
  bool enter_and_decide(const system::StructureId& structure, const std::vector<double>& latched_before);
  void take_back_errors(const std::vector<double>& latched_before);
  bool decide_errors();
  void end_at_limit(const std::vector<double>& latched_before);

  RunState& state_;
  EventLog& log_;
  SlidingControl& sliding_;
  GuardSurvey& survey_;
  ModeEntry entry_;
  Transfer transfer_;
  RankEntry rank_entry_;
  StructureSearch search_;
  const ModeData* replaced_by_ranks_ = nullptr;  // by the mode that find_entry() gave
  Failure failure_;
  bool has_changed_ = false;
  bool has_told_open_ = false;
  std::vector<double> x_entry_;
  std::vector<double> x_tried_;
  std::vector<double> x_left_;
  std::vector<double> guard_values_;
  std::vector<double> latched_before_;  // a decision
  std::vector<Index> dividing_;
  system::Configuration tried_;
  std::vector<Index> jumping_;
  std::vector<Index> together_;               // of jumping_: those that divide
  std::vector<Index> group_;                  // in the order of their groups
  std::vector<Index> divided_parts_;          // of the model
  std::vector<system::StructureId> entered_;  // while the structure that the sides ask for is looked for
  std::vector<Index> in_error_;               // guards that values have turned by less than errors may be
};

}  // namespace saltus::settle
