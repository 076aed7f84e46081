#include "settle/state/drive.hpp"

#include <utility>

#include "integrate/method_registry.hpp"

namespace saltus::settle {
namespace {

std::unique_ptr<integrate::StepController> controller_for(const integrate::Method& method,
                                                          integrate::Stepper& stepper, double largest_step,
                                                          double exponent) {
  if (stepper.tolerances().norm == integrate::ErrorNorm::compere && !method.is_implicit()) {
    integrate::CompereControllerOptions choices;
    choices.largest_step = largest_step;
    choices.exponent = exponent;
    return std::make_unique<integrate::CompereController>(choices);
  }
  return integrate::make_controller(method, stepper);
}

// The limit of steps is one for the whole run: the loop keeps it.
integrate::AdvanceOptions steps_of(const Options& options, double largest_step) {
  integrate::AdvanceOptions steps = options.steps;
  steps.max_steps = integrate::AdvanceOptions{}.max_steps;
  steps.largest_step = largest_step;
  return steps;
}

}  // namespace

Drive::Drive(const Options& options, const integrate::Method& with, const integrate::OrderChoice& with_orders,
             double with_largest_step, const system::LockedDae* locked, system::Evaluator& evaluator,
             integrate::Tolerances tolerances)
    : method(&with),
      orders(with_orders),
      largest_step(with_largest_step),
      stepper(integrate::make_stepper(with, evaluator, locked, std::ssize(tolerances.atol), tolerances,
                                      with_orders)),
      controller(controller_for(with, *stepper, with_largest_step, options.step_exponent)),
      advance(std::make_unique<integrate::Advance>(*stepper, *controller,
                                                   steps_of(options, with_largest_step))) {}

}  // namespace saltus::settle
