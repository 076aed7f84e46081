/// What every integration method offers to the loops above it (advance, event location, the hybrid run).
///
/// Contract     A stepper stands at its last accepted point (time(), state(), derivative()).
///              attempt(h)  tries a step and changes nothing of that point, whatever comes out.
///              accept()    makes the end of the last good attempt the accepted point; it cannot fail.
///              reject()    drops the last attempt.
///              Between a good attempt and the next attempt or restart the step is open for inspection: its ends and
///              its dense output, before and after accept(). So events are looked for before anything is committed.
///              retract()   takes accept() back: the stepper stands at the start of the step again.
///              restart()   moves the accepted point anywhere (after an event, or to the start).
///              Where the evaluator projects, every stage and every result lies where it puts them, and dense output ends at
///              the projected result; between, it keeps its order but is not projected.
///              The size of the next attempt is not the stepper's business: see step_controller.hpp, advance.hpp.
///              No allocation after construction. Same calls, same bits.
#pragma once

#include <cstdint>
#include <span>

#include "base/ids.hpp"
#include "base/interval.hpp"
#include "integrate/step/error_norm.hpp"
#include "integrate/step/statistics.hpp"
#include "system/locked_dae.hpp"
#include "trajectory/compensated_time.hpp"
#include "trajectory/segment.hpp"

namespace saltus::integrate {

/// The outcome of an attempted step.
struct [[nodiscard]] StepAttempt {
  enum class Status : std::uint8_t {
    good,               ///< may be accepted
    error_too_large,    ///< error > 1
    evaluation_failed,  ///< `evaluation` says how; with status ok of it: x₁ or the estimate is not finite
    iteration_failed,   ///< the method's own iteration did not converge
  };
  Status status = Status::good;
  double error = 0.0;  ///< norm of the estimate, 1 is the tolerance; 0 where the method has none
  system::Evaluation evaluation;
  /// For iteration_failed: the place in y = (x, z) of the unknown whose correction is the largest beside its tolerance, or
  /// whose column of the iteration matrix has no pivot; -1 when unknown.
  Index unknown = -1;
  bool is_singular = false;  ///< the iteration matrix is

  [[nodiscard]] bool good() const { return status == Status::good; }
};

/// Which continuous extension is meant.
enum class DenseOutput : std::uint8_t {
  standard,  ///< the one that costs no evaluation (dopri5: order 4; methods without one: cubic Hermite, order 3)
  full,      ///< order of the method where there is such an extension; costs extra stages (dopri5: two)
};

/// What a method knows about the size of the next step beside its error estimate.
struct StepAdvice {
  double effort_factor = 1.0;  ///< ≤ 1: the safety factor shrinks with the iterations that a step took
  /// Growth up to this factor is not worth a new factorisation: 1 for methods that have none.
  double idle_growth = 1.0;
  double failure_factor = 0.0;  ///< after iteration_failed: what the iteration asks for; 0: nothing
};

/// Two time scales beside the step.
struct Stiffness {
  double h_lambda = 0.0;  ///< h|λ|, λ the eigenvalue that limits an explicit method
  double h_motion = 0.0;  ///< part of itself by which ẋ changes over the step
};

class Stepper {
 public:
  Stepper() = default;
  Stepper(const Stepper&) = delete;
  Stepper& operator=(const Stepper&) = delete;
  virtual ~Stepper() = default;

  [[nodiscard]] virtual Index n_states() const = 0;
  [[nodiscard]] virtual int order() const = 0;
  /// Order of the estimate's lower solution; 0: no estimate, fixed steps only.
  [[nodiscard]] virtual int embedded_order() const = 0;
  [[nodiscard]] virtual const Tolerances& tolerances() const = 0;

  // The accepted point.
  [[nodiscard]] virtual const trajectory::CompensatedTime& time() const = 0;
  [[nodiscard]] virtual std::span<const double> state() const = 0;
  [[nodiscard]] virtual std::span<const double> derivative() const = 0;

  /// … in the residual form, where the method steps in that form.
  [[nodiscard]] virtual system::ResidualPoint residual_point() const { return {}; }

  /// Stands at (t, x) afterwards if the right-hand side can be evaluated there; else at no usable point.
  virtual system::Evaluation restart(const trajectory::CompensatedTime& t, std::span<const double> x) = 0;
  /// … where it is known: xdot = f(t, x), and the last evaluation of the evaluator was the one that gave it.
  virtual system::Evaluation restart(const trajectory::CompensatedTime& t, std::span<const double> x,
                                     std::span<const double> xdot) = 0;
  /// Right after a restart: the point lies on a surface at which slopes of f may grow without bound (the root of a depth that begins).
  /// Jacobians of the first step are then those of where it leads to.
  virtual void start_is_singular() {}
  /// Another right-hand side with as many states, which outlives the stepper or the next call. A restart must follow.
  virtual void set_evaluator(system::Evaluator& evaluator) = 0;
  /// … that may offer the residual form of `locked`, which outlives the stepper.
  virtual void set_system(system::Evaluator& evaluator, const system::LockedDae& /*locked*/) {
    set_evaluator(evaluator);
  }

  /// Tries a step of signed size h.
  StepAttempt attempt(double h) {
    trajectory::CompensatedTime end = time();
    end.advance(h);
    return do_attempt(h, end);
  }
  /// Tries a step that ends at t_end to the last bit.
  StepAttempt attempt_to(double t_end) {
    return do_attempt(-time().since(t_end), trajectory::CompensatedTime(t_end));
  }
  virtual void accept() = 0;
  virtual void reject() = 0;
  virtual void retract() = 0;

  // The open step.
  [[nodiscard]] virtual std::span<const double> step_start_state() const = 0;
  [[nodiscard]] virtual std::span<const double> step_end_state() const = 0;
  [[nodiscard]] virtual const trajectory::CompensatedTime& step_start_time() const = 0;
  [[nodiscard]] virtual double step_size() const = 0;  ///< signed
  /// Intervals that hold x̃ᵢ(θ) of the standard extension for θ in [0, 1], for some of the states, without making it; of the full
  /// one if it has been made and rows come from it. No state
  /// is asked for twice.
  virtual void enclose_step(std::span<const Index> states, std::span<Interval> ranges) const = 0;
  /// Fills in the segment of the open step, which stays valid until the next attempt or restart. Fails only when an
  /// extra stage cannot be evaluated; the standard extension cannot fail.
  virtual system::Evaluation dense_output(DenseOutput which, trajectory::SegmentView& segment) = 0;
  /// The extension that rows come from: the full one where the other is of so low an order that rows would be off by many tolerances.
  [[nodiscard]] virtual DenseOutput output_extension() const { return DenseOutput::standard; }
  /// … as a segment; the standard one where the other cannot be evaluated.
  void make_output_extension(trajectory::SegmentView& segment) {
    if (output_extension() == DenseOutput::standard || !dense_output(DenseOutput::full, segment).ok()) {
      static_cast<void>(dense_output(DenseOutput::standard, segment));
    }
  }
  /// Right after the full extension was made, with its segment: moves it at θ to where the equations hold, in components that follow
  /// them at once; the start stays, and what lies beyond θ is no longer the solution. An event there then has a state from which they lead on without a transient. False: it
  /// is there already, or the method has no such components.
  virtual bool settle_extension(double /*theta*/) { return false; }
  /// Order of that extension.
  [[nodiscard]] virtual int dense_order(DenseOutput which) const = 0;
  /// How far the two extensions of the open step differ at θ, in the norm of the estimate; 0 where the method has only one or
  /// an extra stage cannot be evaluated. This is to the extension of lower order what the estimate is to the embedded solution.
  [[nodiscard]] virtual double extension_error(double /*theta*/) { return 0.0; }
  /// A second measure of a good attempt that is not accepted yet, 1 is the tolerance: extension_error in the middle of the
  /// step, divided by what it is where the estimate is 1 and the step short. More than 1: the attempt counts as rejected by
  /// its error.
  [[nodiscard]] virtual double second_error() { return 0.0; }
  /// Of the open step; all zero where the method has no stages that show it.
  [[nodiscard]] virtual Stiffness stiffness() { return {}; }
  /// About the last attempt, for the choice of the next size.
  [[nodiscard]] virtual StepAdvice advice() const { return {}; }
  /// Of the last attempt that was good: by how much each state may be wrong; empty where the method has no estimate.
  [[nodiscard]] virtual std::span<const double> error_estimate() const { return {}; }
  /// The state whose error was the largest in the last attempt; -1 when unknown.
  [[nodiscard]] virtual Index worst_state() const = 0;

  /// Right-hand side outside of steps, for the choice of the first step.
  virtual system::Evaluation probe(double t, std::span<const double> x, std::span<double> xdot) = 0;
  [[nodiscard]] virtual const Statistics& statistics() const = 0;

 private:
  virtual StepAttempt do_attempt(double h, const trajectory::CompensatedTime& end) = 0;
};

}  // namespace saltus::integrate
