/// What moves a state through time: stepper, step-size control, event search, decisions. One for each list of states, shared
/// by the modes that have it.
#pragma once

#include <memory>
#include <vector>

#include "hybrid/decision.hpp"
#include "hybrid/options.hpp"
#include "integrate/advance.hpp"
#include "integrate/step_controller.hpp"
#include "integrate/stepper.hpp"
#include "locate/event_search.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::hybrid {

class Engine {
 public:
  /// `evaluator`: the first right-hand side (Stepper::set_system changes it).
  Engine(const system::HybridSystem& system, const Options& options, const system::LockedDae& locked,
         system::Evaluator& evaluator, integrate::Tolerances tolerances);

  [[nodiscard]] bool fits(const system::LockedDae& locked) const;
  [[nodiscard]] Index n_states() const { return static_cast<Index>(names_.size()); }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] const std::vector<double>& nominal() const { return nominal_; }

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
  std::unique_ptr<integrate::Stepper> stepper_;
  std::unique_ptr<integrate::StepController> controller_;
  std::unique_ptr<integrate::Advance> advance_;
  locate::EventSearch search_;
  Decider decider_;
};

}  // namespace saltus::hybrid
