#include "saltus/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "api/fit/diagnostic_codes.hpp"
#include "api/fit/fit_setup.hpp"
#include "api/fit/fit_statistics.hpp"
#include "api/fit/loss.hpp"
#include "api/fit/starts.hpp"
#include "api/fit/trial_runs.hpp"
#include "saltus/contract.hpp"
#include "sensitivity/diagnostic_codes.hpp"

namespace saltus {
namespace {

using api::FitSetup;
using api::LeastSquaresResult;
using api::StartResult;

/// Of the variance of residuals: errors of runs beyond it show in the standard errors.
constexpr double kVisibleError = 0.1;
/// In standard deviations of χ²: chance is one in some millions.
constexpr double kMisfit = 5.0;
/// Parts of a combination that are smaller do not count.
constexpr double kSmallShare = 1e-3;

UnseenCombination describe(const api::FitQuality::Unseen& unseen, const FitSetup& setup,
                           const std::vector<double>& x) {
  UnseenCombination combination;
  combination.singular_value = unseen.singular_value;
  const auto relative = [&](std::size_t p) {
    return unseen.change[p] / (x[p] != 0.0 ? x[p] : setup.sizes[p]);
  };
  double largest = 0.0;
  for (std::size_t p = 0; p < x.size(); ++p) {
    largest = std::abs(relative(p)) > std::abs(largest) ? relative(p) : largest;
  }
  std::string text;
  for (std::size_t p = 0; p < x.size(); ++p) {
    if (unseen.change[p] == 0.0 || std::abs(relative(p) / largest) < kSmallShare) {
      continue;
    }
    const double change = unseen.change[p] / largest;
    combination.names.push_back(setup.parameters[p]);
    combination.change.push_back(change);
    combination.relative.push_back(x[p] != 0.0 ? change / x[p] : std::nan(""));
    const std::string part = x[p] != 0.0
                                 ? fmt::format("'{}' by {:+.3g} %", setup.parameters[p], change / x[p])
                                 : fmt::format("'{}' by {:+.3g}", setup.parameters[p], 0.01 * change);
    text += (text.empty() ? "" : ", ") + part;
  }
  combination.text = combination.names.size() == 1
                         ? fmt::format("the data do not depend on '{}'", combination.names[0])
                         : fmt::format("the data do not change when {} together", text);
  return combination;
}

class Assembly {
 public:
  Assembly(const api::PreparedFit& prepared, const FitOptions& options, FitResult& result)
      : prepared_(prepared), setup_(prepared.setup), options_(options), result_(result) {}

  void put_names() {
    result_.model = setup_.model.name();
    result_.seed = options_.seed;
    result_.loss = options_.loss;
    result_.loss_scale =
        options_.loss == Loss::none ? 0.0 : options_.loss_scale.value_or(api::usual_scale(options_.loss));
    result_.columns = setup_.columns;
    result_.sigma = setup_.sigma;
    for (const api::FitExperiment& experiment : setup_.experiments) {
      result_.experiments.push_back(experiment.data->source);
    }
  }

  void put_starts(const std::vector<StartResult>& starts, const std::vector<std::vector<double>>& from) {
    std::string undefined;
    for (std::size_t k = 0; k < starts.size(); ++k) {
      const StartResult& start = starts[k];
      result_.starts.push_back({from[k], start.squares.point.x,
                                start.has_point() ? start.squares.cost : std::nan(""), status_of(start),
                                message_of(start)});
      result_.statistics.runs += start.statistics.runs;
      result_.statistics.failed_runs += start.statistics.failed_runs;
      result_.statistics.iterations += start.statistics.iterations;
      result_.statistics.difference_columns += start.statistics.difference_columns;
      undefined = undefined.empty() ? start.undefined : undefined;
    }
    if (result_.statistics.difference_columns > 0) {
      result_.diagnostics.warning(sensitivity::kSensitivityUndefined,
                                  fmt::format("{} columns of Jacobians were taken by differences of runs, "
                                              "because a sensitivity was undefined: {}",
                                              result_.statistics.difference_columns, undefined));
    }
  }

  void put_best(const StartResult& best) {
    const LeastSquaresResult& squares = best.squares;
    result_.status = status_of(best);
    result_.message = message_of(best);
    for (std::size_t p = 0; p < setup_.parameters.size(); ++p) {
      FittedParameter parameter;
      parameter.name = setup_.parameters[p];
      parameter.value = squares.point.x[p];
      parameter.guess = prepared_.guess[p];
      parameter.lower = setup_.lower[p];
      parameter.upper = setup_.upper[p];
      parameter.at_bound = squares.is_held[p] != 0;
      result_.parameters.push_back(std::move(parameter));
    }
    const std::size_t n = setup_.parameters.size();
    result_.correlation.assign(n * n, std::nan(""));
    if (!best.has_point()) {
      return;
    }
    result_.cost = squares.cost;
    put_quality(squares);
    if (squares.is_kink) {
      result_.diagnostics.warning(
          api::kFitKink,
          "the cost has a kink at its minimum, as where a datum lies at an event: standard "
          "errors are those of one of its sides");
    }
    put_rows(squares.point);
  }

  // The starts that are missing might have found a lower cost.
  void note_halt(const std::vector<StartResult>& starts) {
    const auto halted = std::find_if(starts.begin(), starts.end(), [](const StartResult& start) {
      return start.squares.end == LeastSquaresResult::End::halted;
    });
    if (halted != starts.end() && result_.status != FitStatus::failed) {
      result_.status = FitStatus::limit;
      result_.message = halted->problem;
    }
  }

 private:
  void put_quality(const LeastSquaresResult& squares) {
    const api::FitQuality quality =
        api::fit_quality(squares.point, squares.is_held,
                         {options_.loss, options_.loss_scale.value_or(api::usual_scale(options_.loss)),
                          prepared_.is_variance_known, api::kSensitivityError * setup_.rtol});
    result_.correlation = quality.correlation;
    result_.variance = quality.variance;
    result_.is_variance_known = prepared_.is_variance_known;
    result_.degrees_of_freedom = quality.degrees_of_freedom;
    for (std::size_t p = 0; p < result_.parameters.size(); ++p) {
      FittedParameter& parameter = result_.parameters[p];
      parameter.standard_error = quality.standard_errors[p];
      parameter.low = parameter.value - quality.half_width * parameter.standard_error;
      parameter.high = parameter.value + quality.half_width * parameter.standard_error;
    }
    for (const api::FitQuality::Unseen& unseen : quality.unseen) {
      result_.unidentifiable.push_back(describe(unseen, setup_, squares.point.x));
    }
    if (!result_.unidentifiable.empty() && result_.status == FitStatus::converged) {
      result_.status = FitStatus::unidentifiable;
      result_.message = result_.unidentifiable[0].text;
    }
    warn_of_misfit(quality);
    warn_of_inaccuracy(squares.point, quality);
  }

  // χ² of m - n degrees is normal in its third root (E. B. Wilson, M. M. Hilferty, PNAS 17, 1931).
  void warn_of_misfit(const api::FitQuality& quality) {
    if (!prepared_.is_variance_known || quality.degrees_of_freedom <= 0) {
      return;
    }
    const auto freedom = static_cast<double>(quality.degrees_of_freedom);
    const double variance = 2.0 / (9.0 * freedom);
    const double deviation =
        (std::cbrt(2.0 * result_.cost / freedom) - (1.0 - variance)) / std::sqrt(variance);
    if (deviation > kMisfit) {
      result_.diagnostics.warning(
          api::kFitMisfit,
          fmt::format("the residuals are {:.3g} times as large as sigma says: standard errors are too small",
                      std::sqrt(2.0 * result_.cost / freedom)),
          std::nullopt,
          "the model or sigma is not right, or there is a lower minimum: see the residuals, and give "
          "--starts");
    }
  }

  void warn_of_inaccuracy(const api::LeastSquaresPoint& point, const api::FitQuality& quality) {
    const double error = point.accuracy / std::sqrt(static_cast<double>(point.residuals.size()));
    const double noise = std::sqrt(quality.variance);
    if (error > kVisibleError * noise) {
      result_.diagnostics.warning(
          api::kFitAccuracy,
          fmt::format(
              "the tolerance of the runs is {} the noise of the data: it shows in the parameters, and "
              "standard errors do not count it",
              error > noise ? std::string("more than") : fmt::format("{:.2g} of", error / noise)),
          std::nullopt, "give a smaller --tolerance");
    }
  }

  void put_rows(const api::LeastSquaresPoint& point) {
    std::size_t i = 0;
    for (std::size_t e = 0; e < setup_.experiments.size(); ++e) {
      const api::FitExperiment& experiment = setup_.experiments[e];
      for (std::size_t k = 0; k < experiment.rows.size(); ++k) {
        for (std::size_t c = 0; c < experiment.columns.size(); ++c) {
          const double data = experiment.data->columns[experiment.columns[c]].values[experiment.rows[k]];
          if (std::isnan(data)) {
            continue;
          }
          const std::size_t column = experiment.places[c];
          const double residual = point.residuals[i++];
          result_.rows.push_back(
              {e, experiment.times[k], column, data, data + residual * setup_.sigma[column], residual});
        }
      }
    }
  }

  const api::PreparedFit& prepared_;
  const FitSetup& setup_;
  const FitOptions& options_;
  FitResult& result_;
};

// The fitted solution, for drawing, and what its runs say.
void put_solutions(const FitSetup& setup, const std::vector<double>& x, FitResult& result) {
  api::TrialRuns runs(setup);
  for (SimulationResult& solution : runs.solutions(x)) {
    result.solutions.push_back(std::move(solution.trajectory));
    result.diagnostics.append(std::move(solution.diagnostics));
  }
  result.statistics.runs += runs.n_runs();
}

}  // namespace

std::string_view to_string(FitStatus status) {
  switch (status) {
    case FitStatus::converged: return "converged";
    case FitStatus::limit: return "limit";
    case FitStatus::unidentifiable: return "unidentifiable";
    case FitStatus::failed: return "failed";
  }
  return "failed";
}

const FittedParameter& FitResult::parameter(std::string_view name) const {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const FittedParameter& item) { return item.name == name; });
  SALTUS_EXPECT(found != parameters.end(), "no parameter '" + std::string(name) + "' was fitted");
  return *found;
}

Result<FitResult> fit(const Model& model, const std::vector<FitData>& data, const FitOptions& options) {
  const auto began = std::chrono::steady_clock::now();
  const Result<api::PreparedFit> prepared = api::prepare_fit(model, data, options);
  if (!prepared) {
    return Unexpected(prepared.error());
  }
  FitResult result;
  result.diagnostics = prepared->warnings;
  Assembly assembly(*prepared, options, result);
  assembly.put_names();
  const std::vector<std::vector<double>> from = api::choose_starts(*prepared, options);
  const std::vector<StartResult> starts = api::run_starts(prepared->setup, options, from);
  assembly.put_starts(starts, from);
  const StartResult& best = starts[api::best_of(starts)];
  assembly.put_best(best);
  assembly.note_halt(starts);
  if (best.has_point()) {
    put_solutions(prepared->setup, best.squares.point.x, result);
  }
  result.statistics.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

}  // namespace saltus
