// Parameters and start values for which a number of a run is least, within bounds and constraints.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/diagnostic.hpp"
#include "saltus/model.hpp"
#include "saltus/options.hpp"
#include "saltus/result.hpp"

namespace saltus {

/// A parameter, or a variable whose start value is meant, as in SimulationOptions::set.
struct OptimizeParameter {
  std::string name;
  std::optional<double> guess{};  ///< the value in the model (or in `set`)
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

struct OptimizeOptions {
  std::vector<OptimizeParameter> parameters{};
  /// Constraints: two functionals with <=, >= or == between them, "final(x) <= 3".
  std::vector<std::string> subject{};
  /// Relative: of the parameters, and of constraints by what their violation is in changes of these. Ten times the tolerance of the runs at least.
  double accuracy = 1e-5;
  std::int64_t max_iterations = 100;
  /// Of the runs; see GradientOptions::simulation.
  SimulationOptions simulation{};
};

/// Sets one option by its long name on the command line: params, subject, accuracy, max-iterations, or one of OptimizeOptions::simulation.
[[nodiscard]] Diagnostics set_optimize_option(OptimizeOptions& options, std::string_view name,
                                              std::string_view value);

enum class OptimizeStatus {
  converged,   ///< to a minimum as far as first derivatives tell: a local one
  infeasible,  ///< constraints cannot be met near where it ended
  limit,       ///< ended before: by max_iterations, by a limit of the runs, or where no step helps
  failed,      ///< the model cannot be run with the guess, or has no derivatives there
};
[[nodiscard]] std::string_view to_string(OptimizeStatus status);

struct OptimizeResult {
  struct Parameter {
    std::string name;
    double value = 0.0;
    double guess = 0.0;
    double lower = 0.0;
    double upper = 0.0;
    bool at_bound = false;  ///< held there: the value would fall beyond it
  };
  /// NaN for `failed`.
  struct Constraint {
    std::string text;
    double left = std::numeric_limits<double>::quiet_NaN();
    double right = std::numeric_limits<double>::quiet_NaN();
    double violation = std::numeric_limits<double>::quiet_NaN();  ///< 0: it holds
    bool is_active = false;                                       ///< without it the value would be less
    double multiplier =
        std::numeric_limits<double>::quiet_NaN();  ///< what the value loses if it is loosened by 1
  };
  /// A trial that was refused because there was no value or no derivative.
  struct FailedTrial {
    std::vector<double> parameters;  ///< as OptimizeResult::parameters
    std::string problem;
  };
  OptimizeStatus status = OptimizeStatus::failed;
  std::string message;  ///< for a person
  std::string model;    ///< its name
  std::string objective;
  double value = std::numeric_limits<double>::quiet_NaN();
  std::vector<Parameter> parameters;
  std::vector<double> gradient;  ///< of the value, by parameter; empty for `failed`
  std::vector<Constraint> constraints;
  std::vector<FailedTrial> failed_trials;
  std::int64_t runs = 0;
  std::int64_t iterations = 0;
  std::int64_t refused_steps = 0;  ///< no progress, or failed
  double wall_seconds = 0.0;
  Diagnostics diagnostics;  ///< of the run with the guess

  [[nodiscard]] bool ok() const { return status == OptimizeStatus::converged; }
  /// The name must be that of a parameter of the optimisation.
  [[nodiscard]] const Parameter& parameter(std::string_view name) const;
};

/// Minimises a functional (gradient.hpp) of a run. The error holds what is wrong with functionals, names and options.
[[nodiscard]] Result<OptimizeResult> optimize(const Model& model, const std::string& objective,
                                              const OptimizeOptions& options);

/// For a program: optimum.json (docs/output.md).
[[nodiscard]] std::string render_json(const OptimizeResult& result);
/// For a person: a table.
[[nodiscard]] std::string render_text(const OptimizeResult& result);

}  // namespace saltus
