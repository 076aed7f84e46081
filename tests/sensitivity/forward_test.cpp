// Forward sensitivities against differences of converged runs, with every kind of method.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "problems.hpp"
#include "saltus/saltus.hpp"

namespace saltus::test {
namespace {

// Runs of the oracle: their errors over the width of the stencil are the error of the differences.
constexpr double kOracleTolerance = 1e-12;
constexpr double kWidth = 1e-3;

const std::vector<std::string> kColumns{"all", "guards"};

std::optional<SimulationResult> run(const SensitivityProblem& problem, const SimulationOptions& options) {
  const Result<Model> model = Model::from_text("m.saltus", problem.text);
  if (!model) {
    ADD_FAILURE() << problem.name << render_text(model.error());
    return std::nullopt;
  }
  Result<SimulationResult> result = simulate(*model, options);
  if (!result) {
    ADD_FAILURE() << problem.name << render_text(result.error());
    return std::nullopt;
  }
  if (result->status != SimulationStatus::success && result->status != SimulationStatus::terminated) {
    ADD_FAILURE() << problem.name << ' ' << result->message;
  }
  return *std::move(result);
}

struct Difference {
  std::vector<double> finals;            // by variable
  std::map<std::string, double> events;  // by what happened, and how often before
  std::vector<double> last_row;          // by column, guards among them
};

// Events by their guard and number: at one time their order may be another one beside it.
std::vector<std::string> keys_of(const SimulationResult& result) {
  std::map<std::string, int> count;
  std::vector<std::string> keys;
  for (std::size_t e = 0; e < result.events.size(); ++e) {
    const std::string what = std::string(result.events[e].guard) + ' ' + std::string(result.events[e].to);
    keys.push_back(what + " #" + std::to_string(++count[what]));
  }
  return keys;
}

Difference differences(const SensitivityProblem& problem, const std::string& parameter, double value,
                       std::size_t n_variables, std::size_t n_events, std::size_t n_columns) {
  const double h = kWidth * std::max(std::abs(value), 1.0);
  constexpr std::array<double, 4> offsets{-2.0, -1.0, 1.0, 2.0};
  constexpr std::array<double, 4> weights{1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0};
  Difference result;
  result.finals.assign(n_variables, 0.0);
  result.last_row.assign(n_columns, 0.0);
  for (std::size_t s = 0; s < offsets.size(); ++s) {
    SimulationOptions options{.start = problem.start, .stop = problem.stop, .tolerance = kOracleTolerance};
    options.set.push_back({parameter, value + offsets[s] * h});
    options.columns = kColumns;
    const auto beside = run(problem, options);
    if (!beside || beside->events.size() != n_events) {
      ADD_FAILURE() << problem.name << ": other events beside " << parameter;
      return result;
    }
    for (std::size_t v = 0; v < n_variables; ++v) {
      result.finals[v] += weights[s] / h * beside->final_values[v];
    }
    const std::span<const double> last = beside->trajectory.row(beside->trajectory.n_rows() - 1);
    for (std::size_t c = 0; c < n_columns; ++c) {
      result.last_row[c] += weights[s] / h * last[c];
    }
    const std::vector<std::string> keys = keys_of(*beside);
    for (std::size_t e = 0; e < n_events; ++e) {
      result.events[keys[e]] += weights[s] / h * beside->events[e].time;
    }
  }
  return result;
}

// Of the last row: where a guard has a value there it has its sensitivity. How many there are.
std::size_t compare_guards(const SimulationResult& result, const Difference& right, std::size_t parameter,
                           const std::string& what, double allowed) {
  const Sensitivities& s = *result.sensitivities;
  std::size_t n_compared = 0;
  for (std::size_t c = 0; c < s.columns.size(); ++c) {
    if (!s.columns[c].starts_with("guard(")) {
      continue;
    }
    const auto place = std::find_if(result.columns.begin(), result.columns.end(),
                                    [&](const VariableInfo& info) { return info.name == s.columns[c]; });
    const double expected = right.last_row[static_cast<std::size_t>(place - result.columns.begin())];
    const double found = s.row(s.times.size() - 1, c)[parameter];
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(found)) << what << ' ' << s.columns[c];
      continue;
    }
    const double size =
        std::max(std::abs(expected), 1.0 / std::max(std::abs(s.parameter_values[parameter]), 1.0));
    EXPECT_NEAR(found, expected, allowed * size)
        << what << " d(" << s.columns[c] << ")/d(" << s.parameters[parameter] << ')';
    ++n_compared;
  }
  return n_compared;
}

std::size_t compare(const SensitivityProblem& problem, const std::string& method, double tolerance) {
  SimulationOptions options{.start = problem.start, .stop = problem.stop, .tolerance = tolerance};
  options.method = method;
  options.sensitivities = problem.parameters;
  options.columns = kColumns;
  const auto result = run(problem, options);
  if (!result || !result->sensitivities ||
      result->sensitivities->parameters.size() != problem.parameters.size()) {
    ADD_FAILURE() << problem.name << ": no sensitivities";
    return 0;
  }
  const Sensitivities& s = *result->sensitivities;
  EXPECT_EQ(s.final_values.size(), s.parameters.size() * result->variables.size()) << problem.name;
  const double allowed = std::max(1e-6, 100.0 * tolerance);
  const std::size_t n_columns = result->columns.size();
  std::size_t n_guards = 0;
  for (std::size_t k = 0; k < problem.parameters.size(); ++k) {
    const std::string& parameter = problem.parameters[k];
    const double value = s.parameter_values[k];
    const Difference right =
        differences(problem, parameter, value, result->variables.size(), result->events.size(), n_columns);
    if (result->status == SimulationStatus::success) {
      n_guards += compare_guards(*result, right, k, problem.name + (' ' + method), allowed);
    }
    for (std::size_t v = 0; v < result->variables.size(); ++v) {
      const double found = s.final_values[v * s.parameters.size() + k];
      const double size = std::max(std::abs(right.finals[v]), 1.0 / std::max(std::abs(value), 1.0));
      EXPECT_NEAR(found, right.finals[v], allowed * size)
          << problem.name << ' ' << method << " d(" << result->variables[v].name << ")/d(" << parameter
          << ')';
    }
    const std::vector<std::string> keys = keys_of(*result);
    for (std::size_t e = 0; e < keys.size(); ++e) {
      const double found = result->events[e].sensitivities[k];
      const auto expected = right.events.find(keys[e]);
      if (expected == right.events.end()) {
        ADD_FAILURE() << problem.name << ' ' << keys[e];
        continue;
      }
      EXPECT_NEAR(found, expected->second, allowed * std::max(1.0, std::abs(expected->second)))
          << problem.name << ' ' << method << " d(time of " << keys[e] << ")/d(" << parameter << ')';
    }
  }
  return n_guards;
}

class ForwardSensitivities : public testing::TestWithParam<const char*> {};

TEST_P(ForwardSensitivities, OfSmoothProblems) {
  for (const SensitivityProblem& problem : smooth_problems()) {
    (void)compare(problem, GetParam(), 1e-9);
  }
}

TEST_P(ForwardSensitivities, OfSwitchingProblems) {
  std::size_t n_guards = 0;
  for (const SensitivityProblem& problem : switching_problems()) {
    n_guards += compare(problem, GetParam(), 1e-9);
  }
  EXPECT_GT(n_guards, switching_problems().size()) << "guards have sensitivities too";
}

TEST_P(ForwardSensitivities, OfStructuralProblems) {
  std::size_t n_guards = 0;
  for (const SensitivityProblem& problem : structural_problems()) {
    n_guards += compare(problem, GetParam(), 1e-9);
  }
  EXPECT_GT(n_guards, structural_problems().size()) << "guards have sensitivities too";
}

INSTANTIATE_TEST_SUITE_P(Methods, ForwardSensitivities, testing::Values("auto", "dopri5", "radau5", "bdf"),
                         [](const auto& method) { return std::string(method.param); });

}  // namespace
}  // namespace saltus::test
