/// Where a run stands: what its parts (rounds, sliding, log, loop) share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/archive.hpp"
#include "saltus/diagnostic.hpp"
#include "settle/state/instant_draft.hpp"
#include "settle/state/mode_cache.hpp"
#include "settle/state/position.hpp"
#include "settle/state/root_marks.hpp"
#include "settle/state/run.hpp"
#include "trajectory/segment.hpp"

namespace saltus::settle {

/// A guard whose latched value changes in the present instant.
struct LatchChange {
  Index guard = -1;
  double before = 0.0;  ///< at the left limit
  bool was_slid_on = false;
  double told = 0.0;  ///< as the observer knows it
  bool told_slid_on = false;

  void fields(Archive& a) { a(guard, before, was_slid_on, told, told_slid_on); }
};

/// The present instant, as it is known to the observer.
struct Instant {
  std::vector<LatchChange> changes;
  InstantDraft draft;
  std::vector<double> left_limit;  ///< all variables
  std::string left_limit_mode;
  bool is_left_limit_told = false;
  bool leaves_band = false;  ///< sliding in the middle of a band has ended
  InstantMove move;          ///< kept where the observer wants it
  bool is_move_told = true;
  double flight = 0.0;  ///< of a guard that leaves for less than errors of steps may be, and returns; 0: none
};

/// Why something cannot be: the reason and message of a run that ends with it.
struct Failure {
  std::string_view reason;
  std::string message;
};

/// Why sliding between the modes of a guard was refused last.
struct Refusal {
  Index guard = -1;
  std::string reason;
};

class RunState {
 public:
  RunState(const system::HybridSystem& model, const Options& choices, RunObserver& watcher);

  [[nodiscard]] const system::HybridSystem& system() const { return system_; }
  [[nodiscard]] std::span<const system::GuardInfo> guards() const { return guards_; }
  [[nodiscard]] const system::GuardInfo& guard(Index i) const { return guards_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] RunObserver& observer() const { return observer_; }
  /// Of time, ±1.
  [[nodiscard]] double direction() const { return direction_; }
  /// The largest |time| of the run.
  [[nodiscard]] double time_scale() const { return time_scale_; }
  [[nodiscard]] bool has_ended() const { return has_ended_; }
  /// The equations may jump across this guard.
  [[nodiscard]] bool jumps(Index i) const { return guard(i).in_equations && guard(i).continuity < 0; }

  ModeCache modes;
  Position at;
  RootMarks roots;
  Instant instant;
  std::vector<double> values;  ///< all variables: the left limit, then after each round
  Refusal refusal;
  std::int64_t segment = 0;
  Counters counters;
  RunOutcome outcome;
  /// The step just taken was searched for events, on the extension that the search has chosen.
  bool is_step_searched = false;

  /// The extension of the step just taken: that of the search, where there was one (another question to the stepper would
  /// change the numbers on which the event was found).
  [[nodiscard]] trajectory::SegmentView open_segment();

  /// A guard, or the vector that a norm belongs to, is held at zero by motion on it.
  [[nodiscard]] bool is_slid_on(Index i) const {
    return at.is_slid_on(guard(i).components.empty() ? i : guard(i).components.front());
  }
  /// The entry of a guard whose latched value is about to change.
  LatchChange& touch(Index guard);
  void set_latched(Index guard, double value);
  void begin_instant();
  /// Gives what is held back of the instant to the observer. False: the run ended.
  bool report();
  /// The instant is not accepted: nothing of it is reported but its left limit.
  void refuse_instant();

  /// As in trajectory.csv; valid until the configuration changes.
  [[nodiscard]] std::string_view mode_text();
  /// Values of all variables at the present point; ends the run when that fails.
  bool evaluate_outputs(std::span<double> into);
  bool evaluate_outputs() { return evaluate_outputs(values); }

  /// Moves x onto the surface of a guard that is zero but for rounding: where nothing moves it any more its sign must not
  /// be a side. Nothing moves where that would be more than a tolerance.
  void move_onto(Index guard);
  /// Moves a point towards guard = goal, along the gradient in nominal values.
  void move_to_level(Index guard, double goal, std::span<double> point);

  void warn(DiagnosticCode code, std::string message, std::string hint = {},
            std::optional<SourceSpan> span = {});
  /// That values were moved which nobody asked to move; reported once in a run.
  void warn_of_jump(std::string message, std::string hint);
  [[nodiscard]] bool has_warned_of_jump() const { return has_warned_of_jump_; }
  void end(RunOutcome::Status status, std::string_view reason, std::string message);
  void fail(const Failure& failure) { end(RunOutcome::Status::failed, failure.reason, failure.message); }
  /// An evaluation has failed: as the run would end with it.
  [[nodiscard]] Failure failure_of(const system::Evaluator& culprit,
                                   const system::Evaluation& evaluation) const;
  /// The run fails because of an evaluation.
  void fail(const system::Evaluator& culprit, const system::Evaluation& evaluation);
  /// Ends the run when the observer wants no more.
  bool go_on(bool answer);

  void fields(Archive& a);

 private:
  const system::HybridSystem& system_;
  std::span<const system::GuardInfo> guards_;
  const Options& options_;
  RunObserver& observer_;
  void begin_move();
  void tell_move();

  double direction_;
  double time_scale_;
  bool has_ended_ = false;
  bool has_warned_of_jump_ = false;
  std::vector<std::uint8_t> is_touched_;
  std::string mode_text_;
  std::vector<double> gradient_;
  std::vector<double> moved_;
};

/// The stable word of a failed evaluation.
[[nodiscard]] std::string_view reason_of(const system::Evaluation& evaluation);

}  // namespace saltus::settle
