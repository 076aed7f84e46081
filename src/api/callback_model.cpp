// Systems given by C++ functions: checked, translated for the interface between the towers, looked at where they start, and run.
#include "saltus/callback_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/callback_check.hpp"
#include "api/callback_instance.hpp"
#include "api/callback_translation.hpp"
#include "api/model/diagnostic_codes.hpp"
#include "api/model/instance.hpp"
#include "api/options/bound_options.hpp"
#include "api/options/columns.hpp"
#include "api/options/run_settings.hpp"
#include "api/results/work_guard.hpp"
#include "api/run.hpp"
#include "callback/callback_system.hpp"
#include "callback/residual_check.hpp"

namespace saltus {
namespace {

std::string mode_text(const callback::CallbackModel& model, std::size_t mode) {
  return model.modes.size() > 1 ? fmt::format(" of mode '{}'", model.modes[mode].name) : std::string();
}

// Which derivatives occur, from the functions where the user does not say.
void find_roles(const CallbackModel& model, double t, callback::CallbackModel& translated,
                Diagnostics& problems) {
  translated.is_differential = callback::find_differentiated(translated, t);
  for (std::size_t i = 0; i < model.states.size(); ++i) {
    const CallbackVariable& state = model.states[i];
    if (state.role == CallbackVariable::Role::differential) {
      translated.is_differential[i] = 1;
    } else if (state.role == CallbackVariable::Role::algebraic && translated.is_differential[i] != 0) {
      problems.error(api::kWrongCallbackModel,
                     fmt::format("'{}' is said to be algebraic, and a residual changes with its derivative",
                                 state.name));
    }
  }
}

void tell(const callback::ResidualFindings& findings, const callback::CallbackResidual& equations,
          const std::string& of, Diagnostics& warnings) {
  if (findings.mismatch) {
    const callback::ResidualMismatch& mismatch = *findings.mismatch;
    const std::string what = equations.array ? "the derivative array" : "the Jacobian";
    warnings.warning(
        api::kJacobianMismatch,
        mismatch.column.empty()
            ? fmt::format("{}{} gives {:.6g} for '{}', and differences of the residual give {:.6g}", what, of,
                          mismatch.given, mismatch.row, mismatch.differenced)
            : fmt::format("{}{} has {:.6g} in the row of '{}' and the column of {}, and differences of the "
                          "residual give {:.6g}",
                          what, of, mismatch.given, mismatch.row, mismatch.column, mismatch.differenced),
        std::nullopt, "check this entry, and the order of rows and columns");
  }
  if (!equations.array || !equations.array_jacobian) {
    const std::string_view what = equations.array      ? "the Jacobian of the derivative array"
                                  : equations.jacobian ? "total derivatives of the residual"
                                                       : "the Jacobian and total derivatives of the residual";
    warnings.warning(api::kTakenByDifferences, fmt::format("{}{} are taken by differences", what, of));
  }
}

// What is asked of all functions before the run.
void look_at_functions(const callback::CallbackModel& translated, double t, Diagnostics& problems) {
  const auto shared = std::make_shared<const callback::CallbackModel>(translated);
  if (const std::string name = callback::find_not_repeatable(shared, t); !name.empty()) {
    problems.error(api::kCallbackNotRepeatable,
                   fmt::format("{} gives other numbers when it is asked again at the same point", name),
                   std::nullopt, "a function must depend on its arguments alone");
  }
  if (const auto wrong = callback::find_wrong_gradient(shared, t)) {
    problems.warning(api::kJacobianMismatch,
                     fmt::format("the gradient of guard '{}' has {:.6g} for {}, and differences give {:.6g}",
                                 wrong->row, wrong->given, wrong->column, wrong->differenced));
  }
}

// … and of residuals.
void look_at_residuals(const CallbackModel& model, double t, callback::CallbackModel& translated,
                       Diagnostics& problems) {
  const auto has_residual = [](const callback::CallbackMode& mode) { return mode.has_residual(); };
  if (std::none_of(translated.modes.begin(), translated.modes.end(), has_residual)) {
    return;
  }
  find_roles(model, t, translated, problems);
  const auto shared = std::make_shared<const callback::CallbackModel>(translated);
  for (std::size_t mode = 0; mode < translated.modes.size(); ++mode) {
    callback::CallbackResidual& equations = translated.modes[mode].residual;
    if (!translated.modes[mode].has_residual()) {
      continue;
    }
    const callback::ResidualFindings findings = callback::inspect_residual(shared, mode, t);
    tell(findings, equations, mode_text(translated, mode), problems);
    equations.differenced_order = findings.differenced_order;
    equations.error_beyond = findings.error_beyond;
  }
}

api::Instance instance_of(const CallbackModel& model, callback::CallbackModel translated) {
  api::Instance instance;
  const bool are_fixed = translated.is_differential.empty();
  instance.system = callback::make_callback_system(std::move(translated));
  const auto describe = [&](const CallbackVariable& variable, bool is_discrete) {
    VariableInfo info;
    info.name = variable.name;
    info.is_discrete = is_discrete;
    info.is_fixed = are_fixed || is_discrete || variable.is_fixed;
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
  Diagnostics problems = api::check_callback_model(model);
  (void)api::resolve(options, problems);
  CallbackModel started = model;
  api::apply_set(problems, started, options.set);
  return problems;
}

Result<api::CallbackInstance> api::callback_instance(const CallbackModel& model,
                                                     const SimulationOptions& options) {
  Diagnostics problems = check_callback_model(model);
  RunSettings settings = resolve(options, problems);
  CallbackModel started = model;
  apply_set(problems, started, options.set);
  if (problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  callback::CallbackModel translated = translate(started);
  look_at_functions(translated, settings.start, problems);
  look_at_residuals(started, settings.start, translated, problems);
  if (problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  Instance instance = instance_of(started, std::move(translated));
  problems.append(check_variable_names(settings, instance.variables));
  problems.append(check_columns(settings.columns, instance.variables));
  if (problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  return CallbackInstance{std::move(instance), std::move(settings), std::move(problems)};
}

Result<SimulationResult> simulate(const CallbackModel& model, const SimulationOptions& options) {
  const api::WallClock clock;
  Result<api::CallbackInstance> made = api::callback_instance(model, options);
  if (!made) {
    return Unexpected(std::move(made).error());
  }
  const WorkWatch watch(api::limits_of(made->settings, options));
  return api::simulate(made->instance, made->settings, options, std::move(made->warnings), clock);
}

}  // namespace saltus
