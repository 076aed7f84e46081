/// Where a run stands: what its parts (rounds, sliding, log, loop) share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hybrid/state/mode_cache.hpp"
#include "hybrid/state/rest_field.hpp"
#include "hybrid/state/run.hpp"
#include "locate/watch.hpp"
#include "saltus/diagnostic.hpp"
#include "trajectory/compensated_time.hpp"

namespace saltus::hybrid {

/// In RunState::is_slid_on: the guard is held by its own value, not by its derivative (algebraic_sides.hpp).
inline constexpr std::uint8_t kSlidAlgebraically = 2;

/// A guard whose latched value changes in the present instant.
struct LatchChange {
  Index guard = -1;
  double before = 0.0;  ///< at the left limit
  bool was_slid_on = false;
  double told = 0.0;  ///< as the observer knows it
  bool told_slid_on = false;
};

struct RunState {
  RunState(const system::HybridSystem& model, const Options& choices, RunObserver& watcher);

  const system::HybridSystem& system;
  std::span<const system::GuardInfo> guards;  ///< of the system
  const Options& options;
  RunObserver& observer;
  double direction;   ///< of time, ±1
  double time_scale;  ///< largest |time| of the run
  ModeCache modes;

  // The configuration is the authority (docs/semantics.md 1.3). `surfaces` are the guards slid on, ascending; while there
  // are any, `evaluator` is a sliding field.
  system::Configuration configuration;
  ModeData* mode = nullptr;
  ModeData* partner = nullptr;  ///< the other mode while sliding between two
  std::vector<Index> surfaces;
  double level = 0.0;  ///< of the guard, while sliding between two modes in the middle of a band (9.4)
  std::vector<std::uint8_t> is_slid_on;  ///< by guard
  system::Evaluator* evaluator = nullptr;
  RestField* rest = nullptr;  ///< holds a guard whose events have accumulated

  trajectory::CompensatedTime t;
  std::vector<double> x;
  std::vector<double> values;         ///< all variables: the left limit, then after each round
  std::vector<std::uint8_t> at_root;  ///< by guard: the present point lies on its surface
  std::vector<double> root_level;     ///< … for guards that hold whole numbers: at this one
  /// By guard that was at `root_level` last: how far it has got from there, on which side (0: it is away). Committed with every step that
  /// is kept, in RunLoop::note_departures (docs/semantics.md 4.3).
  std::vector<locate::Departure> departures;
  std::vector<std::int8_t> departing_side;

  std::int64_t segment = 0;
  Counters counters;
  RunOutcome outcome;
  bool has_ended = false;
  bool has_told_jump = false;

  // The present instant.
  std::vector<LatchChange> changes;
  bool left_limit_told = false;
  bool leaves_band = false;  ///< sliding in the middle of a band has ended
  Index refused = -1;        ///< the guard between whose modes sliding was refused last
  std::string refusal;       ///< … and why
  std::vector<double> left_limit;
  std::string left_limit_mode;

  /// The step just taken was searched for events, on the extension that the search has chosen.
  bool is_step_searched = false;
  /// The extension of the step just taken: that of the search, where there was one (another question to the stepper would
  /// change the numbers on which the event was found).
  [[nodiscard]] trajectory::SegmentView open_segment();

  [[nodiscard]] double time() const { return t.value(); }
  [[nodiscard]] const system::GuardInfo& guard(Index i) const { return guards[static_cast<std::size_t>(i)]; }
  [[nodiscard]] double& latched(Index i) { return configuration.latched[static_cast<std::size_t>(i)]; }
  /// The equations may jump across this guard.
  [[nodiscard]] bool jumps(Index i) const { return guard(i).in_equations && guard(i).continuity < 0; }

  /// The entry of a guard whose latched value is about to change.
  LatchChange& touch(Index guard);
  void set_latched(Index guard, double value);
  void begin_instant();

  /// As in trajectory.csv; valid until the configuration changes.
  [[nodiscard]] std::string_view mode_text();
  /// Values of all variables at (t, x) from the present evaluator; ends the run when that fails.
  bool evaluate_outputs(std::span<double> into);

  /// Moves x onto the surface of a guard that is zero but for rounding: where nothing moves it any more its sign must not
  /// be a side.
  void move_onto(Index guard);
  /// Moves a point towards guard = goal, along the gradient in nominal values.
  void move_to_level(Index guard, double goal, std::span<double> point);

  void warn(DiagnosticCode code, std::string message, std::string hint = {},
            std::optional<SourceSpan> span = {});
  /// That values were moved which nobody asked to move; told once in a run.
  void warn_of_jump(std::string message, std::string hint);
  void end(RunOutcome::Status status, std::string_view reason, std::string message);
  /// The run fails because of an evaluation.
  void fail(const system::Evaluator& culprit, const system::Evaluation& evaluation);
  /// Ends the run when the observer wants no more.
  bool go_on(bool answer);

 private:
  std::vector<std::uint8_t> is_touched_;
  std::string mode_text_;
  std::vector<double> gradient_;
};

/// The stable word of a failed evaluation.
[[nodiscard]] std::string_view reason_of(const system::Evaluation& evaluation);

}  // namespace saltus::hybrid
