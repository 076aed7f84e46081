/// When an iteration with a kept factorisation has arrived, may go on, needs a new matrix, or is lost.
///
/// Method       rate of convergence Θ = ‖Δ_(k+1)‖ / ‖Δ_k‖ of the simplified Newton iteration; what is left after a step is at
///              most Θ/(1 - Θ)·‖Δ‖ ([HW96] IV.8, (8.10))
/// Choices      kTolerance = 1e-12 of the size of the unknowns: well below any integration tolerance and well above rounding.
///              kSlowRate = 0.05: a new matrix costs about as much as the two steps it saves. kRoundingLevel = 1e-9: steps that no
///              longer shrink below it, with a new matrix, are rounding in the constraints.
///              Second steps that only confirm: after a step ‖Δ‖ with the matrix of its own point κ‖Δ‖² is left, κ the curvature of
///              the constraints in units of the unknowns. κ is measured by second steps; where the last one measured leaves less than
///              kTolerance / kCurvatureSafety, up to kMostUnchecked = 8 projections end after one step before κ is measured again;
///              only where trust_curvature() allows that the result depends on earlier ones. The rate is not carried from one projection to the next:
///              it grows with the distance from where the matrix was computed, and a second step costs one residual.
/// Checked by   tests/unit/reduce/constraint_projection_test.cpp
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/archive.hpp"
#include "nonlinear/kept_newton.hpp"

namespace saltus::reduce {

class ProjectionPolicy {
 public:
  using Answer = nonlinear::KeptAnswer;

  static constexpr double kTolerance = 1e-12;
  static constexpr double kRoundingLevel = 1e-9;
  static constexpr double kCurvatureSafety = 10.0;
  static constexpr double kStepNoise = 1e-14;  // smaller second steps measure no curvature
  static constexpr int kMostUnchecked = 8;
  static constexpr double kSlowRate = 0.05;
  static constexpr int kMostSteps = 30;  // limit of work

  /// From now on the curvature at earlier points counts.
  void trust_curvature() { trusts_curvature_ = true; }
  /// What was measured is of other constraints.
  void forget() { curvature_ = std::numeric_limits<double>::infinity(); }
  /// A projection begins, with the matrix of the last one.
  void begin() {
    steps_ = 0;
    previous_ = 0.0;
    is_fresh_ = false;
  }
  /// The matrix is that of the present point. What steps did with the one before says nothing any more.
  void set_fresh() {
    is_fresh_ = true;
    previous_ = 0.0;
  }
  /// After a step of weighted size `size` from the present matrix, in units of the unknowns.
  [[nodiscard]] Answer look(double size) {
    ++steps_;
    if (!std::isfinite(size)) {
      return Answer::lost;
    }
    const double before = previous_;
    previous_ = size;
    const double rate = before > 0.0 ? size / before : 1.0;
    if (is_fresh_ && is_confirmed(before, size)) {
      return Answer::converged;
    }
    if (size <= kTolerance || (rate < 1.0 && size * rate / (1.0 - rate) <= kTolerance)) {
      return Answer::converged;
    }
    if (is_fresh_ && before > 0.0 && rate > 0.5 && std::max(size, before) <= kRoundingLevel) {
      return Answer::converged;
    }
    if (steps_ >= kMostSteps) {
      return Answer::lost;
    }
    if (before == 0.0 || rate <= kSlowRate) {
      return Answer::go_on;
    }
    return rate >= 2.0 && is_fresh_ ? Answer::lost : Answer::refresh;
  }

  [[nodiscard]] int n_steps() const { return steps_; }

  void fields(Archive& a) { a(curvature_, n_unchecked_, trusts_curvature_, steps_, previous_, is_fresh_); }

 private:
  // The first step with a new matrix that leaves as little as the last one that was looked at.
  [[nodiscard]] bool is_confirmed(double before, double size) {
    if (before > 0.0) {
      curvature_ = std::max(size, kStepNoise) / (before * before);
      n_unchecked_ = 0;
      return false;
    }
    return trusts_curvature_ && kCurvatureSafety * curvature_ * size * size <= kTolerance &&
           ++n_unchecked_ <= kMostUnchecked;
  }

  double curvature_ = std::numeric_limits<double>::infinity();
  int n_unchecked_ = 0;
  bool trusts_curvature_ = false;
  int steps_ = 0;
  double previous_ = 0.0;  // size of the step before with this matrix, 0: none
  bool is_fresh_ = false;
};

}  // namespace saltus::reduce
