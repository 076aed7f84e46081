// The initial problem and discrete variables (docs/semantics.md 3). Values by hand, after the Modelica Language Specification 3.6, 8.6.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

HybridRun run_of(const std::string& declarations, const std::string& initial, const std::string& equations,
                 const std::string& method = "auto") {
  return run_text("model M\n" + declarations + (initial.empty() ? "" : "initial equation\n" + initial) +
                      "equation\n" + equations + "end M;\n",
                  {{"stop", "1"}, {"interval", "0.05"}, {"method", method}});
}

// After the last round at a time.
double at(const HybridRun& run, double time, const std::string& name) {
  return run.value(run.rows_at(time).back(), name);
}

class InitialProblem : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, InitialProblem,
                         ::testing::Values("auto", "dopri5", "radau5", "sdirk4", "bdf"),
                         [](const auto& given) { return given.param; });

// After the initial problem pre(v) := v, and a round follows in which initial() is false.
TEST_P(InitialProblem, InitialIsTrueOnce) {
  for (const std::string go : {"pre(stage) == 1 or initial()", "initial() or pre(stage) == 1",
                               "not (not initial() and pre(stage) <> 1)"}) {
    const HybridRun run = run_of(
        " Integer stage(start = 2, fixed = true);\n Boolean go;\n", "",
        " stage = if time < 0.5 then 2 elseif time < 0.7 then 1 else 0;\n go = " + go + ";\n", GetParam());
    EXPECT_EQ(at(run, 0.25, "go"), 0) << go << run.log();
    EXPECT_EQ(at(run, 0.6, "go"), 1) << go;
    EXPECT_EQ(at(run, 0.8, "go"), 0) << go;
  }
}

// What changes because initial() ends is an edge of the round after the start.
TEST_P(InitialProblem, TheEndOfInitialIsAnEdge) {
  const HybridRun run = run_of(
      " Integer n(start = 0, fixed = true), m(start = 0, fixed = true);\n Boolean b = not initial();\n Real "
      "x(start = 1, fixed = true);\n",
      "",
      " der(x) = 0;\n when b then\n  n = pre(n) + 1;\n  reinit(x, 5);\n end when;\n when not b then\n  m = "
      "pre(m) + 1;\n end when;\n",
      GetParam());
  EXPECT_EQ(run.final("n"), 1) << run.log();
  EXPECT_EQ(run.final("m"), 0);
  EXPECT_EQ(run.final("x"), 5);
}

// `initial() or c` is no clause of the start: it does nothing there, and it was true.
TEST_P(InitialProblem, InitialAmongOtherOperandsIsNoClauseOfTheStart) {
  const std::string declarations = " Integer n(start = 0, fixed = true);\n";
  for (const std::string condition : {"initial() or time > 0.5", "time > 0.5 or initial()"}) {
    const HybridRun run =
        run_of(declarations, "", " when " + condition + " then\n  n = pre(n) + 1;\n end when;\n", GetParam());
    EXPECT_EQ(at(run, 0.25, "n"), 0) << condition << run.log();
    EXPECT_EQ(run.final("n"), 1) << condition;
    EXPECT_TRUE(run.says("does not fire at the start")) << run.words();
  }
  const HybridRun vector = run_of(
      declarations, "", " when {initial(), time > 0.5} then\n  n = pre(n) + 1;\n end when;\n", GetParam());
  EXPECT_EQ(at(vector, 0.25, "n"), 1) << vector.log();
  EXPECT_EQ(vector.final("n"), 2);
  EXPECT_FALSE(vector.says("does not fire at the start"));
}

// A guard that is zero at the start is as written in the first round, in which initial() holds no more; that it leaves zero at once is an
// event after that round, and an edge.
TEST_P(InitialProblem, WhatLeavesZeroAtOnceHasItsEdgeAfterTheFirstRound) {
  for (const double rate : {-1.0, 1.0}) {
    const std::string relation = rate < 0 ? "x < 0" : "x > 0";
    for (const std::string condition : {"initial() or edge(b)", "edge(b) or initial()", "initial() or b"}) {
      const HybridRun run =
          run_of(" Real x(start = 0, fixed = true);\n Boolean b;\n Integer n(start = 0, fixed = true);\n", "",
                 " der(x) = " + std::to_string(rate) + ";\n b = " + relation + ";\n when " + condition +
                     " then\n  n = pre(n) + 1;\n end when;\n",
                 GetParam());
      EXPECT_EQ(run.final("n"), 1) << condition << relation << run.log();
      EXPECT_EQ(run.value(run.rows.front(), "n"), 0);
      EXPECT_EQ(run.value(run.rows.front(), "b"), 0);
      EXPECT_EQ(at(run, 0, "n"), 1);
    }
  }
}

// … and what rounds with guards as written have done comes before it: clauses that fire on it see their values.
TEST_P(InitialProblem, RoundsOfTheStartComeBeforeWhatLeavesZero) {
  for (const std::string first : {"not initial()", "sample(0, 10)", "{sample(0, 10), time > 5}"}) {
    for (const std::string then : {"x < 0", "edge(b)", "change(w)", "w < 0 and b"}) {
      const HybridRun run = run_of(
          " Real x(start = 0, fixed = true), y(start = 1, fixed = true);\n discrete Real k(start = 0, fixed "
          "= true);\n Real "
          "z(start = 0, fixed = true);\n Boolean b = x < 0;\n Integer w = integer(-0.5*time);\n Integer "
          "n(start = 0, fixed = true), m(start = 0, fixed = true);\n",
          "",
          " der(x) = -1;\n der(y) = 0;\n der(z) = 0;\n when " + first +
              " then\n  n = pre(n) + 1;\n  reinit(y, 5);\n end when;\n when " + then +
              " then\n  k = y;\n  m = pre(n);\n  reinit(z, y);\n end when;\n",
          GetParam());
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log() << run.words();
      EXPECT_EQ(run.final("n"), 1) << first << then << run.log();
      EXPECT_EQ(run.final("k"), 5) << first << then << run.log();
      EXPECT_EQ(run.final("m"), 1) << first << then;
      EXPECT_EQ(run.final("z"), 5) << first << then;
    }
  }
}

// The last row of the start has the values after it: pre(v) is v there, and nothing changes any more.
TEST_P(InitialProblem, TheLastRowOfTheStartHasNoChange) {
  for (const std::string value :
       {"if change(m) then 7 else 1", "if pre(m) <> m then 7 else 1", "1 + 6*(m - pre(m))"}) {
    for (const std::string m : {"if initial() then 0 else 1", "if x + pre(k) > -0.5 then 1 else 0",
                                "if time + pre(k) > -0.5 then 1 else 0"}) {
      const HybridRun run = run_of(
          " Real x(start = 0, fixed = true), y;\n Integer k(start = -1, fixed = true), m(start = 0);\n", "",
          " der(x) = 1;\n m = " + m + ";\n y = " + value + ";\n when initial() then\n  k = 1;\n end when;\n",
          GetParam());
      ASSERT_EQ(run.result.status, SimulationStatus::success) << run.log() << run.words();
      EXPECT_EQ(at(run, 0, "m"), 1) << m << run.log();
      EXPECT_EQ(at(run, 0, "y"), 1) << m << value << run.log();
    }
  }
}

// What a clause of the start sets is pre(…) of the first round. Two diodes one behind the other: with the second's side the first's new
// value would have another sign, which it never has.
TEST_P(InitialProblem, SidesAfterTheStartAreThoseOfOneSolution) {
  for (const std::string condition : {"not edge(off2)", "not change(off2)", "not off2"}) {
    const HybridRun run = run_of(
        " discrete Real k(start = 1, fixed = true);\n Real s1, v1, s2;\n Boolean off1(start = true), "
        "off2(start = false);\n Integer n(start = 0, fixed = true), m(start = 0, fixed = true);\n",
        "",
        " when initial() then\n  k = -2;\n end when;\n off1 = s1 < 0;\n off2 = s2 < 0;\n v1 = if off1 then "
        "s1 "
        "else 0;\n -pre(k) = s1*(if off1 then 0.5 else 1) + v1;\n -v1 = s2*(if off2 then 1.5 else 1);\n "
        "when " +
            condition +
            " then\n  n = pre(n) + 1;\n end when;\n when off2 then\n  m = pre(m) + 1;\n end when;\n",
        GetParam());
    EXPECT_EQ(run.final("n"), 0) << condition << run.log();
    EXPECT_EQ(run.final("m"), 0);
    EXPECT_NEAR(run.final("s1"), 2, 1e-12);
    for (const RowRecord& row : run.rows) {
      EXPECT_EQ(run.value(row, "off2"), 0) << condition << row.time;
    }
  }
}

// fixed = true of a discrete variable is about pre(v), whatever gives the variable itself.
TEST_P(InitialProblem, FixedOfADiscreteVariableFixesPre) {
  for (const double start : {1.0, -4.0}) {
    const std::string value = std::to_string(static_cast<int>(start));
    const HybridRun run =
        run_of(" Integer k(start = " + value + ", fixed = true);\n Real x;\n", " x = pre(k);\n",
               " der(x) = 0;\n k = if time > 0.5 then 2 else 3;\n", GetParam());
    EXPECT_EQ(at(run, 0.25, "x"), start) << run.log();
    EXPECT_EQ(run.final("x"), start);
    EXPECT_EQ(at(run, 0.25, "k"), 3);
    EXPECT_EQ(run.final("k"), 2);
    EXPECT_THAT(run.compile_warnings.items(), IsEmpty());
    EXPECT_THAT(run.result.diagnostics.items(), IsEmpty()) << run.words();
  }
  const HybridRun boolean =
      run_of(" Boolean b(start = true, fixed = true);\n Real x;\n", " x = if pre(b) then 7 else 8;\n",
             " der(x) = 0;\n b = time > 0.5;\n", GetParam());
  EXPECT_EQ(at(boolean, 0.25, "b"), 0) << boolean.log();
  EXPECT_EQ(boolean.final("x"), 7);
}

// The clause is one of the equations: given b, pre(b) follows from it, and so does what reads it.
TEST_P(InitialProblem, AClauseOfTheStartIsAnEquation) {
  const std::string declarations =
      " discrete Real a(start = 2, fixed = true);\n discrete Real b(start = 0, fixed = false);\n Real y;\n";
  for (const std::string condition : {"{initial(), sample(0.2, 0.2)}", "{sample(0.2, 0.2), initial()}"}) {
    for (const std::string initial : {" b = 4;\n y = pre(b);\n", " y = pre(b);\n b = 4;\n"}) {
      const HybridRun run = run_of(declarations, initial,
                                   " der(y) = 0;\n when " + condition +
                                       " then\n  a = pre(a) + 0.5;\n  b = pre(b) + 0.5;\n end when;\n",
                                   GetParam());
      EXPECT_NEAR(at(run, 0.1, "a"), 2.5, 1e-13) << run.log();
      EXPECT_NEAR(at(run, 0.1, "b"), 4, 1e-13);
      EXPECT_NEAR(run.final("a"), 5, 1e-13);
      EXPECT_NEAR(run.final("b"), 6.5, 1e-13);
      EXPECT_NEAR(run.final("y"), 3.5, 1e-13);
    }
  }
}

// States that initial equations make follow what the clause sets, and the other way round.
TEST_P(InitialProblem, StatesFollowWhatAClauseOfTheStartSets) {
  const HybridRun run =
      run_of(" Real x;\n discrete Real a(start = 1, fixed = true);\n", " x = 3*a;\n",
             " der(x) = 0;\n when initial() then\n  a = pre(a) + 1;\n end when;\n", GetParam());
  EXPECT_EQ(at(run, 0.0, "x"), 6) << run.log();
  EXPECT_EQ(run.final("x"), 6);
  EXPECT_THAT(run.times("when"), ElementsAre(0.0));
  const HybridRun back = run_of(" Real x(start = 2, fixed = true);\n discrete Real a;\n", "",
                                " der(x) = -a;\n when initial() then\n  a = x/2;\n end when;\n", GetParam());
  EXPECT_NEAR(back.final("x"), 1, 1e-12) << back.log();
}

// y = a pre(y) + b u with y = pre(y): a controller at rest, y = b u/(1 - a).
TEST_P(InitialProblem, ADiscreteControllerAtRest) {
  const HybridRun run =
      run_of(" parameter Real a = 0.5, b = 3, u = 4;\n discrete Real y;\n", " y = pre(y);\n",
             " when {initial(), sample(0.25, 0.25)} then\n  y = a*pre(y) + b*u;\n end when;\n", GetParam());
  EXPECT_NEAR(at(run, 0.1, "y"), 24, 1e-12) << run.log();
  EXPECT_NEAR(run.final("y"), 24, 1e-12);
}

TEST_P(InitialProblem, ReinitInAClauseOfTheStartIsAnInitialEquation) {
  const HybridRun run =
      run_of(" parameter Real y0 = 3;\n Real y, z;\n Boolean reset = time >= 0.5;\n", " z = 2*y;\n",
             " der(y) = 1;\n der(z) = 0;\n when {initial(), reset} then\n  reinit(y, y0);\n end when;\n",
             GetParam());
  EXPECT_NEAR(at(run, 0.25, "y"), 3.25, 1e-12) << run.log();
  EXPECT_NEAR(at(run, 0.75, "y"), 3.25, 1e-12);
  EXPECT_NEAR(run.final("z"), 6, 1e-12);
}

// What a clause of the start sets is there from the beginning: no edge.
TEST_P(InitialProblem, WhatAClauseOfTheStartSetsMakesNoEdge) {
  const HybridRun run = run_of(
      " Integer k(start = 0, fixed = true), n(start = 0, fixed = true);\n", "",
      " when {initial(), time > 0.5} then\n  k = pre(k) + 1;\n end when;\n when k > 0 then\n  n = pre(n) + "
      "1;\n end when;\n",
      GetParam());
  EXPECT_EQ(run.final("k"), 2) << run.log();
  EXPECT_EQ(run.final("n"), 0);
}

// Of a chain the first branch with initial() counts; branches before it do nothing at the start.
TEST_P(InitialProblem, TheFirstBranchOfAChainWithInitial) {
  const HybridRun run = run_of(
      " Integer k(start = 0, fixed = true);\n", "",
      " when time >= 0 then\n  k = 1;\n elsewhen initial() then\n  k = 2;\n elsewhen {initial(), time > "
      "0.5} then\n  k = 3;\n end when;\n",
      GetParam());
  EXPECT_EQ(at(run, 0.25, "k"), 2) << run.log();
  EXPECT_EQ(run.final("k"), 3);
}

// A clock at the start is due in the round after the initial problem.
TEST_P(InitialProblem, AClockAtTheStartFollowsTheInitialProblem) {
  const HybridRun run =
      run_of(" Integer k(start = 0, fixed = true);\n", "",
             " when {initial(), sample(0, 0.4)} then\n  k = pre(k) + 1;\n end when;\n", GetParam());
  EXPECT_EQ(at(run, 0.2, "k"), 2) << run.log();
  EXPECT_EQ(run.final("k"), 4);
}

// Of two start values of one quantity the fixed one, then that of the variable under der is taken, in whatever order they are declared.
TEST_P(InitialProblem, TheStartOfTheStateWins) {
  const double e = std::exp(1.0);
  for (const std::string declarations : {" Real shown(start = 0);\n Real level(start = 200);\n",
                                         " Real level(start = 200);\n Real shown(start = 0);\n"}) {
    for (const std::string tie : {" shown = level;\n", " level = shown;\n"}) {
      const HybridRun run = run_of(declarations, "", tie + " der(level) = shown;\n", GetParam());
      EXPECT_NEAR(run.final("level"), 200 * e, 2e-3) << run.log();
    }
  }
  const HybridRun negative = run_of(" Real shown(start = 3), level(start = 5);\n", "",
                                    " shown = -level;\n der(level) = -shown;\n", GetParam());
  EXPECT_NEAR(negative.final("level"), 5 * e, 1e-4) << negative.log();
  const HybridRun fixed = run_of(" Real shown(start = 3, fixed = true), level(start = 5);\n", "",
                                 " shown = level;\n der(level) = shown;\n", GetParam());
  EXPECT_NEAR(fixed.final("level"), 3 * e, 1e-4) << fixed.log();
}

// reinit of another name of a state is reinit of the state.
TEST_P(InitialProblem, ReinitOfAnotherNameOfAState) {
  const double expected = 2 * std::exp(-0.5);
  for (const std::string ties : {" level = shown;\n other = shown;\n", " shown = level;\n other = level;\n",
                                 " other = level;\n other = shown;\n"}) {
    const HybridRun run =
        run_of(" Real shown(start = 1, fixed = true), level, other;\n", "",
               " der(level) = -level;\n" + ties + " when time > 0.5 then\n  reinit(shown, 2);\n end when;\n",
               GetParam());
    EXPECT_NEAR(run.final("level"), expected, 1e-5) << ties << run.log();
    EXPECT_NEAR(run.final("other"), expected, 1e-5) << ties;
  }
  const HybridRun negative = run_of(" Real shown(start = -1, fixed = true), level;\n", "",
                                    " der(level) = -level;\n shown = -level;\n when time > 0.5 then\n  "
                                    "reinit(shown, -2);\n end when;\n",
                                    GetParam());
  EXPECT_NEAR(negative.final("level"), expected, 1e-5) << negative.log();
}

TEST_P(InitialProblem, InitialWithinAConditionIsNamed) {
  const HybridRun run =
      run_of(" Real x(start = 0, fixed = true);\n Integer n(start = 0, fixed = true);\n", "",
             " der(x) = 1;\n when initial() and x < 2 then\n  n = pre(n) + 1;\n end when;\n", GetParam());
  EXPECT_EQ(run.final("n"), 0) << run.log();
  EXPECT_NE(run.words().find("initial-in-condition"), std::string::npos) << run.words();
}

// In the initial problem pre(k) is 2, and x - pre(k) < 0; after it pre(k) is k = 1, and x - pre(k) is zero. That b was true is remembered:
// its change has an edge, whether the rounds leave x - pre(k) at zero or move it on.
TEST_P(InitialProblem, TruthsAreThoseOfTheInitialProblemNotOfItsEnd) {
  for (const std::string relation : {"b = x - pre(k) < 0", "b = not x - pre(k) >= 0", "b = s < 0"}) {
    for (const std::string later : {"sample(0, 5)", "not initial()", "false"}) {
      const HybridRun run = run_of(
          " Real x(start = 1, fixed = true), i, s, v;\n discrete Real k(start = 2, fixed = true);\n Boolean "
          "b(start = true), off;\n Integer n(start = 0, fixed = true), m(start = 0, fixed = true);\n",
          "",
          " der(x) = 1;\n when initial() then\n  k = x;\n elsewhen " + later +
              " then\n  k = 0;\n end when;\n x - pre(k) = i + v;\n off = s < 0;\n i = s*(if off then 0.25 "
              "else 1);\n v = s*(if off then 1 else 0.5);\n " +
              relation +
              ";\n when change(b) then\n  n = pre(n) + 1;\n end when;\n when change(off) then\n  m = pre(m) "
              "+ 1;\n end when;\n",
          GetParam());
      const std::string what = relation + ", " + later + run.log();
      ASSERT_EQ(run.result.status, SimulationStatus::success) << what << run.words();
      EXPECT_EQ(run.final("b"), 0) << what;
      EXPECT_EQ(run.final("n"), 1) << what;
      EXPECT_EQ(run.final("m"), 1) << what;
      EXPECT_NEAR(run.final("s"), (later == "false" ? 1.0 : 2.0) / 1.5, 1e-6) << what;
    }
  }
}

// With constraints the start is found by another method, by the same rules.
TEST_P(InitialProblem, WithConstraints) {
  const HybridRun run = run_of(
      " Real x(start = 0.6), y(start = 0.8), vx(start = 0), vy, l;\n Integer k(start = 5, fixed = true), "
      "n(start = "
      "0, fixed = true), m(start = 0, fixed = true);\n Boolean b = not initial();\n",
      "",
      " der(x) = vx;\n der(y) = vy;\n der(vx) = -l*x;\n der(vy) = -l*y;\n x^2 + y^2 = 1;\n when initial() "
      "then\n  k = pre(k) + 1;\n end when;\n when k > 5 then\n  n = pre(n) + 1;\n end when;\n when b then\n  "
      "m "
      "= pre(m) + 1;\n end when;\n",
      GetParam() == "dopri5" ? "radau5" : GetParam());
  EXPECT_EQ(run.final("k"), 6) << run.log();
  EXPECT_EQ(run.final("n"), 0);
  EXPECT_EQ(run.final("m"), 1);
}

}  // namespace
}  // namespace saltus::test
