/// Which integration method the options mean, and why.
#pragma once

#include <string>

#include "hybrid/run.hpp"
#include "saltus/options.hpp"

namespace saltus::api {

/// Methods that do not exist, do not have the order asked for, or need a fixed step.
void check_method(Diagnostics& problems, const SimulationOptions& options);

/// For options in which check_method finds nothing wrong; those of single modes are left out.
[[nodiscard]] hybrid::MethodChoice choose_methods(const SimulationOptions& options);
[[nodiscard]] std::string reason_for_method(const SimulationOptions& options);

}  // namespace saltus::api
