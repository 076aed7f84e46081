/// Sensitivities of a run beside difference quotients of runs with other values.
///
/// Method       for every parameter the runs of its twins (sensitivity/twins.hpp) at a hundredth of the tolerances, and the same weights over their final
///              values and the times of their events
/// Contract     Final values are compared where all runs ended at the same time or by an event that all have; times of events where all runs have
///              the same events in the same order. Nothing is compared that the run calls undefined. A difference beyond kWorthAWarning
///              times the tolerance, times what the solution amplifies, is a warning.
/// Choices      The difference is relative to |S| + scale of x / |p|, so that what is small beside the solution does not count. A parameter of a large measure A
///              (Sensitivities::Influence) is changed by 1/A of what others are: x is as nonlinear in it. kWorthAWarning = 1000: the
///              tolerance allows each state so much at every step, errors of S are some times larger and grow as the solution does, by the largest
///              measure; differences of runs at tolerance/100 over h = 2⁻¹⁰ have errors of 10 tolerances.
/// Fails when   An event lies so close to the end, or to another one, that twins do not have it: the parameter is then not compared, and it is said why.
/// Cost         four runs for each parameter
/// Checked by   tests/cli/sensitivities_test.cpp
#pragma once

#include <vector>

#include "api/model/instance.hpp"
#include "api/options/columns.hpp"
#include "api/options/run_settings.hpp"
#include "api/run.hpp"
#include "api/sensitivity/targets.hpp"
#include "saltus/simulate.hpp"

namespace saltus::api {

/// Fills result.sensitivities->check.
void check_sensitivities(const Instance& instance, const RunSettings& settings, const Columns& columns,
                         const SimulationOptions& hooks, const std::vector<SensitivityTarget>& targets,
                         const WallClock& clock, SimulationResult& result);

}  // namespace saltus::api
