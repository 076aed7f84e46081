#include "api/options/run_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/fill_option.hpp"
#include "api/model/model_data.hpp"
#include "api/model/set_values.hpp"
#include "api/options/bound_options.hpp"
#include "api/options/columns.hpp"
#include "api/options/event_options.hpp"
#include "api/options/formulation_options.hpp"
#include "api/options/index_options.hpp"
#include "api/options/method_choice.hpp"
#include "api/options/motion_method.hpp"
#include "api/options/step_options.hpp"
#include "record/output_grid.hpp"

namespace saltus {
namespace api {
namespace {

constexpr double kDefaultTolerance = 1e-6;  // docs/command-line.md
// Of the method 'exact', for whoever asks how good a solution is: it has rounding errors only.
constexpr double kExactTolerance = 1e-13;
constexpr double kDefaultIntervals = 500.0;  // docs/command-line.md: rows of a run
constexpr std::int64_t kDefaultMaxSteps = 100'000'000;
// Wall seconds: what may be lost is little beside runs for which one wants checkpoints, and writing one takes milliseconds.
constexpr double kDefaultCheckpointInterval = 60.0;
// A terabyte of text; somebody has mistyped the interval.
constexpr double kMaxRows = 1e9;

// One item of annotation(__saltus(…)), whose names are written with '_' where the command line has '-'.
Diagnostics set_annotated(SimulationOptions& annotated, const ExperimentInfo::Option& option) {
  std::string name = option.name;
  std::replace(name.begin(), name.end(), '_', '-');
  if (name == "checkpoint" || name == "resume") {
    Diagnostics problems;
    problems.error(kOptionOfTheCommandLine, fmt::format("the option '{}' cannot be given in a model", name));
    return problems;
  }
  if (name == "input" || name == "set-file") {
    // A model that anybody sends names no files to be read.
    Diagnostics problems;
    problems.error(kOptionOfTheCommandLine, fmt::format("the option '{}' cannot be given in a model", name),
                   std::nullopt,
                   name == "input"
                       ? "a table that belongs to the model is read with interpolate(\"FILE.csv\", time)"
                       : "write the values into the model, or set = \"NAME=VALUE\"");
    return problems;
  }
  if (option.mode.empty()) {
    return set_option(annotated, name, option.value);
  }
  if (is_mode_option(name)) {
    return set_mode_option(annotated, option.mode, name, option.value);
  }
  if (name == "expect-index") {
    return set_option(annotated, name, option.mode + "=" + option.value);
  }
  SimulationOptions tried;
  Diagnostics problems = set_option(tried, name, option.value);
  if (!problems.has_errors()) {
    problems.error(
        kOptionOfTheRun,
        fmt::format("the option '{}' holds for the whole run and cannot be given in a mode", name),
        std::nullopt,
        "a mode may have its own method, order, max_order, max_step and expect_index; put this one into the "
        "annotation at the end of the model");
  }
  return problems;
}

// The options of annotation(__saltus(…)); problems get the place in the model.
SimulationOptions annotated_options(const Model& model, Diagnostics& problems) {
  SimulationOptions annotated;
  Diagnostics found(model.data().source);
  for (const ExperimentInfo::Option& option : model.experiment().options) {
    const Diagnostics wrong = set_annotated(annotated, option);
    for (const Diagnostic& item : wrong.items()) {
      // A model may ask for what a later version offers; it still runs.
      const bool later = item.code == kOptionNotSupported.name;
      found.add(later ? Severity::warning : Severity::error, DiagnosticCode{item.code},
                later ? item.message + " and has no effect here" : item.message, option.span, item.hint);
    }
  }
  if (!found.empty()) {
    problems.append(std::move(found));  // with the text they refer to, which other problems have not
  }
  return annotated;
}

SimulationOptions merge(const Model& model, SimulationOptions options, Diagnostics& problems) {
  SimulationOptions annotated = annotated_options(model, problems);
  const ExperimentInfo& experiment = model.experiment();
  fill(options.start, annotated.start);
  fill(options.start, experiment.start);
  fill(options.stop, annotated.stop);
  fill(options.stop, experiment.stop);
  if (!options.interval && !options.rows_at_steps && options.times.empty()) {
    options.interval = annotated.interval;
    options.rows_at_steps = annotated.rows_at_steps;
  }
  if (!options.rows_at_steps.value_or(false) && options.times.empty()) {
    fill(options.interval, experiment.interval);
  }
  // A tolerance that the user gives replaces everything the model says about tolerances.
  if (!options.tolerance) {
    fill(options.rtol, annotated.rtol);
    fill(options.atol, annotated.atol);
    options.atol_of.insert(options.atol_of.begin(), annotated.atol_of.begin(), annotated.atol_of.end());
  }
  fill(options.tolerance, annotated.tolerance);
  fill(options.tolerance, experiment.tolerance);
  options.invariants.insert(options.invariants.end(), annotated.invariants.begin(),
                            annotated.invariants.end());
  if (options.nonnegative.empty()) {
    options.nonnegative = annotated.nonnegative;
  }
  fill_expected_index(options, annotated);
  if (options.columns.empty()) {
    options.columns = annotated.columns;
  }
  if (options.sensitivities.empty()) {
    options.sensitivities = annotated.sensitivities;
  }
  fill(options.sensitivity_check, annotated.sensitivity_check);
  fill(options.sensitivity_side, annotated.sensitivity_side);
  fill_mode_options(options, annotated);
  if (options.method.empty()) {
    options.method = annotated.method;
  }
  fill(options.step, annotated.step);
  fill(options.initial_step, annotated.initial_step);
  fill(options.max_step, annotated.max_step);
  fill_step_options(options, annotated);
  fill(options.max_steps, annotated.max_steps);
  fill(options.max_time, annotated.max_time);
  fill(options.error_estimate, annotated.error_estimate);
  fill(options.order, annotated.order);
  fill(options.max_order, annotated.max_order);
  fill_event_options(options, annotated);
  fill_formulation_options(options, annotated);
  options.set.insert(options.set.begin(), annotated.set.begin(), annotated.set.end());
  fill(options.input_rule, annotated.input_rule);
  options.input_rule_of.insert(options.input_rule_of.begin(), annotated.input_rule_of.begin(),
                               annotated.input_rule_of.end());
  return options;
}

// Zero and less are the matter of others.
void require_above(Diagnostics& problems, const char* name, const std::optional<double>& value,
                   double smallest) {
  if (value && *value > 0.0 && *value < smallest) {
    problems.error(kWrongOptionValue,
                   fmt::format("--{} must be at least {:.3g}, not {:g}: doubles cannot hold such an accuracy",
                               name, smallest, *value));
  }
}

void require_positive(Diagnostics& problems, const char* name, const std::optional<double>& value) {
  if (value && !(*value > 0.0 && std::isfinite(*value))) {
    problems.error(kWrongOptionValue, fmt::format("--{} must be a positive number, not {}", name, *value));
  }
}

void require_finite(Diagnostics& problems, const char* name, const std::optional<double>& value) {
  if (value && !std::isfinite(*value)) {
    problems.error(kWrongOptionValue, fmt::format("--{} must be a finite number, not {}", name, *value));
  }
}

// Hours of work for nothing; who means it says so with --max-steps.
void check_fixed_step(Diagnostics& problems, const RunSettings& settings, const SimulationOptions& options) {
  if (options.step && !options.max_steps &&
      std::abs(settings.stop - settings.start) / *options.step > static_cast<double>(settings.max_steps)) {
    problems.error(kWrongOptionValue,
                   fmt::format("--step {} takes more than {:g} steps from {} to {}", *options.step,
                               static_cast<double>(settings.max_steps), settings.start, settings.stop),
                   std::nullopt, "give a larger --step, or the number of steps to take with --max-steps");
  }
}

void check_grid(Diagnostics& problems, const RunSettings& settings) {
  if (!std::isfinite(settings.stop - settings.start)) {
    problems.error(kWrongOptionValue, "the time from start to stop is too long to be represented");
  } else if (!record::OutputGrid::interval_is_usable(settings.start, settings.stop, settings.interval)) {
    problems.error(kWrongOptionValue,
                   fmt::format("times from {} to {} in intervals of {} cannot be told apart as doubles",
                               settings.start, settings.stop, settings.interval));
  } else if (!record::OutputGrid::times_are_usable(settings.start, settings.stop, settings.times)) {
    problems.error(kWrongOptionValue,
                   fmt::format("times of rows must follow each other between the start {} and the stop {}",
                               settings.start, settings.stop));
  } else if (std::abs(settings.stop - settings.start) / settings.interval > kMaxRows) {
    problems.error(kTooManyRows,
                   fmt::format("an interval of {} from {} to {} gives more than {:g} rows of output",
                               settings.interval, settings.start, settings.stop, kMaxRows),
                   std::nullopt, "give a larger --interval");
  }
}

void sample_inputs(const SimulationOptions& options, const Model* model, RunSettings& settings,
                   Diagnostics& problems) {
  if (model == nullptr && !options.input_functions.empty()) {
    problems.error(kOptionNotSupported, "a model of functions has no inputs that functions of time could be");
    return;
  }
  for (const InputFunction& function : options.input_functions) {
    Result<SampledInput> sampled = sample_input(function, settings.start, settings.stop);
    if (sampled) {
      settings.inputs.sampled.push_back(*std::move(sampled));
    } else {
      problems.append(std::move(sampled).error());
    }
  }
}

// `model`: null for a system without modes.
RunSettings resolve_merged(const SimulationOptions& options, const Model* model, Diagnostics& problems) {
  problems.append(validate(options));
  check_mode_options(problems, options, model);
  RunSettings settings;
  settings.start = options.start.value_or(0.0);
  settings.stop = options.stop.value_or(options.start ? *options.start + 1.0 : 1.0);
  const double length = std::abs(settings.stop - settings.start);
  settings.rows_at_steps = options.rows_at_steps.value_or(false);
  settings.times = options.times;
  settings.interval = settings.rows_at_steps
                          ? std::max(length, std::numeric_limits<double>::min())
                          : options.interval.value_or(length > 0.0 ? length / kDefaultIntervals : 1.0);
  settings.tolerance = options.tolerance.value_or(kDefaultTolerance);
  settings.rtol = options.rtol.value_or(settings.tolerance);
  settings.atol = options.atol;
  settings.atol_of = options.atol_of;
  settings.nonnegative = options.nonnegative;
  settings.columns = options.columns;
  settings.sensitivities = options.sensitivities;
  settings.sensitivity_check = options.sensitivity_check.value_or(false);
  settings.sensitivity_side = options.sensitivity_side.value_or(SensitivitySide::both);
  settings.expect_index = options.expect_index;
  settings.fixed_step = options.step.value_or(0.0);
  settings.initial_step = options.initial_step.value_or(0.0);
  settings.step_control = options.step_control.value_or(StepControl::standard);
  settings.restart_step = options.restart_step.value_or(0.0);
  settings.max_steps = options.max_steps.value_or(kDefaultMaxSteps);
  settings.max_time = options.max_time;
  settings.checkpoint_interval = options.checkpoint_interval.value_or(kDefaultCheckpointInterval);
  settings.set = options.set;
  settings.inputs = {options.inputs, options.input_rule, options.input_rule_of};
  if (!problems.has_errors()) {
    sample_inputs(options, model, settings, problems);
  }
  settings.error_estimate = options.error_estimate.value_or(false);
  settings.start_rule = options.start_rule.value_or(StartRule::least_change);
  settings.formulation = formulation_request(options);
  settings.invariants = options.invariants;
  translate_event_options(options, settings.events);
  settings.events.step_exponent = options.step_exponent.value_or(settings.events.step_exponent);
  if (!problems.has_errors()) {
    check_grid(problems, settings);
    check_fixed_step(problems, settings, options);
    settings.choice = choose_methods(options);
    settings.method_reason = reason_for_method(options);
    if (settings.choice.method->is_exact()) {
      settings.tolerance = settings.rtol = kExactTolerance;
      settings.atol.reset();
      settings.atol_of.clear();
    }
    if (settings.choice.method->is_of_motion()) {
      settings.formulation = formulation_of_motion(settings.fixed_step);
    }
    settings.modes = resolve_modes(options);
    settings.events.guard_atol = options.guard_error.value_or(false)
                                     ? std::optional(options.atol.value_or(settings.tolerance))
                                     : std::nullopt;
  }
  return settings;
}

}  // namespace

RunSettings resolve(const Model& model, const SimulationOptions& given, Diagnostics& problems) {
  const SimulationOptions options = merge(model, given, problems);
  problems.append(check_set(model.data(), options.set));
  // Parameters that are set may change the sizes of arrays: simulate() looks again.
  if (options.set.empty()) {
    problems.append(check_columns(options.columns, model.data().variables));
  }
  RunSettings settings = resolve_merged(options, &model, problems);
  if (options.set.empty()) {
    problems.append(check_variable_names(settings, model.data().variables));
  }
  return settings;
}

RunSettings resolve(const SimulationOptions& options, Diagnostics& problems) {
  if (!options.sensitivities.empty()) {
    problems.error(kOptionNotSupported, "sensitivities of models of functions are not supported yet");
  }
  if (!options.inputs.empty() || !options.input_functions.empty() || !options.input_rule_of.empty()) {
    problems.error(kOptionNotSupported, "models of functions have no inputs that something could drive",
                   std::nullopt, "the functions are given the time: let them compute what drives them");
  }
  if (options.formulation.value_or(Formulation::general) != Formulation::general) {
    problems.error(kOptionNotSupported, "a model of functions has no other --formulation than general");
  }
  return resolve_merged(options, nullptr, problems);
}

}  // namespace api

Diagnostics validate(const SimulationOptions& options) {
  Diagnostics problems;
  api::require_finite(problems, "start", options.start);
  api::require_finite(problems, "stop", options.stop);
  api::require_positive(problems, "interval", options.interval);
  api::require_positive(problems, "tolerance", options.tolerance);
  api::require_above(problems, "tolerance", options.tolerance, kSmallestRtol);
  if (options.rtol && !(*options.rtol >= 0.0 && std::isfinite(*options.rtol))) {
    problems.error(api::kWrongOptionValue,
                   fmt::format("--rtol must not be negative, as {} is", *options.rtol));
  }
  api::require_above(problems, "rtol", options.rtol, kSmallestRtol);
  api::require_positive(problems, "atol", options.atol);
  api::require_above(problems, "atol", options.atol, kSmallestAtol);
  for (const NamedValue& item : options.atol_of) {
    const std::string name = "atol of '" + item.name + "'";
    api::require_positive(problems, name.c_str(), item.value);
    api::require_above(problems, name.c_str(), item.value, kSmallestAtol);
  }
  api::require_positive(problems, "step", options.step);
  api::require_positive(problems, "initial-step", options.initial_step);
  api::require_positive(problems, "max-step", options.max_step);
  api::require_positive(problems, "max-time", options.max_time);
  if (options.checkpoint_interval &&
      !(*options.checkpoint_interval >= 0.0 && std::isfinite(*options.checkpoint_interval))) {
    problems.error(api::kWrongOptionValue, "the seconds of --checkpoint must not be negative");
  }
  if (options.error_estimate.value_or(false) && !(options.checkpoint.empty() && options.resume.empty())) {
    problems.error(api::kConflictingOptions,
                   "--error-estimate makes two runs, of which none can be saved or go on", std::nullopt,
                   "leave out --checkpoint and --resume, or --error-estimate");
  }
  if (!options.sensitivities.empty() && !(options.checkpoint.empty() && options.resume.empty())) {
    problems.error(api::kConflictingOptions, "a run with sensitivities cannot be saved and cannot go on yet",
                   std::nullopt, "leave out --checkpoint and --resume, or --sens");
  }
  if (options.sensitivities.empty() && options.sensitivity_check.value_or(false)) {
    problems.error(api::kConflictingOptions, "--sens-check needs sensitivities", std::nullopt,
                   "name parameters with --sens");
  }
  if (!options.sensitivities.empty() && options.error_estimate.value_or(false)) {
    problems.error(api::kConflictingOptions, "--error-estimate says nothing about sensitivities",
                   std::nullopt, "make two runs; --sens-check compares sensitivities with differences");
  }
  if (options.max_steps && *options.max_steps < 1) {
    problems.error(api::kWrongOptionValue,
                   fmt::format("--max-steps must be at least 1, not {}", *options.max_steps));
  }
  if ((options.interval ? 1 : 0) + (options.rows_at_steps.value_or(false) ? 1 : 0) +
          (options.times.empty() ? 0 : 1) >
      1) {
    problems.error(api::kConflictingOptions,
                   "rows are at intervals, at steps or at given times, at one of these");
  }
  if (options.step && (options.initial_step || options.max_step)) {
    problems.error(api::kConflictingOptions,
                   "a fixed --step leaves nothing to --initial-step and --max-step");
  }
  api::check_method(problems, options);
  api::check_event_options(problems, options);
  api::check_formulation_options(problems, options);
  api::check_step_options(problems, options);
  return problems;
}

Diagnostics validate(const Model& model, const SimulationOptions& options) {
  Diagnostics problems;
  (void)api::resolve(model, options, problems);
  return problems;
}

}  // namespace saltus
