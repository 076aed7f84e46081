// Event iteration: clauses, pre, edge, change, sample, reinit. The examples of the Modelica Language Specification 3.6, sections
// 3.7.5, 8.3.5, 8.3.6 and 8.5, made into whole models; every value is derived by hand in its comment.
#include <cmath>

#include "instants/check.hpp"

namespace saltus::test::instants {
namespace {

TEST(Rounds, EquationsOfABodyAreOneSystemWithTheOthers) {
  // 8.3.5: y3 needs y1 of the same body and y2 of an equation. x = t, the clause fires at 2:
  // y1 = sin 2, y2 = sin(sin 2), y3 = 4 + y1 + y2.
  const InstantRun run = complete_run(R"(model M
    Real x(start = 0, fixed = true);
    discrete Real y1(start = 0, fixed = true), y3(start = 0, fixed = true);
    Real y2;
  equation
    der(x) = 1;
    when x > 2 then
      y3 = 2*x + y1 + y2;
      y1 = sin(x);
    end when;
    y2 = sin(y1);
    annotation(experiment(StopTime = 3));
  end M;)");
  expect_times(run.changes("y3"), {2});
  EXPECT_NEAR(at(run, "y1", 2.5), std::sin(2.0), 1e-13);
  EXPECT_NEAR(at(run, "y2", 2.5), std::sin(std::sin(2.0)), 1e-13);
  EXPECT_NEAR(at(run, "y3", 2.5), 4 + std::sin(2.0) + std::sin(std::sin(2.0)), 1e-13);
}

TEST(Rounds, AHeldVariableIsSolvedForWithAnEquation) {
  // 8.3.5.3: x + y = 5 and, at the instant, y = 7 - 2x: x = 2, y = 3; before it y = 0 is held and x = 5.
  const InstantRun run = complete_run(R"(model M
    Real x;
    discrete Real y(start = 0, fixed = true);
  equation
    x + y = 5;
    when time > 0.5 then
      y = 7 - 2*x;
    end when;
  end M;)");
  EXPECT_NEAR(at(run, "x", 0.25), 5, 1e-13);
  EXPECT_NEAR(at(run, "x", 0.75), 2, 1e-13);
  EXPECT_NEAR(at(run, "y", 0.75), 3, 1e-13);
}

TEST(Rounds, TheFirstBranchHasPriority) {
  // 8.3.5.4: both conditions become true at 1: the first branch. At 2 only the second has an edge.
  const InstantRun run = complete_run(R"(model M
    Boolean close(start = false, fixed = true);
    Integer firsts(start = 0, fixed = true), seconds(start = 0, fixed = true);
  equation
    when time > 1 then
      close = true;
      firsts = pre(firsts) + 1;
      seconds = pre(seconds);
    elsewhen {time >= 1, time >= 2} then
      close = false;
      firsts = pre(firsts);
      seconds = pre(seconds) + 1;
    end when;
    annotation(experiment(StopTime = 3));
  end M;)");
  EXPECT_EQ(at(run, "close", 1.5), 1);
  EXPECT_EQ(at(run, "close", 2.5), 0);
  EXPECT_EQ(at(run, "firsts", 3), 1);
  EXPECT_EQ(at(run, "seconds", 3), 1);
}

TEST(Rounds, AVectorConditionFiresForEachElement) {
  // {x > 1, y > 1} has edges at 1 and 2, although the whole never becomes false; `or` has one.
  const InstantRun run = complete_run(R"(model M
    Real x(start = 0, fixed = true), y(start = -1, fixed = true);
    Integer n(start = 0, fixed = true), m(start = 0, fixed = true);
  equation
    der(x) = 1;
    der(y) = 1;
    when {x > 1, y > 1} then
      n = pre(n) + 1;
    end when;
    when x > 1 or y > 1 then
      m = pre(m) + 1;
    end when;
    annotation(experiment(StopTime = 3));
  end M;)");
  expect_times(run.changes("n"), {1, 2});
  expect_times(run.changes("m"), {1});
}

TEST(Rounds, ReinitIsSeenAfterTheRound) {
  // 8.3.6: w takes the v of the round, 2; then v = 7 and pre(v) = 7. u counts in the round after it and sees 7.
  const InstantRun run = complete_run(R"(model M
    Real v(start = 1, fixed = true);
    discrete Real w(start = 0, fixed = true), u(start = 0, fixed = true), p(start = 0, fixed = true);
  equation
    der(v) = 1;
    when time >= 1 then
      reinit(v, 7);
      w = v;
    end when;
    when v > 6 then
      u = v;
      p = pre(v);
    end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_NEAR(at(run, "w", 1.5), 2, 1e-13);
  EXPECT_NEAR(at(run, "u", 1.5), 7, 1e-13);
  EXPECT_NEAR(at(run, "p", 1.5), 7, 1e-13);
  EXPECT_NEAR(at(run, "v", 1.75), 7.75, 1e-13);
  EXPECT_NEAR(at(run, "v", 2), 8, 1e-13);
}

TEST(Rounds, ABallBounces) {
  // 8.3.6 with g = 2, e = 1/2 from rest at 1: contact at 1 with v = -2, then v = 1 and contacts at 2, 2.5, 2.75.
  const InstantRun run = complete_run(R"(model Ball
    parameter Real e = 0.5, g = 2;
    Real h(start = 1, fixed = true), v(start = 0, fixed = true);
    Boolean flying;
    Integer n(start = 0, fixed = true);
  equation
    der(h) = v;
    der(v) = if flying then -g else 0;
    flying = not (h <= 0 and v <= 0);
    when h < 0 then
      reinit(v, -e*pre(v));
      n = pre(n) + 1;
    end when;
    annotation(experiment(StopTime = 2.8));
  end Ball;)");
  expect_times(run.changes("n"), {1, 2, 2.5, 2.75});
  EXPECT_NEAR(at(run, "h", 1.5), 0.25, 1e-13);  // 0.5 - 0.25
  EXPECT_EQ(at(run, "flying", 2.6), 1);
  // Within the instant the ball is not flying for a round, and is again when the new velocity is seen.
  EXPECT_TRUE(run.changes("flying").empty());
}

TEST(Rounds, ClocksAreTrueInTheFirstRoundOnly) {
  // 3.7.5: sample is false at initialisation, true in the first round at 0, 1, 2; `both` needs pre(n), which is raised one round
  // later than the clock is true: the second instant on.
  const InstantRun run = complete_run(R"(model M
    Integer n(start = 0, fixed = true), both(start = 0, fixed = true);
  equation
    when sample(0, 1) then
      n = pre(n) + 1;
    end when;
    when sample(0, 1) and pre(n) >= 1 then
      both = pre(both) + 1;
    end when;
    annotation(experiment(StopTime = 2.5));
  end M;)");
  EXPECT_EQ(at(run, "n", 0.5), 1);
  EXPECT_EQ(at(run, "both", 0.5), 0);
  EXPECT_EQ(at(run, "both", 1.5), 1);
  EXPECT_EQ(at(run, "n", 2.5), 3);
  EXPECT_EQ(at(run, "both", 2.5), 2);
}

TEST(Rounds, SlowSamplesByACounter) {
  // 8.5, as equations: ticks 1 2 3 4 5 0 1 … at 0, 1, 2, …; slow where pre(ticks) == 0: at 0 and 6; its clause runs at these,
  // in the round in which slow becomes true.
  const InstantRun run = complete_run(R"(model M
    Boolean fast, slow(start = false, fixed = true);
    Integer ticks(start = 0, fixed = true), runs(start = 0, fixed = true);
  equation
    fast = sample(0, 1);
    when fast then
      ticks = if pre(ticks) < 5 then pre(ticks) + 1 else 0;
      slow = pre(ticks) == 0;
    end when;
    when slow then
      runs = pre(runs) + 1;
    end when;
    annotation(experiment(StopTime = 7.5));
  end M;)");
  expect_times(run.changes("runs"), {0, 6});
  EXPECT_EQ(at(run, "ticks", 4.5), 5);
  EXPECT_EQ(at(run, "ticks", 5.5), 0);
  EXPECT_EQ(at(run, "fast", 3), 0);
}

TEST(Rounds, AChainOfPreTakesARoundPerLink) {
  // a rises in round 1, b = pre(a) in round 2, c = pre(b) in round 3, all at time 1. change(b) is true in round 2, edge(c) in round 3.
  const InstantRun run = complete_run(R"(model M
    Boolean a, b(start = false, fixed = true), c(start = false, fixed = true);
    Integer d(start = 0, fixed = true), e(start = 0, fixed = true);
  equation
    a = time > 1;
    b = pre(a);
    c = pre(b);
    when edge(c) then
      d = pre(d) + 1;
    end when;
    when change(b) then
      e = pre(e) + 1;
    end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    expect_times(run.changes(name), {1});
  }
  EXPECT_EQ(at(run, "d", 2), 1);
  EXPECT_EQ(at(run, "e", 2), 1);
  ASSERT_EQ(run.instants.back().firings.size(), 2U);
  EXPECT_EQ(run.instants.back().firings[0].clause, 1U);
  EXPECT_EQ(run.instants.back().firings[0].round, 2);
  EXPECT_EQ(run.instants.back().firings[1].round, 3);
}

TEST(Rounds, AConditionReadsWhatABodyOfTheSameRoundSets) {
  // Sorted order: n = 1 in round 1, so m's condition is true in round 1 and sees the new n; written in the wrong order.
  const InstantRun run = complete_run(R"(model M
    Integer n(start = 0, fixed = true), m(start = 0, fixed = true);
  equation
    when n >= 1 then
      m = 10*n + pre(n);
    end when;
    when time >= 1 then
      n = pre(n) + 1;
    end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_EQ(at(run, "m", 2), 10);
  for (const Firing& firing : run.instants.back().firings) {
    EXPECT_EQ(firing.round, 1);
  }
}

TEST(Rounds, AConditionThatAJumpMakesFalseFiresAgain) {
  // The clause fires at 0.5. At 1 x becomes -1 and x > 0.5 false, which the following round sees; so 1.5 later there is a second edge.
  const InstantRun run = complete_run(R"(model M
    Real x(start = 0, fixed = true);
    Integer n(start = 0, fixed = true);
  equation
    der(x) = 1;
    when time >= 1 then
      reinit(x, -1);
    end when;
    when x > 0.5 then
      n = pre(n) + 1;
    end when;
    annotation(experiment(StopTime = 3));
  end M;)");
  expect_times(run.changes("n"), {0.5, 2.5});
}

TEST(Rounds, ReinitToAndFroFiresWithinTheInstant) {
  // 1: reinit(x, 3) → round 2: x > 2 fires, reinit(x, 0) → round 3: x > 2 false. x = 0 at 1, so x(2) = 1; hits = 1.
  const InstantRun run = complete_run(R"(model M
    Real x(start = 0, fixed = true);
    Integer hits(start = 0, fixed = true);
  equation
    der(x) = 1;
    when time >= 1 then
      reinit(x, 3);
    elsewhen x > 2 then
      reinit(x, 0);
    end when;
    when x > 2 then
      hits = pre(hits) + 1;
    end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_EQ(at(run, "hits", 2), 1);
  EXPECT_NEAR(at(run, "x", 2), 1, 1e-13);
  EXPECT_EQ(run.instants.back().rounds, 4);
}

TEST(Rounds, ACycleOfDiscreteAssignmentsIsNamed) {
  const InstantRun run = interpret(R"(model M
    Integer n, m;
  equation
    n = m + 1;
    m = if n > 3 then 0 else 1;
  end M;)");
  EXPECT_EQ(run.outcome, InstantRun::Outcome::cycle);
  EXPECT_NE(run.why.find('n'), std::string::npos);
}

TEST(Rounds, RoundsWithoutEndAreNoticed) {
  const InstantRun run = interpret(R"(model M
    Boolean b(start = false, fixed = true);
  equation
    b = not pre(b);
  end M;)");
  EXPECT_EQ(run.outcome, InstantRun::Outcome::rounds_without_end);
}

TEST(Rounds, AnAssertionSeesSettledValuesOnly) {
  const char* text = R"(model M
    Real tr = mod(time, 1);
    Real tri = if tr < 0.5 then 4*tr - 1 else 3 - 4*tr;
  equation
    assert(tri < %, "beyond");
    annotation(experiment(StopTime = 5.5));
  end M;)";
  std::string holds = text;
  holds.replace(holds.find('%'), 1, "2");
  EXPECT_EQ(interpret(holds).outcome, InstantRun::Outcome::complete);
  std::string fails = text;
  fails.replace(fails.find('%'), 1, "0.5");
  const InstantRun run = interpret(fails);
  EXPECT_EQ(run.outcome, InstantRun::Outcome::assertion);
  EXPECT_NEAR(static_cast<double>(run.end), 0.375, 1e-13);
}

}  // namespace
}  // namespace saltus::test::instants
