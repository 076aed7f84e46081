// Section 4 of the language, sentence by sentence: conditions, what is watched, what is logged, sliding, the start.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// x runs through [x0, x0 + stop] at speed one, der(y) is the expression. At this coarse tolerance the polynomial
// pieces are integrated exactly, so y has all digits if and only if every switch was found where it is.
HybridRun sweep(const std::string& expression, double x0, double stop) {
  return run_text(
      "model M\n Real x(start = " + number(x0) +
          ", fixed = true);\n Real y(start = 0, fixed = true);\nequation\n der(x) = 1;\n der(y) = " +
          expression + ";\nend M;\n",
      {{"stop", number(stop)}, {"tolerance", "1e-3"}, {"method", "dopri5"}});
}

struct Switch {
  const char* name;
  const char* expression;
  double x0;
  double stop;
  double integral;  ///< ∫ of the expression, by hand
  std::vector<double> logged;
};

class EveryOperator : public ::testing::TestWithParam<Switch> {};

TEST_P(EveryOperator, IsLockedAndItsSwitchIsFoundWhereItIs) {
  const Switch& given = GetParam();
  const HybridRun run = sweep(given.expression, given.x0, given.stop);
  EXPECT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_NEAR(run.final("y"), given.integral, 1e-13) << run.log();
  const std::vector<double> times = run.times("condition");
  ASSERT_EQ(times.size(), given.logged.size()) << run.log();
  EXPECT_EQ(run.events.size(), given.logged.size()) << run.log();
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR(times[i], given.logged[i], 1e-14);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Language4, EveryOperator,
    ::testing::Values(
        Switch{"greater", "if x > 0.25 then 2 else 1", 0, 1, 1.75, {0.25}},
        Switch{"greater_equal", "if x >= 0.25 then 2 else 1", 0, 1, 1.75, {0.25}},
        Switch{"less", "if x < 0.25 then 1 else 2", 0, 1, 1.75, {0.25}},
        Switch{"less_equal", "if x <= 0.25 then 1 else 2", 0, 1, 1.75, {0.25}},
        Switch{"sign", "sign(x - 0.25)", 0, 1, 0.5, {0.25}},
        Switch{"floor", "floor(x)", 0.5, 2.75, 3.75, {0.5, 1.5, 2.5}},
        Switch{"ceil", "ceil(x)", 0.5, 2.75, 6.5, {0.5, 1.5, 2.5}},
        Switch{"integer", "integer(x)", 0.5, 2.75, 3.75, {0.5, 1.5, 2.5}},
        Switch{"mod", "mod(x, 1)", 0.5, 2.75, 1.40625, {0.5, 1.5, 2.5}},
        Switch{"div_through_zero", "div(x, 1)", -1.5, 3, 0, {0.5, 2.5}},
        Switch{"rem", "rem(x, 1)", 0.5, 2.75, 1.40625, {0.5, 1.5, 2.5}},
        // Kinks are never logged.
        Switch{"abs", "abs(x - 0.25)", 0, 1, 0.03125 + 0.28125, {}},
        Switch{"min", "min(x, 0.25)", 0, 1, 0.03125 + 0.1875, {}},
        Switch{"max", "max(x, 0.25)", 0, 1, 0.0625 + 0.46875, {}},
        Switch{"smooth", "smooth(0, if x > 0.25 then x else 0.25)", 0, 1, 0.0625 + 0.46875, {}},
        // Compound conditions are one proposition.
        Switch{"and", "if x > 0.25 and x < 0.5 then 1 else 0", 0, 1, 0.25, {0.25, 0.5}},
        Switch{"or", "if x < 0.25 or x > 0.5 then 1 else 0", 0, 1, 0.75, {0.25, 0.5}},
        Switch{"not", "if not x > 0.25 then 1 else 0", 0, 1, 0.25, {0.25}},
        Switch{"always_true", "if x > 0.25 or x < 0.5 then 1 else 0", 0, 1, 1, {}},
        Switch{"nested_and", "if x > 0.25 and x > 0.5 then 1 else 0", 0, 1, 0.5, {0.5}},
        Switch{
            "elseif", "if x < 0.25 then 1 elseif x < 0.5 then 2 else 3", 0, 1, 0.25 + 0.5 + 1.5, {0.25, 0.5}},
        Switch{"nested_if", "if x < 0.5 then (if x < 0.25 then 1 else 2) else 3", 0, 1, 2.25, {0.25, 0.5}}),
    [](const auto& given) { return std::string(given.param.name); });

TEST(Language4, NoEventSwitchesWithoutAnEvent) {
  const HybridRun run = sweep("noEvent(if x > 0.25 then 2 else 1)", 0, 1);
  EXPECT_TRUE(run.events.empty()) << run.log();
  EXPECT_NEAR(run.final("y"), 1.75, 0.1) << "found by the error estimate alone, not located";
}

TEST(Language4, AnIfEquationIsACondition) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true);\n Real y(start = 0, fixed = true);\n Real z;\nequation\n "
      "der(x) = 1;\n"
      " if x > 0.25 then\n  der(y) = 2;\n  z = x;\n else\n  der(y) = 1;\n  z = -x;\n end if;\nend M;\n");
  EXPECT_THAT(run.times("condition"), ElementsAre(DoubleNear(0.25, 1e-14))) << run.log();
  EXPECT_NEAR(run.final("y"), 1.75, 1e-13);
  EXPECT_EQ(run.final("z"), run.final("x"));
}

TEST(Language4, ConditionsInsideFunctionsCount) {
  const HybridRun run = run_text(
      "model M\n function gain\n  input Real u;\n  output Real y;\n algorithm\n  if u > 0.25 then\n   y := "
      "2;\n  else\n"
      "   y := 1;\n  end if;\n end gain;\n Real x(start = 0, fixed = true);\n Real y(start = 0, fixed = "
      "true);\n"
      "equation\n der(x) = 1;\n der(y) = gain(x);\nend M;\n");
  EXPECT_THAT(run.times("condition"), ElementsAre(DoubleNear(0.25, 1e-14))) << run.log();
  EXPECT_NEAR(run.final("y"), 1.75, 1e-13);
}

TEST(Language4, SignIsZeroOnAGuardThatStaysZero) {
  const HybridRun run = run_text(
      "model M\n Real z(start = 0, fixed = true);\n Real s = sign(z);\n Boolean gt = z > 0;\n Boolean ge = z "
      ">= 0;\n"
      " Boolean lt = z < 0;\n Boolean le = z <= 0;\nequation\n der(z) = 0;\nend M;\n");
  EXPECT_EQ(run.result.status, SimulationStatus::success);
  EXPECT_TRUE(run.events.empty()) << run.log();
  for (const RowRecord& row : run.rows) {
    EXPECT_EQ(run.value(row, "s"), 0.0);
    EXPECT_EQ(run.value(row, "gt"), 0.0);
    EXPECT_EQ(run.value(row, "ge"), 1.0);
    EXPECT_EQ(run.value(row, "lt"), 0.0);
    EXPECT_EQ(run.value(row, "le"), 1.0);
  }
}

TEST(Language4, SidesThatAreNotDefinedBeyondTheSurfaceAreApproachedFromTheirOwnSide) {
  // abs(g)^1.5 with abs locked is a power of a negative number behind the surface.
  const HybridRun run = sweep("abs(x - 0.5)^1.5", 0, 1);
  EXPECT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_NEAR(run.final("y"), 2 * std::pow(0.5, 2.5) / 2.5, 1e-4);
  const HybridRun root = sweep("sqrt(if x > 0.5 then x - 0.5 else 0.5 - x)", 0, 1);
  EXPECT_EQ(root.result.status, SimulationStatus::success) << root.log();
  EXPECT_NEAR(root.final("y"), 2 * std::pow(0.5, 1.5) / 1.5, 1e-2);
}

TEST(Language4, ATankRunsEmptyAndStaysEmpty) {
  // h = (1 - t/2)² until t = 2; the root of a negative level is never taken.
  const HybridRun run = run_text(
      "model Tank\n Real h(start = 1, fixed = true);\nequation\n der(h) = if h > 0 then -sqrt(h) else "
      "0;\nend Tank;\n",
      {{"stop", "3"}, {"tolerance", "1e-8"}});
  EXPECT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_NEAR(run.final("h"), 0.0, 1e-8);
}

const char* const kRelay =
    "model Relay\n Real x(start = 1, fixed = true);\n Real u = sign(x);\nequation\n der(x) = -u;\nend "
    "Relay;\n";

TEST(Language4, BothSidesPushTowardsTheSurfaceTheSolutionSlides) {
  const HybridRun run = run_text(kRelay, {{"stop", "3"}});
  EXPECT_EQ(run.result.status, SimulationStatus::success);
  ASSERT_EQ(run.events.size(), 1U) << run.log();
  EXPECT_EQ(run.events[0].kind, "slide_enter");
  EXPECT_NEAR(run.events[0].time, 1.0, 1e-15);
  EXPECT_EQ(run.events[0].guard, "x");
  for (const RowRecord& row : run.rows) {
    if (row.time > run.events[0].time) {
      EXPECT_NEAR(run.value(row, "x"), 0.0, 1e-16) << row.time;
      EXPECT_NEAR(run.value(row, "u"), 0.0, 1e-15) << row.time;  // u = sign(x) shows the weight
      EXPECT_EQ(row.mode, "main sliding on x");
    } else if (row.time < run.events[0].time) {
      EXPECT_EQ(row.mode, "main");
    }
  }
}

TEST(Language4, ARunThatEndsWhileSlidingHasNoExit) {
  EXPECT_EQ(run_text(kRelay, {{"stop", "3"}}).count("slide_exit"), 0U);
}

TEST(Language4, SlidingOffIsPlainModelicaAndChatteringIsReported) {
  const HybridRun run = run_text(kRelay, {{"stop", "3"}, {"sliding", "off"}, {"max-events", "1000"}});
  EXPECT_EQ(run.count("slide_enter"), 0U);
  EXPECT_TRUE(run.says("chatter")) << run.log();
  EXPECT_TRUE(run.says("sign(x)")) << "the condition's place: " << run.log();
  const HybridRun stopped = run_text(kRelay, {{"stop", "3"}, {"sliding", "off"}, {"chattering", "stop"}});
  EXPECT_EQ(stopped.result.status, SimulationStatus::stopped);
  EXPECT_EQ(stopped.result.reason, "chattering");
  EXPECT_NEAR(stopped.result.end, 1.0, 1e-3);
}

TEST(Language4, TheAnnotationTurnsSlidingOff) {
  const HybridRun run = run_text(
      "model Relay\n Real x(start = 1, fixed = true);\nequation\n der(x) = -sign(x);\n"
      " annotation(__saltus(sliding = \"off\", chattering = \"stop\"));\nend Relay;\n",
      {{"stop", "3"}});
  EXPECT_EQ(run.count("slide_enter"), 0U);
  EXPECT_EQ(run.result.reason, "chattering");
}

TEST(Language4, SlidingWithFilippovsWeight) {
  // f₊ = (−1, 3), f₋ = (2, 0): ġ = α(−1) + (1 − α)·2 = 0 gives α = 2/3, so ẏ = 2 on the surface.
  const HybridRun run = run_text(
      "model M\n Real x(start = 1, fixed = true);\n Real y(start = 0, fixed = true);\nequation\n"
      " der(x) = if x > 0 then -1 else 2;\n der(y) = if x > 0 then 3 else 0;\nend M;\n",
      {{"stop", "2"}});
  EXPECT_NEAR(run.final("y"), 3 + 2, 1e-13) << run.log();
  EXPECT_NEAR(run.final("x"), 0, 1e-16);
}

TEST(Language4, SlidingEndsWhereTheWeightReachesOne) {
  // s = time/2 while sliding on x: the exit is at t = 2, x follows (t − 2)²/4 afterwards.
  const HybridRun run = run_text(
      "model M\n Real x(start = 0.5, fixed = true);\nequation\n der(x) = time/2 - sign(x);\nend M;\n",
      {{"stop", "4"}});
  ASSERT_EQ(run.events.size(), 2U) << run.log();
  EXPECT_EQ(run.events[0].kind, "slide_enter");
  EXPECT_NEAR(run.events[0].time, 2 - std::sqrt(2.0), 1e-14);  // 0.5 + t²/4 − t = 0
  EXPECT_EQ(run.events[1].kind, "slide_exit");
  EXPECT_NEAR(run.events[1].time, 2.0, 1e-13);
  EXPECT_EQ(run.events[1].guard, run.events[0].guard);
  EXPECT_NEAR(run.final("x"), 1.0, 1e-12);
}

TEST(Language4, AStartOnAnAttractingSurfaceBeginsSliding) {
  const HybridRun run =
      run_text("model M\n Real x(start = 0, fixed = true);\nequation\n der(x) = 0.25 - sign(x);\nend M;\n");
  ASSERT_EQ(run.events.size(), 1U) << run.log();
  EXPECT_EQ(run.events[0].kind, "slide_enter");
  EXPECT_EQ(run.events[0].time, 0.0);
  EXPECT_EQ(run.final("x"), 0.0);
}

TEST(Language4, ASurfaceCrossedAtOnceIsAnEventAtTheStart) {
  const HybridRun run =
      run_text("model M\n Real x(start = 0, fixed = true);\nequation\n der(x) = 2 + sign(x);\nend M;\n");
  ASSERT_EQ(run.events.size(), 1U) << run.log();
  EXPECT_EQ(run.events[0].kind, "condition");
  EXPECT_EQ(run.events[0].time, 0.0);
  EXPECT_NEAR(run.final("x"), 3.0, 1e-14);
}

TEST(Language4, ARepellingStartIsDecidedAsWrittenWithAWarning) {
  const auto start_at_zero = [](const std::string& field) {
    return run_text("model M\n Real x(start = 0, fixed = true);\nequation\n der(x) = " + field +
                    ";\nend M;\n");
  };
  const HybridRun sign = start_at_zero("sign(x)");
  EXPECT_EQ(sign.final("x"), 0.0) << sign.log();
  EXPECT_FALSE(sign.result.diagnostics.empty()) << "the solution is not unique";
  const HybridRun greater = start_at_zero("if x > 0 then 1 else -1");
  EXPECT_NEAR(greater.final("x"), -1.0, 1e-14) << greater.log();
  EXPECT_FALSE(greater.result.diagnostics.empty());
  const HybridRun greater_equal = start_at_zero("if x >= 0 then 1 else -1");
  EXPECT_NEAR(greater_equal.final("x"), 1.0, 1e-14) << greater_equal.log();
  EXPECT_FALSE(greater_equal.result.diagnostics.empty());
}

TEST(Language4, AGuardThatIsZeroAndStaysZeroNeverStopsTheRun) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true);\n Real z(start = 0, fixed = true);\n Real y(start = 0, "
      "fixed = true);\n"
      "equation\n der(x) = 1;\n der(z) = 0;\n der(y) = if z > 0 then 5 elseif x > 0.5 then 2 else 1;\nend "
      "M;\n");
  EXPECT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_THAT(run.times("condition"), ElementsAre(DoubleNear(0.5, 1e-14))) << run.log();
  EXPECT_NEAR(run.final("y"), 1.5, 1e-13);
}

// Torricelli's outflow above a pipe: what max holds at zero begins to move at its kink, for equations and for clauses.
TEST(Language4, AKinkMovesWhatHasStayedZero) {
  const std::string tank =
      "model M\n Real h(start = 0, fixed = true);\n Real above = max(h, 0.5) - 0.5;\n Real q;\n"
      " discrete Integer n(start = 0, fixed = true);\nequation\n der(h) = 0.3 - 0.4*q;\n";
  const auto level = [](double q) { return (-0.3 * std::log(1.0 - q / 0.75) - 0.4 * q) / 0.08; };
  const HybridRun equations = run_text(tank +
                                           " q = if above > 0 then sqrt(above) else -sqrt(-above);\n when h "
                                           "> 2 then n = 1; end when;\nend M;\n",
                                       {{"stop", "5"}, {"tolerance", "1e-9"}});
  ASSERT_EQ(equations.result.status, SimulationStatus::success) << equations.log();
  EXPECT_THAT(equations.times("condition"), ElementsAre(DoubleNear(5.0 / 3.0, 1e-14))) << equations.log();
  const std::vector<RowRecord> rows = equations.rows_at(5.0 / 3.0);
  ASSERT_EQ(rows.size(), 2U) << equations.log();
  EXPECT_EQ(equations.value(rows[0], "h"), 0.5) << "the left limit is that of the instant";
  EXPECT_NEAR(level(equations.final("q")), 5.0 - 5.0 / 3.0, 1e-7);  // t as a function of q, in closed form
  const HybridRun clause =
      run_text(tank + " q = sqrt(above);\n when above > 0 then n = pre(n) + 1; end when;\nend M;\n",
               {{"stop", "5"}, {"tolerance", "1e-9"}});
  EXPECT_THAT(clause.times("when"), ElementsAre(DoubleNear(5.0 / 3.0, 1e-14))) << clause.log();
}

TEST(Language4, SlidingOnTwoSurfacesIsLoggedPerGuard) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 1, fixed = true);\n Real y(start = 2, fixed = true);\nequation\n der(x) = "
      "-sign(x);\n"
      " der(y) = -sign(y);\nend M;\n",
      {{"stop", "3"}});
  ASSERT_EQ(run.events.size(), 2U) << run.log();
  EXPECT_EQ(run.events[0].kind, "slide_enter");
  EXPECT_EQ(run.events[0].guard, "x");
  EXPECT_NEAR(run.events[0].time, 1, 1e-14);
  EXPECT_EQ(run.events[1].kind, "slide_enter");
  EXPECT_EQ(run.events[1].guard, "y");
  EXPECT_NEAR(run.events[1].time, 2, 1e-14);
  EXPECT_NEAR(run.final("x"), 0, 1e-16);
  EXPECT_NEAR(run.final("y"), 0, 1e-16);
}

TEST(Language4, AnotherSurfaceIsCrossedWhileSliding) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true);\n Real y(start = 0, fixed = true);\nequation\n der(x) = "
      "-sign(x);\n"
      " der(y) = if y > 0.5 then 3 else 1;\nend M;\n");
  EXPECT_NEAR(run.final("y"), 0.5 + 1.5, 1e-13) << run.log();
  EXPECT_EQ(run.final("x"), 0.0);
  EXPECT_EQ(run.count("slide_exit"), 0U);
  EXPECT_THAT(run.times("condition"), ElementsAre(DoubleNear(0.5, 1e-14)));
}

TEST(Language4, TheTwistingAlgorithmEndsOnTheIntersection) {
  // x'' = −2 sign x − sign x' from (1, 0): quarter turns with decelerations 3 towards the axis x = 0 crossing …; the
  // sequence of |v| at x = 0 is geometric and the accumulation is finite, after which both are zero.
  const HybridRun run = run_text(
      "model M\n Real x(start = 1, fixed = true);\n Real v(start = 0, fixed = true);\nequation\n der(x) = "
      "v;\n"
      " der(v) = -2*sign(x) - sign(v);\nend M;\n",
      {{"stop", "20"}, {"tolerance", "1e-8"}});
  EXPECT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_NEAR(run.final("x"), 0.0, 1e-8);
  EXPECT_NEAR(run.final("v"), 0.0, 1e-8);
}

TEST(Language4, StickSlipNeedsNothingFromTheUser) {
  // The file of section 1. Slip until v1 = v2 …; at rest v1 − v2 = 0 is attracting as long as |sin t| ≤ 2 mu.
  const HybridRun run = run_text(
      "model StickSlip\n parameter Real mu = 0.4;\n Real p1(start = 1, fixed = true);\n Real v1(start = 0, "
      "fixed = true);\n"
      " Real p2(start = 1, fixed = true), v2(start = 0, fixed = true);\nequation\n der(p1) = v1;\n der(p2) = "
      "v2;\n"
      " der(v1) = sin(time) - mu*sign(v1 - v2);\n der(v2) = mu*sign(v1 - v2);\nend StickSlip;\n",
      {{"stop", "1"}, {"tolerance", "1e-10"}});
  ASSERT_GE(run.events.size(), 2U) << run.log();
  EXPECT_EQ(run.events[0].kind, "slide_enter");
  EXPECT_EQ(run.events[0].time, 0.0);
  EXPECT_EQ(run.events[0].guard, "v1 - v2");
  EXPECT_EQ(run.events[1].kind, "slide_exit");
  EXPECT_NEAR(run.events[1].time, std::asin(0.8), 1e-9);
}

}  // namespace
}  // namespace saltus::test
