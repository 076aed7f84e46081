#include "api/callback_translation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "api/results/guarded_call.hpp"

namespace saltus::api {
namespace {

class Translation {
 public:
  explicit Translation(const CallbackModel& model) : model_(model) {
    auto parameters = std::make_shared<std::vector<double>>();
    for (const CallbackVariable& parameter : model.parameters) {
      parameters->push_back(parameter.start);
    }
    parameters_ = std::move(parameters);
  }

  callback::CallbackModel run() const {
    callback::CallbackModel to;
    for (const CallbackVariable& state : model_.states) {
      to.states.push_back(state.name);
      to.initial.push_back(state.start);
      to.nominals.push_back(state.nominal);
      to.is_fixed.push_back(state.is_fixed ? 1 : 0);
    }
    for (const CallbackVariable& number : model_.discrete) {
      to.names.push_back(number.name);
      to.parameters.push_back(number.start);
    }
    for (const CallbackGuard& guard : model_.guards) {
      to.guards.push_back(guard_of(guard));
    }
    take_modes(to);
    for (const CallbackTransition& transition : model_.transitions) {
      to.transitions.push_back(transition_of(transition));
    }
    to.rhs_takes_weights = model_.rhs_takes_weights;
    to.rhs_chooses_sides = model_.rhs_chooses_sides;
    take_functions(to);
    return to;
  }

 private:
  using Point = callback::CallbackPoint;
  using Parameters = std::shared_ptr<const std::vector<double>>;

  static CallbackPoint public_point(const Point& at, const Parameters& parameters) {
    return {at.t, at.x, at.sides, at.parameters, *parameters};
  }

  callback::CallbackReset reset_of(const CallbackReset& reset, const std::string& what) const {
    if (!reset) {
      return {};
    }
    return [reset, what, p = parameters_](const Point& at, std::span<double> x, std::span<double> discrete) {
      guarded_call(what, [&] { reset(public_point(at, p), x, discrete); });
    };
  }

  callback::CallbackGuard guard_of(const CallbackGuard& guard) const {
    callback::CallbackGuard to;
    to.name = guard.name;
    to.type = guard.type == CallbackGuard::Type::unilateral ? callback::CallbackGuard::Type::unilateral
                                                            : callback::CallbackGuard::Type::bilateral;
    if (guard.affine) {
      to.affine = callback::CallbackGuard::Affine{guard.affine->coefficients, guard.affine->time_coefficient,
                                                  guard.affine->constant};
    }
    to.in_equations = guard.in_equations;
    to.can_slide = guard.can_slide;
    to.reset_side = guard.reset_side;
    to.reset = reset_of(guard.reset, fmt::format("the reset of guard '{}'", guard.name));
    return to;
  }

  callback::CallbackRhs rhs_of(const CallbackRhs& rhs, const std::string& of) const {
    if (!rhs) {
      return {};
    }
    return [rhs, what = "the function rhs" + of, p = parameters_](const Point& at, std::span<double> xdot) {
      guarded_call(what, [&] { rhs(public_point(at, p), xdot); });
    };
  }

  callback::CallbackResidual residual_of(const CallbackResidual& from, const std::string& of) const {
    callback::CallbackResidual to;
    if (!from.values) {
      return to;
    }
    const std::size_t n = from.n_equations == 0 ? model_.states.size() : from.n_equations;
    to.names = from.names;
    for (std::size_t i = to.names.size(); i < n; ++i) {
      to.names.push_back(fmt::format("equation {}", i + 1));
    }
    to.is_linear = from.is_linear;
    to.values = [values = from.values, what = "the residual" + of, p = parameters_](
                    const Point& at, std::span<const double> xdot, std::span<double> into) {
      guarded_call(what, [&] { values(public_point(at, p), xdot, into); });
    };
    if (from.jacobian) {
      to.jacobian = [jacobian = from.jacobian, what = "the Jacobian" + of, p = parameters_](
                        const Point& at, std::span<const double> xdot, std::span<double> by_x,
                        std::span<double> by_xdot, std::span<double> by_time) {
        guarded_call(what, [&] { jacobian(public_point(at, p), xdot, {by_x, by_xdot, by_time}); });
      };
    }
    to.array = array_of(from.array, "the derivative array" + of);
    to.array_jacobian = array_of(from.array_jacobian, "the Jacobian of the derivative array" + of);
    to.array_order = from.array_order;
    return to;
  }

  using ArrayFunction =
      std::function<void(const Point& at, int order, std::span<const double>, std::span<double>)>;
  ArrayFunction array_of(const std::function<void(const CallbackPoint&, int, std::span<const double>,
                                                  std::span<double>)>& function,
                         const std::string& what) const {
    if (!function) {
      return {};
    }
    return [function, what, p = parameters_](const Point& at, int order, std::span<const double> derivatives,
                                             std::span<double> into) {
      guarded_call(what, [&] { function(public_point(at, p), order, derivatives, into); });
    };
  }

  [[nodiscard]] Index mode_named(std::string_view name) const {
    const auto found = std::find_if(model_.modes.begin(), model_.modes.end(),
                                    [name](const CallbackMode& mode) { return mode.name == name; });
    return static_cast<Index>(found - model_.modes.begin());
  }

  void take_modes(callback::CallbackModel& to) const {
    if (model_.modes.empty()) {
      to.modes.push_back({.name = "main",
                          .rhs = rhs_of(model_.rhs, ""),
                          .residual = residual_of(model_.residual, ""),
                          .sliding_between = {}});
      return;
    }
    for (const CallbackMode& mode : model_.modes) {
      const std::string of = fmt::format(" of mode '{}'", mode.name);
      callback::CallbackMode& taken = to.modes.emplace_back();
      taken.name = mode.name;
      taken.rhs = rhs_of(mode.rhs, of);
      taken.residual = residual_of(mode.residual, of);
      if (mode.sliding_between) {
        taken.sliding_between =
            std::pair(mode_named(mode.sliding_between->first), mode_named(mode.sliding_between->second));
      }
    }
    to.initial_mode = model_.initial_mode.empty() ? 0 : mode_named(model_.initial_mode);
  }

  callback::CallbackTransition transition_of(const CallbackTransition& transition) const {
    callback::CallbackTransition to;
    to.from = mode_named(transition.from);
    to.to = mode_named(transition.to);
    const std::string way = fmt::format("from '{}' to '{}'", transition.from, transition.to);
    if (!transition.guard.empty()) {
      const auto guard =
          std::find_if(model_.guards.begin(), model_.guards.end(),
                       [&](const CallbackGuard& other) { return other.name == transition.guard; });
      to.guard = static_cast<Index>(guard - model_.guards.begin());
      to.side = transition.side;
      to.text = transition.guard + (transition.side > 0.0 ? " > 0" : " < 0");
    } else {
      to.text = transition.name.empty() ? way : transition.name;
      to.condition = [condition = transition.condition, what = "the condition of the transition " + way,
                      p = parameters_](const Point& at) {
        return guarded_call(what, [&] { return condition(public_point(at, p)); });
      };
    }
    to.jump = reset_of(transition.jump, "the jump of the transition " + way);
    return to;
  }

  void take_functions(callback::CallbackModel& to) const {
    if (model_.guard_values) {
      to.guard_values = [values_of = model_.guard_values, what = std::string("the function guard_values"),
                         p = parameters_](const Point& at, std::span<double> values) {
        guarded_call(what, [&] { values_of(public_point(at, p), values); });
      };
    }
    if (model_.guard_gradient) {
      to.guard_gradient = [gradient_of = model_.guard_gradient,
                           what = std::string("the function guard_gradient"),
                           p = parameters_](Index guard, const Point& at, std::span<double> gradient,
                                            double& time_derivative) {
        guarded_call(what, [&] {
          gradient_of(static_cast<std::size_t>(guard), public_point(at, p), gradient, time_derivative);
        });
      };
    }
    to.output_names = model_.output_names;
    if (model_.outputs) {
      to.outputs = [outputs_of = model_.outputs, what = std::string("the function outputs"), p = parameters_](
                       const Point& at, std::span<double> outputs) {
        guarded_call(what, [&] { outputs_of(public_point(at, p), outputs); });
      };
    }
  }

  const CallbackModel& model_;
  Parameters parameters_;
};

}  // namespace

callback::CallbackModel translate(const CallbackModel& model) {
  return Translation(model).run();
}

}  // namespace saltus::api
