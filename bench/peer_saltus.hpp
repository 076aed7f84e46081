// saltus through its public interface, the model from text.
#pragma once

#include <string>

#include "measured_run.hpp"
#include "problems.hpp"
#include "saltus/model.hpp"
#include "saltus/simulate.hpp"

namespace saltus::bench {

/// The text of a model of examples/ with the defaults of parameters replaced as in `settings`.
[[nodiscard]] std::string model_text(const std::string& file,
                                     const std::vector<std::pair<std::string, double>>& settings);

/// Loads the model of a problem; throws saltus::Error with the diagnostics if that fails.
[[nodiscard]] Model load_model(const ProblemData& problem);

/// A run to t_end with these options and no output but the end values of `names`. The time is that of the run without the preparation
/// of the model.
[[nodiscard]] MeasuredRun solve_saltus(const Model& model, double t_end,
                                       const std::vector<std::string>& names, SimulationOptions options);

/// Method dopri5, rtol = atol = tolerance, no output but the end. The time is that of the run without the
/// preparation of the model.
[[nodiscard]] MeasuredRun solve_saltus(const Model& model, const ProblemData& problem, double tolerance);

}  // namespace saltus::bench
