/// What every integration method offers to the loops above it (advance, event location, the hybrid run).
///
/// Contract     A stepper stands at its last accepted point (time(), state(), derivative()).
///              attempt(h)  tries a step and changes nothing of that point, whatever comes out.
///              accept()    makes the end of the last good attempt the accepted point; it cannot fail.
///              reject()    drops the last attempt.
///              Between a good attempt and the next attempt or restart the step is open for inspection (open_step.hpp).
///              retract()   takes accept() back: the stepper stands at the start of the step again.
///              restart()   moves the accepted point anywhere (after an event, or to the start).
///              Where the evaluator projects, every stage and every result lies where it puts them.
///              The size of the next attempt is not the stepper's business: see step_controller.hpp, advance.hpp.
///              Whoever needs a part of this takes that: method_facts.hpp, step_system.hpp, open_step.hpp, step_estimates.hpp.
///              No allocation after construction. Same calls, same bits.
#pragma once

#include <cstdint>

#include "base/archive.hpp"
#include "base/ids.hpp"
#include "integrate/step/method_facts.hpp"
#include "integrate/step/open_step.hpp"
#include "integrate/step/step_estimates.hpp"
#include "integrate/step/step_system.hpp"
#include "system/locked_dae.hpp"
#include "trajectory/compensated_time.hpp"

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

class Stepper : public AcceptedPoint,
                public MethodFacts,
                public StepSystem,
                public DenseStep,
                public StepEstimates {
 public:
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
  virtual void fields(Archive& a) = 0;

 private:
  virtual StepAttempt do_attempt(double h, const trajectory::CompensatedTime& end) = 0;
};

}  // namespace saltus::integrate
