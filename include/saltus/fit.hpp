// Parameters and start values of a model from measured data: weighted least squares through events, resets and sliding.
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
#include "saltus/trajectory.hpp"

namespace saltus {

/// What was measured in one experiment: values of variables at ascending times. At the time of an event the value after it counts.
struct FitData {
  struct Column {
    std::string name;            ///< of a Real variable
    std::vector<double> values;  ///< by time; NaN: not measured then
  };
  std::string source{};  ///< where it comes from, for messages and results
  std::vector<double> times{};
  std::vector<int> lines{};  ///< of the file, by time; empty: there is none
  int line = 1;              ///< of the names
  std::vector<Column> columns{};
};

/// Reads a CSV file: the first row has names, one of them `time`; the cells below are numbers or empty. Whether the names are those of variables is
/// the matter of fit().
[[nodiscard]] Result<FitData> read_fit_data(const std::string& path);

/// A parameter, or a variable whose start value is meant, as in SimulationOptions::set.
struct FitParameter {
  std::string name;
  std::optional<double> guess{};  ///< the value in the model (or in `set`)
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

/// How residuals count: ρ(r²) in place of r².
enum class Loss {
  none,    ///< r²
  huber,   ///< r² up to the scale c, 2c·|r| - c² beyond
  cauchy,  ///< c²·ln(1 + r²/c²)
};

struct FitOptions {
  std::vector<FitParameter> parameters{};
  /// The noise of columns, > 0: residuals are (value - data)/sigma. Without it sigma is 1, and standard errors use the variance of the residuals.
  std::vector<NamedValue> sigma{};
  Loss loss = Loss::none;
  std::optional<double> loss_scale{};  ///< c, in units of residuals; 1.345 for huber, 2.3849 for cauchy
  /// The first start is the guess; others are random within the bounds, which all parameters must have then.
  std::int64_t starts = 1;
  std::uint64_t seed = 1;  ///< of these
  std::int64_t threads =
      0;  ///< that work on starts; 0: as many as the machine has. Results do not depend on it
  std::int64_t max_iterations = 100;  ///< of each start
  /// Of the runs. They go from `start` to the last time of the data. What rows, columns, checkpoints and sensitivities it asks for has no effect.
  SimulationOptions simulation{};
};

/// Sets one option by its long name on the command line: params, sigma, loss, loss-scale, starts, seed, threads, max-iterations, or one of
/// FitOptions::simulation.
[[nodiscard]] Diagnostics set_fit_option(FitOptions& options, std::string_view name, std::string_view value);

enum class FitStatus {
  converged,
  limit,           ///< ended before: by max_iterations, by a limit of the runs, or where no step helps
  unidentifiable,  ///< as converged, but the data do not determine all parameters
  failed,          ///< the model cannot be run with the guess
};
[[nodiscard]] std::string_view to_string(FitStatus status);

/// NaN where there is none: standard errors of what the data do not determine or a bound holds, and where they are too few for a variance.
struct FittedParameter {
  std::string name;
  double value = 0.0;
  double standard_error = std::numeric_limits<double>::quiet_NaN();
  double low = std::numeric_limits<double>::quiet_NaN();  ///< of the 95 % interval
  double high = std::numeric_limits<double>::quiet_NaN();
  double guess = 0.0;
  double lower = 0.0;
  double upper = 0.0;
  bool at_bound = false;  ///< held there: the cost falls beyond it
};

/// A change of parameters that the data do not see.
struct UnseenCombination {
  std::vector<std::string> names;
  std::vector<double> change;    ///< of these, together; the largest relative change is 1
  std::vector<double> relative;  ///< change / value; NaN for a value of 0
  double singular_value = 0.0;   ///< of the Jacobian with columns of length 1, relative to the largest
  std::string text;              ///< for a person
};

/// One measured value.
struct FitRow {
  std::size_t experiment = 0;
  double time = 0.0;
  std::size_t column = 0;  ///< of FitResult::columns
  double data = 0.0;
  double model = 0.0;
  double residual = 0.0;  ///< (model - data)/sigma
};

struct FitStatistics {
  std::int64_t runs = 0;        ///< of the model, one for each experiment and trial
  std::int64_t iterations = 0;  ///< steps of all starts
  std::int64_t failed_runs = 0;
  std::int64_t difference_columns =
      0;  ///< of Jacobians, by differences of runs because a sensitivity was undefined
  double wall_seconds = 0.0;
};

struct FitStart {
  std::vector<double> from;
  std::vector<double> to;
  double cost = std::numeric_limits<double>::quiet_NaN();
  FitStatus status = FitStatus::failed;
  std::string message;
};

struct FitResult {
  FitStatus status = FitStatus::failed;
  std::string message;  ///< for a person
  std::string model;    ///< its name
  std::vector<FittedParameter> parameters;
  std::vector<double> correlation;  ///< of parameters, row by row; NaN where there is none
  double cost = std::numeric_limits<
      double>::quiet_NaN();  ///< half the sum of the squares of residuals, or of their losses
  double variance = 1.0;     ///< of residuals, as standard errors use it
  bool is_variance_known =
      false;  ///< every column has its sigma: variance is 1, and intervals are those of the normal distribution
  std::int64_t degrees_of_freedom = 0;
  std::vector<UnseenCombination> unidentifiable;
  std::vector<FitStart> starts;
  std::uint64_t seed = 1;
  Loss loss = Loss::none;
  double loss_scale = 0.0;  ///< 0 for Loss::none
  std::vector<std::string> columns;
  std::vector<double> sigma;             ///< by column
  std::vector<std::string> experiments;  ///< sources of data
  std::vector<FitRow> rows;              ///< by experiment, time and column; empty for `failed`
  /// By experiment: the solution with the fitted values, rows of `columns`; for drawing.
  std::vector<Trajectory> solutions;
  FitStatistics statistics;
  Diagnostics diagnostics;

  [[nodiscard]] bool ok() const { return status == FitStatus::converged; }
  /// The name must be that of a parameter of the fit.
  [[nodiscard]] const FittedParameter& parameter(std::string_view name) const;
};

/// The error holds all that is wrong with data and options. A model that cannot be run with the guess is FitStatus::failed.
[[nodiscard]] Result<FitResult> fit(const Model& model, const std::vector<FitData>& data,
                                    const FitOptions& options);

/// For a person: a table.
[[nodiscard]] std::string render_text(const FitResult& result);
/// For a program: fit.json (docs/output.md).
[[nodiscard]] std::string render_json(const FitResult& result);

struct FitFilesOptions {
  std::string folder{};  ///< created with its parents
  bool csv = true;       ///< fit.csv
  bool json = true;      ///< fit.json
  bool html = true;      ///< fit.html
};
/// Says what could not be written.
[[nodiscard]] Diagnostics write_fit_files(const FitResult& result, const FitFilesOptions& options);

}  // namespace saltus
