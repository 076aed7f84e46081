/// The estimate of the global error: a second run, tighter, and the comparison of its rows with those of the first.
///
/// Method       Local errors are proportional to the tolerance, and so is what becomes of them: the difference to a run at a hundredth of it
///              is the error of the first to about a percent, where errors are small enough for the linearised flow. With
///              a fixed step h the second run has h/2: for a method of order p the difference is 1 - 2⁻ᵖ of the error.
/// Contract     Rows are those of the first run. Superdense sides are compared as saltus/error_estimate.hpp says.
/// Choices      kTighter = 1/100: smaller is dearer (a method of order 5 takes 2.5 times the steps), larger less certain. Nothing
///              is tighter than kTightest, where rounding takes over.
/// Fails when   Both runs miss the same event or follow the same wrong branch: what does not depend on the tolerance is not seen.
/// Cost         The second run, its rows and its dense solution.
/// Checked by   tests/unit/api/error_estimate_test.cpp, tests/cli/error_estimate_test.cpp
#pragma once

#include "api/model/instance.hpp"
#include "api/options/columns.hpp"
#include "api/options/run_settings.hpp"
#include "api/run.hpp"
#include "saltus/simulate.hpp"

namespace saltus::api {

/// Tolerances, or the fixed step, of a second run: not below what rounding allows. By how much they are tighter.
double tighten(RunSettings& settings);

/// Fills result.error_estimate; `result` is a run with rows. Why there is none, or less than asked for, becomes a warning.
void estimate_errors(const Instance& instance, const RunSettings& settings, const Columns& columns,
                     const SimulationOptions& hooks, const WallClock& clock, SimulationResult& result);

}  // namespace saltus::api
