/// One method at work on a list of states: stepper, step-size control and the loop over attempts.
#pragma once

#include <memory>

#include "integrate/advance.hpp"
#include "integrate/step/step_controller.hpp"
#include "integrate/step/stepper.hpp"
#include "settle/state/options.hpp"

namespace saltus::settle {

struct Drive {
  /// `evaluator` and `locked` are the first right-hand side (Stepper::set_system changes them); without `locked` it has no residual form.
  Drive(const Options& options, const integrate::Method& with, const integrate::OrderChoice& with_orders,
        double with_largest_step, const system::LockedDae* locked, system::Evaluator& evaluator,
        integrate::Tolerances tolerances);

  void fields(Archive& a) {
    // Not saved: what it was made for (method, orders, largest_step).
    a(stepper, controller, advance);
  }

  const integrate::Method* method;
  integrate::OrderChoice orders;
  double largest_step;
  std::unique_ptr<integrate::Stepper> stepper;
  std::unique_ptr<integrate::StepController> controller;
  std::unique_ptr<integrate::Advance> advance;
};

}  // namespace saltus::settle
