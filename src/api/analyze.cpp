// What is asked of a model, at its start values or at a point of its solution.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "api/callback_instance.hpp"
#include "api/model/diagnostic_codes.hpp"
#include "api/model/instance.hpp"
#include "api/model/lazy_analysis.hpp"
#include "api/model/model_data.hpp"
#include "api/model/set_values.hpp"
#include "api/results/work_guard.hpp"
#include "saltus/analysis.hpp"
#include "saltus/simulation.hpp"

namespace saltus {
namespace {

template <class AnyModel>
Result<Analysis> analyze_after_run(const AnyModel& model, const AnalysisOptions& options) {
  SimulationOptions run{.stop = options.run_to, .set = options.set, .keep_dense = false, .keep_rows = false};
  run.stop_requested = options.limits.stop_requested;
  run.max_time = options.limits.max_time;
  Result<Simulation> begun = Simulation::begin(model, run);
  if (!begun) {
    return Unexpected(begun.error());
  }
  Simulation led = std::move(*begun);
  while (!led.has_ended() && led.step()) {
  }
  if (led.time() != *options.run_to) {
    const double reached = led.time();
    const SimulationResult result = led.finish();
    Diagnostics problems = result.diagnostics;
    problems.error(api::kCannotBegin, fmt::format("the run ended at time {} and not at {}: {}", reached,
                                                  *options.run_to, result.message));
    return Unexpected(std::move(problems));
  }
  return led.analyze(options);
}

void check_options(const AnalysisOptions& options, Diagnostics& problems) {
  if (options.at && !std::isfinite(*options.at)) {
    problems.error(api::kWrongOptionValue, "--at takes a finite time");
  }
  if (options.run_to && !std::isfinite(*options.run_to)) {
    problems.error(api::kWrongOptionValue, "--run-to takes a finite time");
  }
  if (options.pencil_tolerance && !(*options.pencil_tolerance >= 0.0 && *options.pencil_tolerance < 1.0)) {
    problems.error(api::kWrongOptionValue, "--pencil-tolerance takes a number from 0 to below 1");
  }
  if (options.run_to && options.at) {
    problems.error(api::kConflictingOptions,
                   "--at looks at start values and --run-to at a point of the solution: one of them");
  }
}

// What is asked of a model and of functions alike; `at_start` analyses without a run.
template <class AnyModel, class AtStart>
Result<Analysis> analyze_any(const AnyModel& model, const AnalysisOptions& options, Diagnostics problems,
                             const AtStart& at_start) {
  check_options(options, problems);
  if (problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  if (options.run_to) {
    return analyze_after_run(model, options);
  }
  return api::under_limits(
      options.limits, "while the model was analysed", at_start,
      [](const api::EarlyEnd& end) -> Result<Analysis> { return Unexpected(end.diagnostics()); });
}

}  // namespace

Result<Analysis> analyze(const Model& model, const AnalysisOptions& options) {
  const auto at_start = [&]() -> Result<Analysis> {
    Result<api::Instance> instance = api::instantiate(model.data(), options.set);
    if (!instance) {
      return Unexpected(instance.error());
    }
    const double t = options.at.value_or(model.experiment().start.value_or(0.0));
    return api::analyze_instance(*std::move(instance), t, options);
  };
  return analyze_any(model, options, api::check_set(model.data(), options.set), at_start);
}

Result<Analysis> analyze(const CallbackModel& model, const AnalysisOptions& options) {
  const auto at_start = [&]() -> Result<Analysis> {
    SimulationOptions start{.set = options.set};
    start.start = options.at.value_or(0.0);
    start.stop = start.start;
    Result<api::CallbackInstance> made = api::callback_instance(model, start);
    if (!made) {
      return Unexpected(std::move(made).error());
    }
    Result<Analysis> analysis = api::analyze_instance(made->instance, *start.start, options);
    if (analysis) {
      made->warnings.append(std::move(analysis->warnings));
      analysis->warnings = std::move(made->warnings);
    }
    return analysis;
  };
  return analyze_any(model, options, {}, at_start);
}

}  // namespace saltus
