// Section 5 of the language: the start, time events, the end, backwards, models without states.
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

HybridRun with_ramp(const std::string& declarations, const std::string& equations,
                    const OptionList& options = {}) {
  return run_text("model M\n Real x(start = 0, fixed = true);\n" + declarations + "equation\n der(x) = 1;\n" +
                      equations + "end M;\n",
                  options);
}

const char* const kCounter = " Integer n(start = 0, fixed = true);\n";
std::string counted(const std::string& condition) {
  return " when " + condition + " then\n  n = pre(n) + 1;\n end when;\n";
}

TEST(Language5Start, InitialClausesFireAsAnEventAtTheStart) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 2);\n discrete Real y(start = 1, fixed = true);\nequation\n "
      "der(x) = 0;\n"
      " when initial() then\n  y = pre(y) + x;\n  reinit(x, 5);\n end when;\nend M;\n");
  EXPECT_EQ(run.final("x"), 5.0) << run.log();
  EXPECT_EQ(run.final("y"), 6.0) << "both are equations of the initial problem";
  EXPECT_THAT(run.times("when"), ElementsAre(0.0));
  const std::vector<RowRecord> rows = run.rows_at(0.0);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(run.value(rows[0], "x"), 5.0);
  EXPECT_EQ(run.value(rows[1], "x"), 5.0);
}

// Modelica 8.6: both are equations of the initial problem.
TEST(Language5Start, ReinitOfAFixedStateIsAContradiction) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 2, fixed = true);\nequation\n der(x) = 0;\n"
      " when initial() then\n  reinit(x, 5);\n end when;\nend M;\n");
  EXPECT_EQ(run.result.status, SimulationStatus::failed) << run.log();
  EXPECT_EQ(run.result.reason, "initialization_failed");
  EXPECT_TRUE(run.says("'reinit(x, 5)' does not hold")) << run.words();
}

TEST(Language5Start, InitialTogetherWithAnotherCondition) {
  const HybridRun run = with_ramp(kCounter, counted("{initial(), x > 0.5}"));
  EXPECT_EQ(run.final("n"), 2) << run.log();
}

TEST(Language5Start, AConditionThatIsTrueAtTheStartMakesNoEdge) {
  for (const char* condition : {"time >= 0", "x >= 0", "x < 0.5", "x <= 0.5 and time >= 0", "not x > 2"}) {
    EXPECT_EQ(with_ramp(kCounter, counted(condition)).final("n"), 0) << condition;
  }
}

TEST(Language5Start, AGuardThatIsZeroAtTheStartAndMovesIsAnEventThere) {
  const HybridRun run = with_ramp(kCounter, counted("x > 0"));
  EXPECT_EQ(run.final("n"), 1) << run.log();
  EXPECT_THAT(run.times("when"), ElementsAre(0.0));
  const HybridRun scheduled = with_ramp(kCounter, counted("time > 0"));
  EXPECT_EQ(scheduled.final("n"), 1) << scheduled.log();
  EXPECT_THAT(scheduled.times("time"), ElementsAre(0.0));
}

TEST(Language5Start, AGuardThatIsZeroAndMovesAwayFromTheConditionMakesNone) {
  EXPECT_EQ(with_ramp(kCounter, counted("x < 0")).final("n"), 0);
}

TEST(Language5Start, AGuardWhoseFirstDerivativeIsZeroIsDecidedByTheNext) {
  // y = t³ from rest: the guard y is zero with its first two derivatives.
  const HybridRun run = with_ramp(" Real y(start = 0, fixed = true);\n" + std::string(kCounter),
                                  " der(y) = 3*x^2;\n" + counted("y > 0"));
  EXPECT_EQ(run.final("n"), 1) << run.log();
  const HybridRun other = with_ramp(" Real y(start = 0, fixed = true);\n" + std::string(kCounter),
                                    " der(y) = -2*x;\n" + counted("y > 0"));
  EXPECT_EQ(other.final("n"), 0) << other.log();
}

TEST(Language5Start, AGuardThatStaysZeroNeverFires) {
  const HybridRun run = with_ramp(" Real z(start = 0, fixed = true);\n" + std::string(kCounter),
                                  " der(z) = 0;\n" + counted("{z > 0, z < 0}"));
  EXPECT_EQ(run.final("n"), 0);
}

TEST(Language5Time, ScheduledConditionsAreHitToTheLastBit) {
  struct Case {
    const char* condition;
    double time;
  };
  for (const Case& given :
       {Case{"time >= 0.3", 0.3}, Case{"time > 0.3", 0.3}, Case{"0.7 <= time", 0.7},
        Case{"2*time >= 0.6", 0.3}, Case{"time - 0.1 > 0", 0.1}, Case{"not time < 0.9", 0.9}}) {
    const HybridRun run = with_ramp(kCounter, counted(given.condition), {{"tolerance", "1e-2"}});
    EXPECT_EQ(run.final("n"), 1) << given.condition << run.log();
    EXPECT_THAT(run.times("time"), ElementsAre(given.time)) << given.condition;
    EXPECT_EQ(run.count("when"), 0U) << given.condition;
  }
}

TEST(Language5Time, SampleIsStartPlusKTimesIntervalInOneRounding) {
  const HybridRun run = with_ramp(kCounter, counted("sample(0.05, 0.1)"), {{"stop", "10"}});
  const std::vector<double> times = run.times("time");
  ASSERT_EQ(times.size(), 100U) << run.log();
  for (std::size_t k = 0; k < times.size(); ++k) {
    EXPECT_EQ(times[k], std::fma(static_cast<double>(k), 0.1, 0.05)) << k;
  }
}

TEST(Language5Time, SampleIncludesItsStartAndTheStopTime) {
  const HybridRun run = with_ramp(kCounter, counted("sample(0, 0.1)"), {{"stop", "1"}});
  EXPECT_EQ(run.final("n"), 11) << run.log();
  EXPECT_EQ(run.times("time").front(), 0.0);
  EXPECT_EQ(run.times("time").back(), 1.0);
  EXPECT_EQ(with_ramp(kCounter, counted("sample(2, 0.1)"), {{"stop", "1"}}).final("n"), 0);
}

TEST(Language5Time, ModOfTimeIsScheduled) {
  // ∫ mod(t, 0.25) over [0, 1] = 4 · 0.25²/2, and every switch is at k/4 exactly.
  const HybridRun run = with_ramp(" Real y(start = 0, fixed = true);\n", " der(y) = mod(time, 0.25);\n",
                                  {{"tolerance", "1e-2"}});
  EXPECT_NEAR(run.final("y"), 0.125, 1e-14) << run.log();
  for (const EventRecord& event : run.events) {
    EXPECT_EQ(event.time * 4, std::round(event.time * 4)) << run.log();
  }
  const HybridRun square = with_ramp(" Real y(start = 0, fixed = true);\n",
                                     " der(y) = if mod(time, 0.5) < 0.125 then 1 else 0;\n", {{"stop", "2"}});
  EXPECT_NEAR(square.final("y"), 0.5, 1e-13) << square.log();
}

TEST(Language5Time, AThresholdThatIsADiscreteVariableIsScheduledAnew) {
  const HybridRun run = with_ramp(
      " discrete Real next(start = 0.1, fixed = true);\n" + std::string(kCounter),
      " when time >= pre(next) then\n  n = pre(n) + 1;\n  next = pre(next) + 0.1*(pre(n) + 1);\n end when;\n",
      {{"stop", "2"}});
  // 0.1, 0.2, 0.4, 0.7, 1.1, 1.6
  EXPECT_EQ(run.final("n"), 6) << run.log();
  EXPECT_NEAR(run.times("time").back(), 1.6, 1e-15);
}

TEST(Language5Time, TimesWithinAFewRoundingsAreOneInstant) {
  // 3·0.1 in one rounding is 0.30000000000000004; the ramp reaches 0.3 in some rounding of it.
  const HybridRun run = with_ramp(
      " Integer a(start = 0, fixed = true), b(start = 0, fixed = true), c(start = 0, fixed = true);\n",
      " when time >= 0.3 then\n  a = pre(c) + 1;\n end when;\n when sample(0, 0.1) then\n  b = pre(b) + 1;\n "
      "end when;\n"
      " when x >= 0.3 then\n  c = 1;\n end when;\n",
      {{"stop", "0.35"}, {"interval", "1"}});
  EXPECT_EQ(run.rows_at(0.3).size(), 2U) << "one round, all together" << run.log();
  EXPECT_EQ(run.final("a"), 1) << "c is set in the same round, its pre is 0";
  EXPECT_EQ(run.final("b"), 4);
  EXPECT_EQ(run.final("c"), 1);
}

TEST(Language5Time, StateEventsFurtherApartAreSeparateInstantsInOrder) {
  const HybridRun run = with_ramp(
      " Integer n(start = 0, fixed = true), m(start = 0, fixed = true);\n",
      " when x > 0.5 + 1e-12 then\n  m = n + 10;\n end when;\n" + counted("x > 0.5"), {{"interval", "1"}});
  const std::vector<double> times = run.times("when");
  ASSERT_EQ(times.size(), 2U) << run.log();
  EXPECT_LT(times[0], times[1]);
  EXPECT_NEAR(times[1] - times[0], 1e-12, 1e-15);
  EXPECT_EQ(run.final("m"), 11);
  EXPECT_EQ(run.rows_at(0.5).size(), 4U);
}

TEST(Language5Time, TenGuardsWithinATrillionthFireInTheirOrder) {
  std::string declarations;
  std::string equations;
  for (int k = 9; k >= 0; --k) {
    const std::string name = "d" + std::to_string(k);
    declarations += " Integer " + name + "(start = -1, fixed = true);\n";
    equations += " when x > 0.5 + " + std::to_string(k) + "e-13 then\n  " + name + " = n;\n end when;\n";
  }
  const HybridRun run = with_ramp(declarations + " Integer n = 7;\n", equations);
  const std::vector<double> times = run.times("when");
  ASSERT_EQ(times.size(), 10U) << run.log();
  for (std::size_t k = 1; k < times.size(); ++k) {
    EXPECT_NEAR(times[k] - times[k - 1], 1e-13, 1e-15) << k;
  }
}

TEST(Language5Time, AnEventExactlyAtTheStopIsHandledAndRecorded) {
  const HybridRun scheduled = with_ramp(kCounter, counted("time >= 1"));
  EXPECT_EQ(scheduled.final("n"), 1) << scheduled.log();
  EXPECT_THAT(scheduled.times("time"), ElementsAre(1.0));
  EXPECT_EQ(scheduled.value(scheduled.rows.back(), "n"), 1);
  EXPECT_EQ(scheduled.rows_at(1.0).size(), 2U);
  const HybridRun located = with_ramp(kCounter, counted("x >= 1"));
  EXPECT_EQ(located.final("n"), 1) << located.log();
  EXPECT_EQ(located.result.end, 1.0);
}

TEST(Language5Time, AnEventAtTheStopComesBeforeTerminal) {
  const HybridRun run =
      with_ramp(kCounter, " when {time >= 1, terminal()} then\n  n = 2*pre(n) + 1;\n end when;\n");
  EXPECT_EQ(run.final("n"), 3) << run.log();
}

TEST(Language5Time, TimeEventsFarFromZeroAreExact) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true);\n Integer n(start = 0, fixed = true);\nequation\n der(x) = "
      "1;\n" +
          counted("sample(1e9, 0.1)") + "end M;\n",
      {{"start", "1e9"}, {"stop", "1000000001"}});
  EXPECT_EQ(run.final("n"), 11) << run.log();
  for (std::size_t k = 0; k < run.times("time").size(); ++k) {
    EXPECT_EQ(run.times("time")[k], std::fma(static_cast<double>(k), 0.1, 1e9));
  }
  EXPECT_NEAR(run.final("x"), 1.0, 1e-7);
}

TEST(Language5Backwards, EventsComeInTheOrderMetAndPreIsTheSideAlreadyComputed) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 1, fixed = true);\n Real y(start = 0, fixed = true);\n Integer n(start = 0, "
      "fixed = true),\n"
      "  first(start = 0, fixed = true), second(start = 0, fixed = true);\nequation\n der(x) = 1;\n"
      " der(y) = if x > 0.5 then 1 else 3;\n when x < 0.75 then\n  first = pre(n) + 1;\n end when;\n"
      " when x < 0.25 then\n  second = pre(first) + 10;\n end when;\n when {x < 0.75, x < 0.25} then\n  n = "
      "pre(n) + 1;\n"
      " end when;\nend M;\n",
      {{"start", "1"}, {"stop", "0"}});
  EXPECT_EQ(run.result.status, SimulationStatus::success) << run.log();
  EXPECT_NEAR(run.final("x"), 0, 1e-15);
  EXPECT_NEAR(run.final("y"), -0.5 - 1.5, 1e-13);
  EXPECT_EQ(run.final("first"), 1);
  EXPECT_EQ(run.final("second"), 11);
  EXPECT_EQ(run.final("n"), 2);
  const std::vector<double> times = run.times("when");
  ASSERT_EQ(times.size(), 4U) << run.log();
  EXPECT_NEAR(times.front(), 0.75, 1e-15);
  EXPECT_NEAR(times.back(), 0.25, 1e-15);
  EXPECT_THAT(run.times("condition"), ElementsAre(DoubleNear(0.5, 1e-15)));
}

TEST(Language5Backwards, TimeEventsAreMetBackwards) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 1, fixed = true);\n Integer n(start = 0, fixed = true);\nequation\n der(x) = "
      "1;\n" +
          counted("time < 0.3") + "end M;\n",
      {{"start", "1"}, {"stop", "0"}});
  EXPECT_EQ(run.final("n"), 1) << run.log();
  EXPECT_THAT(run.times("time"), ElementsAre(0.3));
}

TEST(Language5, ModelsWithoutStatesRun) {
  const HybridRun algebraic = run_text("model M\n Real y = sin(time);\nend M;\n", {{"interval", "0.25"}});
  EXPECT_EQ(algebraic.result.status, SimulationStatus::success);
  EXPECT_NEAR(algebraic.final("y"), std::sin(1.0), 1e-15);
  const HybridRun discrete = run_text(
      "model M\n Integer n(start = 0, fixed = true);\nequation\n when sample(0, 0.25) then\n  n = pre(n) + "
      "1;\n end when;\n"
      "end M;\n");
  EXPECT_EQ(discrete.result.status, SimulationStatus::success) << discrete.log();
  EXPECT_EQ(discrete.final("n"), 5);
  const HybridRun located = run_text(
      "model M\n Real y = sin(time);\n Integer n(start = 0, fixed = true);\nequation\n when y > 0.5 then\n  "
      "n = pre(n) + 1;\n"
      " end when;\nend M;\n",
      {{"stop", "20"}});
  EXPECT_EQ(located.final("n"), 4) << located.log();
  ASSERT_EQ(located.count("when"), 4U);
  EXPECT_NEAR(located.times("when")[0], M_PI / 6, 1e-14);
}

TEST(Language5, TheKindsOfAFileOfEvents) {
  // One of each that a model without modes can have, in one run, each where it belongs.
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true), y(start = 1, fixed = true), z(start = 0, fixed = true);\n"
      " Integer n(start = 0, fixed = true), m(start = 0, fixed = true);\nequation\n der(x) = 1;\n"
      " der(y) = (if time < 2 then 0 else 1.5*time - 3) - sign(y);\n der(z) = if x > 0.5 then abs(x - 0.75) "
      "else 0;\n"
      " when x > 1.25 then\n  n = 1;\n end when;\n when time >= 1.5 then\n  m = 1;\n end when;\n"
      " when y > 0.125 and time > 2 then\n  terminate(\"done\");\n end when;\nend M;\n",
      {{"stop", "9"}, {"tolerance", "1e-9"}});
  std::vector<std::string> kinds;
  for (const EventRecord& event : run.events) {
    kinds.push_back(event.kind);
  }
  // x passes 0.5; y slides from 1; the clauses; `time < 2` in the equations is scheduled; y leaves at 2 + 2/3.
  EXPECT_THAT(kinds, ElementsAre("condition", "slide_enter", "when", "time", "time", "slide_exit", "when",
                                 "terminate"))
      << run.log();
}

}  // namespace
}  // namespace saltus::test
