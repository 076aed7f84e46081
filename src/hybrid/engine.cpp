#include "hybrid/engine.hpp"

#include <utility>

#include "integrate/method_registry.hpp"
#include "saltus/contract.hpp"

namespace saltus::hybrid {
namespace {

std::unique_ptr<integrate::StepController> controller_for(const integrate::Method& method,
                                                          integrate::Stepper& stepper,
                                                          const Options& options) {
  if (stepper.tolerances().norm == integrate::ErrorNorm::compere && !method.is_implicit()) {
    integrate::CompereControllerOptions choices;
    choices.largest_step = options.steps.largest_step;
    return std::make_unique<integrate::CompereController>(choices);
  }
  return integrate::make_controller(method, stepper);
}

// The limit of steps is one for the whole run: the loop keeps it.
integrate::AdvanceOptions steps_of(const Options& options) {
  integrate::AdvanceOptions steps = options.steps;
  steps.max_steps = integrate::AdvanceOptions{}.max_steps;
  return steps;
}

}  // namespace

Engine::Engine(const system::HybridSystem& system, const Options& options, const system::LockedDae& locked,
               system::Evaluator& evaluator, integrate::Tolerances tolerances)
    : options_(options),
      method_(options.method),
      other_method_(options.stiff_method),
      stepper_(integrate::make_stepper(*options.method, evaluator, &locked,
                                       static_cast<Index>(locked.states().size()), std::move(tolerances),
                                       options.orders)),
      controller_(controller_for(*options.method, *stepper_, options)),
      search_(static_cast<Index>(locked.states().size()), options.detection),
      decider_(static_cast<Index>(locked.states().size()), system.guards()) {
  for (const system::StateInfo& state : locked.states()) {
    names_.push_back(state.name);
    nominal_.push_back(state.nominal);
  }
  advance_ = std::make_unique<integrate::Advance>(*stepper_, *controller_, steps_of(options));
}

double Engine::looks_stiff() {
  return other_method_ != nullptr && stiffness_.wants_sample() && stiffness_.add(stepper_->stiffness())
             ? stiffness_.mean()
             : 0.0;
}

bool Engine::change_method(system::Evaluator& evaluator, const system::LockedDae& locked) {
  const integrate::Method& method = *std::exchange(other_method_, nullptr);
  auto stepper = integrate::make_stepper(method, evaluator, &locked, n_states(), stepper_->tolerances(),
                                         options_.orders);
  if (!stepper->restart(stepper_->time(), stepper_->state(), stepper_->derivative()).ok()) {
    return false;
  }
  const double size = advance_->next_step();
  past_stepper_ = std::exchange(stepper_, std::move(stepper));
  method_ = &method;
  controller_ = controller_for(method, *stepper_, options_);
  advance_ = std::make_unique<integrate::Advance>(*stepper_, *controller_, steps_of(options_));
  advance_->set_next_step(size);
  return true;
}

integrate::Statistics Engine::statistics() const {
  integrate::Statistics sum = stepper_->statistics();
  if (past_stepper_) {
    sum += past_stepper_->statistics();
  }
  return sum;
}

bool Engine::fits(const system::LockedDae& locked) const {
  const auto& states = locked.states();
  if (states.size() != names_.size()) {
    return false;
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i].name != names_[i]) {
      return false;
    }
  }
  return true;
}

}  // namespace saltus::hybrid
