#include "api/fit/trial_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "api/options/variable_names.hpp"
#include "base/time_tolerance.hpp"
#include "sensitivity/diagnostic_codes.hpp"

namespace saltus::api {
namespace {

// The last of the rows at one instant, each search going on from the one before.
class RowFinder {
 public:
  RowFinder(std::span<const double> times, double scale) : times_(times), scale_(scale) {}

  std::optional<std::size_t> last_at(double t) {
    while (next_ < times_.size() && (times_[next_] <= t || same_instant(times_[next_], t, scale_))) {
      ++next_;
    }
    return next_ > 0 && same_instant(times_[next_ - 1], t, scale_) ? std::optional(next_ - 1) : std::nullopt;
  }

 private:
  std::span<const double> times_;
  double scale_;
  std::size_t next_ = 0;
};

bool is_halted(const SimulationResult& result) {
  return result.reason == Reason::interrupted || result.reason == Reason::time_limit ||
         result.reason == Reason::out_of_memory;
}

}  // namespace

SimulationOptions TrialRuns::options_for(const FitExperiment& experiment,
                                         const std::vector<double>& x) const {
  SimulationOptions options = setup_.simulation;
  options.stop = experiment.times.back();
  options.times = experiment.times;
  for (std::size_t p = 0; p < x.size(); ++p) {
    options.set.push_back({setup_.parameters[p], x[p]});
  }
  options.columns.clear();
  for (const std::size_t place : experiment.places) {
    options.columns.push_back(as_item(setup_.columns[place]));
  }
  return options;
}

void TrialRuns::fail(const FitExperiment& experiment, const std::string& why) {
  ++n_failed_;
  problem_ = setup_.experiments.size() > 1 ? fmt::format("{}: {}", experiment.data->source, why) : why;
}

PointOutcome TrialRuns::run(const FitExperiment& experiment, const std::vector<double>& x,
                            std::vector<double>& values, std::vector<double>* tangents) {
  SimulationOptions options = options_for(experiment, x);
  if (tangents != nullptr) {
    for (const std::string& name : setup_.parameters) {
      options.sensitivities.push_back(as_item(name));
    }
  }
  ++n_runs_;
  const Result<SimulationResult> result = simulate(setup_.model, options);
  if (!result) {
    const Diagnostics& why = result.error();
    fail(experiment, why.empty() ? "the model cannot be run" : why.items()[0].message);
    return PointOutcome::impossible;
  }
  if (is_halted(*result)) {
    problem_ = result->message;
    return PointOutcome::halted;
  }
  if (!result->ok()) {
    fail(experiment, fmt::format("{} ({})", result->message, to_string(result->reason)));
    return PointOutcome::impossible;
  }
  const Trajectory& rows = result->trajectory;
  const double scale = std::max(std::abs(result->start), std::abs(*options.stop));
  RowFinder row_finder(rows.times(), scale);
  RowFinder tangent_finder(tangents == nullptr ? std::span<const double>() : result->sensitivities->times,
                           scale);
  const std::size_t n = setup_.parameters.size();
  for (std::size_t k = 0; k < experiment.times.size(); ++k) {
    const double t = experiment.times[k];
    const std::optional<std::size_t> row = row_finder.last_at(t);
    const std::optional<std::size_t> tangent_row = tangent_finder.last_at(t);
    for (std::size_t c = 0; c < experiment.columns.size(); ++c) {
      if (std::isnan(experiment.data->columns[experiment.columns[c]].values[experiment.rows[k]])) {
        continue;
      }
      const double value = row ? rows.row(*row)[c] : std::nan("");
      if (!std::isfinite(value)) {
        fail(experiment,
             row ? fmt::format("'{}' has no value at time {}", setup_.columns[experiment.places[c]], t)
                 : fmt::format("the run ended at time {}, and there are data at time {}", result->end, t));
        return PointOutcome::impossible;
      }
      values.push_back(value);
      for (std::size_t p = 0; tangents != nullptr && p < n; ++p) {
        tangents->push_back(tangent_row ? result->sensitivities->row(*tangent_row, c)[p] : std::nan(""));
      }
    }
  }
  for (const Diagnostic& item : result->diagnostics.items()) {
    if (undefined_.empty() && item.code == sensitivity::kSensitivityUndefined.name) {
      undefined_ = item.message;
    }
  }
  return PointOutcome::good;
}

PointOutcome TrialRuns::run_all(const std::vector<double>& x, std::vector<double>& values,
                                std::vector<double>* tangents) {
  for (const FitExperiment& experiment : setup_.experiments) {
    if (const PointOutcome outcome = run(experiment, x, values, tangents); outcome != PointOutcome::good) {
      return outcome;
    }
  }
  return PointOutcome::good;
}

// A side that cannot be run is replaced by the point itself.
PointOutcome TrialRuns::difference(const std::vector<double>& x, const std::vector<double>& values,
                                   std::size_t parameter, std::vector<double>& tangents) {
  const std::size_t n = x.size();
  const double h = std::cbrt(setup_.rtol) * std::max(std::abs(x[parameter]), setup_.sizes[parameter]);
  double places[2] = {std::max(x[parameter] - h, setup_.lower[parameter]),
                      std::min(x[parameter] + h, setup_.upper[parameter])};
  std::vector<double> sides[2];
  for (int side = 0; side < 2; ++side) {
    std::vector<double> moved = x;
    moved[parameter] = places[side];
    const PointOutcome outcome =
        moved[parameter] == x[parameter] ? PointOutcome::impossible : run_all(moved, sides[side], nullptr);
    if (outcome == PointOutcome::halted) {
      return outcome;
    }
    if (outcome == PointOutcome::impossible) {
      places[side] = x[parameter];
      sides[side] = values;
    }
  }
  ++n_differences_;
  const double width = places[1] - places[0];
  if (!(width > 0.0)) {
    problem_ =
        fmt::format("the sensitivity to '{}' is undefined, and the model cannot be run beside its value {}",
                    setup_.parameters[parameter], x[parameter]);
    return PointOutcome::impossible;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    tangents[i * n + parameter] = (sides[1][i] - sides[0][i]) / width;
  }
  return PointOutcome::good;
}

PointOutcome TrialRuns::evaluate(LeastSquaresPoint& point) {
  const std::size_t n = point.x.size();
  std::vector<double> values;
  std::vector<double> tangents;
  if (const PointOutcome outcome = run_all(point.x, values, &tangents); outcome != PointOutcome::good) {
    return outcome;
  }
  point.jacobian_accuracy = kSensitivityError * setup_.rtol;
  for (std::size_t p = 0; p < n; ++p) {
    bool is_known = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
      is_known = is_known && std::isfinite(tangents[i * n + p]);
    }
    // A parameter without room does not move.
    const bool is_fixed = setup_.lower[p] == setup_.upper[p];
    if (!is_known && is_fixed) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        tangents[i * n + p] = 0.0;
      }
    } else if (!is_known) {
      point.jacobian_accuracy =
          std::max(point.jacobian_accuracy, kDifferenceError * std::pow(setup_.rtol, 2.0 / 3.0));
      if (const PointOutcome outcome = difference(point.x, values, p, tangents);
          outcome != PointOutcome::good) {
        return outcome;
      }
    }
  }
  point.residuals.resize(values.size());
  point.jacobian = linalg::DenseMatrix(static_cast<Index>(values.size()), static_cast<Index>(n));
  double square = 0.0;
  std::size_t i = 0;
  for (const FitExperiment& experiment : setup_.experiments) {
    for (const std::size_t row : experiment.rows) {
      for (std::size_t c = 0; c < experiment.columns.size(); ++c) {
        const double measured = experiment.data->columns[experiment.columns[c]].values[row];
        if (std::isnan(measured)) {
          continue;
        }
        const double sigma = setup_.sigma[experiment.places[c]];
        point.residuals[i] = (values[i] - measured) / sigma;
        for (std::size_t p = 0; p < n; ++p) {
          point.jacobian(static_cast<Index>(i), static_cast<Index>(p)) = tangents[i * n + p] / sigma;
        }
        const double unknown =
            (setup_.rtol * std::abs(values[i]) + setup_.tolerance * setup_.nominal[experiment.places[c]]) /
            sigma;
        square += unknown * unknown;
        ++i;
      }
    }
  }
  point.accuracy = std::sqrt(square);
  drop_noise(point);
  return PointOutcome::good;
}

void TrialRuns::drop_noise(LeastSquaresPoint& point) const {
  const Index rows = point.jacobian.rows();
  for (std::size_t p = 0; p < point.x.size(); ++p) {
    const double size = std::max(std::abs(point.x[p]), setup_.sizes[p]);
    double square = 0.0;
    for (const double entry : point.jacobian.column(static_cast<Index>(p))) {
      square += entry * size * entry * size;
    }
    for (Index i = 0; std::sqrt(square) <= point.accuracy && i < rows; ++i) {
      point.jacobian(i, static_cast<Index>(p)) = 0.0;
    }
  }
}

std::vector<SimulationResult> TrialRuns::solutions(const std::vector<double>& x) {
  std::vector<SimulationResult> all;
  for (const FitExperiment& experiment : setup_.experiments) {
    SimulationOptions options = options_for(experiment, x);
    options.times.clear();
    options.interval = std::nullopt;
    options.rows_at_steps = false;
    ++n_runs_;
    Result<SimulationResult> result = simulate(setup_.model, options);
    all.push_back(result ? *std::move(result) : SimulationResult());
  }
  return all;
}

}  // namespace saltus::api
