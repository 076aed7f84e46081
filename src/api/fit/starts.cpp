#include "api/fit/starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "api/fit/loss.hpp"
#include "api/fit/trial_runs.hpp"
#include "base/on_threads.hpp"

namespace saltus::api {
namespace {

/// Bounds of one sign that are so far apart are sampled by their logarithms.
constexpr double kDecades = 100.0;

// In [0, 1), the same on every machine.
double uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11U) * 0x1p-53;
}

StartResult run_start(const FitSetup& setup, const FitOptions& options, const std::vector<double>& from) {
  TrialRuns runs(setup);
  LeastSquaresOptions squares{setup.lower,
                              setup.upper,
                              options.loss,
                              options.loss_scale.value_or(usual_scale(options.loss)),
                              static_cast<int>(std::min<std::int64_t>(options.max_iterations, 1'000'000)),
                              kSensitivityError * setup.rtol};
  StartResult result;
  result.squares = least_squares(runs, from, squares);
  result.problem = runs.problem();
  result.undefined = runs.undefined();
  result.statistics.runs = runs.n_runs();
  result.statistics.failed_runs = runs.n_failed();
  result.statistics.difference_columns = runs.n_differences();
  result.statistics.iterations = result.squares.iterations;
  return result;
}

}  // namespace

std::vector<std::vector<double>> choose_starts(const PreparedFit& prepared, const FitOptions& options) {
  std::vector<std::vector<double>> starts{prepared.guess};
  std::mt19937_64 random(options.seed);
  while (starts.size() < static_cast<std::size_t>(options.starts)) {
    std::vector<double> x;
    for (std::size_t p = 0; p < prepared.guess.size(); ++p) {
      const double low = prepared.setup.lower[p];
      const double high = prepared.setup.upper[p];
      const double part = uniform(random);
      const double value =
          low > 0.0 && high / low > kDecades ? low * std::pow(high / low, part) : low + part * (high - low);
      x.push_back(std::clamp(value, low, high));
    }
    starts.push_back(std::move(x));
  }
  return starts;
}

std::vector<StartResult> run_starts(const FitSetup& setup, const FitOptions& options,
                                    const std::vector<std::vector<double>>& starts) {
  std::vector<StartResult> results(starts.size());
  on_threads(starts.size(), options.threads,
             [&](std::size_t k) { results[k] = run_start(setup, options, starts[k]); });
  return results;
}

FitStatus status_of(const StartResult& start) {
  switch (start.squares.end) {
    case LeastSquaresResult::End::converged: return FitStatus::converged;
    case LeastSquaresResult::End::limit:
    case LeastSquaresResult::End::stalled: return FitStatus::limit;
    case LeastSquaresResult::End::halted: return start.has_point() ? FitStatus::limit : FitStatus::failed;
    case LeastSquaresResult::End::impossible: return FitStatus::failed;
  }
  return FitStatus::failed;
}

std::string message_of(const StartResult& start) {
  switch (start.squares.end) {
    case LeastSquaresResult::End::converged: return "";
    case LeastSquaresResult::End::limit:
      return fmt::format("no minimum was reached within {} iterations", start.squares.iterations);
    case LeastSquaresResult::End::stalled:
      return "no step lowers the cost, though its gradient is not zero: the residuals are not smooth here";
    case LeastSquaresResult::End::halted: return start.problem;
    case LeastSquaresResult::End::impossible:
      return "the model cannot be run with these values: " + start.problem;
  }
  return "";
}

std::size_t best_of(const std::vector<StartResult>& starts) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < starts.size(); ++k) {
    const bool is_lower = starts[k].has_point() &&
                          (!starts[best].has_point() || starts[k].squares.cost < starts[best].squares.cost);
    best = is_lower ? k : best;
  }
  return best;
}

}  // namespace saltus::api
