/// Problem      integrate from the stepper's accepted point to t_end under step-size control
/// Method       attempt, test, accept or shrink: [HNW93] II.4; the loop of DOPRI5
/// Contract     Forward or backward by the sign of t_end - t. The last step ends at t_end to the last bit. Whatever the
///              reason for ending, the stepper stands at the last accepted point and advance() may be called again with
///              the same or another t_end; the size that worked is kept over calls and restarts.
/// Choices      A step that would come within 1 % of its size of t_end is stretched or cut to end there (DOPRI5). With
///              fixed steps that margin is 1e-9 and only the last step differs in size.
///              The size kept over a restart belongs to another right-hand side. The first step with it is not trusted to its
///              one estimate: unless that is far below the tolerance, the larger of it and Stepper::second_error decides, also
///              on the size of the next step. Where only the second fails, the two contradict each other and the size is cut
///              like after a failed evaluation. Where the estimate fails, the size was none for this right-hand side: the
///              step is at most the one that a run would begin with here (initial_step.hpp, one evaluation).
///              An ErrorRule has a control of its own, the elementary one: the next size is the smaller of the two.
///              The smallest step is kInstantUlps spacings of doubles at t (base/time_tolerance.hpp): below that stage
///              times cannot be told apart. The last step before t_end may be smaller.
/// Fails when   the error test or the evaluation fails at the smallest step, or with a fixed step at once: the outcome
///              says which evaluation failed, which state has the largest error, or which unknown the iteration of an implicit
///              method cannot find. Nothing is skipped or forced.
/// Checked by   tests/unit/integrate/advance_test.cpp, tests/contract/integrators/stepper_contract_test.cpp
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "base/archive.hpp"
#include "integrate/step/forbidden_crossing.hpp"
#include "integrate/step/step_controller.hpp"
#include "integrate/step/stepper.hpp"

namespace saltus::integrate {

/// Magnitude of the smallest step at t.
[[nodiscard]] double smallest_step(double t);

enum class EndReason : std::uint8_t {
  reached_end,
  stopped,              ///< the sink asked for it
  interrupted,          ///< the poll said so
  time_limit,           ///< the poll said so
  step_limit,           ///< max_steps attempts
  step_size_too_small,  ///< the error test fails at the smallest step; culprit: state
  iteration_failed,  ///< the iteration of an implicit method does not converge at the smallest step; culprit: unknown
  not_finite,  ///< a stage is not finite at the smallest step
  singular_block,
  no_convergence,
  no_weights,     ///< sliding: no weights keep the state on the surfaces
  no_projection,  ///< no state nearby satisfies the constraints
};

/// The stable word of a reason, as it stands in summaries.
[[nodiscard]] std::string_view reason_text(EndReason reason);

/// What a poll between two steps answers.
enum class Poll : std::uint8_t { go_on, interrupted, time_limit };

/// What a sink answers after a step.
enum class SinkAnswer : std::uint8_t { go_on, stop };

/// Is shown every accepted step while it is open: step_start_state(), state(), dense_output() of the stepper.
class StepSink {
 public:
  StepSink() = default;
  StepSink(const StepSink&) = delete;
  StepSink& operator=(const StepSink&) = delete;
  virtual ~StepSink() = default;

  virtual SinkAnswer accepted_step(Stepper& stepper) = 0;
};

/// May know better than the controller what to try after a step that could not be evaluated.
class FailureRule {
 public:
  FailureRule() = default;
  FailureRule(const FailureRule&) = delete;
  FailureRule& operator=(const FailureRule&) = delete;
  virtual ~FailureRule() = default;

  /// The size to try instead of `tried`, smaller; 0: leave it to the controller.
  virtual double size_after(double tried) = 0;
};

/// Asks for more than the error test of the states.
class ErrorRule {
 public:
  ErrorRule() = default;
  ErrorRule(const ErrorRule&) = delete;
  ErrorRule& operator=(const ErrorRule&) = delete;
  virtual ~ErrorRule() = default;

  /// Of a good attempt that is not accepted yet, 1 is the tolerance. More: the attempt counts as rejected by its error.
  virtual double error_of(const Stepper& stepper) = 0;
};

struct AdvanceOptions {
  double initial_step = 0.0;  ///< magnitude; 0: chosen (initial_step.hpp)
  double largest_step = std::numeric_limits<double>::infinity();
  double fixed_step = 0.0;  ///< magnitude; > 0: no step-size control
  /// Magnitude; > 0: the first step after a restart is min(restart_step, size that worked) [Com01] 5.3.
  double restart_step = 0.0;
  std::int64_t max_steps =
      std::numeric_limits<std::int64_t>::max();  ///< attempts over the life of the object
  std::function<Poll()> poll = {};               ///< asked before every step; empty: never stops
};

struct [[nodiscard]] AdvanceOutcome {
  EndReason reason = EndReason::reached_end;
  double t = 0.0;                 ///< time of the accepted point
  double h = 0.0;                 ///< size of the last attempt, signed
  system::Evaluation evaluation;  ///< for the reasons that come from an evaluation
  /// For step_size_too_small: the state with the largest error; for iteration_failed: StepAttempt::unknown.
  Index culprit = -1;
  bool is_singular = false;  ///< for iteration_failed: StepAttempt::is_singular

  [[nodiscard]] bool reached_end() const { return reason == EndReason::reached_end; }
};

class Advance {
 public:
  /// Both outlive this object.
  Advance(Stepper& stepper, StepController& controller, AdvanceOptions options);

  AdvanceOutcome to(double t_end, StepSink& sink);

  /// One accepted step towards t_end, or why there is none. At t_end already: reached_end, no step. The reason is
  /// reached_end when the step ended there; otherwise `stopped` means: on the way.
  AdvanceOutcome step(double t_end, FailureRule* failure_rule = nullptr, ErrorRule* error_rule = nullptr);

  /// After Stepper::restart: the controller forgets, the step size stays (but see AdvanceOptions::restart_step).
  void restarted();
  /// Takes the last accepted step back, which must still be open; the next one is tried with this size.
  void retract(double next_size);
  /// Magnitude of the smallest attempt that could not be evaluated on the way to the last step, 0: none. Behind a surface the
  /// locked side may have no value: then a step just short of it was taken (docs/semantics.md 2.2).
  [[nodiscard]] double failed_size() const { return failed_size_; }
  /// The size the next attempt would have, 0 while unknown.
  [[nodiscard]] double next_step() const { return h_next_; }
  void set_next_step(double magnitude) { h_next_ = magnitude; }

  void fields(Archive& a) {
    // Not saved: options_.
    a(h_next_, failed_size_, is_foreign_size_, has_begun_anew_, was_foreign_size_, attempts_, crossing_,
      scratch_);
  }

 private:
  AdvanceOutcome fixed_step(double t_end);
  AdvanceOutcome controlled_step(double t_end, FailureRule* failure_rule, ErrorRule* error_rule);
  [[nodiscard]] double error_of(const StepAttempt& attempt);
  [[nodiscard]] double size_for(double tried, double error) const;
  [[nodiscard]] double size_of_beginning(double t_end);
  [[nodiscard]] AdvanceOutcome ended(EndReason reason, double h) const;
  [[nodiscard]] AdvanceOutcome failed(const StepAttempt& attempt, double h) const;
  void choose_initial_step(double t_end);

  Stepper& stepper_;
  StepController& controller_;
  AdvanceOptions options_;
  double h_next_ = 0.0;
  double failed_size_ = 0.0;
  bool is_foreign_size_ = false;   // the next size comes from before a restart
  bool has_begun_anew_ = false;    // the size has been chosen as at the start, after the restart
  bool was_foreign_size_ = false;  // so did that of the last step
  std::int64_t attempts_ = 0;
  ForbiddenCrossing crossing_;
  std::vector<double> scratch_;
};

}  // namespace saltus::integrate
