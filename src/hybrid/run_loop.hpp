/// The loop of docs/semantics.md 2.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "hybrid/bound_watch.hpp"
#include "hybrid/guard_error.hpp"
#include "hybrid/output_error.hpp"
#include "hybrid/progress_watch.hpp"
#include "hybrid/rank_watch.hpp"
#include "hybrid/run.hpp"
#include "hybrid/singular_watch.hpp"
#include "hybrid/value_watch.hpp"
#include "hybrid/watch_list.hpp"
#include "settle/check/guard_survey.hpp"
#include "settle/check/kink_passage.hpp"
#include "settle/check/switch_monitor.hpp"
#include "settle/check/verification.hpp"
#include "settle/enter/event_log.hpp"
#include "settle/rounds/instant_record.hpp"
#include "settle/rounds/rounds.hpp"
#include "settle/sliding/sliding_control.hpp"
#include "settle/state/run_state.hpp"

namespace saltus::hybrid {

class RunLoop {
 public:
  RunLoop(const system::HybridSystem& system, const Options& options, RunObserver& observer);

  RunOutcome run(const system::InitialPoint& initial);

 private:
  // What ends a step before its end, or at it.
  struct Cause {
    std::span<const locate::Crossing> crossings = {};
    bool is_scheduled = false;  // the scheduled time is reached
    bool is_release = false;    // a guard may switch again
  };

  // run_start.cpp
  bool start(const system::InitialPoint& initial);
  bool lock_start(const system::InitialPoint& initial);
  void take_zeros_as_written();
  bool settle_start();
  bool settle_anew(const settle::Occasion& occasion);
  bool settle_end();
  void tell_contradictions();
  void collect_guard_watches();
  RunOutcome conclude();
  void pursue(const system::InitialPoint& initial);
  void end_early(std::string_view reason, std::string_view what);
  void final_outputs(std::vector<double>& values);

  // run_loop.cpp
  bool step();
  [[nodiscard]] integrate::ErrorRule* error_rule();
  [[nodiscard]] double next_target();
  bool within_limits();
  bool leave_failed_step(const integrate::AdvanceOutcome& outcome);
  bool refuse_by_bounds(BoundWatch::Verdict verdict, double step);
  void end_at_singular(SingularWatch::Verdict verdict);
  bool refuse_beyond_singular(SingularWatch::Verdict verdict, double step);
  bool drop_step(double factor, double step, const system::Evaluation& why);
  bool keep_step();
  void count_step();
  void step_into(const trajectory::SegmentView& segment, double theta);
  bool keep_step_to(double theta);
  bool change_method(MethodChange::Reason reason, double h_lambda);
  bool leave_too_small_steps();
  bool arrive(double target);
  [[nodiscard]] std::string iteration_text(const integrate::AdvanceOutcome& outcome) const;
  void end_of_steps(const integrate::AdvanceOutcome& outcome);
  [[nodiscard]] bool flip_smooth_kinks();

  // run_search.cpp
  locate::SearchResult search(double step);
  locate::SearchResult skip_known_root(locate::SearchResult found, double step);
  [[nodiscard]] bool is_doubtful(double theta, double step, double allowed);
  [[nodiscard]] bool stays_on_side(const locate::Watch& watch, double theta, double until);
  void arm();
  void note_departures(double theta);
  locate::SearchResult gather(locate::SearchResult found);
  bool look_at_staying_zero();
  bool arrive_one_sided();

  // run_instant.cpp
  void begin_instant();
  void begin_event();
  bool settle(const Cause& cause);
  [[nodiscard]] bool begin_telling(const Cause& cause, bool& is_kink);
  [[nodiscard]] bool take_cause(const Cause& cause);
  [[nodiscard]] bool decide_sides(bool is_kink);
  [[nodiscard]] bool run_rounds(const Cause& cause);
  [[nodiscard]] bool tell_instant();
  [[nodiscard]] bool verified(bool is_plain);
  [[nodiscard]] bool is_plain() const;
  void take_crossing(const locate::Watch& watch);
  void settle_on_surface(Index guard);
  void note_location(const locate::Watch& watch);
  void note_rate(const locate::Watch& watch, double theta);
  void take_scheduled(Index guard);
  bool take_released();
  [[nodiscard]] bool is_silent();
  [[nodiscard]] bool needs_rounds(const Cause& cause) const;
  void tell_returns();
  bool begin_rest();
  void end_rest();
  void note_switches();
  [[nodiscard]] bool is_unilateral(Index guard) const;

  // run_decisions.cpp
  void follow_sides_of_others();
  bool decide_crossed();
  bool decide_staying_zero();
  bool note_left_limit();
  void join_recent();
  [[nodiscard]] bool is_within_instant(Index guard);
  bool pass_kinks();
  void end_at_kink(Index guard);
  void forget_idle_changes();
  bool forget_changes_without_effect();

  // run_restart.cpp
  [[nodiscard]] ModeId mode_of_method() const;
  void take_method();
  [[nodiscard]] bool settle_next_to_surface();
  bool restart();
  bool begin_stretch();

  // run_ranks.cpp
  bool project();
  bool change_ranks(const RankChange& change);
  bool keep_step_to_change(const RankChange& change);
  bool report_structure(std::string_view before, std::string_view after);
  bool fall_back_to_ranks(const system::Evaluation& why);
  bool restart_by_ranks(const system::Evaluation& why);

  settle::RunState state_;
  settle::EventLog log_;
  settle::SlidingControl sliding_;
  settle::GuardSurvey survey_;
  settle::InstantRecord record_;
  settle::StructureFollower structures_;
  settle::Rounds rounds_;
  settle::SwitchMonitor monitor_;
  settle::Verification verification_;
  ProgressWatch progress_;
  WatchList watch_list_;
  RankWatch ranks_;
  SingularWatch singular_;
  BoundWatch bounds_;
  ValueWatch values_;
  std::optional<GuardError> guard_error_;
  std::optional<OutputError> output_error_;  // of modes without states

  settle::Engine* engine_ = nullptr;  // that was restarted last
  std::vector<std::size_t>
      use_of_mode_;               // by mode: its place in RunOutcome::method_uses, and one more; 0: none
  bool has_told_values_ = false;  // the values of the run are those of the present point
  bool has_schedule_ = false;
  system::Schedule schedule_;
  std::unique_ptr<slide::RestField> rest_;
  Index resting_guard_ = -1;
  double resting_side_ = 0.0;   // the side it came from and will return to
  bool is_fresh_ = false;       // no step has been kept since the restart
  bool has_new_ranks_ = false;  // the stretch that begins has other characteristic values
  bool has_muted_ = false;      // some watches are left out for the present step
  std::vector<locate::Watch> reduced_;
  bool surface_ends_ = false;  // a weight has left [-1, 1]
  settle::KinkPassage kinks_;
  bool was_sliding_ = false;  // before the instant
  std::vector<Index> crossed_;
  std::vector<Index>
      recent_;  // guards across which the equations jump, crossed within one resolution of time …
  double recent_time_ = 0.0;  // … of this one
  std::vector<Index> left_;   // guards on whose surface the stretch begins
  std::vector<Index> zero_;
  std::vector<Index> released_;
  std::vector<double> coefficients_;
  std::vector<double> end_values_;
  std::vector<double> probe_;
  std::vector<double> gradient_;
  system::Configuration told_;  // as the observer knows it
  std::vector<locate::Crossing> arrivals_;
  std::vector<std::uint8_t> is_unilateral_;
};

}  // namespace saltus::hybrid
