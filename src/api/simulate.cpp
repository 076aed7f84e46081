#include "saltus/simulate.hpp"

#include <fmt/format.h>

#include <optional>

#include "api/error_estimate.hpp"
#include "api/model/diagnostic_codes.hpp"
#include "api/model/instance.hpp"
#include "api/model/model_data.hpp"
#include "api/options/bound_options.hpp"
#include "api/options/exact_method.hpp"
#include "api/options/index_options.hpp"
#include "api/options/motion_method.hpp"
#include "api/options/run_settings.hpp"
#include "api/results/work_guard.hpp"
#include "api/run.hpp"
#include "api/sensitivity_check.hpp"
#include "api/traced/repeated_run.hpp"
#include "saltus/contract.hpp"

namespace saltus {

std::string_view to_string(SimulationStatus status) {
  switch (status) {
    case SimulationStatus::success: return "success";
    case SimulationStatus::terminated: return "terminated";
    case SimulationStatus::stopped: return "stopped";
    case SimulationStatus::failed: return "failed";
  }
  return "failed";
}

double SimulationResult::final_value(std::string_view name) const {
  SALTUS_EXPECT(final_values.size() == variables.size(), "the run has no final values");
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].name == name) {
      return final_values[i];
    }
  }
  SALTUS_EXPECT(false, "no variable '" + std::string(name) + "'");
  return 0.0;
}

Result<SimulationResult> api::simulate(const Instance& instance, const RunSettings& settings,
                                       const SimulationOptions& hooks, Diagnostics warnings,
                                       const WallClock& clock) {
  const Result<Columns> columns = choose_columns(settings.columns, instance.variables, *instance.system);
  if (!columns) {
    return Unexpected(columns.error());
  }
  if (Diagnostics problems = check_expected_index(settings.expect_index, instance); problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  if (ExactForm form = exact_form(instance, settings); form.problems.has_errors()) {
    return Unexpected(std::move(form.problems));
  }
  if (Motion motion = find_motion(instance, settings); motion.problems.has_errors()) {
    return Unexpected(std::move(motion.problems));
  }
  const Result<std::optional<Checkpoint>> from = checkpoint_to_resume(instance, settings, hooks);
  if (!from) {
    return Unexpected(from.error());
  }
  SimulationResult result;
  result.diagnostics = std::move(warnings);
  result.diagnostics.append(instance.warnings);
  result.variables = instance.variables;
  result.columns = columns->infos;
  result.parameters = instance.parameters;
  result.statistics.method = settings.choice.method->name;
  result.statistics.method_reason = settings.method_reason;
  std::vector<SensitivityTarget> targets;
  if (!settings.sensitivities.empty()) {
    Result<std::vector<SensitivityTarget>> chosen =
        choose_targets(settings.sensitivities, instance, settings.start);
    if (!chosen) {
      return Unexpected(std::move(chosen).error());
    }
    targets = *std::move(chosen);
    result.sensitivities = empty_sensitivities(targets, *columns);
  }
  if (!settings.error_estimate) {
    run(instance, settings, *columns, hooks, result, nullptr, *from ? &**from : nullptr, targets);
    if (result.reason == Reason::checkpoint_damaged) {
      return Unexpected(std::move(result.diagnostics));  // what was written before is not to be touched
    }
    result.statistics.wall_seconds = clock.seconds();
    if (settings.sensitivity_check && result.sensitivities) {
      check_sensitivities(instance, settings, *columns, hooks, targets, clock, result);
    }
    return result;
  }
  SimulationOptions kept = hooks;
  kept.keep_rows = true;
  run(instance, settings, *columns, kept, result);
  result.statistics.wall_seconds = clock.seconds();
  const auto give_up = [&](std::string_view reason) {
    result.diagnostics.warning(kErrorEstimateIncomplete,
                               fmt::format("no error estimate was made: its run ended early ({})", reason));
  };
  try {
    estimate_errors(instance, settings, *columns, hooks, clock, result);
  } catch (const WorkHalted& halted) {
    give_up(early_end(halted.reason(), settings.max_time, "").reason);
  } catch (const std::bad_alloc&) {
    give_up(out_of_memory("").reason);
  }
  return result;
}

namespace {

Result<SimulationResult> simulate_once(const Model& model, const SimulationOptions& options) {
  const api::WallClock clock;
  Diagnostics problems;
  const api::RunSettings settings = api::resolve(model, options, problems);
  if (problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  const auto build_and_run = [&]() -> Result<SimulationResult> {
    std::optional<Result<api::Instance>> own;
    const bool has_own_values = settings.set.empty() && settings.inputs.tables.empty() &&
                                settings.inputs.sampled.empty() && settings.inputs.rule_of.empty() &&
                                settings.formulation.is_general();
    const Result<api::Instance>& built =
        has_own_values ? model.data().default_instance()
                       : own.emplace(api::instantiate(model.data(), settings.set, settings.inputs,
                                                      settings.formulation));
    if (!built) {
      return Unexpected(built.error());
    }
    if (Diagnostics unknown = api::check_variable_names(settings, (*built).variables); unknown.has_errors()) {
      return Unexpected(std::move(unknown));
    }
    problems.append(api::warn_of_held_ends(settings.inputs, settings.start, settings.stop));
    return api::simulate(*built, settings, options, problems, clock);
  };
  // Only what comes before the run arrives here: a run reports its own end.
  const auto ended = [&](const api::EarlyEnd& end) -> Result<SimulationResult> {
    SimulationResult result;
    result.status = SimulationStatus::stopped;
    result.reason = *reason_of(end.reason);
    result.message = end.message;
    result.start = settings.start;
    result.end = settings.start;
    result.variables = model.variables();
    result.columns = result.variables;
    result.diagnostics = problems;
    result.statistics.method = settings.choice.method->name;
    result.statistics.method_reason = settings.method_reason;
    result.statistics.wall_seconds = clock.seconds();
    return result;
  };
  return api::under_limits(api::limits_of(settings, options), "before the run began", build_and_run, ended);
}

}  // namespace

Result<SimulationResult> simulate(const Model& model, const SimulationOptions& options) {
  return api::repeated(model, options, simulate_once);
}

}  // namespace saltus
