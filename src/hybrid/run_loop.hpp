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
#include "hybrid/zero_watch.hpp"
#include "settle/settler.hpp"
#include "settle/state/run_state.hpp"

namespace saltus::hybrid {

class RunLoop {
 public:
  RunLoop(const system::HybridSystem& system, const Options& options, RunObserver& observer);

  RunOutcome run(const system::InitialPoint& initial);

  /// The same in the hands of somebody else: begin() once, advance() again and again, conclude() once. False: the run ended.
  [[nodiscard]] bool begin(const system::InitialPoint& initial);
  enum class Until : std::uint8_t { horizon, instant, step };
  /// On to `horizon`, which is not beyond the stop, or up to the first instant, or step, before it.
  [[nodiscard]] bool advance(double horizon, Until until);
  /// In place of begin(): goes on from what was saved of a run of the same system with the same options. False: it does not fit.
  [[nodiscard]] bool resume(const system::InitialPoint& initial, Archive& a);
  /// What it remembers, between two steps (RunObserver::between_steps()).
  void fields(Archive& a);
  /// Whether a run that has ended could go on from here: it was ended from outside, or by a limit, between two steps.
  [[nodiscard]] bool is_between_steps() const { return is_between_steps_; }
  /// Values from outside: an instant at the present point.
  [[nodiscard]] bool set_outside(std::span<const settle::OutsideValue> values);
  [[nodiscard]] RunOutcome conclude();
  /// Where the run stands.
  [[nodiscard]] const settle::Position& position() const { return state_.at; }
  [[nodiscard]] std::string_view mode_text() { return state_.mode_text(); }
  [[nodiscard]] const Counters& counters() const { return state_.counters; }
  /// Of the last kept step as the method took it; zeros before the first.
  [[nodiscard]] const settle::StepSizes& sizes() const { return state_.outcome.sizes; }
  /// When something is due that depends on time alone; nullopt: nothing is known to be.
  [[nodiscard]] std::optional<double> next_scheduled() const;
  /// Of all variables there.
  [[nodiscard]] std::span<const double> values();

 private:
  // run_start.cpp
  void prepare(const system::InitialPoint& initial);
  [[nodiscard]] bool start(const system::InitialPoint& initial);
  [[nodiscard]] bool settle_due_at_start();
  template <class Work>
  void guarded(Work work);
  void end_early(std::string_view reason, std::string_view what);
  void tell_contradictions();
  void collect_guard_watches();
  void final_outputs(std::vector<double>& values);

  // run_loop.cpp
  void pursue(Until until);
  [[nodiscard]] bool step();
  [[nodiscard]] std::optional<bool> look_along(double until, double step, bool is_whole);
  [[nodiscard]] bool arrive_within(const locate::SearchResult& found,
                                   const integrate::AdvanceOutcome& outcome, double target);
  [[nodiscard]] const system::Schedule* due_at(double t) const;
  [[nodiscard]] bool settle(std::span<const locate::Crossing> crossings, const system::Schedule* schedule,
                            bool is_release);
  [[nodiscard]] integrate::ErrorRule* error_rule();
  [[nodiscard]] double next_target();
  bool within_limits();
  bool keep_step();
  void count_step();
  void step_into(const trajectory::SegmentView& segment, double theta);
  bool keep_step_to(double theta);
  bool change_method(MethodChange::Reason reason, double h_lambda);
  bool arrive(double target);
  [[nodiscard]] bool flip_smooth_kinks();

  // run_failures.cpp
  bool leave_failed_step(const integrate::AdvanceOutcome& outcome);
  bool leave_too_small_steps();
  bool drop_step(double factor, double step, const system::Evaluation& why);
  void retract(double next_step);
  bool refuse_by_bounds(BoundWatch::Verdict verdict, double step);
  void end_at_singular(SingularWatch::Verdict verdict);
  bool refuse_beyond_singular(SingularWatch::Verdict verdict, double step);
  [[nodiscard]] std::string iteration_text(const integrate::AdvanceOutcome& outcome) const;
  void end_of_steps(const integrate::AdvanceOutcome& outcome);

  // run_search.cpp
  locate::SearchResult search(double step);
  locate::SearchResult skip_known_root(locate::SearchResult found, double step);
  [[nodiscard]] bool can_be_doubted(double step);
  [[nodiscard]] bool is_led_away(double theta, double step);
  [[nodiscard]] bool is_doubtful(double theta, double step, double allowed);
  [[nodiscard]] bool stays_on_side(const locate::Watch& watch, double theta, double until);
  void arm();
  [[nodiscard]] bool has_gone_behind(const locate::Watch& watch);
  [[nodiscard]] bool have_gone_behind();
  void note_departures(double theta);
  [[nodiscard]] bool is_unilateral(Index guard) const;
  locate::SearchResult gather(locate::SearchResult found);
  bool look_at_staying_zero();
  [[nodiscard]] bool leave_zero(double theta, const integrate::AdvanceOutcome& outcome);
  bool arrive_one_sided();

  // run_restart.cpp
  [[nodiscard]] ModeId mode_of_method() const;
  void take_method();
  [[nodiscard]] bool settle_next_to_surface();
  bool restart();
  bool begin_stretch();

  // run_ranks.cpp
  bool change_ranks(const RankChange& change);
  bool keep_step_to_change(const RankChange& change);
  bool fall_back_to_ranks(const system::Evaluation& why);

  settle::RunState state_;
  settle::Settler settler_;
  ProgressWatch progress_;
  WatchList watch_list_;
  RankWatch ranks_;
  SingularWatch singular_;
  BoundWatch bounds_;
  ValueWatch values_;
  ZeroWatch zeros_;
  std::optional<GuardError> guard_error_;
  std::optional<OutputError> output_error_;  // of modes without states

  settle::Engine* engine_ = nullptr;  // that was restarted last
  std::vector<std::size_t>
      use_of_mode_;       // by mode: its place in RunOutcome::method_uses, and one more; 0: none
  double horizon_ = 0.0;  // where the present call of advance() ends
  bool is_between_steps_ = false;
  bool is_over_ = false;  // terminal() has been true
  bool has_schedule_ = false;
  system::Schedule schedule_;
  bool is_fresh_ = false;       // no step has been kept since the restart
  bool has_new_ranks_ = false;  // the stretch that begins has other characteristic values
  bool has_muted_ = false;      // some watches are left out for the present step
  std::vector<locate::Watch> reduced_;
  std::vector<Index> left_;  // guards on whose surface the stretch begins
  std::vector<double> coefficients_;
  std::vector<double> end_values_;
  std::vector<double> probe_;
  std::vector<double> gradient_;
  std::vector<locate::Crossing> arrivals_;
  std::vector<std::uint8_t> is_unilateral_;
};

}  // namespace saltus::hybrid
