// homotopy(actual, simplified): the simplified expressions decide where the start values do not, and only there.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "saltus/simulate.hpp"

namespace saltus {
namespace {

SimulationResult run(const std::string& declarations, const std::string& equations) {
  const std::string text = "model M " + declarations + " equation " + equations + " end M;";
  return simulate(Model::from_text("m.mo", text).value(), {.stop = 1.0}).value();
}

bool warns(const SimulationResult& result, const std::string& code) {
  const auto& items = result.diagnostics.items();
  return std::any_of(items.begin(), items.end(), [&](const Diagnostic& item) { return item.code == code; });
}

// λ·(x² - 4) + (1 - λ)·(x - s): the root goes from s to 2 where s > 0, to -2 where s < 0.
TEST(HomotopyStart, SimplifiedEquationsChooseTheSolution) {
  for (const double side : {1.0, -1.0}) {
    const SimulationResult result =
        run("Real x;", "homotopy(x^2 - 4, " + std::to_string(side) + "*x - 1) = 0;");
    ASSERT_TRUE(result.ok()) << result.message;
    EXPECT_NEAR(result.final_value("x"), 2.0 * side, 1e-9);
    EXPECT_TRUE(warns(result, "start-by-homotopy"));
    EXPECT_FALSE(warns(result, "start-not-unique"));
  }
}

TEST(HomotopyStart, StartValuesThatDecideAreEnough) {
  const SimulationResult result = run("Real x(start = -1.5);", "homotopy(x^2 - 4, x - 1) = 0;");
  ASSERT_TRUE(result.ok()) << result.message;
  EXPECT_NEAR(result.final_value("x"), -2.0, 1e-9);
  EXPECT_FALSE(warns(result, "start-by-homotopy"));
}

// The simplified equations have no solution: the start is as it would be without them.
TEST(HomotopyStart, APathThatDoesNotBeginChangesNothing) {
  const SimulationResult result = run("Real x;", "homotopy(x^2 - 4, x^2 + 1) = 0;");
  ASSERT_TRUE(result.ok()) << result.message;
  EXPECT_NEAR(std::abs(result.final_value("x")), 2.0, 1e-9);
  EXPECT_FALSE(warns(result, "start-by-homotopy"));
  EXPECT_TRUE(warns(result, "start-not-unique"));
}

// A trigger: y = 0 is a solution, and what an iteration from 0 finds at once, but so are y = ±1.
TEST(HomotopyStart, ASolutionThatHappensToBeTheGuessIsNoDecision) {
  const std::string equation =
      "y = homotopy(smooth(0, if 2*y > 1 then 1 elseif 2*y < -1 then -1 else 2*y), -1);";
  const SimulationResult result = run("Real y;", equation);
  ASSERT_TRUE(result.ok()) << result.message;
  EXPECT_NEAR(result.final_value("y"), -1.0, 1e-9);
  EXPECT_TRUE(warns(result, "start-by-homotopy"));
  EXPECT_NEAR(run("Real y(start = 0.8);", equation).final_value("y"), 1.0, 1e-9);
}

TEST(HomotopyStart, AfterTheStartTheActualExpressionCounts) {
  const SimulationResult result =
      run("Real x(start = 1, fixed = true), y;", "der(x) = -x; homotopy(y^2 - x, y - 1) = 0;");
  ASSERT_TRUE(result.ok()) << result.message;
  EXPECT_NEAR(result.final_value("y"), std::exp(-0.5), 1e-6);
}

}  // namespace
}  // namespace saltus
