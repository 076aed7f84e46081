/// What a one-step method gives to ImplicitOneStep, by subject: its stages, its error estimate, what it keeps of the step before, and its
/// standard extension.
#pragma once

#include <cstdint>
#include <span>

#include "base/ids.hpp"
#include "base/interface.hpp"
#include "integrate/step/newton_policy.hpp"
#include "linalg/factor_status.hpp"
#include "system/evaluation.hpp"

namespace saltus::integrate {

enum class StageOutcome : std::uint8_t { converged, evaluation_failed, not_converged };

class OneStepStages : public Interface {
 protected:
  /// Vectors of n_y() numbers that belong to the method.
  virtual void resize_stages() = 0;
  /// The matrices of a step of size h.
  [[nodiscard]] virtual linalg::FactorStatus factorize(double h) = 0;
  /// The step from start_ to end_, of size h_: y_end_ and ydot_end_.
  [[nodiscard]] virtual StageOutcome solve_stages() = 0;
  /// The step of size h_/2 to t: y_middle_ and ydot_middle_, with what solve_stages() found as start.
  [[nodiscard]] virtual StageOutcome solve_middle(double t, NewtonConvergence& convergence) = 0;
  /// Why stages could not be evaluated.
  [[nodiscard]] virtual const system::Evaluation& stage_failure() const = 0;
  /// The last correction of y[i] at the end of the step.
  [[nodiscard]] virtual double last_correction(std::size_t i) const = 0;
};

class OneStepEstimate : public Interface {
 protected:
  /// error_, filtered.
  virtual void estimate_error() = 0;
  /// A second look at an estimate that is too large, in the first step and after rejections.
  virtual system::Evaluation filter_again() { return {}; }
};

class OneStepMemory : public Interface {
 protected:
  /// The open step is accepted and the next one begins; and: there is no step before.
  virtual void remember_step() {}
  virtual void forget_steps() {}
  /// y[i], one of z, was far off at the start: what the step before says of it does not lead on from there.
  virtual void forget_past_of(std::size_t /*i*/) {}
};

class OneStepExtension : public Interface {
 protected:
  /// How far the standard extension of a step that passed the test at its end may be from the solution inside, 1 is the
  /// tolerance; corrects the extension where that is needed. scratch_: by how much each state, where that is more than 1.
  [[nodiscard]] virtual double measure_extension() = 0;
  /// y and ẏ of the standard extension at θ, n_y and n_states numbers.
  virtual void extension_point(double theta, std::span<double> y, std::span<double> ydot) const = 0;
  /// Powers 1 … of the standard extension; returns its degree.
  virtual Index fill_standard() = 0;
  [[nodiscard]] virtual bool starts_in_transient() const { return false; }
};

}  // namespace saltus::integrate
