/// The short summary of a run on standard output.
#pragma once

#include <string>

#include "saltus/model.hpp"
#include "saltus/result_files.hpp"
#include "saltus/simulate.hpp"

namespace saltus::tool {

/// `is_written`: the files are there.
[[nodiscard]] std::string run_summary(const Model& model, const SimulationResult& result,
                                      const ResultFilesOptions& files, bool is_written);

/// What --explain-event asked for; empty if it did not.
[[nodiscard]] std::string explanation(const SimulationResult& result, const SimulationOptions& options);

}  // namespace saltus::tool
