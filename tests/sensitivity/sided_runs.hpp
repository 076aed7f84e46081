/// Derivatives to one side: by sensitivities, and by differences of runs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "saltus/saltus.hpp"

namespace saltus::test {

inline constexpr const char* kMethods[] = {"dopri5", "radau5", "bdf"};
inline constexpr double kAccuracy = 2e-6;

inline SimulationResult run(const Model& model, SimulationOptions options) {
  options.tolerance = 1e-10;
  Result<SimulationResult> result = simulate(model, options);
  EXPECT_TRUE(result) << render_text(result.error());
  return *std::move(result);
}

inline Model model_of(const std::string& text) {
  Result<Model> model = Model::from_text("m.saltus", text);
  EXPECT_TRUE(model) << render_text(model.error());
  return *std::move(model);
}

// One-sided differences of runs, of second order, by variable.
inline std::vector<double> quotients(const Model& model, SimulationOptions options,
                                     const std::string& parameter, double value, double sign) {
  const double h = sign * 1e-4 * std::max(1.0, std::abs(value));
  options.method = "dopri5";
  const auto at = [&](double offset) {
    options.set = {{parameter, value + offset}};
    return run(model, options).final_values;
  };
  const std::vector<double> here = at(0.0);
  const std::vector<double> near = at(h);
  const std::vector<double> far = at(2.0 * h);
  std::vector<double> found;
  for (std::size_t v = 0; v < here.size(); ++v) {
    found.push_back((-3.0 * here[v] + 4.0 * near[v] - far[v]) / (2.0 * h));
  }
  return found;
}

inline std::vector<double> sensitivities(const Model& model, SimulationOptions options,
                                         const std::string& parameter, SensitivitySide side) {
  options.sensitivities = {parameter};
  options.sensitivity_side = side;
  return run(model, options).sensitivities->final_values;
}

inline bool are_undefined(const std::vector<double>& values) {
  for (const double value : values) {
    if (!std::isnan(value)) {
      return false;
    }
  }
  return true;
}

inline void expect_near(const std::vector<double>& found, const std::vector<double>& right,
                        const std::string& what) {
  ASSERT_EQ(found.size(), right.size());
  for (std::size_t v = 0; v < right.size(); ++v) {
    EXPECT_NEAR(found[v], right[v], kAccuracy * std::max(1.0, std::abs(right[v]))) << what << ' ' << v;
  }
}

}  // namespace saltus::test
