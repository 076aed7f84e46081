// Definitions in models of high index: they are no states, and all that may be done with a variable can be done with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "saltus/analysis.hpp"
#include "saltus/saltus.hpp"

namespace saltus {
namespace {

// A pendulum whose pivot moves as `pivot` says. x - p = sin(φ), y = -cos(φ).
std::string model_text(const std::string& pivot, const std::string& more) {
  return "model M Real x(start = 0), y(start = -1), u(start = 0), w(start = 0), lambda; " + pivot +
         " equation der(x) = u; der(y) = w; der(u) = -lambda*(x - p); der(w) = -lambda*y - 9.81; "
         "(x - p)^2 + y^2 = 1; " +
         more + " end M;";
}

SimulationResult run(const std::string& text) {
  const auto model = Model::from_text("M.mo", text);
  EXPECT_TRUE(model) << model.error().items()[0].message;
  SimulationOptions options;
  options.stop = 2.0;
  options.tolerance = 1e-9;
  auto result = simulate(*model, options);
  EXPECT_TRUE(result) << result.error().items()[0].message;
  return *std::move(result);
}

// With p'' = -0.3·sin(t): φ'' = -9.81·sin(φ) + 0.3·sin(t)·cos(φ), solved by the same program as a plain equation.
TEST(DefinitionsOfHighIndex, GiveTheSolutionOfTheReducedEquation) {
  const SimulationResult result = run(model_text("Real p = 0.3*sin(time);", ""));
  ASSERT_TRUE(result.ok()) << result.message;
  const SimulationResult reduced =
      run("model M Real phi(start = 0, fixed = true), omega(start = -0.3, fixed = true); equation der(phi) = "
          "omega; "
          "der(omega) = -9.81*sin(phi) + 0.3*sin(time)*cos(phi); end M;");
  ASSERT_TRUE(reduced.ok()) << reduced.message;
  const double phi = reduced.final_value("phi");
  EXPECT_NEAR(result.final_value("p"), 0.3 * std::sin(2.0), 1e-15);
  EXPECT_NEAR(result.final_value("x"), 0.3 * std::sin(2.0) + std::sin(phi), 1e-7);
  EXPECT_NEAR(result.final_value("y"), -std::cos(phi), 1e-7);
}

TEST(DefinitionsOfHighIndex, CanBeWatched) {
  const SimulationResult result =
      run(model_text("Real p = 0.3*sin(time); discrete Real at(start = 0, fixed = true);",
                     "when p > 0.15 then at = time; end when;"));
  ASSERT_TRUE(result.ok()) << result.message;
  EXPECT_NEAR(result.final_value("at"), std::asin(0.5), 1e-9);
}

TEST(DefinitionsOfHighIndex, AStartIsOverruledByTheFormula) {
  const SimulationResult result = run(model_text("Real p(start = 7) = 0.3*sin(time);", ""));
  const SimulationResult without = run(model_text("Real p = 0.3*sin(time);", ""));
  ASSERT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(result.statistics.accepted_steps, without.statistics.accepted_steps);
  EXPECT_NEAR(result.final_value("x"), without.final_value("x"), 1e-9);
}

TEST(DefinitionsOfHighIndex, DerivativesOfThemCanBeUsed) {
  const SimulationResult result = run(model_text("Real p = 0.3*sin(time); Real rate;", "rate = der(p);"));
  ASSERT_TRUE(result.ok()) << result.message;
  EXPECT_NEAR(result.final_value("rate"), 0.3 * std::cos(2.0), 1e-9);
}

// Characteristic values count the unknowns of the model: two degrees of freedom, the rest algebraic, index 3.
TEST(DefinitionsOfHighIndex, AreUnknownsInTheAnalysis) {
  const auto model = Model::from_text("M.mo", model_text("Real p = 0.3*sin(time);", ""));
  ASSERT_TRUE(model);
  const auto analysis = analyze(*model, {.at = 0.0, .set = {}});
  ASSERT_TRUE(analysis) << analysis.error().items()[0].message;
  const ModeAnalysis& mode = analysis->modes[0];
  EXPECT_EQ(mode.unknowns, 6);
  EXPECT_EQ(mode.index, 2);
  EXPECT_EQ(mode.differentiation_index, 3);
  EXPECT_EQ(mode.d, 2);
  EXPECT_EQ(mode.a, 4);
  EXPECT_EQ(mode.u, 0);
  EXPECT_EQ(mode.v, 0);
  EXPECT_THAT(mode.states, testing::ElementsAre("x", "u")) << "a choice that determines the others";
}

}  // namespace
}  // namespace saltus
