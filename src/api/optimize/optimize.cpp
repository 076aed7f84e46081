#include "saltus/optimize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "api/gradient/diagnostic_codes.hpp"
#include "api/gradient/evaluate.hpp"
#include "api/gradient/functional_model.hpp"
#include "api/gradient/functional_text.hpp"
#include "api/model/diagnostic_codes.hpp"
#include "api/model/model_data.hpp"
#include "api/model/number_option.hpp"
#include "api/optimize/constraint_text.hpp"
#include "api/optimize/nonlinear_program.hpp"
#include "api/options/run_settings.hpp"
#include "api/results/work_guard.hpp"
#include "api/run.hpp"
#include "api/traced/repeated_run.hpp"
#include "saltus/contract.hpp"
#include "saltus/fit.hpp"

namespace saltus {

std::string_view to_string(OptimizeStatus status) {
  switch (status) {
    case OptimizeStatus::converged: return "converged";
    case OptimizeStatus::infeasible: return "infeasible";
    case OptimizeStatus::limit: return "limit";
    case OptimizeStatus::failed: return "failed";
  }
  return "failed";
}

const OptimizeResult::Parameter& OptimizeResult::parameter(std::string_view name) const {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const Parameter& parameter) { return parameter.name == name; });
  SALTUS_EXPECT(found != parameters.end(), "no parameter '" + std::string(name) + "'");
  return *found;
}

namespace api {
namespace {

// Runs are not more accurate than this many tolerances.
constexpr double kAccuracyOverTolerance = 10.0;

class Optimizer {
 public:
  Optimizer(const Model& model, const std::string& objective, const OptimizeOptions& options)
      : model_(model), options_(options) {
    result_.model = model.name();
    result_.objective = objective;
  }

  Result<OptimizeResult> run() {
    if (Diagnostics problems = check(); problems.has_errors()) {
      return Unexpected(std::move(problems));
    }
    if (Diagnostics problems = read(); problems.has_errors()) {
      return Unexpected(std::move(problems));
    }
    if (Diagnostics problems = begin(); problems.has_errors()) {
      return Unexpected(std::move(problems));
    }
    const ProgramSolution solution = minimize(program_);
    fill(solution);
    result_.wall_seconds = clock_.seconds();
    return std::move(result_);
  }

 private:
  [[nodiscard]] Diagnostics check() const {
    Diagnostics problems;
    const auto wrong = [&](std::string message) { problems.error(kWrongOptionValue, std::move(message)); };
    if (options_.parameters.empty()) {
      wrong("--params must name what is changed");
    }
    for (const OptimizeParameter& parameter : options_.parameters) {
      const auto n =
          std::count_if(options_.parameters.begin(), options_.parameters.end(),
                        [&](const OptimizeParameter& other) { return other.name == parameter.name; });
      if (n > 1 && &parameter != &options_.parameters.front()) {
        wrong(fmt::format("--params names '{}' more than once", parameter.name));
      }
      if (!(parameter.lower < parameter.upper)) {
        wrong(fmt::format("--params: the bounds of '{}' leave no room between {} and {}", parameter.name,
                          parameter.lower, parameter.upper));
      }
      if (parameter.guess && !std::isfinite(*parameter.guess)) {
        wrong(fmt::format("--params: the guess of '{}' is not a number", parameter.name));
      }
    }
    if (!(options_.accuracy > 0.0 && options_.accuracy < 1.0)) {
      wrong(fmt::format("--accuracy lies between 0 and 1, not {}", options_.accuracy));
    }
    return problems;
  }

  // Functionals: the objective, then both sides of each constraint.
  [[nodiscard]] Diagnostics read() {
    std::vector<std::string> texts{result_.objective};
    for (const std::string& subject : options_.subject) {
      Result<ConstraintText> constraint = read_constraint(subject);
      if (!constraint) {
        return std::move(constraint).error();
      }
      texts.push_back(constraint->left);
      texts.push_back(constraint->right);
      constraints_.push_back(*std::move(constraint));
    }
    Result<FunctionalTexts> read = read_functionals("--minimize, --subject", texts);
    if (!read) {
      return std::move(read).error();
    }
    const WorkLimits limits{options_.simulation.stop_requested, options_.simulation.max_time,
                            options_.simulation.began.value_or(std::chrono::steady_clock::now())};
    Result<FunctionalModel> made = under_limits(
        limits, "while the functionals were read",
        [&] { return make_functional_model(model_, *std::move(read), options_.simulation.set); },
        [](const EarlyEnd& end) -> Result<FunctionalModel> { return Unexpected(end.diagnostics()); });
    if (!made) {
      return std::move(made).error();
    }
    functionals_.emplace(*std::move(made));
    return {};
  }

  // A first run says what the guesses are that nobody gave.
  [[nodiscard]] Diagnostics begin() {
    Diagnostics problems;
    const RunSettings settings = resolve(functionals_->model, options_.simulation, problems);
    if (problems.has_errors()) {
      return problems;
    }
    SimulationOptions options = options_.simulation;
    std::vector<std::string> names;
    for (const OptimizeParameter& parameter : options_.parameters) {
      names.push_back(parameter.name);
      if (parameter.guess) {
        options.set.push_back({parameter.name, *parameter.guess});
      }
    }
    Result<EvaluatedFunctionals> first = api::evaluate(*functionals_, options, names, "--params");
    if (!first) {
      return std::move(first).error();
    }
    if (first->names.empty()) {  // it ended before anything was known
      first->names = names;
      first->at.assign(names.size(), 0.0);
    }
    if (first->names != names) {
      problems.error(kWrongOptionValue, "--params takes names of single parameters and variables");
      return problems;
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      const OptimizeParameter& given = options_.parameters[i];
      const double at = given.guess.value_or(first->at[i]);
      if (!(at >= given.lower && at <= given.upper)) {
        problems.error(kWrongOptionValue,
                       fmt::format("--params: the guess {} of '{}' lies outside of its bounds, {} to {}", at,
                                   given.name, given.lower, given.upper));
      }
      const double range = given.upper - given.lower;
      program_.start.push_back(at);
      program_.lower.push_back(given.lower);
      program_.upper.push_back(given.upper);
      program_.sizes.push_back(at != 0.0 ? std::abs(at) : std::isfinite(range) ? 0.5 * range : 1.0);
      result_.parameters.push_back({given.name, at, at, given.lower, given.upper, false});
    }
    first_ = *std::move(first);
    result_.diagnostics = first_.run.diagnostics;
    for (const ConstraintText& constraint : constraints_) {
      program_.is_equality.push_back(constraint.relation == ConstraintText::Relation::equal);
    }
    program_.accuracy = std::max(options_.accuracy, kAccuracyOverTolerance * settings.rtol);
    program_.noise = settings.rtol;
    program_.max_iterations = options_.max_iterations;
    program_.evaluate = [this](const std::vector<double>& x) { return evaluate(x); };
    const std::optional<double> max_time = settings.max_time;
    program_.stop_requested = [this, max_time] {
      const bool is_asked =
          options_.simulation.stop_requested != nullptr && *options_.simulation.stop_requested;
      return is_asked || (max_time && clock_.seconds() > *max_time);
    };
    return problems;
  }

  ProgramPoint evaluate(const std::vector<double>& x) {
    ++result_.runs;
    EvaluatedFunctionals found;
    if (result_.runs == 1) {
      found = std::move(first_);
    } else {
      SimulationOptions options = options_.simulation;
      std::vector<std::string> names;
      for (std::size_t i = 0; i < x.size(); ++i) {
        names.push_back(options_.parameters[i].name);
        options.set.push_back({names.back(), x[i]});
      }
      Result<EvaluatedFunctionals> run = api::evaluate(*functionals_, options, names, "--params");
      if (run) {
        found = *std::move(run);
      } else {
        // As assertions over parameters, and bounds of theirs, are told.
        found.problem =
            run.error().items().empty() ? "it cannot be run" : run.error().items().front().message;
      }
    }
    ProgramPoint point = point_of(found);
    if (!point.problem.empty()) {
      result_.failed_trials.push_back({x, point.problem});
    }
    return point;
  }

  // Constraints as c ≤ 0 or c = 0.
  [[nodiscard]] ProgramPoint point_of(const EvaluatedFunctionals& found) const {
    ProgramPoint point;
    point.problem = found.problem;
    if (!point.problem.empty()) {
      return point;
    }
    const std::size_t n = found.names.size();
    point.others.assign(found.values.begin() + 1, found.values.end());
    const auto derivative = [&](std::size_t f, std::size_t k) { return found.gradients[f * n + k]; };
    point.value = found.values.front();
    point.noise = found.noise.front();
    for (std::size_t k = 0; k < n; ++k) {
      point.gradient.push_back(derivative(0, k));
    }
    for (std::size_t j = 0; j < constraints_.size(); ++j) {
      const double sign = constraints_[j].relation == ConstraintText::Relation::at_least ? -1.0 : 1.0;
      point.constraints.push_back(sign * (found.values[2 * j + 1] - found.values[2 * j + 2]));
      for (std::size_t k = 0; k < n; ++k) {
        point.jacobian.push_back(sign * (derivative(2 * j + 1, k) - derivative(2 * j + 2, k)));
      }
    }
    for (std::size_t f = 0; f < found.values.size(); ++f) {
      for (std::size_t k = 0; k < n; ++k) {
        if (!std::isfinite(derivative(f, k))) {
          const FunctionalTexts& texts = functionals_->texts;
          point.problem = fmt::format("the derivative of '{}' with respect to '{}' is undefined",
                                      texts.source->text(texts.functionals[f].span), found.names[k]);
        }
      }
    }
    return point;
  }

  void fill(const ProgramSolution& solution) {
    switch (solution.status) {
      case ProgramSolution::Status::converged: result_.status = OptimizeStatus::converged; break;
      case ProgramSolution::Status::infeasible: result_.status = OptimizeStatus::infeasible; break;
      case ProgramSolution::Status::limit: result_.status = OptimizeStatus::limit; break;
      case ProgramSolution::Status::failed: result_.status = OptimizeStatus::failed; break;
    }
    const bool is_failed = result_.status == OptimizeStatus::failed;
    result_.message = is_failed ? "with the guess: " + solution.message : solution.message;
    result_.iterations = solution.iterations;
    result_.refused_steps = solution.refused;
    for (std::size_t i = 0; i < result_.parameters.size(); ++i) {
      result_.parameters[i].value = solution.x[i];
      result_.parameters[i].at_bound = !is_failed && solution.at_bound[i];
      if (!is_failed && solution.without_influence[i]) {
        result_.diagnostics.warning(kNoInfluence,
                                    fmt::format("nothing depends on '{}' near {}: it stays where it was",
                                                result_.parameters[i].name, solution.x[i]));
      }
    }
    for (std::size_t j = 0; j < constraints_.size(); ++j) {
      result_.constraints.push_back({options_.subject[j]});
      if (is_failed) {
        continue;
      }
      OptimizeResult::Constraint& constraint = result_.constraints.back();
      const double c = solution.point.constraints[j];
      const bool is_equality = program_.is_equality[j];
      constraint.left = solution.point.others[2 * j];
      constraint.right = solution.point.others[2 * j + 1];
      constraint.violation = is_equality ? std::abs(c) : std::max(0.0, c);
      constraint.multiplier = solution.multipliers[j];
      constraint.is_active = is_equality || solution.is_active[j];
    }
    if (!is_failed) {
      result_.value = solution.point.value;
      result_.gradient = solution.point.gradient;
    }
  }

  const Model& model_;
  const OptimizeOptions& options_;
  WallClock clock_;
  OptimizeResult result_;
  std::vector<ConstraintText> constraints_;
  std::optional<FunctionalModel> functionals_;
  EvaluatedFunctionals first_;
  NonlinearProgram program_;
};

}  // namespace
}  // namespace api

Result<OptimizeResult> optimize(const Model& model, const std::string& objective,
                                const OptimizeOptions& options) {
  Model newest = model;
  return api::with_newest(
      newest, [&](const Model& present) { return api::Optimizer(present, objective, options).run(); });
}

Diagnostics set_optimize_option(OptimizeOptions& options, std::string_view name, std::string_view value) {
  const auto wrong = [&](std::string_view what) {
    Diagnostics problems;
    problems.error(api::kWrongOptionValue, fmt::format("--{} takes {}, not '{}'", name, what, value));
    return problems;
  };
  if (name == "params") {  // written as for a fit
    FitOptions fit;
    Diagnostics problems = set_fit_option(fit, name, value);
    for (FitParameter& item : fit.parameters) {
      options.parameters.push_back({std::move(item.name), item.guess, item.lower, item.upper});
    }
    return problems;
  }
  if (name == "subject") {
    options.subject.emplace_back(value);
    return {};
  }
  if (name == "accuracy") {
    const std::optional<double> number = api::parse_number(value);
    options.accuracy = number.value_or(options.accuracy);
    return number ? Diagnostics{} : wrong("a number between 0 and 1");
  }
  if (name == "max-iterations") {
    const std::optional<std::int64_t> number = api::parse_count(value);
    options.max_iterations = number.value_or(options.max_iterations);
    return number && *number >= 0 ? Diagnostics{} : wrong("a whole number of at least 0");
  }
  return set_option(options.simulation, name, value);
}

}  // namespace saltus
