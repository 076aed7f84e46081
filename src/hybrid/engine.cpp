#include "hybrid/engine.hpp"

#include <utility>

#include "integrate/method_registry.hpp"
#include "saltus/contract.hpp"

namespace saltus::hybrid {
namespace {

std::unique_ptr<integrate::StepController> controller_for(integrate::Stepper& stepper,
                                                          const Options& options) {
  if (stepper.tolerances().norm == integrate::ErrorNorm::compere && !options.method->is_implicit()) {
    integrate::CompereControllerOptions choices;
    choices.largest_step = options.steps.largest_step;
    return std::make_unique<integrate::CompereController>(choices);
  }
  return integrate::make_controller(*options.method, stepper);
}

}  // namespace

Engine::Engine(const system::HybridSystem& system, const Options& options, const system::LockedDae& locked,
               system::Evaluator& evaluator, integrate::Tolerances tolerances)
    : stepper_(integrate::make_stepper(*options.method, evaluator, &locked,
                                       static_cast<Index>(locked.states().size()), std::move(tolerances))),
      controller_(controller_for(*stepper_, options)),
      search_(static_cast<Index>(locked.states().size()), options.detection),
      decider_(static_cast<Index>(locked.states().size()), system.guards()) {
  for (const system::StateInfo& state : locked.states()) {
    names_.push_back(state.name);
    nominal_.push_back(state.nominal);
  }
  // The limit of steps is one for the whole run: the loop keeps it.
  integrate::AdvanceOptions steps = options.steps;
  steps.max_steps = integrate::AdvanceOptions{}.max_steps;
  advance_ = std::make_unique<integrate::Advance>(*stepper_, *controller_, std::move(steps));
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
