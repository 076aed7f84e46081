/// Residuals of data and their Jacobian, by one run of the model for each experiment.
///
/// Problem      r = (y(t) - data)/sigma and ∂r/∂p at the times of the data, for trial values p of parameters and start values
/// Method       rows and forward sensitivities of the run at exactly these times (SimulationOptions::times, ::sensitivities). Where a sensitivity is
///              undefined at a datum that column of the Jacobian comes from two runs with values on both sides, as far as bounds allow, h =
///              ∛rtol of the size of the parameter: the error of the runs over h and that of the quotient are alike.
///              A column is zero where a change of the parameter by its own size would change all data by no more than the tolerance of the runs.
/// Contract     At the time of an event the values after it count. A run that does not reach the last time, or has no value for a datum, makes the
///              point impossible; problem() says why. What a limit of time or somebody outside ends halts the fit.
/// Cost         one run for each experiment; two more for each column by differences. Nothing is compiled: values are bound to the code of the model,
///              but where inputs are driven by tables.
/// Checked by   tests/unit/api_fit/trial_runs_test.cpp
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/fit/levenberg_marquardt.hpp"
#include "saltus/fit.hpp"
#include "saltus/simulate.hpp"

namespace saltus::api {

/// Relative accuracy of sensitivities, in units of rtol: errors of steps add up along a run. Two parameters that only their product matters of had
/// columns that differed by 10·rtol in a model of index 3.
inline constexpr double kSensitivityError = 100.0;
/// … and of differences of runs: rtol over h, and the third derivative times h².
inline constexpr double kDifferenceError = 3.0;  // in units of rtol^(2/3)

struct FitExperiment {
  const FitData* data = nullptr;
  std::vector<std::size_t> columns;  ///< of data, that have values
  std::vector<std::size_t> places;   ///< of these in FitSetup::columns
  std::vector<std::size_t> rows;     ///< of data, that have values
  std::vector<double> times;         ///< of these
};

/// What all trials have in common; outlives them.
struct FitSetup {
  const Model& model;
  std::vector<std::string> parameters;  ///< names
  std::vector<double> sizes;            ///< typical, > 0
  std::vector<double> lower;
  std::vector<double> upper;
  std::vector<std::string> columns;
  std::vector<double> sigma;    ///< by column
  std::vector<double> nominal;  ///< by column
  std::vector<FitExperiment> experiments;
  std::size_t n_data = 0;
  SimulationOptions simulation;
  double rtol = 0.0;
  double tolerance = 0.0;  ///< of nominal values
};

class TrialRuns final : public LeastSquaresProblem {
 public:
  explicit TrialRuns(const FitSetup& setup) : setup_(setup) {}

  [[nodiscard]] PointOutcome evaluate(LeastSquaresPoint& point) override;

  /// Of the last point that was impossible, or of what halted.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] std::int64_t n_runs() const { return n_runs_; }
  [[nodiscard]] std::int64_t n_failed() const { return n_failed_; }
  [[nodiscard]] std::int64_t n_differences() const { return n_differences_; }
  /// Why the first sensitivity was undefined; empty: none was.
  [[nodiscard]] const std::string& undefined() const { return undefined_; }
  /// The same runs once more, with rows for drawing and without sensitivities; of experiments that cannot be run empty ones.
  [[nodiscard]] std::vector<SimulationResult> solutions(const std::vector<double>& x);

 private:
  [[nodiscard]] SimulationOptions options_for(const FitExperiment& experiment,
                                              const std::vector<double>& x) const;
  // Values of the data of one experiment after `values`; with sensitivities, [datum][parameter].
  [[nodiscard]] PointOutcome run(const FitExperiment& experiment, const std::vector<double>& x,
                                 std::vector<double>& values, std::vector<double>* tangents);
  [[nodiscard]] PointOutcome run_all(const std::vector<double>& x, std::vector<double>& values,
                                     std::vector<double>* tangents);
  [[nodiscard]] PointOutcome difference(const std::vector<double>& x, const std::vector<double>& values,
                                        std::size_t parameter, std::vector<double>& tangents);
  void fail(const FitExperiment& experiment, const std::string& why);
  void drop_noise(LeastSquaresPoint& point) const;

  const FitSetup& setup_;
  std::string problem_;
  std::string undefined_;
  std::int64_t n_runs_ = 0;
  std::int64_t n_failed_ = 0;
  std::int64_t n_differences_ = 0;
};

}  // namespace saltus::api
