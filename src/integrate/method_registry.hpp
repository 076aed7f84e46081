/// Integration methods and step-size rules by name: the one place where options meet classes.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "integrate/step_controller.hpp"
#include "integrate/stepper.hpp"

namespace saltus::integrate {

struct MethodInfo {
  std::string_view name;   ///< as written in options
  std::string_view title;  ///< for lists
  int order = 0;
  int dense_order = 0;              ///< of the dense output that costs nothing
  bool has_error_estimate = false;  ///< false: needs a fixed step
};

/// All methods; the default comes first.
[[nodiscard]] std::vector<MethodInfo> method_list();
[[nodiscard]] bool is_method(std::string_view name);

/// The stepper of that name, or nullptr when there is none. Preconditions as for ExplicitRungeKutta: a method without
/// error estimate takes tolerances with test_error = false.
[[nodiscard]] std::unique_ptr<Stepper> make_stepper(std::string_view method, system::Evaluator& evaluator,
                                                    Index n_states, Tolerances tolerances);

/// PI control as DOPRI5 does it; for a method without error estimate a controller that is never asked.
[[nodiscard]] std::unique_ptr<StepController> make_controller(const Stepper& stepper);

}  // namespace saltus::integrate
