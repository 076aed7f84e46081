// Models with hidden constraints and of any shape, from text to rows.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

// `more` goes into the equations.
std::string second_order(const std::string& x, const std::string& y, const std::string& more = "") {
  return "model Pendulum\n  Real x(" + x + ");\n  Real y(" + y +
         ");\n  Real lambda;\nequation\n  der(der(x)) = -lambda*x;\n  der(der(y)) = -lambda*y - 9.81;\n"
         "  x^2 + y^2 = 1;\n" +
         more + "end Pendulum;\n";
}

std::string first_order(const std::string& x, const std::string& y, const std::string& vx,
                        const std::string& vy, const std::string& lambda = "start = 0") {
  return "model Pendulum\n  Real x(" + x + ");\n  Real y(" + y + ");\n  Real vx(" + vx + ");\n  Real vy(" +
         vy + ");\n  Real lambda(" + lambda +
         ");\nequation\n  der(x) = vx;\n  der(y) = vy;\n  der(vx) = -lambda*x;\n  der(vy) = -lambda*y - "
         "9.81;\n"
         "  x^2 + y^2 = 1;\nend Pendulum;\n";
}

// Largest |x² + y² - 1| of all rows.
double off_the_circle(const HybridRun& run) {
  double most = 0.0;
  for (const RowRecord& row : run.rows) {
    const double x = run.value(row, "x");
    const double y = run.value(row, "y");
    most = std::max(most, std::abs(x * x + y * y - 1.0));
  }
  return most;
}

// From rest at the height of the pivot: φ'' = -g sin φ from φ = π/2 and the time to the lowest point is
// K(sin π/4)/√g = 1.8540746773013719/3.1320919526731650 (complete elliptic integral; DLMF 19.2.8).
constexpr double kQuarterPeriod = 1.8540746773013719 / 3.1320919526731650;

TEST(ConstrainedRun, PendulumInBothForms) {
  const std::string forms[] = {second_order("start = 1", "start = 0"),
                               first_order("start = 1", "start = 0", "start = 0", "start = 0")};
  for (const std::string& text : forms) {
    const HybridRun run = run_text(text, {{"stop", number(2.0 * kQuarterPeriod)},
                                          {"method", "dopri5"},
                                          {"tolerance", "1e-9"},
                                          {"interval", "0.01"}});
    ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
    EXPECT_NEAR(run.final("x"), -1.0, 1e-6);
    EXPECT_LE(off_the_circle(run), 1e-11) << "rows between steps too";
  }
}

TEST(ConstrainedRun, GoesRoundAndRound) {
  const HybridRun run =
      run_text(first_order("start = 0, fixed = true", "start = -1", "start = 8, fixed = true", "start = 0"),
               {{"stop", "20"}, {"method", "dopri5"}, {"tolerance", "1e-8"}, {"interval", "0.1"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_LE(off_the_circle(run), 1e-11);
  for (const RowRecord& row : run.rows) {
    const double vx = run.value(row, "vx");
    const double vy = run.value(row, "vy");
    EXPECT_LE(std::abs(run.value(row, "x") * vx + run.value(row, "y") * vy), 1e-10);
    EXPECT_NEAR(0.5 * (vx * vx + vy * vy) + 9.81 * run.value(row, "y"), 32.0 - 9.81, 2e-4) << row.time;
  }
}

TEST(ConstrainedRun, TheDenseSolutionLiesOnTheConstraints) {
  auto model = model_of(second_order("start = 1", "start = 0"));
  ASSERT_TRUE(model.has_value());
  SimulationOptions options = options_of({{"stop", "2"}, {"method", "dopri5"}, {"tolerance", "1e-5"}});
  options.keep_dense = true;
  const auto result = simulate(*model, options);
  ASSERT_TRUE(result.has_value());
  for (int k = 0; k <= 200; ++k) {
    const double t = 0.01 * k;
    const double x = result->trajectory.at(t, "x");
    const double y = result->trajectory.at(t, "y");
    EXPECT_NEAR(x * x + y * y, 1.0, 1e-11) << t;
  }
}

TEST(ConstrainedRun, StartsThatDoNotFitAreMovedAndThatIsTold) {
  const HybridRun run = run_text(second_order("start = 2", "start = 0"), {{"stop", "0.1"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_NEAR(run.value(run.rows.front(), "x"), 1.0, 1e-9);
  EXPECT_TRUE(run.says("x from 2 to 1")) << run.log();
  EXPECT_TRUE(run.says("start-moved"));
  EXPECT_TRUE(run.says("start-chosen")) << "velocities";
}

TEST(ConstrainedRun, FixedValuesThatContradictAreAFailedStart) {
  const HybridRun run =
      run_text(second_order("start = 2, fixed = true", "start = 0, fixed = true"), {{"stop", "0.1"}});
  EXPECT_EQ(run.result.status, SimulationStatus::failed);
  EXPECT_EQ(run.result.reason, "initialization_failed");
  EXPECT_TRUE(run.says("x = 2, y = 0 contradict the equations: 'x^2 + y^2 = 1' (off by 3)")) << run.log();
  EXPECT_TRUE(run.says("x = 1 would fit")) << run.log();
  EXPECT_TRUE(run.says("test.mo:8:3")) << "the line of the equation\n" << run.log();
}

TEST(ConstrainedRun, HiddenConstraintsAreNamed) {
  const HybridRun run = run_text(first_order("start = 0.6, fixed = true", "start = -0.8",
                                             "start = 4, fixed = true", "start = 5, fixed = true"),
                                 {{"stop", "0.1"}});
  EXPECT_EQ(run.result.reason, "initialization_failed");
  EXPECT_TRUE(run.says("fixed-hidden-constraint")) << run.log();
  EXPECT_TRUE(run.says("differentiated once")) << run.log();
  EXPECT_TRUE(run.says("vx = 4, vy = 5")) << run.log();
}

TEST(ConstrainedRun, AFixedForceIsNamed) {
  const HybridRun run =
      run_text(first_order("start = 0, fixed = true", "start = -1", "start = 1, fixed = true", "start = 0",
                           "start = 5, fixed = true"),
               {{"stop", "0.1"}});
  EXPECT_EQ(run.result.reason, "initialization_failed");
  EXPECT_TRUE(run.says("'lambda' is fixed at 5")) << run.log();
  EXPECT_TRUE(run.says("lambda = 10.81 would fit")) << run.log();
}

TEST(ConstrainedRun, EventsAreFoundOnTheConstraint) {
  const HybridRun run = run_text(
      "model P Real x(start=1); Real y(start=0); Real lambda; discrete Integer n(start=0);\n"
      "equation der(der(x)) = -lambda*x; der(der(y)) = -lambda*y - 9.81; x^2 + y^2 = 1;\n"
      "when x < 0 then n = pre(n) + 1; end when; end P;",
      {{"stop", "1"}, {"method", "dopri5"}, {"tolerance", "1e-9"}});
  ASSERT_EQ(run.count("when"), 1u) << run.log();
  EXPECT_NEAR(run.times("when")[0], kQuarterPeriod, 1e-8);
  for (const RowRecord& row : run.rows_at(run.times("when")[0])) {
    EXPECT_NEAR(run.value(row, "y"), -1.0, 1e-11);
  }
}

TEST(ConstrainedRun, ConditionsAreThoseOfTheConsistentValues) {
  // At the start value of y the condition is false, at the consistent one it is true.
  const HybridRun run = run_text(
      "model P Real x(start=0.6, fixed=true); Real y(start=0.5); Real k; Real lambda;\n"
      "equation der(der(x)) = -lambda*x; der(der(y)) = -lambda*y - k; x^2 + y^2 = 1;\n"
      "k = if y > 0.7 then 20 else 9.81; end P;",
      {{"stop", "0.01"}, {"method", "dopri5"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_EQ(run.value(run.rows.front(), "k"), 20.0);
  EXPECT_NEAR(run.value(run.rows.front(), "lambda"), -16.0, 1e-9);
}

TEST(ConstrainedRun, ConditionsThatNoValuesAgreeWithAreNamed) {
  const HybridRun run = run_text(
      "model P Real x(start=1); Real y(start=0); Real z; Real lambda;\n"
      "equation der(der(x)) = -lambda*x; der(der(y)) = -lambda*y - 9.81; x^2 + y^2 = 1;\n"
      "z = if z > 0.5 then 0 else 1; end P;",
      {{"stop", "0.01"}, {"method", "dopri5"}});
  EXPECT_EQ(run.result.reason, "initialization_failed") << run.log();
  EXPECT_TRUE(run.says("start-conditions-cycle")) << run.log();
  EXPECT_TRUE(run.says("'z > 0.5'")) << run.log();
}

TEST(ConstrainedRun, AGuardWithoutValueAtTheStartIsNamed) {
  const HybridRun run = run_text(
      "model P Real x(start=1); Real y(start=0); Real lambda; discrete Integer n(start=0);\n"
      "equation der(der(x)) = -lambda*x; der(der(y)) = -lambda*y - 9.81; x^2 + y^2 = 1;\n"
      "when sqrt(x - 5) > 1 then n = pre(n) + 1; end when; end P;",
      {{"stop", "0.01"}, {"method", "dopri5"}});
  EXPECT_EQ(run.result.reason, "initialization_failed") << run.log();
  EXPECT_TRUE(run.says("start-not-evaluated")) << run.log();
}

// Two bars between the same points: only the sum of their forces is determined.
TEST(ConstrainedRun, RedundantConstraintsAreLeftToRanks) {
  const HybridRun run = run_text(
      "model P Real x(start=1); Real y(start=0); Real a; Real b;\n"
      "equation der(der(x)) = -(a + b)*x; der(der(y)) = -(a + b)*y - 9.81; x^2 + y^2 = 1; 2*x^2 + 2*y^2 = 2; "
      "end P;",
      {{"stop", number(2.0 * kQuarterPeriod)}, {"method", "dopri5"}, {"tolerance", "1e-7"}});
  ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_TRUE(run.says("reduced-by-ranks")) << run.log();
  EXPECT_NEAR(run.final("x"), -1.0, 1e-4);
  EXPECT_LE(off_the_circle(run), 1e-9);
}

TEST(ConstrainedRun, LinearContradictionsAreMetByLeastSquaresAndThatIsTold) {
  // At the start both agree; later sin(time) is shared out.
  const auto model = Model::from_text("c.mo", "model C Real x; equation x = 1; x = 1 + sin(time); end C;");
  ASSERT_TRUE(model);
  const auto result = simulate(*model, {.stop = 1.0});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->ok()) << result->message;
  EXPECT_NEAR(result->final_value("x"), 1.0 + 0.5 * std::sin(1.0), 1e-6);
  bool is_told = false;
  for (const Diagnostic& item : result->diagnostics.items()) {
    is_told = is_told || item.code == "least-squares";
  }
  EXPECT_TRUE(is_told);
}

TEST(ConstrainedRun, TheTimelineHasTheCharacteristicValues) {
  const auto model = Model::from_text("p.mo",
                                      "model P Real x(start = 1), y(start = 0), u, v, l; equation der(x) = "
                                      "u; der(y) = v; der(u) = -l*x; der(v) = -l*y - "
                                      "9.81; x^2 + y^2 = 1; end P;");
  ASSERT_TRUE(model);
  const auto result = simulate(*model, {.stop = 0.1});
  ASSERT_TRUE(result);
  ASSERT_EQ(result->modes.size(), 1U);
  EXPECT_EQ(result->modes[0].index, 2);
  EXPECT_EQ(result->modes[0].d, 2);
  EXPECT_EQ(result->modes[0].a, 3);
}

}  // namespace
}  // namespace saltus::test
