// Systems given by C++ functions: checked, and translated for the interface between the towers.
#include "saltus/callback_model.hpp"

#include <fmt/format.h>

#include <cmath>
#include <unordered_set>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/instance.hpp"
#include "api/options/bound_options.hpp"
#include "api/options/columns.hpp"
#include "api/options/run_settings.hpp"
#include "api/results/work_guard.hpp"
#include "api/run.hpp"
#include "base/similar_name.hpp"
#include "system/callback_system.hpp"

namespace saltus {
namespace {

void check_names(Diagnostics& problems, const CallbackModel& model) {
  std::unordered_set<std::string_view> seen;
  const auto look_at = [&](std::string_view name, std::string_view what) {
    if (name.empty()) {
      problems.error(api::kWrongCallbackModel, fmt::format("a {} has no name", what));
    } else if (!seen.insert(name).second) {
      problems.error(api::kWrongCallbackModel, fmt::format("the name '{}' occurs twice", name));
    }
  };
  for (const CallbackVariable& state : model.states) {
    look_at(state.name, "state");
  }
  for (const CallbackVariable& number : model.discrete) {
    look_at(number.name, "discrete number");
  }
  for (const std::string& output : model.output_names) {
    look_at(output, "output");
  }
}

void check_variable(Diagnostics& problems, const CallbackVariable& variable) {
  if (!std::isfinite(variable.start)) {
    problems.error(api::kWrongCallbackModel,
                   fmt::format("'{}' cannot start at {}", variable.name, variable.start));
  }
  if (!(variable.nominal > 0.0 && std::isfinite(variable.nominal))) {
    problems.error(api::kWrongCallbackModel, fmt::format("the nominal value of '{}' must be positive, not {}",
                                                         variable.name, variable.nominal));
  }
}

void check_guard(Diagnostics& problems, const CallbackModel& model, const CallbackGuard& guard,
                 std::size_t place) {
  const std::string what =
      guard.name.empty() ? fmt::format("guard {}", place) : fmt::format("guard '{}'", guard.name);
  if (guard.name.empty()) {
    problems.error(api::kWrongCallbackModel, what + " has no name");
  }
  if (!guard.affine && !model.guard_values) {
    problems.error(api::kWrongCallbackModel,
                   what + " has no value: it is not affine, and there is no function guard_values");
  }
  if (guard.affine && guard.affine->coefficients.size() != model.states.size()) {
    problems.error(api::kWrongCallbackModel,
                   fmt::format("{} has {} coefficients for {} states", what,
                               guard.affine->coefficients.size(), model.states.size()));
  }
  if (guard.reset_side != 0.0 && std::abs(guard.reset_side) != 1.0) {
    problems.error(api::kWrongCallbackModel,
                   fmt::format("{}: reset_side is -1, 0 or +1, not {}", what, guard.reset_side));
  }
}

Diagnostics check_model(const CallbackModel& model) {
  Diagnostics problems;
  check_names(problems, model);
  for (const CallbackVariable& state : model.states) {
    check_variable(problems, state);
  }
  for (const CallbackVariable& number : model.discrete) {
    check_variable(problems, number);
  }
  for (std::size_t i = 0; i < model.guards.size(); ++i) {
    check_guard(problems, model, model.guards[i], i);
  }
  if (!model.states.empty() && !model.rhs) {
    problems.error(api::kWrongCallbackModel, "there are states and no function rhs");
  }
  if (!model.output_names.empty() && !model.outputs) {
    problems.error(api::kWrongCallbackModel, "there are names of outputs and no function outputs");
  }
  return problems;
}

// Start values that are set.
void apply(Diagnostics& problems, CallbackModel& model, const std::vector<SetValue>& set) {
  for (const SetValue& item : set) {
    const double* const value = item.value.number();
    std::vector<std::string_view> candidates;
    bool found = false;
    for (std::vector<CallbackVariable>* list : {&model.states, &model.discrete}) {
      for (CallbackVariable& variable : *list) {
        candidates.push_back(variable.name);
        if (variable.name == item.name) {
          variable.start = value == nullptr ? 0.0 : *value;
          found = true;
        }
      }
    }
    if (!found) {
      problems.error(api::kUnknownSetName,
                     fmt::format("--set: the model has no state or discrete number '{}'", item.name),
                     std::nullopt, did_you_mean(item.name, candidates));
    } else if (value == nullptr || !std::isfinite(*value)) {
      problems.error(api::kWrongSetValue,
                     fmt::format("'{}' cannot be set to anything but a finite number", item.name));
    }
  }
}

CallbackPoint public_point(const system::CallbackPoint& at) {
  return {at.t, at.x, at.sides, at.parameters};
}

system::CallbackGuard translate(const CallbackGuard& guard) {
  system::CallbackGuard translated;
  translated.name = guard.name;
  translated.type = guard.type == CallbackGuard::Type::unilateral ? system::CallbackGuard::Type::unilateral
                                                                  : system::CallbackGuard::Type::bilateral;
  if (guard.affine) {
    translated.affine = system::CallbackGuard::Affine{guard.affine->coefficients,
                                                      guard.affine->time_coefficient, guard.affine->constant};
  }
  translated.in_equations = guard.in_equations;
  translated.can_slide = guard.can_slide;
  translated.reset_side = guard.reset_side;
  if (guard.reset) {
    translated.reset = [reset = guard.reset](const system::CallbackPoint& at, std::span<double> x,
                                             std::span<double> discrete) {
      reset(public_point(at), x, discrete);
    };
  }
  return translated;
}

system::CallbackModel translate(const CallbackModel& model) {
  system::CallbackModel translated;
  for (const CallbackVariable& state : model.states) {
    translated.states.push_back(state.name);
    translated.initial.push_back(state.start);
    translated.nominals.push_back(state.nominal);
  }
  for (const CallbackVariable& number : model.discrete) {
    translated.names.push_back(number.name);
    translated.parameters.push_back(number.start);
  }
  for (const CallbackGuard& guard : model.guards) {
    translated.guards.push_back(translate(guard));
  }
  if (model.rhs) {
    translated.rhs = [rhs = model.rhs](const system::CallbackPoint& at, std::span<double> xdot) {
      rhs(public_point(at), xdot);
    };
  }
  translated.rhs_takes_weights = model.rhs_takes_weights;
  if (model.guard_values) {
    translated.guard_values = [values_of = model.guard_values](const system::CallbackPoint& at,
                                                               std::span<double> values) {
      values_of(public_point(at), values);
    };
  }
  if (model.guard_gradient) {
    translated.guard_gradient = [gradient_of = model.guard_gradient](
                                    Index guard, const system::CallbackPoint& at, std::span<double> gradient,
                                    double& time_derivative) {
      gradient_of(static_cast<std::size_t>(guard), public_point(at), gradient, time_derivative);
    };
  }
  translated.output_names = model.output_names;
  if (model.outputs) {
    translated.outputs = [outputs_of = model.outputs](const system::CallbackPoint& at,
                                                      std::span<double> outputs) {
      outputs_of(public_point(at), outputs);
    };
  }
  return translated;
}

api::Instance instance_of(const CallbackModel& model) {
  api::Instance instance;
  instance.system = system::make_callback_system(translate(model));
  const auto describe = [&](const CallbackVariable& variable, bool is_discrete) {
    VariableInfo info;
    info.name = variable.name;
    info.is_discrete = is_discrete;
    info.is_fixed = true;
    info.start = variable.start;
    info.nominal = variable.nominal;
    info.unit = variable.unit;
    info.description = variable.description;
    instance.variables.push_back(std::move(info));
  };
  for (const CallbackVariable& state : model.states) {
    describe(state, false);
  }
  for (const std::string& output : model.output_names) {
    VariableInfo info;
    info.name = output;
    instance.variables.push_back(std::move(info));
  }
  for (const CallbackVariable& number : model.discrete) {
    describe(number, true);
  }
  return instance;
}

}  // namespace

Diagnostics validate(const CallbackModel& model, const SimulationOptions& options) {
  Diagnostics problems = check_model(model);
  (void)api::resolve(options, problems);
  CallbackModel started = model;
  apply(problems, started, options.set);
  return problems;
}

Result<SimulationResult> simulate(const CallbackModel& model, const SimulationOptions& options) {
  const api::WallClock clock;
  Diagnostics problems = check_model(model);
  const api::RunSettings settings = api::resolve(options, problems);
  CallbackModel started = model;
  apply(problems, started, options.set);
  if (problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  const api::Instance instance = instance_of(started);
  problems.append(api::check_nonnegative(settings.nonnegative, instance.variables));
  problems.append(api::check_columns(settings.columns, instance.variables));
  if (problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  const WorkWatch watch(api::limits_of(settings, options));
  return api::simulate(instance, settings, options, std::move(problems), clock);
}

}  // namespace saltus
