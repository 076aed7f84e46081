/// What a method knows of the last attempt beside its error: further measures, and advice about the next size.
#pragma once

#include "base/ids.hpp"
#include "base/interface.hpp"
#include "trajectory/segment.hpp"

namespace saltus::integrate {

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

class StepEstimates : public Interface {
 public:
  /// How far the two extensions of the open step differ at θ, in the norm of the estimate; 0 where the method has only one or
  /// an extra stage cannot be evaluated. This is to the extension of lower order what the estimate is to the embedded solution.
  [[nodiscard]] virtual double extension_error(double /*theta*/) { return 0.0; }
  /// By how much the equations lead away from an extension of the open step at θ, filtered as the method's error is where it filters: h times
  /// what its slope there misses, 1 is the tolerance. 0 without an error test, and where the equations have no value. A peak that lies between
  /// all points at which the method has asked the equations is seen by this alone.
  [[nodiscard]] virtual double extension_defect(const trajectory::SegmentView& /*extension*/,
                                                double /*theta*/) {
    return 0.0;
  }
  /// A second measure of a good attempt that is not accepted yet, 1 is the tolerance: extension_error in the middle of the
  /// step, divided by what it is where the estimate is 1 and the step short. More than 1: the attempt counts as rejected by
  /// its error.
  [[nodiscard]] virtual double second_error() { return 0.0; }
  /// Of the open step; all zero where the method has no stages that show it.
  [[nodiscard]] virtual Stiffness stiffness() { return {}; }
  /// About the last attempt, for the choice of the next size.
  [[nodiscard]] virtual StepAdvice advice() const { return {}; }
  /// The state whose error was the largest in the last attempt; -1 when unknown.
  [[nodiscard]] virtual Index worst_state() const { return -1; }
};

}  // namespace saltus::integrate
