/// One run of a system from start to stop: initial values, steps, rows of output, and how it ended.
///
/// The loop over steps and events is hybrid::run; RunRecorder takes down what it tells. This joins the two with options,
/// limits and the words in which a run reports.
#pragma once

#include "api/instance.hpp"
#include "api/run_settings.hpp"
#include "saltus/simulate.hpp"

namespace saltus::api {

/// Fills everything of `result` that belongs to the run; its `variables` are those of the instance. `hooks` says what is kept, where
/// rows go and who may stop the run; all else comes from `settings`.
void run(const Instance& instance, const RunSettings& settings, const SimulationOptions& hooks,
         SimulationResult& result);

}  // namespace saltus::api
