// How the solution of a run moves with parameters and start values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace saltus {

/// Derivatives of the solution with respect to what SimulationOptions::sensitivities names, along one run. NaN: undefined, and a diagnostic
/// sensitivity-undefined says since when and why.
///
/// Values are derivatives at a fixed time. At an event they jump: there are rows before and after it, as in the Trajectory.
struct Sensitivities {
  std::vector<std::string>
      parameters;  ///< keys: names of parameters, and of variables whose start value is meant
  std::vector<double> parameter_values;  ///< of these in this run
  std::vector<std::string> columns;  ///< the Real variables and the guards among SimulationResult::columns

  // The rows, at the times of the Trajectory, of the rounds of an event the last (empty without SimulationOptions::keep_rows).
  std::vector<double> times;
  std::vector<std::int64_t> segments;
  std::vector<std::uint32_t> modes;     ///< places in mode_names
  std::vector<std::string> mode_names;  ///< as Trajectory::mode
  std::vector<double> values;           ///< [row][column][parameter]

  /// Of every variable of SimulationResult::variables at the end of the run, [variable][parameter]; 0 for Integers and Booleans. NaN too
  /// where the run ended between two rows.
  std::vector<double> final_values;
  std::vector<double> event_times;  ///< of the times of SimulationResult::events, [event][parameter]

  /// By variable: its largest absolute value in the rows of the run, at least a thousandth of its nominal value.
  std::vector<double> scales;
  /// The largest |p·∂x/∂p| / scale of x over all rows and Real variables x: what a relative change of p does to the solution, relative to its
  /// size. p is the value of the parameter or start value; where that is 0 the nominal value of the variable, 1 for a parameter.
  struct Influence {
    std::string parameter;
    double measure = 0.0;
  };
  std::vector<Influence>
      most_influential;  ///< all parameters, the largest first; undefined values do not count
  std::vector<std::string> zero_sensitivities;  ///< parameters that nothing moves with, up to rounding

  /// SimulationOptions::sensitivity_check: the same derivatives from runs with other values.
  struct Check {
    std::string parameter;
    /// |S - difference quotient| / (|S| + scale of x / |p|), the largest over the final values of all Real variables, and the same of the times of
    /// events with the length of the run as scale. NaN: nothing could be compared.
    double largest_difference = std::numeric_limits<double>::quiet_NaN();
    std::string at;  ///< the variable, or "time of event 3"; what kept it from being compared
  };
  std::vector<Check> check;

  /// Place of a key in `parameters`, or -1.
  [[nodiscard]] std::ptrdiff_t parameter(std::string_view key) const;
  /// One row of one column: by parameter.
  [[nodiscard]] std::span<const double> row(std::size_t row, std::size_t column) const {
    const std::size_t n = parameters.size();
    return std::span(values).subspan((row * columns.size() + column) * n, n);
  }
  [[nodiscard]] std::string_view mode(std::size_t row) const { return mode_names[modes[row]]; }
  /// At the end of the run, by parameter; `variable`: place in SimulationResult::variables.
  [[nodiscard]] std::span<const double> final_row(std::size_t variable) const {
    return std::span(final_values).subspan(variable * parameters.size(), parameters.size());
  }
};

}  // namespace saltus
