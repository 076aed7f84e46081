// Section 5 of the language, sentence by sentence: edges, rounds, pre, jumps, discrete variables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/hybrid_run.hpp"

namespace saltus::test {
namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// x = time, seen as a state: clauses over it are located, not scheduled.
HybridRun with_ramp(const std::string& declarations, const std::string& equations,
                    const OptionList& options = {}) {
  return run_text("model M\n Real x(start = 0, fixed = true);\n" + declarations + "equation\n der(x) = 1;\n" +
                      equations + "end M;\n",
                  options);
}

TEST(Language5, AClauseFiresWhenItsConditionBecomesTrueNotWhileItIs) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true);\n Real v(start = 1, fixed = true);\n Integer n(start = 0, "
      "fixed = true);\n"
      "equation\n der(x) = v;\n der(v) = -x;\n when x > 0.5 then\n  n = pre(n) + 1;\n end when;\nend M;\n",
      {{"stop", "20"}, {"tolerance", "1e-9"}});
  // sin t rises through 1/2 at π/6 + 2πk: k = 0 … 3 before 20.
  EXPECT_EQ(run.final("n"), 4.0) << run.log();
  const std::vector<double> times = run.times("when");
  ASSERT_EQ(times.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(times[k], M_PI / 6 + 2 * M_PI * static_cast<double>(k), 1e-7);
  }
}

TEST(Language5, AnInstantHasARowBeforeAndOneAfterEachRound) {
  const HybridRun run =
      with_ramp(" Integer n(start = 0, fixed = true);\n Integer m(start = 0, fixed = true);\n",
                " when x > 0.5 then\n  n = pre(n) + 1;\n end when;\n"
                " when pre(n) > 0 then\n  m = pre(n) + 10;\n end when;\n",
                {{"interval", "0.2"}});
  const std::vector<RowRecord> rows = run.rows_at(0.5);
  ASSERT_EQ(rows.size(), 3U) << run.log();
  EXPECT_THAT((std::vector{run.value(rows[0], "n"), run.value(rows[1], "n"), run.value(rows[2], "n")}),
              ElementsAre(0, 1, 1));
  // pre is the value of the round before, in conditions too.
  EXPECT_THAT((std::vector{run.value(rows[0], "m"), run.value(rows[1], "m"), run.value(rows[2], "m")}),
              ElementsAre(0, 0, 11));
  EXPECT_EQ(rows[0].time, rows[1].time);
  EXPECT_EQ(rows[1].time, rows[2].time);
  EXPECT_EQ(rows[1].segment, rows[0].segment + 1);
  EXPECT_EQ(rows[2].segment, rows[1].segment + 1);
  ASSERT_EQ(run.count("when"), 2U);
  EXPECT_EQ(run.of_kind("when")[0].segment, rows[1].segment);
  EXPECT_EQ(run.of_kind("when")[1].segment, rows[2].segment);
}

TEST(Language5, TheRowOfTheLastRoundHasTheValuesAfterTheInstant) {
  // pre(v) is v when nothing changes any more, and so is what equations make of it: directly, through others, in an implicit one, for a rate.
  const std::string declarations =
      " Real y, z, q(start = 0), w(start = 0, fixed = true);\n discrete Real k(start = 2, fixed = true);\n"
      " Integer n(start = 0, fixed = true);\n";
  const std::string equations =
      " y = x + pre(k);\n z = 3*y;\n q + 0.25*sin(q) = pre(k) - pre(n);\n der(w) = pre(k);\n";
  for (const std::string clause :
       {" when {time >= 0.5} then\n  k = pre(k) + 3;\n  n = pre(n) + 2;\n end when;\n",
        " when x > 0.5 then\n  k = pre(k) + 3;\n  n = pre(n) + 2;\n end when;\n",
        " when sample(0.5, 1) then\n  k = pre(k) + 3;\n end when;\n when change(k) then\n  n = pre(n) + 2;\n "
        "end "
        "when;\n",
        " when x >= 0.5 then\n  k = 5;\n end when;\n n = if x > 0.5 then 2 else 0;\n"}) {
    const HybridRun run =
        with_ramp(declarations, equations + clause, {{"stop", "0.75"}, {"tolerance", "1e-9"}});
    const std::vector<RowRecord> rows = run.rows_at(0.5);
    ASSERT_GE(rows.size(), 2U) << clause << run.log();
    const RowRecord& last = rows.back();
    EXPECT_EQ(run.value(last, "k"), 5.0) << clause << run.log();
    EXPECT_EQ(run.value(last, "n"), 2.0) << clause << run.log();
    EXPECT_NEAR(run.value(last, "y"), 5.5, 1e-8) << clause << run.log();
    EXPECT_NEAR(run.value(last, "z"), 16.5, 1e-7) << clause << run.log();
    const double q = run.value(last, "q");
    EXPECT_NEAR(q + 0.25 * std::sin(q), 3.0, 1e-8) << clause << run.log();
    EXPECT_EQ(run.value(rows.front(), "k"), 2.0);
    EXPECT_NEAR(run.value(rows.front(), "y"), 2.5, 1e-8) << clause;
    EXPECT_NEAR(run.final("y"), 5.75, 1e-8) << clause;
  }
}

TEST(Language5, TheFirstRowHasTheValuesAfterTheRoundsOfTheStart) {
  const HybridRun run = with_ramp(" Real y;\n discrete Real k(start = 2, fixed = true);\n",
                                  " y = x - pre(k);\n when sample(0, 2) then\n  k = 7;\n end when;\n");
  EXPECT_EQ(run.value(run.rows_at(0).back(), "y"), -7.0) << run.log();
  EXPECT_NEAR(run.value(run.rows_at(1).back(), "y"), -6.0, 1e-9) << run.log();
}

TEST(Language5, AnOutputTimeThatCoincidesWithAnEventGetsNoFurtherRow) {
  const HybridRun run =
      with_ramp(" Integer n(start = 0, fixed = true);\n",
                " when time >= 0.5 then\n  n = pre(n) + 1;\n end when;\n", {{"interval", "0.25"}});
  std::vector<double> times;
  for (const RowRecord& row : run.rows) {
    times.push_back(row.time);
  }
  EXPECT_THAT(times, ElementsAre(0.0, 0.25, 0.5, 0.5, 0.75, 1.0)) << run.log();
}

TEST(Language5, ClausesOfOneRoundFireTogetherAndSeeEachOthersNewValues) {
  // In the order that does not work one after the other.
  const HybridRun run = with_ramp(
      " discrete Real a(start = 0, fixed = true), b(start = 0, fixed = true), c(start = 0, fixed = true);\n",
      " when x > 0.5 then\n  b = a + 1;\n  c = pre(a);\n end when;\n when 2*x > 1 then\n  a = pre(a) + 7;\n "
      "end when;\n");
  EXPECT_EQ(run.final("a"), 7) << run.log();
  EXPECT_EQ(run.final("b"), 8);
  EXPECT_EQ(run.final("c"), 0);
  EXPECT_EQ(run.rows_at(0.5).size(), 2U) << "one round";
  EXPECT_EQ(run.count("when"), 2U);
}

TEST(Language5, RoundsThatNeverEndAreLimitedAndNamed) {
  const std::string declarations = " Boolean toggle(start = false, fixed = true);\n";
  const std::string equations = " toggle = x > 0.5 and not pre(toggle);\n";
  const HybridRun run = with_ramp(declarations, equations);
  EXPECT_EQ(run.result.status, SimulationStatus::stopped) << run.log();
  EXPECT_EQ(run.result.reason, "round_limit");
  EXPECT_NEAR(run.result.end, 0.5, 1e-14);
  const HybridRun few = with_ramp(declarations, equations, {{"max-rounds", "7"}, {"interval", "0.2"}});
  EXPECT_EQ(few.result.reason, "round_limit");
  EXPECT_EQ(few.rows_at(0.5).size(), 8U) << few.log();
}

TEST(Language5, TheRoundLimitNamesTheClausesInTheLoop) {
  const HybridRun run = with_ramp(
      " Integer ping(start = 0, fixed = true), pong(start = 0, fixed = true);\n"
      " Integer seen(start = 0, fixed = true), heard(start = 0, fixed = true);\n",
      " when {x > 0.5, pre(pong) > pre(heard)} then\n  ping = pre(ping) + 1;\n  heard = pre(pong);\n"
      " end when;\n"
      " when pre(ping) > pre(seen) then\n  pong = pre(pong) + 1;\n  seen = pre(ping);\n end when;\n",
      {{"max-rounds", "50"}});
  if (run.result.status == SimulationStatus::stopped) {
    EXPECT_EQ(run.result.reason, "round_limit") << run.log();
    EXPECT_THAT(run.words(), HasSubstr("pre(ping) > pre(seen)"));
    EXPECT_THAT(run.words(), HasSubstr("pre(pong) > pre(heard)"));
  } else {
    ADD_FAILURE() << "the clauses feed each other for ever: " << run.log();
  }
}

TEST(Language5, ReinitReadsPlainNamesAsValuesBeforeTheRound) {
  const auto ball = [](const std::string& reset) {
    return run_text(
        "model Ball\n parameter Real e = 0.75;\n Real h(start = 1, fixed = true), v(start = 0, fixed = "
        "true);\nequation\n"
        " der(h) = v;\n der(v) = -9.81;\n when h <= 0 and v < 0 then\n  reinit(v, " +
            reset + ");\n end when;\nend Ball;\n",
        {{"stop", "1.5"}, {"tolerance", "1e-8"}});
  };
  const HybridRun plain = ball("-e*v");
  const HybridRun with_pre = ball("-e*pre(v)");
  EXPECT_EQ(plain.final("h"), with_pre.final("h")) << plain.log();
  EXPECT_EQ(plain.final("v"), with_pre.final("v"));
  // By hand: bounces at t₁ = √(2/g) and t₁ + 2·e·t₁ = 1.129; v just after the first is e·√(2g).
  const double t1 = std::sqrt(2 / 9.81);
  ASSERT_EQ(plain.count("when"), 2U) << plain.log();
  EXPECT_NEAR(plain.times("when")[0], t1, 1e-12);
  EXPECT_NEAR(plain.times("when")[1], t1 + 2 * 0.75 * t1, 1e-12);
  const std::vector<RowRecord> rows = plain.rows_at(t1, 1e-10);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(plain.value(rows[1], "v"), -0.75 * plain.value(rows[0], "v"));
  EXPECT_EQ(plain.value(rows[1], "h"), plain.value(rows[0], "h")) << "held";
}

TEST(Language5, ReadingAReinitialisedVariableElsewhereGivesAWarning) {
  const std::string text =
      "model M\n Real x(start = 0, fixed = true), v(start = 1, fixed = true);\n"
      " discrete Real w(start = 0, fixed = true);\nequation\n der(x) = v;\n der(v) = 0;\n when x > 0.5 then\n"
      "  reinit(v, 3*v);\n  w = v;\n end when;\nend M;\n";
  const HybridRun run = run_text(text);
  EXPECT_THAT(run.words(), HasSubstr("warning"));
  EXPECT_EQ(run.final("v"), 3.0) << run.log();
  EXPECT_EQ(run.final("w"), 1.0) << "reinit takes effect after the round";
}

TEST(Language5, TwoBodiesCollideByMomentumAndRestitution) {
  const HybridRun run = run_text(
      "model Impact\n parameter Real m1 = 2, m2 = 1, e = 0.5;\n Real x1(start = 0, fixed = true), v1(start = "
      "2, fixed = true);\n"
      " Real x2(start = 1, fixed = true), v2(start = -1, fixed = true);\n Real momentum = m1*v1 + m2*v2;\n"
      " Real energy = 0.5*m1*v1^2 + 0.5*m2*v2^2;\nequation\n der(x1) = v1;\n der(x2) = v2;\n der(v1) = 0;\n "
      "der(v2) = 0;\n"
      " when x2 - x1 <= 0 then\n  m1*v1 + m2*v2 = m1*pre(v1) + m2*pre(v2);\n  v2 - v1 = -e*(pre(v2) - "
      "pre(v1));\n"
      " end when;\nend Impact;\n",
      {{"stop", "1"}});
  // Relative speed −3 → 1.5; momentum 3: v1 = 0.5, v2 = 2; contact at t = 1/3.
  EXPECT_THAT(run.times("when"), ElementsAre(DoubleNear(1.0 / 3, 1e-15))) << run.log();
  EXPECT_NEAR(run.final("v1"), 0.5, 1e-15);
  EXPECT_NEAR(run.final("v2"), 2.0, 1e-15);
  EXPECT_NEAR(run.final("momentum"), 3.0, 1e-14);
  EXPECT_NEAR(run.final("energy"), 2.25, 1e-14) << "algebraic variables are solved for";
  EXPECT_NEAR(run.final("x1"), 2.0 / 3 + 0.5 * 2 / 3, 1e-14);
  const std::vector<RowRecord> rows = run.rows_at(1.0 / 3);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(run.value(rows[0], "x1"), run.value(rows[1], "x1"))
      << "all other differential variables are held";
  EXPECT_EQ(run.value(rows[0], "x2"), run.value(rows[1], "x2"));
}

TEST(Language5, AVariableAloneOnOneSideOfAJumpEquationMayJump) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true), v(start = 1, fixed = true);\nequation\n der(x) = v;\n "
      "der(v) = 0;\n"
      " when x > 0.5 then\n  v = 0;\n end when;\nend M;\n");
  EXPECT_EQ(run.final("v"), 0.0) << run.log();
  EXPECT_NEAR(run.final("x"), 0.5, 1e-15);
}

TEST(Language5, MoreJumpEquationsThanJumpingVariablesIsAnErrorThatNamesBoth) {
  const std::string text =
      "model M\n Real x(start = 0, fixed = true), v(start = 1, fixed = true);\nequation\n der(x) = v;\n "
      "der(v) = 0;\n"
      " when x > 0.5 then\n  2*v = pre(v);\n  3*v = pre(v);\n end when;\nend M;\n";
  auto run = try_run(text);
  const std::string words = run.has_value() ? run->words() : render_text(run.error());
  if (run.has_value()) {
    EXPECT_EQ(run->result.status, SimulationStatus::failed) << run->log();
  }
  EXPECT_THAT(words, HasSubstr("v"));
  EXPECT_THAT(words, HasSubstr("jump"));
}

TEST(Language5, ADiscreteVariableSetInTwoClausesIsAnErrorThatNamesBothPlaces) {
  const std::string problems = problems_of(
      "model M\n Real x(start = 0, fixed = true);\n Integer n(start = 0, fixed = true);\nequation\n der(x) = "
      "1;\n"
      " when x > 0.5 then\n  n = 1;\n end when;\n when x > 0.75 then\n  n = 2;\n end when;\nend M;\n");
  EXPECT_THAT(problems, HasSubstr("7"));
  EXPECT_THAT(problems, HasSubstr("10"));
}

TEST(Language5, OnlyTheFirstBranchThatBecomesTrueRunsAndLaterEdgesAreLost) {
  const HybridRun run = with_ramp(
      " Integer a(start = 0, fixed = true), b(start = 0, fixed = true), c(start = 0, fixed = true);\n",
      " when x > 0.5 then\n  a = pre(a) + 1;\n elsewhen x >= 0.5 then\n  b = pre(b) + 1;\n elsewhen x > 0.75 "
      "then\n"
      "  c = pre(c) + 1;\n end when;\n");
  EXPECT_EQ(run.final("a"), 1) << run.log();
  EXPECT_EQ(run.final("b"), 0);
  EXPECT_EQ(run.final("c"), 1) << "alone at its instant";
}

TEST(Language5, ABranchThatDoesNotMentionAVariableKeepsIt) {
  const HybridRun run =
      with_ramp(" discrete Real u(start = 4, fixed = true), w(start = 0, fixed = true);\n",
                " when x > 0.25 then\n  u = 5;\n elsewhen x > 0.5 then\n  w = 1;\n end when;\n");
  EXPECT_EQ(run.final("u"), 5) << run.log();
  EXPECT_EQ(run.final("w"), 1);
}

// Two relations in one condition: the event names the condition, and the relation whose guard crossed (or several).
TEST(Language5, TheRelationThatMadeAConditionTrueIsTold) {
  const auto details = [](const std::string& condition) {
    const HybridRun run =
        with_ramp(" Real y(start = 1, fixed = true);\n Integer n(start = 0, fixed = true);\n",
                  " der(y) = -1;\n when " + condition + " then\n  n = pre(n) + 1;\n end when;\n");
    std::vector<std::string> found;
    for (const EventRecord& event : run.of_kind("when")) {
      found.push_back(event.detail);
    }
    return found;
  };
  EXPECT_THAT(details("x > 0.25 and y < 0.5"), ElementsAre("x > 0.25 and y < 0.5; by y < 0.5"));
  EXPECT_THAT(details("x > 0.75 and\n   not y > 0.5"), ElementsAre("x > 0.75 and not y > 0.5; by x > 0.75"));
  EXPECT_THAT(details("{x > 0.25, y < 0.5}"),
              ElementsAre("{x > 0.25, y < 0.5}; by x > 0.25", "{x > 0.25, y < 0.5}; by y < 0.5"));
  EXPECT_THAT(details("x > 0.25 and y < 0.75"), ElementsAre(EndsWith("; by x > 0.25, y < 0.75")));
  EXPECT_THAT(details("x > 0.25"), ElementsAre("x > 0.25"));
}

// In a loop one text stands for several clauses: each has its own, with relations as written.
TEST(Language5, AConditionInALoopHasItsElementInItsText) {
  const HybridRun run = with_ramp(
      " Real y[2](start = {1, 2}, each fixed = true);\n Integer n[2](each start = 0, each fixed = true);\n",
      " for i in 1:2 loop\n  der(y[i]) = -2;\n  when 0.5 >= y[i] and x < 5 then\n   n[i] = pre(n[i]) + 1;\n  "
      "end "
      "when;\n end for;\n");
  ASSERT_EQ(run.of_kind("when").size(), 2U) << run.log();
  EXPECT_THAT(run.of_kind("when")[0].detail, AllOf(HasSubstr("0.5 >= y[1]"), HasSubstr("x < 5")));
  EXPECT_THAT(run.of_kind("when")[1].detail, AllOf(HasSubstr("0.5 >= y[2]"), HasSubstr("x < 5")));
}

TEST(Language5, ADiscreteVariableThatOnlyAJumpEquationContainsIsNamedWithIt) {
  const auto run = try_run(
      "model M\n Real x(start = 1, fixed = true);\n discrete Real n(start = 0, fixed = true);\nequation\n "
      "der(x) "
      "= -1;\n when x < 0.5 then\n  2*n + 1 = pre(n) + 4;\n end when;\nend M;\n");
  ASSERT_FALSE(run.has_value());
  const std::string text = render_text(run.error());
  EXPECT_THAT(text, HasSubstr("[discrete-in-jump-equation]"));
  EXPECT_THAT(text,
              HasSubstr("nothing assigns the discrete variable n: the jump equation '2*n + 1 = pre(n) + 4'"));
  EXPECT_THAT(text, Not(HasSubstr("too-few-equations")));
}

TEST(Language5, AVectorConditionFiresWhenAnyElementBecomesTrue) {
  const HybridRun run = with_ramp(" Integer n(start = 0, fixed = true), m(start = 0, fixed = true);\n",
                                  " when {x > 0.25, x > 0.5} then\n  n = pre(n) + 1;\n end when;\n"
                                  " when x > 0.25 or x > 0.5 then\n  m = pre(m) + 1;\n end when;\n");
  EXPECT_EQ(run.final("n"), 2) << run.log();
  EXPECT_EQ(run.final("m"), 1);
}

TEST(Language5, RelationsThatCrossHaveTheirNewValueStrictOrNot) {
  const HybridRun run = with_ramp(
      " Boolean gt(start = false, fixed = true), ge(start = false, fixed = true), lt(start = true, fixed = "
      "true),\n"
      "  le(start = true, fixed = true);\n",
      " when x > 0.5 then\n  gt = x > 0.5;\n  ge = x >= 0.5;\n  lt = x < 0.5;\n  le = x <= 0.5;\n end "
      "when;\n");
  EXPECT_EQ(run.final("gt"), 1) << run.log();
  EXPECT_EQ(run.final("ge"), 1);
  EXPECT_EQ(run.final("lt"), 0);
  EXPECT_EQ(run.final("le"), 0);
}

TEST(Language5, OtherRelationsOfABodyAreEvaluatedOnTheValuesTheyName) {
  const HybridRun run = with_ramp(
      " Real y(start = 0.75, fixed = true);\n Boolean before(start = false, fixed = true), after(start = "
      "true, fixed = true);\n",
      " der(y) = 0;\n when x > 0.5 then\n  before = pre(y) > 0.7;\n  after = y > 0.7;\n  y = pre(y) - 0.5;\n "
      "end when;\n");
  EXPECT_EQ(run.final("y"), 0.25) << run.log();
  EXPECT_EQ(run.final("before"), 1);
}

TEST(Language5, EqualityComparesDiscreteValuesOnly) {
  EXPECT_FALSE(
      problems_of(
          "model M\n Real x(start = 0, fixed = true);\n Integer n(start = 0, fixed = true);\nequation\n"
          " der(x) = 1;\n when x == 0.5 then\n  n = 1;\n end when;\nend M;\n")
          .empty());
  const HybridRun run =
      with_ramp(" Integer n(start = 0, fixed = true), m(start = 0, fixed = true);\n Real y;\n",
                " when sample(0.25, 0.25) then\n  n = pre(n) + 1;\n end when;\n"
                " when n == 2 then\n  m = 5;\n end when;\n y = if n == 3 then 30 else 0;\n",
                {{"stop", "0.8"}});
  EXPECT_EQ(run.final("m"), 5) << run.log();
  EXPECT_EQ(run.final("y"), 30);
}

TEST(Language5, OneSurfaceManySpellings) {
  const HybridRun run = run_text(
      "model M\n Real v1(start = 0, fixed = true), v2(start = 0.5, fixed = true);\n Real y(start = 0, fixed "
      "= true);\n"
      "equation\n der(v1) = 1;\n der(v2) = 0;\n der(y) = (if v1 > v2 then 1 else 0) + (if v2 < v1 then 10 "
      "else 0) +"
      " (if v1 - v2 > 0 then 100 else 0) + 1000*sign(v1 - v2) + abs(v1 - v2);\nend M;\n");
  EXPECT_NEAR(run.final("y"), 0.5 * 111 + 0.25, 1e-11) << run.log();
  ASSERT_FALSE(run.events.empty());
  for (const EventRecord& event : run.events) {
    EXPECT_EQ(event.kind, "condition");
    EXPECT_EQ(event.guard, run.events[0].guard);
    EXPECT_EQ(event.time, run.events[0].time);
  }
  EXPECT_EQ(run.rows_at(0.5).size(), 2U) << "one event, before and after";
}

TEST(Language5, WhileSlidingRelationsOfBooleansHaveTheirValueAtZeroAndMakeNoEdge) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 1, fixed = true);\n Real u = sign(x);\n Boolean gt = x > 0, ge = x >= 0, lt "
      "= x < 0;\n"
      " Integer n(start = 0, fixed = true), m(start = 0, fixed = true);\nequation\n der(x) = 0.5*sin(time) - "
      "u;\n"
      " when x < 0 then\n  n = pre(n) + 1;\n end when;\n when x > 0 then\n  m = pre(m) + 1;\n end when;\nend "
      "M;\n",
      {{"stop", "9"}, {"tolerance", "1e-8"}});
  ASSERT_EQ(run.count("slide_enter"), 1U) << run.log();
  EXPECT_EQ(run.count("slide_exit"), 0U);
  EXPECT_EQ(run.count("when"), 0U);
  const double entry = run.times("slide_enter")[0];
  for (const RowRecord& row : run.rows) {
    if (row.time > entry) {
      EXPECT_NEAR(run.value(row, "u"), 0.5 * std::sin(row.time), 1e-14) << "u = sign(g) shows the weight";
      EXPECT_EQ(run.value(row, "gt"), 0);
      EXPECT_EQ(run.value(row, "ge"), 1);
      EXPECT_EQ(run.value(row, "lt"), 0);
    } else if (row.time < entry) {
      EXPECT_EQ(run.value(row, "gt"), 1);
    }
  }
}

TEST(Language5, BooleanEquationsFollowTheirRelationsAndTheirEdges) {
  const HybridRun run = run_text(
      "model M\n Real x(start = 0, fixed = true), v(start = 1, fixed = true);\n Boolean b = x > 0.5;\n"
      " Integer up(start = 0, fixed = true), both(start = 0, fixed = true), down(start = 0, fixed = "
      "true);\nequation\n"
      " der(x) = v;\n der(v) = -x;\n when edge(b) then\n  up = pre(up) + 1;\n end when;\n when change(b) "
      "then\n"
      "  both = pre(both) + 1;\n end when;\n when not b then\n  down = pre(down) + 1;\n end when;\nend M;\n",
      {{"stop", "10"}, {"tolerance", "1e-9"}, {"interval", "0.1"}});
  // sin t > 1/2 on (π/6, 5π/6) and (13π/6, 17π/6): both within [0, 10].
  EXPECT_EQ(run.final("up"), 2) << run.log();
  EXPECT_EQ(run.final("both"), 4);
  EXPECT_EQ(run.final("down"), 2);
  for (const RowRecord& row : run.rows) {
    const double x = std::sin(row.time);
    if (std::abs(x - 0.5) > 1e-6) {
      EXPECT_EQ(run.value(row, "b"), x > 0.5 ? 1 : 0) << row.time;
    }
  }
}

TEST(Language5, PreOfADiscreteVariableIsAllowedEverywhere) {
  // Between events pre(n) is n.
  const HybridRun run = with_ramp(" Integer n(start = 1, fixed = true);\n Real y(start = 0, fixed = true);\n",
                                  " der(y) = pre(n);\n when x > 0.5 then\n  n = 3;\n end when;\n");
  EXPECT_NEAR(run.final("y"), 0.5 + 1.5, 1e-13) << run.log();
}

TEST(Language5, ChangeOfAVariableThatABodySetFiresInTheSameRound) {
  const HybridRun run = with_ramp(" Integer n(start = 0, fixed = true), m(start = 0, fixed = true);\n",
                                  " when {x > 0.25, x > 0.5} then\n  n = pre(n) + 1;\n end when;\n"
                                  " when change(n) then\n  m = pre(m) + 10;\n end when;\n",
                                  {{"interval", "1"}});
  EXPECT_EQ(run.final("n"), 2) << run.log();
  EXPECT_EQ(run.final("m"), 20);
  EXPECT_EQ(run.rows_at(0.25).size(), 2U);
}

TEST(Language5, TerminalIsTrueAtTheEnd) {
  const HybridRun run =
      with_ramp(" Integer n(start = 0, fixed = true);\n", " when terminal() then\n  n = 7;\n end when;\n");
  EXPECT_EQ(run.final("n"), 7) << run.log();
  EXPECT_EQ(run.rows.back().time, 1.0);
  EXPECT_EQ(run.value(run.rows.back(), "n"), 7);
}

TEST(Language5, TerminateEndsTheRunAfterItsRound) {
  const HybridRun run = with_ramp(" Integer n(start = 0, fixed = true);\n",
                                  " when x > 0.5 then\n  n = 1;\n  terminate(\"enough\");\n end when;\n");
  EXPECT_EQ(run.result.status, SimulationStatus::terminated) << run.log();
  EXPECT_NEAR(run.result.end, 0.5, 1e-14);
  EXPECT_TRUE(run.says("enough"));
  EXPECT_EQ(run.final("n"), 1);
  ASSERT_FALSE(run.events.empty());
  EXPECT_EQ(run.events.back().kind, "terminate");
}

TEST(Language5, AnAssertionIsLocatedAndFailsTheRun) {
  const HybridRun run = with_ramp("", " assert(x < 0.5, \"x too large\");\n");
  EXPECT_EQ(run.result.status, SimulationStatus::failed) << run.log();
  EXPECT_EQ(run.result.reason, "assert");
  EXPECT_TRUE(run.says("x too large"));
  EXPECT_NEAR(run.result.end, 0.5, 1e-14);
  EXPECT_NEAR(run.final("x"), 0.5, 1e-14) << "what was computed is there";
}

TEST(Language5, AnAssertionViolatedAtTheStartIsAnInitializationFailure) {
  const HybridRun run = with_ramp("", " assert(x > 0.5, \"x too small\");\n");
  EXPECT_EQ(run.result.status, SimulationStatus::failed) << run.log();
  EXPECT_EQ(run.result.reason, "initialization_failed");
  EXPECT_TRUE(run.says("x too small"));
}

TEST(Language5, AnAssertionThatHoldsChangesNothing) {
  const HybridRun plain = with_ramp("", "");
  const HybridRun guarded = with_ramp("", " assert(x < 5, \"never\");\n");
  EXPECT_EQ(guarded.result.status, SimulationStatus::success);
  EXPECT_TRUE(guarded.events.empty());
  EXPECT_EQ(plain.final("x"), guarded.final("x"));
}

TEST(Language5, MinAndMaxOnlyWarnOnce) {
  const HybridRun run =
      run_text("model M\n Real x(start = 0, fixed = true, max = 0.5);\nequation\n der(x) = 1;\nend M;\n");
  EXPECT_EQ(run.result.status, SimulationStatus::success);
  EXPECT_TRUE(run.events.empty());
  std::size_t warnings = 0;
  for (const Diagnostic& diagnostic : run.result.diagnostics.items()) {
    warnings += diagnostic.message.find("max") != std::string::npos ? 1U : 0U;
  }
  EXPECT_EQ(warnings, 1U) << run.words();
}

TEST(Language5, AnEventThatMovesAGuardIsFollowedByItsClauseInTheNextRound) {
  // The reset of y puts it beyond 2: its clause fires at the same instant, one round later.
  const HybridRun run = with_ramp(
      " Real y(start = 0, fixed = true);\n Integer n(start = 0, fixed = true);\n Real z(start = 0, fixed = "
      "true);\n",
      " der(y) = 0;\n der(z) = if y > 2 then 1 else 0;\n when x > 0.5 then\n  reinit(y, 3);\n end when;\n"
      " when y > 2 then\n  n = pre(n) + 1;\n end when;\n");
  EXPECT_EQ(run.final("n"), 1) << run.log();
  EXPECT_NEAR(run.final("z"), 0.5, 1e-13) << "the condition of the equations moved with it";
  EXPECT_EQ(run.times("when").size(), 2U);
  EXPECT_EQ(run.times("when").front(), run.times("when").back());
  EXPECT_EQ(run.rows_at(0.5).size(), 3U);
}

}  // namespace
}  // namespace saltus::test
