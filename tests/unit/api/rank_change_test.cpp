// Characteristic values that change along a run, and singular points that it passes, from text to events and warnings.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

// A pair of equations that say the same keeps a model away from reduction by structure.
constexpr const char* kRedundant = "  y = 2*x;\n  2*y = 4*x;\n";

std::string linear_model() {
  return std::string(
             "model Linear\n  Real x(start = 1, fixed = true);\n  Real y;\nequation\n"
             "  (if noEvent(time < 1) then 1 else 0)*der(x) = -x + (if noEvent(time < 1) then 0 else "
             "0.5 + time);\n") +
         kRedundant + "end Linear;\n";
}

TEST(RankChange, OfALinearSystemIsLocated) {
  for (const std::string method : {"dopri5", "radau5", "bdf"}) {
    const HybridRun run = run_text(
        linear_model(), {{"stop", "2"}, {"method", method}, {"tolerance", "1e-8"}, {"interval", "0.3"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    ASSERT_EQ(run.events.size(), 1U) << run.log();
    EXPECT_EQ(run.events[0].kind, "structure");
    EXPECT_NEAR(run.events[0].time, 1.0, 1e-12) << method;
    EXPECT_EQ(run.events[0].from, "(0, 1, 1, 0, 1)");
    EXPECT_EQ(run.events[0].to, "(0, 0, 2, 0, 1)");
    const std::vector<RowRecord> rows = run.rows_at(1.0);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_NEAR(run.value(rows[0], "x"), std::exp(-1.0), 1e-6);
    EXPECT_NEAR(run.value(rows[1], "x"), 1.5, 1e-9);
    EXPECT_NEAR(run.value(rows[1], "y"), 3.0, 1e-9);
    EXPECT_NEAR(run.final("x"), 2.5, 1e-7);
  }
}

TEST(RankChange, GoesBackAndForth) {
  const HybridRun run = run_text(
      std::string(
          "model Twice\n  Real x(start = 1, fixed = true);\n  Real y;\nequation\n"
          "  (if noEvent(time > 1 and time < 2) then 0 else 1)*der(x) = -x + (if noEvent(time > 1 and "
          "time < 2) then 3 else 0);\n") +
          kRedundant + "end Twice;\n",
      {{"stop", "3"}, {"tolerance", "1e-9"}, {"interval", "0.3"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  ASSERT_EQ(run.count("structure"), 2U) << run.log();
  EXPECT_NEAR(run.events[0].time, 1.0, 1e-9);
  EXPECT_NEAR(run.events[1].time, 2.0, 1e-9);
  EXPECT_NEAR(run.final("x"), 3.0 * std::exp(-1.0), 1e-7);
}

// z = e^t/2 reaches 1 at t = log 2; from there on y is z² instead of following it.
TEST(RankChange, OfANonlinearSystemIsLocated) {
  for (const std::string method : {"dopri5", "radau5"}) {
    const HybridRun run = run_text(
        "model Nonlinear\n  Real z(start = 0.5, fixed = true);\n  Real y(start = 1, fixed = true);\n  Real "
        "w;\n"
        "equation\n  der(z) = z;\n"
        "  (if noEvent(z < 1) then 1.5 - 0.5*z else 0)*der(y) = -y + z*z;\n  w = y*z;\n  2*w = 2*y*z;\n"
        "end Nonlinear;\n",
        {{"stop", "1"}, {"method", method}, {"tolerance", "1e-9"}, {"interval", "0.3"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    ASSERT_EQ(run.count("structure"), 1U) << run.log();
    EXPECT_NEAR(run.events[0].time, std::log(2.0), 1e-7) << method;
    EXPECT_NEAR(run.final("y"), 0.25 * std::exp(2.0), 1e-6) << method;
    EXPECT_NEAR(run.final("w"), 0.125 * std::exp(3.0), 1e-6) << method;
  }
}

// Before t = 1 nothing determines y, which stands still; then it must be 2.
TEST(RankChange, RedundantEquationsBecomeIndependent) {
  const HybridRun run = run_text(
      "model Pair\n  Real x(start = 0, fixed = true);\n  Real y(start = 1);\n  Real z;\nequation\n"
      "  der(x) = y;\n  x + z = 1;\n"
      "  x + z + (if noEvent(time < 1) then 0 else time - 0.5)*(y - 2) = 1;\n  2*x + 2*z = 2;\nend Pair;\n",
      {{"stop", "2"}, {"tolerance", "1e-8"}, {"interval", "0.3"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  ASSERT_EQ(run.count("structure"), 1U) << run.log();
  EXPECT_NEAR(run.events[0].time, 1.0, 1e-12);
  EXPECT_EQ(run.events[0].from, "(0, 1, 1, 1, 2)");
  EXPECT_EQ(run.events[0].to, "(0, 1, 2, 0, 1)");
  const double y = run.value(run.rows.front(), "y");
  EXPECT_NEAR(run.final("x"), y + 2.0, 1e-7);
  EXPECT_NEAR(run.final("y"), 2.0, 1e-9);
  EXPECT_NEAR(run.final("z"), -1.0 - y, 1e-7);
}

// The same change where the structure looks regular: the run goes on by ranks.
TEST(RankChange, BehindARegularStructureIsFound) {
  for (const std::string method : {"dopri5", "radau5"}) {
    const HybridRun run = run_text(
        "model Hidden\n  Real x(start = 1, fixed = true);\n  Real y;\nequation\n"
        "  (if noEvent(time < 1) then 1 else 0)*der(x) = -x + (if noEvent(time < 1) then 0 else 0.5 + "
        "time);\n"
        "  y = 2*x;\nend Hidden;\n",
        {{"stop", "2"}, {"method", method}, {"tolerance", "1e-8"}, {"interval", "0.3"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    EXPECT_TRUE(run.says("the run goes on with numerical ranks")) << run.log();
    EXPECT_TRUE(run.says("[goes-on-by-ranks]")) << run.log();
    ASSERT_EQ(run.events.size(), 1U) << run.log();
    EXPECT_EQ(run.events[0].kind, "structure");
    EXPECT_NEAR(run.events[0].time, 1.0, 1e-12) << method;
    EXPECT_NEAR(run.final("x"), 2.5, 1e-7) << method;
    EXPECT_NEAR(run.final("y"), 5.0, 1e-7) << method;
  }
}

TEST(RankChange, DenseSolutionsKnowBothStructures) {
  auto model = model_of(linear_model());
  ASSERT_TRUE(model.has_value());
  SimulationOptions options = options_of({{"stop", "2"}, {"tolerance", "1e-8"}});
  options.keep_dense = true;
  const auto result = simulate(*model, options);
  ASSERT_TRUE(result.has_value());
  for (const double t : {1.5, 0.5, 1.99, 0.999, 0.01}) {
    EXPECT_NEAR(result->trajectory.at(t, "x"), t < 1.0 ? std::exp(-t) : 0.5 + t, 1e-6) << t;
  }
}

TEST(RankChange, IsolatedSingularPointsArePassedAndTold) {
  // The solution through (-1, -1) is x = time.
  const HybridRun by_ranks = run_text(
      std::string(
          "model Ranks\n  Real x(start = -1, fixed = true);\n  Real y;\nequation\n  time*der(x) = x;\n") +
          kRedundant + "end Ranks;\n",
      {{"start", "-1"}, {"stop", "2"}, {"tolerance", "1e-7"}, {"interval", "0.7"}, {"singular", "pass"}});
  ASSERT_EQ(by_ranks.result.status, SimulationStatus::success) << by_ranks.log();
  EXPECT_TRUE(by_ranks.says("singular point passed near t = ")) << by_ranks.log();
  EXPECT_TRUE(by_ranks.says("[singular-point]")) << by_ranks.log();
  EXPECT_EQ(by_ranks.events.size(), 0U) << by_ranks.log();
  EXPECT_NEAR(by_ranks.final("x"), 2.0, 1e-6);
  const HybridRun by_structure = run_text(
      "model Structure\n  Real x(start = -1, fixed = true);\nequation\n  time*der(x) = x;\nend Structure;\n",
      {{"start", "-1"}, {"stop", "2"}, {"tolerance", "1e-7"}, {"interval", "0.7"}, {"singular", "pass"}});
  ASSERT_EQ(by_structure.result.status, SimulationStatus::success) << by_structure.log();
  EXPECT_TRUE(by_structure.says("singular point passed near t = ")) << by_structure.log();
  EXPECT_TRUE(by_structure.says("what der(x) is divided by in 'time*der(x) = x' changes its sign"))
      << by_structure.log();
}

TEST(RankChange, RegularModelsAreNotAccused) {
  // A pendulum goes round: every entry of its matrices changes its sign, no rank does.
  const HybridRun run = run_text(
      "model Pendulum\n  Real x(start = 0, fixed = true);\n  Real y(start = -1);\n  Real vx(start = 8, fixed "
      "= "
      "true);\n  Real vy;\n  Real lambda;\nequation\n  der(x) = vx;\n  der(y) = vy;\n  der(vx) = -lambda*x;\n"
      "  der(vy) = -lambda*y - 9.81;\n  x^2 + y^2 = 1;\n  x*vx + y*vy = 0;\nend Pendulum;\n",
      {{"stop", "2"}, {"tolerance", "1e-6"}, {"interval", "0.5"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_FALSE(run.says("singular")) << run.log();
  EXPECT_EQ(run.count("structure"), 0U) << run.log();
}

}  // namespace
}  // namespace saltus::test
