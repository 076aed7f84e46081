/// What a run reports, and what it leaves.
///
/// Contract     The observer is told everything in the order in which it happened, once it is final; nothing is taken
///              back. Whatever ends the run, what was told is whole up to RunOutcome::t.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/archive.hpp"
#include "integrate/step/statistics.hpp"
#include "locate/watch.hpp"
#include "reduce/ranks/characteristic_values.hpp"
#include "settle/state/event.hpp"
#include "settle/state/move.hpp"
#include "settle/state/options.hpp"
#include "system/hybrid_system.hpp"
#include "trajectory/segment.hpp"

namespace saltus::settle {

/// What holds on the stretch of the run that now begins (a segment of docs/output.md: it ends at the next round, or when sliding
/// begins or ends).
struct Stretch {
  std::int64_t segment = 0;
  double from = 0.0;
  std::span<const double> x;  ///< there; valid during the call
  std::string_view mode;      ///< as in trajectory.csv: name of the mode, " sliding on <guard>" while sliding
  const system::LockedDae* locked = nullptr;
  /// Evaluates outputs of this stretch (a sliding one includes the weights). Belongs to the run; valid during calls.
  system::Evaluator* evaluator = nullptr;
  const system::Configuration* configuration = nullptr;
  /// Guards that are slid on, empty otherwise; with the configuration this is all that is needed to evaluate the stretch
  /// again after the run (make_stretch_evaluator).
  std::span<const Index> surfaces;
  double level = 0.0;  ///< of the guard slid on in the middle of a band between two modes, else 0
  system::StructureId structure = {};
  bool has_new_ranks =
      false;  ///< same system, but other characteristic values: an evaluator by ranks must be another
  /// Of the mode, where it is reduced by ranks.
  const reduce::CharacteristicValues* values = nullptr;
  bool is_at_rest = false;  ///< a contact is held, on no surface that is slid on
};

/// An evaluator for outputs of a past stretch, from what its Stretch said; owned by the caller.
[[nodiscard]] std::unique_ptr<system::Evaluator> make_stretch_evaluator(
    const system::HybridSystem& system, const Options& options, const system::Configuration& configuration,
    std::span<const Index> surfaces, double level, std::span<const double> guess);

/// Where a step ends.
struct StepEnd {
  double t = 0.0;
  std::span<const double> x;  ///< to the last bit
  /// The point of the stretch's residual form there, where the method has found it: not at events within a step.
  system::ResidualPoint point = {};
  bool is_implicit = false;           ///< an implicit method has made the step
  bool is_multistep = false;          ///< … with steps before it
  std::span<const double> xdot = {};  ///< as the method has it; empty at events within a step
};

class RunObserver {
 public:
  RunObserver() = default;
  RunObserver(const RunObserver&) = delete;
  RunObserver& operator=(const RunObserver&) = delete;
  virtual ~RunObserver() = default;

  /// Each answers false to end the run (`stopped`).
  /// A stretch begins: at the start, and after every event that is logged. Crossing a kink begins a stretch without a
  /// new segment number.
  virtual bool begin_stretch(const Stretch& stretch) = 0;
  /// Whether step() needs the segment of a step that ends at t_end. If not, and nobody else has computed the dense
  /// output, step() may be called with a SegmentView that is not given.
  [[nodiscard]] virtual bool wants_segment(double /*t_end*/) { return true; }
  /// A step within the stretch that is final; `segment` ends at the event when there is one.
  virtual bool step(const trajectory::SegmentView& segment, const StepEnd& end) = 0;
  /// The values (all variables) at an instant: just before (round 0, with the segment that ends) and after each round.
  virtual bool instant(double t, std::int64_t segment, std::string_view mode,
                       std::span<const double> values) = 0;
  /// Whether moved() is to be called. Asked once.
  [[nodiscard]] virtual bool wants_moves() const { return false; }
  /// What an instant that is final did, before its rows and events. The stretch that follows is begun afterwards, if there is one.
  virtual void moved(const InstantMove& /*move*/) {}
  /// Before every step and instant: here a run may be saved.
  virtual bool between_steps() { return true; }
  virtual void event(const Event& event) = 0;
  virtual void warning(Diagnostic diagnostic) = 0;
};

/// What somebody outside sets: the number of an external guard.
struct OutsideValue {
  Index guard = -1;
  double value = 0.0;
};

struct Counters {
  std::int64_t events = 0;  ///< rows of events.csv
  std::int64_t instants = 0;
  std::int64_t restarts = 0;
  std::int64_t kinks_without_restart = 0;
  std::int64_t guard_evaluations = 0;
  std::int64_t newton_iterations = 0;
  std::int64_t location_iterations = 0;  ///< of the bracketing method, and of Newton's for shifted locations
  std::int64_t overtaken_locations = 0;  ///< SearchCounters::overtaken
  std::int64_t guards_without_root = 0;  ///< SearchCounters::without_root
  std::int64_t refined_steps =
      0;  ///< taken again, shorter, because it was not decided what guards do in them
  std::int64_t rhs_evaluations = 0;   ///< all of them, with those of sliding, location and decisions
  std::int64_t accepted_sliding = 0;  ///< of the accepted steps (D10)
  std::int64_t rejected_sliding = 0;
  std::int64_t rejected_by_bounds = 0;  ///< steps taken back because a variable became negative
  std::int64_t negative_within_tolerance =
      0;  ///< steps kept with a bounded variable slightly below zero, by variable

  void fields(Archive& a) {
    a(events, instants, restarts, kinks_without_restart, guard_evaluations, newton_iterations,
      location_iterations, overtaken_locations, guards_without_root, refined_steps, rhs_evaluations,
      accepted_sliding, rejected_sliding, rejected_by_bounds, negative_within_tolerance);
  }
};

/// Of accepted steps, as the method took them: an event may cut one short.
struct StepSizes {
  double smallest = 0.0;  ///< magnitudes; 0: there was no step
  double largest = 0.0;
  double last = 0.0;
  double next = 0.0;  ///< that would have been tried
  int last_order = 0;
  std::vector<std::int64_t> by_order = {};  ///< how many steps each order took

  void count(double size, int order) {
    smallest = last == 0.0 ? size : std::min(smallest, size);
    largest = std::max(largest, size);
    last = size;
    last_order = order;
    by_order.resize(std::max(by_order.size(), static_cast<std::size_t>(order) + 1));
    ++by_order[static_cast<std::size_t>(order)];
  }

  void fields(Archive& a) { a(smallest, largest, last, last_order, next, by_order); }
};

/// A mode went on with another method (MethodChoice::stiff_method).
struct MethodChange {
  enum class Reason : std::uint8_t {
    stiff,        ///< the steps were held down by stability
    small_steps,  ///< no step was small enough for the error
  };
  double t = 0.0;
  ModeId mode;
  std::string_view from;
  std::string_view to;
  Reason reason = Reason::stiff;
  double h_lambda = 0.0;  ///< mean of h|λ|, where stiff
};

/// What the method of a mode has done.
struct MethodUse {
  ModeId mode;
  std::int64_t accepted_steps = 0;

  void fields(Archive& a) { a(mode, accepted_steps); }
};

/// The reason of a run that lacks memory.
inline constexpr std::string_view kOutOfMemory = "out_of_memory";

struct RunOutcome {
  enum class Status : std::uint8_t { success, terminated, stopped, failed };
  Status status = Status::success;
  std::string reason;   ///< a short stable word, empty for success
  std::string message;  ///< for a person
  double t = 0.0;       ///< reached
  std::vector<double> final_values;
  integrate::Statistics steps;
  std::vector<MethodChange> method_changes;  ///< one at most for each mode and list of states
  std::vector<MethodUse> method_uses;        ///< by mode, in the order in which they were entered
  Counters counters;
  StepSizes sizes;
  /// By guard of the system; behind them, all together, the weights of sliding. May be shorter: what was never watched.
  std::vector<locate::GuardWatch> guard_watches;
  std::string explanation;  ///< of Options::explain_event
};

}  // namespace saltus::settle
