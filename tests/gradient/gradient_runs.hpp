/// Gradients of small models, with every method and at several tolerances.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "saltus/saltus.hpp"

namespace saltus::test {

inline constexpr double kTolerances[] = {1e-4, 1e-6, 1e-8};

/// Of a method and a tolerance.
class GradientFamily : public testing::TestWithParam<std::tuple<const char*, double>> {
 protected:
  [[nodiscard]] static double tolerance() { return std::get<1>(GetParam()); }
  [[nodiscard]] static std::string way() {
    return std::string(std::get<0>(GetParam())) + ' ' + std::to_string(std::log10(tolerance()));
  }

  [[nodiscard]] static GradientResult find(const std::string& text, const std::string& functional,
                                           const std::vector<std::string>& with, const std::string& by,
                                           double stop, SensitivitySide side = SensitivitySide::both,
                                           const std::vector<SetValue>& set = {}) {
    const Result<Model> model = Model::from_text("m.saltus", text);
    EXPECT_TRUE(model) << render_text(model.error());
    GradientOptions options{.with = with, .by = by};
    options.simulation = {.stop = stop, .tolerance = tolerance()};
    options.simulation.method = std::get<0>(GetParam());
    options.simulation.sensitivity_side = side;
    options.simulation.set = set;
    Result<GradientResult> found = gradient(*model, functional, options);
    EXPECT_TRUE(found) << render_text(found.error());
    EXPECT_TRUE(found->ok()) << text << found->problem;
    return *std::move(found);
  }

  static void expect_undefined(const GradientResult& found, const std::string& name,
                               const std::string& what) {
    EXPECT_TRUE(std::isnan(found.derivative(name)))
        << what << ' ' << way() << ": " << name << ' ' << found.derivative(name);
    EXPECT_NE(render_text(found.diagnostics).find("gradient-undefined"), std::string::npos)
        << what << ' ' << way();
  }
};

inline auto all_methods() {
  return testing::Combine(testing::Values("auto", "dopri5", "radau5", "sdirk4", "bdf"),
                          testing::ValuesIn(kTolerances));
}

inline std::string name_of_way(const testing::TestParamInfo<std::tuple<const char*, double>>& way) {
  return std::string(std::get<0>(way.param)) + "_1em" +
         std::to_string(static_cast<int>(std::lround(-std::log10(std::get<1>(way.param)))));
}

}  // namespace saltus::test
