/// One run of a system from start to stop: initial values, steps, rows of output, and how it ended.
///
/// The loop over steps and events is hybrid::run; RunRecorder takes down what it tells. This joins the two with options,
/// limits and the words in which a run reports.
#pragma once

#include <chrono>

#include "api/model/instance.hpp"
#include "api/options/columns.hpp"
#include "api/options/run_settings.hpp"
#include "saltus/simulate.hpp"

namespace saltus::api {

/// Fills everything of `result` that belongs to the run; its `variables` and `columns` are known. `hooks` says what is kept, where
/// rows go and who may stop the run; all else comes from `settings`.
void run(const Instance& instance, const RunSettings& settings, const Columns& columns,
         const SimulationOptions& hooks, SimulationResult& result);

/// Since when a run has been at work.
class WallClock {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// run() with everything around it. `warnings` are those of the options. The error: columns that there are not.
[[nodiscard]] Result<SimulationResult> simulate(const Instance& instance, const RunSettings& settings,
                                                const SimulationOptions& hooks, Diagnostics warnings,
                                                const WallClock& clock);

}  // namespace saltus::api
