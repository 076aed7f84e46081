// A run of a model with events, measured as the tables of events need it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "measured_run.hpp"
#include "saltus/model.hpp"
#include "saltus/simulate.hpp"

namespace saltus::bench {

/// Text of a model of examples/ with the defaults of Integer and Real parameters replaced.
[[nodiscard]] std::string example_text(const std::string& file,
                                       const std::vector<std::pair<std::string, std::string>>& settings = {});

/// `text` with every occurrence of each first text replaced by the second; throws if one does not occur.
[[nodiscard]] std::string replaced(std::string text,
                                   const std::vector<std::pair<std::string, std::string>>& replacements);

/// The model of a text; throws saltus::Error with the diagnostics.
[[nodiscard]] Model model_from(const std::string& file, const std::string& text);

/// Runs until the times are stable (at least `repetitions` times) and keeps the run with the shortest time.
[[nodiscard]] SimulationResult fastest_run(const Model& model, const SimulationOptions& options,
                                           int repetitions = 3);

/// "success", or why not.
[[nodiscard]] std::string outcome(const SimulationResult& result);

}  // namespace saltus::bench
