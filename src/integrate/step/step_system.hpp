/// Where a method stands, and what it steps.
#pragma once

#include <span>

#include "base/interface.hpp"
#include "system/evaluator.hpp"
#include "trajectory/compensated_time.hpp"

namespace saltus::system {
class LockedDae;
}

namespace saltus::integrate {

/// The accepted point.
class AcceptedPoint : public Interface {
 public:
  [[nodiscard]] virtual const trajectory::CompensatedTime& time() const = 0;
  [[nodiscard]] virtual std::span<const double> state() const = 0;
  [[nodiscard]] virtual std::span<const double> derivative() const = 0;
  /// … in the residual form, where the method steps in that form.
  [[nodiscard]] virtual system::ResidualPoint residual_point() const { return {}; }
};

class StepSystem : public Interface {
 public:
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
  /// After loading (base/archive.hpp): the evaluator with which this was saved, as it was then. Nothing of the method changes.
  virtual void rejoin(system::Evaluator& evaluator) = 0;
  /// Right-hand side outside of steps, for the choice of the first step.
  virtual system::Evaluation probe(double t, std::span<const double> x, std::span<double> xdot) = 0;
};

}  // namespace saltus::integrate
