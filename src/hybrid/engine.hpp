/// What moves a state through time: stepper, step-size control, event search, decisions. One for each list of states, shared
/// by the modes that have it. It may change its method once, from an explicit one to Options::stiff_method.
#pragma once

#include <memory>
#include <vector>

#include "hybrid/decision.hpp"
#include "hybrid/options.hpp"
#include "integrate/advance.hpp"
#include "integrate/step_controller.hpp"
#include "integrate/stepper.hpp"
#include "integrate/stiffness.hpp"
#include "locate/event_search.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::hybrid {

class Engine {
 public:
  /// `evaluator`: the first right-hand side (Stepper::set_system changes it). `options` outlive the engine.
  Engine(const system::HybridSystem& system, const Options& options, const system::LockedDae& locked,
         system::Evaluator& evaluator, integrate::Tolerances tolerances);

  [[nodiscard]] bool fits(const system::LockedDae& locked) const;
  [[nodiscard]] Index n_states() const { return static_cast<Index>(names_.size()); }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] const std::vector<double>& nominal() const { return nominal_; }

  [[nodiscard]] const integrate::Method& method() const { return *method_; }
  /// Whether there is another method to change to.
  [[nodiscard]] bool can_change_method() const { return other_method_ != nullptr; }
  /// After every accepted step, while it is open: h|λ| where the steps have been held down by stability long enough, else 0.
  [[nodiscard]] double looks_stiff();
  /// Goes on with the other method from an accepted point of this one. False: it cannot start there, nothing has changed.
  [[nodiscard]] bool change_method(system::Evaluator& evaluator, const system::LockedDae& locked);
  /// Of all methods together.
  [[nodiscard]] integrate::Statistics statistics() const;

  [[nodiscard]] integrate::Stepper& stepper() { return *stepper_; }
  [[nodiscard]] const integrate::Stepper& stepper() const { return *stepper_; }
  [[nodiscard]] integrate::Advance& advance() { return *advance_; }
  [[nodiscard]] locate::EventSearch& search() { return search_; }
  [[nodiscard]] const locate::EventSearch& search() const { return search_; }
  [[nodiscard]] Decider& decider() { return decider_; }
  [[nodiscard]] const Decider& decider() const { return decider_; }

 private:
  std::vector<std::string> names_;
  std::vector<double> nominal_;
  const Options& options_;
  const integrate::Method* method_;
  const integrate::Method* other_method_;
  integrate::StiffnessTest stiffness_;
  // Of the method before: segments of its last step may still be looked at.
  std::unique_ptr<integrate::Stepper> past_stepper_;
  std::unique_ptr<integrate::Stepper> stepper_;
  std::unique_ptr<integrate::StepController> controller_;
  std::unique_ptr<integrate::Advance> advance_;
  locate::EventSearch search_;
  Decider decider_;
};

}  // namespace saltus::hybrid
