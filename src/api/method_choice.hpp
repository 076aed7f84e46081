/// Which integration method the options mean, and why.
#pragma once

#include <string>
#include <vector>

#include "hybrid/run.hpp"
#include "integrate/method.hpp"
#include "saltus/options.hpp"
#include "saltus/run_statistics.hpp"

namespace saltus::api {

/// Methods that do not exist, do not have the order asked for, or need a fixed step.
void check_method(Diagnostics& problems, const SimulationOptions& options);

/// For options in which check_method finds nothing wrong.
[[nodiscard]] const integrate::Method* choose_method(const SimulationOptions& options);
/// What the run goes on with where that method meets stiffness; null: nothing else was left to choose.
[[nodiscard]] const integrate::Method* choose_stiff_method(const SimulationOptions& options);
[[nodiscard]] integrate::OrderChoice choose_orders(const SimulationOptions& options);
[[nodiscard]] std::string reason_for_method(const SimulationOptions& options);

/// Says in words that the run changed its method.
void name_changes(const std::vector<hybrid::MethodChange>& changes, Statistics& statistics);

}  // namespace saltus::api
