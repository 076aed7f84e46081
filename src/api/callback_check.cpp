#include "api/callback_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>

#include "api/model/diagnostic_codes.hpp"
#include "base/similar_name.hpp"
#include "reduce/ranks/characteristic_values.hpp"

namespace saltus::api {
namespace {

class Check {
 public:
  explicit Check(const CallbackModel& model) : model_(model) {}

  Diagnostics run() {
    look_at_names();
    for (const auto* list : {&model_.states, &model_.discrete, &model_.parameters}) {
      for (const CallbackVariable& variable : *list) {
        look_at_variable(variable);
      }
    }
    for (std::size_t i = 0; i < model_.guards.size(); ++i) {
      look_at_guard(model_.guards[i], i);
    }
    look_at_equations();
    for (const CallbackTransition& transition : model_.transitions) {
      look_at_transition(transition);
    }
    if (!model_.output_names.empty() && !model_.outputs) {
      wrong("there are names of outputs and no function outputs");
    }
    return std::move(problems_);
  }

 private:
  void wrong(std::string message) { problems_.error(kWrongCallbackModel, std::move(message)); }

  void look_at_names() {
    std::unordered_set<std::string_view> seen;
    const auto look_at = [&](std::string_view name, std::string_view what) {
      if (name.empty()) {
        wrong(fmt::format("a {} has no name", what));
      } else if (!seen.insert(name).second) {
        wrong(fmt::format("the name '{}' occurs twice", name));
      }
    };
    for (const CallbackVariable& state : model_.states) {
      look_at(state.name, "state");
    }
    for (const CallbackVariable& number : model_.discrete) {
      look_at(number.name, "discrete number");
    }
    for (const CallbackVariable& parameter : model_.parameters) {
      look_at(parameter.name, "parameter");
    }
    for (const std::string& output : model_.output_names) {
      look_at(output, "output");
    }
    seen.clear();
    for (const CallbackMode& mode : model_.modes) {
      look_at(mode.name, "mode");
    }
  }

  void look_at_variable(const CallbackVariable& variable) {
    if (!std::isfinite(variable.start)) {
      wrong(fmt::format("'{}' cannot start at {}", variable.name, variable.start));
    }
    if (!(variable.nominal > 0.0 && std::isfinite(variable.nominal))) {
      wrong(
          fmt::format("the nominal value of '{}' must be positive, not {}", variable.name, variable.nominal));
    }
  }

  void look_at_guard(const CallbackGuard& guard, std::size_t place) {
    const std::string what =
        guard.name.empty() ? fmt::format("guard {}", place) : fmt::format("guard '{}'", guard.name);
    if (guard.name.empty()) {
      wrong(what + " has no name");
    }
    if (!guard.affine && !model_.guard_values) {
      wrong(what + " has no value: it is not affine, and there is no function guard_values");
    }
    if (guard.affine && guard.affine->coefficients.size() != model_.states.size()) {
      wrong(fmt::format("{} has {} coefficients for {} states", what, guard.affine->coefficients.size(),
                        model_.states.size()));
    }
    if (guard.reset_side != 0.0 && std::abs(guard.reset_side) != 1.0) {
      wrong(fmt::format("{}: reset_side is -1, 0 or +1, not {}", what, guard.reset_side));
    }
  }

  void look_at_equations() {
    if (model_.modes.empty()) {
      look_at_mode(model_.rhs, model_.residual, "the model");
      if (!model_.initial_mode.empty()) {
        wrong(fmt::format("there is no mode '{}' to begin in", model_.initial_mode));
      }
      return;
    }
    if (model_.rhs || model_.residual.values) {
      wrong("the model has modes and equations of its own: each mode has its equations");
    }
    for (const CallbackMode& mode : model_.modes) {
      look_at_mode(mode.rhs, mode.residual, fmt::format("mode '{}'", mode.name));
      if (mode.sliding_between) {
        look_for_mode(mode.sliding_between->first, fmt::format("mode '{}'", mode.name));
        look_for_mode(mode.sliding_between->second, fmt::format("mode '{}'", mode.name));
      }
    }
    if (!model_.initial_mode.empty()) {
      look_for_mode(model_.initial_mode, "the model begins in a mode that does not exist:");
    }
  }

  void look_at_mode(const CallbackRhs& rhs, const CallbackResidual& residual, const std::string& what) {
    if (rhs && residual.values) {
      wrong(what + " has a function rhs and a residual");
    }
    if (!rhs && !residual.values && !model_.states.empty()) {
      wrong(what == "the model" ? "there are states and no function rhs" : what + " has no equations");
    }
    if (!residual.values) {
      if (residual.jacobian || residual.array || residual.array_jacobian) {
        wrong(what + " has derivatives of a residual and no residual");
      }
      return;
    }
    if (model_.rhs_chooses_sides) {
      wrong(what + " has a residual: rhs_chooses_sides is for right-hand sides only");
    }
    if (model_.states.empty()) {
      wrong(what + " has a residual and no states");
    }
    if (model_.states.size() > reduce::kMostUnknownsForRanks) {
      wrong(fmt::format("{} has a residual of {} states: ranks are decided for at most {}", what,
                        model_.states.size(), reduce::kMostUnknownsForRanks));
    }
    const std::size_t n = residual.n_equations == 0 ? model_.states.size() : residual.n_equations;
    if (!residual.names.empty() && residual.names.size() != n) {
      wrong(fmt::format("{} has {} equations and {} names of equations", what, n, residual.names.size()));
    }
    if (residual.array_jacobian && !residual.array) {
      wrong(what + " has a Jacobian of a derivative array and no derivative array");
    }
    if (residual.array_order < 0) {
      wrong(fmt::format("{}: array_order is at least 0, not {}", what, residual.array_order));
    }
  }

  [[nodiscard]] bool has_mode(std::string_view name) const {
    return std::any_of(model_.modes.begin(), model_.modes.end(),
                       [name](const CallbackMode& mode) { return mode.name == name; });
  }
  void look_for_mode(std::string_view name, const std::string& where) {
    if (has_mode(name)) {
      return;
    }
    std::vector<std::string_view> modes;
    for (const CallbackMode& mode : model_.modes) {
      modes.push_back(mode.name);
    }
    problems_.error(kWrongCallbackModel, fmt::format("{} there is no mode '{}'", where, name), std::nullopt,
                    did_you_mean(name, modes));
  }

  void look_at_transition(const CallbackTransition& transition) {
    const std::string what = fmt::format("transition from '{}' to '{}':", transition.from, transition.to);
    look_for_mode(transition.from, what);
    look_for_mode(transition.to, what);
    if (transition.guard.empty() == !transition.condition) {
      wrong(what + " it has either a guard or a condition");
    }
    if (transition.guard.empty()) {
      return;
    }
    std::vector<std::string_view> guards;
    for (const CallbackGuard& guard : model_.guards) {
      guards.push_back(guard.name);
    }
    if (std::find(guards.begin(), guards.end(), transition.guard) == guards.end()) {
      problems_.error(kWrongCallbackModel, fmt::format("{} there is no guard '{}'", what, transition.guard),
                      std::nullopt, did_you_mean(transition.guard, guards));
    }
    if (std::abs(transition.side) != 1.0) {
      wrong(fmt::format("{} the side of its guard is -1 or +1, not {}", what, transition.side));
    }
  }

  const CallbackModel& model_;
  Diagnostics problems_;
};

}  // namespace

Diagnostics check_callback_model(const CallbackModel& model) {
  return Check(model).run();
}

void apply_set(Diagnostics& problems, CallbackModel& model, const std::vector<SetValue>& set) {
  for (const SetValue& item : set) {
    const double* const value = item.value.number();
    std::vector<std::string_view> candidates;
    bool found = false;
    for (std::vector<CallbackVariable>* list : {&model.states, &model.discrete, &model.parameters}) {
      for (CallbackVariable& variable : *list) {
        candidates.push_back(variable.name);
        if (variable.name == item.name) {
          variable.start = value == nullptr ? 0.0 : *value;
          found = true;
        }
      }
    }
    if (!found) {
      problems.error(
          kUnknownSetName,
          fmt::format("--set: the model has no state, discrete number or parameter '{}'", item.name),
          std::nullopt, did_you_mean(item.name, candidates));
    } else if (value == nullptr || !std::isfinite(*value)) {
      problems.error(kWrongSetValue,
                     fmt::format("'{}' cannot be set to anything but a finite number", item.name));
    }
  }
}

}  // namespace saltus::api
