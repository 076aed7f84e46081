/// Integration methods and step-size rules by name: the one place where options meet classes.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "integrate/step/method.hpp"
#include "integrate/step/step_controller.hpp"
#include "integrate/step/stepper.hpp"

namespace saltus::integrate {

/// All methods for any system; the default comes first.
[[nodiscard]] std::span<const Method> methods();
/// Of linear systems with constant coefficients (exact/exact_flow.hpp).
[[nodiscard]] const Method& exact_method();
/// Of positions and velocities whose forces depend on positions alone (motion/rattle.hpp).
[[nodiscard]] std::span<const Method> methods_of_motion();
/// The method of that name, those too, or nullptr.
[[nodiscard]] const Method* find_method(std::string_view name);

/// `evaluator` outlives the stepper or its next set_evaluator(). `locked`: whose residual form implicit methods use where the
/// evaluator offers it; null: none. A method without error estimate takes tolerances with test_error = false. `orders` matter to
/// methods of variable order only.
[[nodiscard]] std::unique_ptr<Stepper> make_stepper(const Method& method, system::Evaluator& evaluator,
                                                    const system::LockedDae* locked, Index n_states,
                                                    Tolerances tolerances, const OrderChoice& orders = {});

/// The step-size control that fits: PI control as DOPRI5 does it for explicit methods, predictive control as RADAU5 for
/// one-step implicit ones, DASSL's for bdf, whose order it sets too, powers of two for exact; for a method without error estimate a controller that is never
/// asked. `stepper` was made by make_stepper for this method and outlives it.
[[nodiscard]] std::unique_ptr<StepController> make_controller(const Method& method, Stepper& stepper);

}  // namespace saltus::integrate
