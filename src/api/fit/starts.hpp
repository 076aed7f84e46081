/// Several starts of one fit.
///
/// Method       the guess, and points within the bounds from mt19937_64: uniform, or uniform in the logarithm where bounds are positive and far apart
/// Contract     Starts are independent of each other and of the threads that work on them; the same seed gives the same starts on every machine.
///              What a start throws is thrown when all threads are done.
/// Checked by   tests/unit/api_fit/fit_test.cpp
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "api/fit/fit_setup.hpp"
#include "api/fit/levenberg_marquardt.hpp"

namespace saltus::api {

struct StartResult {
  LeastSquaresResult squares;
  std::string problem;    ///< the last reason why a run was impossible, or all was halted
  std::string undefined;  ///< why a sensitivity was; empty: none was
  FitStatistics statistics;

  /// Else not even the first point could be computed.
  [[nodiscard]] bool has_point() const { return !squares.point.residuals.empty(); }
};

/// All parameters have bounds if there are several.
[[nodiscard]] std::vector<std::vector<double>> choose_starts(const PreparedFit& prepared,
                                                             const FitOptions& options);
[[nodiscard]] std::vector<StartResult> run_starts(const FitSetup& setup, const FitOptions& options,
                                                  const std::vector<std::vector<double>>& starts);
/// The lowest cost, the first of equals; what could not be run comes last.
[[nodiscard]] std::size_t best_of(const std::vector<StartResult>& starts);

[[nodiscard]] FitStatus status_of(const StartResult& start);
/// For a person; empty for one that converged.
[[nodiscard]] std::string message_of(const StartResult& start);

}  // namespace saltus::api
