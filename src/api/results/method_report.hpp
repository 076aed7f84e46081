/// Which methods a run used, in words.
#pragma once

#include "api/options/run_settings.hpp"
#include "hybrid/run.hpp"
#include "saltus/run_statistics.hpp"

namespace saltus::api {

/// Fills in the methods of the run and of each mode, with the reasons. `modes` are those of the system.
void report_methods(const RunSettings& settings, std::span<const system::ModeInfo> modes,
                    const hybrid::RunOutcome& outcome, Statistics& statistics);

}  // namespace saltus::api
