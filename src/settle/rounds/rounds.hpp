/// Problem      what an event sets off at its instant: clauses, transitions, discrete equations, until nothing changes
/// Method       rounds (docs/semantics.md 5). A round is one system: values, the truths of relations over these values, what fires on
///              them, and what its bodies set; found by passes until all of it agrees. States that reinit gives are assigned
///              after the round where the language says so, else they are part of its system.
/// Notation     memory: the truth of a trigger in the round before. An edge is true now and false in memory.
/// Contract     Values of a round that cannot be solved are dropped; those of the round before stand.
/// Fails when   a system cannot be solved, an assertion does not hold, or a limit is reached: the run ends with the names of
///              the clauses
/// Checked by   tests/events/rounds_test.cpp
#pragma once

#include <cstddef>
#include <cstdint>
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
#include "settle/enter/transfer_report.hpp"
#include "settle/impact/impacts.hpp"
#include "settle/rounds/instant_record.hpp"
#include "settle/rounds/zeno.hpp"
#include "settle/sliding/rest_control.hpp"
#include "settle/sliding/sliding_control.hpp"
#include "settle/state/run_state.hpp"
#include "settle/structures/structure_change.hpp"

namespace saltus::settle {

/// Why rounds are asked for besides guards.
struct Occasion {
  bool is_start = false;
  bool is_terminal = false;
  bool is_outside = false;             ///< discrete values were given from outside
  std::span<const Index> clocks = {};  ///< that are due
};

/// Firings of an action that shrink towards a time (rounds/zeno.hpp).
struct Accumulation {
  std::size_t action = 0;
  double time = 0.0;
  bool is_over = false;           ///< ZenoMonitor::Estimate
  std::vector<double> jump = {};  ///< of the states in its round; empty: none
  bool is_single = false;  ///< not seen to shrink: the next firing may not be seen (ReboundFinder::Flight)
};

class Rounds {
 public:
  Rounds(RunState& state, EventLog& log, SlidingControl& sliding, GuardSurvey& survey, InstantRecord& record,
         StructureFollower& structures, RestControl& rest, Impacts& impacts);

  /// What is true at this point makes no edge.
  bool remember();
  /// At the start, before begin(): the initial problem with the sides at hand; guards and values are in the conditions of the mode. False:
  /// the run ended.
  [[nodiscard]] bool ask_start(std::span<const double> discrete_before);
  /// At the start, before settle(): what is true in the initial problem makes no edge. `discrete_before`: its pre(…)
  /// (InitialPoint::discrete_before). False: the run ended.
  bool begin(std::span<const double> discrete_before);
  /// After begin(): rounds until nothing changes, with the clocks that are due; guards that are zero are as written, and what they do next
  /// has its edges against these rounds (initial() holds no more). Transitions are left to settle(). False: the run ended.
  bool settle_as_written(std::span<const Index> clocks);
  /// Rounds at the present instant until nothing changes; the field is then installed. False: the run ended.
  bool settle(const Occasion& occasion);
  /// Whether the present equations are those of the sides and discrete values at hand.
  [[nodiscard]] bool has_its_structure() const;
  /// Guards that are zero are decided together, and once more where that has brought others to zero. False: the run ended.
  bool decide_zeros();
  /// Actions whose firings accumulate and that may be put to rest in this instant.
  [[nodiscard]] std::span<const Accumulation> accumulating() const { return accumulating_; }
  /// One of them rests from now on …
  void note_rest(const Accumulation& accumulation);
  /// … or nothing holds it: the run ends.
  void stop_at(const Accumulation& accumulation);
  /// An action that has fired and leaves its guard without a rate: whether its condition is false where all others that are zero now are as
  /// written at zero. It fires again, then, as soon as they are not.
  [[nodiscard]] bool would_fire_again(std::size_t action, Index guard);

  void fields(Archive& a) {
    // Not saved: what an instant works with: entry_, transfer_, rank_entry_, unsolved_, report_, fired_, clocks_, clause_taken_, latest_fired_,
    // loop_, transition_, target_, others_, terminate_text_, terminates_, just_entered_, is_first_, is_initial_, is_decided_, has_changed_,
    // goes_on_, n_rounds_, immediate_, accumulating_, has_jumped_, has_moved_, has_discrete_change_, configuration_made_, x_before_, x_entry_,
    // latched_before_decision_, latched_of_turn_, before_forming_, before_look_, discrete_before_, latched_of_pass_, latched_found_, asked_,
    // has_trial_states_, discrete_of_round_, latched_before_look_, reinits_, messages_, before_start_, values_of_round_, is_row_late_.
    a(zeno_, memory_, told_);
  }

 private:
  void begin_rounds(const Occasion& occasion);
  void keep_discrete();
  void take_discrete_of_round();
  [[nodiscard]] bool run_as_written(const Occasion& occasion);
  [[nodiscard]] bool form_round(const Occasion& occasion);
  void note_changes();
  [[nodiscard]] bool find_firing(const Occasion& occasion);
  [[nodiscard]] bool run_round(const Occasion& occasion);
  [[nodiscard]] bool follow_structure();
  [[nodiscard]] bool within_limit();
  [[nodiscard]] bool decision_asks_again();
  [[nodiscard]] bool belongs(const system::ActionInfo& action) const;
  [[nodiscard]] bool is_true(const system::ActionInfo& action) const;
  [[nodiscard]] bool has_edge(const system::ActionInfo& action) const;
  bool ask(const Occasion& occasion);
  [[nodiscard]] system::RoundInputs inputs_of(const Occasion& occasion) const;
  bool form(const Occasion& occasion);
  [[nodiscard]] bool fires_now(const system::ActionInfo& action);
  bool settle_truths(const GuardSurvey::Before& before);
  bool take_sides_of_pass();
  void forget_sides_between();
  void take_back_sides();
  [[nodiscard]] ModeData& mode_to_ask();
  void remember_triggers();
  [[nodiscard]] bool clocks_end(const Occasion& occasion) const;
  bool fire_at_start();
  bool check_assertions();
  /// Of level warning: reported once; `place` among actions, then messages.
  void warn_of_assertion(std::size_t place, bool fails, const std::string& text,
                         std::optional<SourceSpan> span);
  bool choose_clauses(bool is_first_choice);
  bool choose_transition();
  void note_move(const ModePair& pair);
  bool solve_round(const Occasion& occasion);
  bool solve_fired(const Occasion& occasion);
  bool reinitialise(const Occasion& occasion);
  [[nodiscard]] ModeData* solve_in_its_structure(system::RoundInputs inputs);
  void note_round(const system::RoundInputs& inputs);
  void adopt(ModeData& target, const system::RoundSolution& solution);
  bool tell();
  bool record_row(bool has_other_truths);
  bool record_late_row(bool goes_on);
  bool record_last_values();
  bool check_messages();
  bool note_firing(std::size_t action);
  [[nodiscard]] std::vector<double> jump_of_round() const;
  bool leave_surfaces();
  [[nodiscard]] ModeData* enter(ModeData& target, system::RoundInputs& inputs);
  [[nodiscard]] ModeData* enter_opened(system::RoundInputs& inputs);
  bool solve_bodies(ModeData& target, system::RoundInputs& inputs);
  bool end_unsolved();
  bool meet_constraints();
  bool meet_gaps();
  bool look_again();
  bool decide_zero_guards();
  bool decided_truths_changed();
  void end_at_limit(std::string_view reason, std::int64_t limit, std::string_view what);
  [[nodiscard]] std::string fired_texts() const;

  RunState& state_;
  EventLog& log_;
  SlidingControl& sliding_;
  GuardSurvey& survey_;
  InstantRecord& record_;
  StructureFollower& structures_;
  RestControl& rest_;
  Impacts& impacts_;
  ModeEntry entry_;
  Transfer transfer_;
  RankEntry rank_entry_;
  Failure unsolved_;  // why the last round has no solution
  TransferReport report_;
  ZenoMonitor zeno_;

  std::vector<std::uint8_t> memory_;  // by trigger
  std::vector<std::uint8_t> fired_;   // by action
  std::vector<std::uint8_t> clocks_;
  std::vector<std::uint8_t> told_;          // assertions of level warning: by action, then by message
  std::vector<std::uint8_t> clause_taken_;  // by clause: a branch of it fires in this round
  std::vector<Index> latest_fired_;
  std::vector<Index> loop_;  // fired shortly before a limit
  Index transition_ = -1;    // that fires in this round
  ModeId target_;
  std::vector<Index> others_;   // transitions that hold too and come later in the text
  std::string terminate_text_;  // of a terminate that is due after the round
  bool terminates_ = false;
  bool just_entered_ = false;  // the mode was entered in the round before
  bool is_first_ = false;
  bool is_initial_ = false;   // the initial problem is looked at: initial() holds
  bool is_decided_ = true;    // guards that are zero have been since the last change
  bool has_changed_ = false;  // something fires, or has another value
  bool goes_on_ = false;      // … or is to be reported: there is a round
  std::int64_t n_rounds_ = 0;
  std::int64_t immediate_ = 0;
  std::vector<Accumulation> accumulating_;
  bool has_jumped_ = false;                   // the round changed x
  bool has_moved_ = false;                    // … to the middle of a band, or onto constraints
  bool has_discrete_change_ = false;          // of the round: a discrete equation gave another value
  system::Configuration configuration_made_;  // by the round, where there are several structures
  std::vector<double> x_before_;
  std::vector<double> x_entry_;
  std::vector<double> latched_before_decision_;
  std::vector<double> latched_of_turn_;
  GuardSurvey::Before before_forming_;
  GuardSurvey::Before before_look_;
  std::vector<double> discrete_before_;
  std::vector<double> discrete_of_round_;  // pre(…) of the next one: as the last round has made them
  std::vector<double> latched_of_pass_;
  std::vector<double> latched_found_;
  ModeData* asked_ = nullptr;      // whose equations the passes of a round solve
  bool has_trial_states_ = false;  // of the pass: those of conditions are not those of the run
  std::vector<double> latched_before_look_;
  std::vector<double> reinits_;          // of the round, to be assigned after it
  std::vector<double> messages_;         // of the round
  std::vector<double> before_start_;     // pre(…) in the initial problem
  std::vector<double> values_of_round_;  // before what is assigned after it
  bool is_row_late_ = false;             // the row of the last round is not recorded yet
};

}  // namespace saltus::settle
