// One system per round: relations have the truth of their own operands in the same solution, located or not; nothing sees a
// mixture of old and new. Every value is derived by hand.
#include "instants/check.hpp"

namespace saltus::test::instants {
namespace {

TEST(OneSystem, ATriangleNeverExceedsItsPeak) {
  // tri is between -1 and 1. Where mod wraps, tr < 0.5 becomes true in the same round in which tr becomes 0.
  const InstantRun run = complete_run(R"(model M
    Real tr = mod(time, 1);
    Real tri = if tr < 0.5 then 4*tr - 1 else 3 - 4*tr;
    Boolean a = tri > 2;
    Integer n(start = 0, fixed = true), wraps(start = 0, fixed = true);
  equation
    when a then n = pre(n) + 1; end when;
    when tr < 0.5 then wraps = pre(wraps) + 1; end when;
    annotation(experiment(StopTime = 5.5));
  end M;)");
  EXPECT_TRUE(run.changes("n").empty());
  expect_times(run.changes("wraps"), {1, 2, 3, 4, 5});
  EXPECT_NEAR(at(run, "tri", 2.5), 1, 1e-13);
  EXPECT_NEAR(at(run, "tri", 2.125), -0.5, 1e-13);
  for (const Instant& instant : run.instants) {
    EXPECT_LE(instant.rounds, 4);
  }
}

TEST(OneSystem, APeakThatTouchesIsNoCrossing) {
  // w rises to 1 exactly where x < 0.5 turns it back: w > 1 never holds, and neither do the others for longer than a point.
  const InstantRun run = complete_run(R"(model M
    Real x(start = 0, fixed = true);
    Real w = if x < 0.5 then 3*x - 0.5 else 2.5 - 3*x;
    Integer k(start = -1) = integer(w);
    Integer a(start = 0, fixed = true), b(start = 0, fixed = true), c(start = 0, fixed = true);
  equation
    der(x) = 0.75 + 1.25*time;
    when w > 1 then a = pre(a) + 1; end when;
    when w >= 1 then b = pre(b) + 1; end when;
    when change(k) then c = pre(c) + 1; end when;
    annotation(experiment(StopTime = 0.6));
  end M;)");
  EXPECT_TRUE(run.changes("a").empty());
  EXPECT_TRUE(run.changes("b").empty());
  // From -1 to 0 where 3 x = 0.5.
  ASSERT_EQ(run.changes("c").size(), 1U);
  EXPECT_NEAR(at(run, "x", static_cast<double>(run.changes("c")[0])), 0.5 / 3, 1e-12);
}

TEST(OneSystem, AWaveThatWrapsOntoAWholeNumberHasLeftItAtOnce) {
  // x falls: mod(x, 0.5) wraps from 0 to 0.5 and falls on, so that 2*mod(x, 0.5) is below 1 but for the point itself.
  const InstantRun run = complete_run(R"(model M
    Real x(start = -1.46875, fixed = true);
    Real w = mod(x, 0.5);
    Integer k = integer(2*w);
    Integer n(start = 0, fixed = true);
  equation
    der(x) = -0.5;
    when change(k) then n = pre(n) + 1; end when;
    annotation(experiment(StopTime = 3));
  end M;)");
  EXPECT_TRUE(run.changes("n").empty());
  EXPECT_TRUE(run.changes("k").empty());
}

TEST(OneSystem, WhatItsOwnSideLeadsBackIsInDoubt) {
  // x reaches 0 from below with rate 1 and is led back with rate -1: Filippov's motion, or a clause that fires in turns.
  const InstantRun run = interpret(R"(model M
    Real x(start = -1, fixed = true);
    discrete Real k(start = 0, fixed = true);
  equation
    der(x) = if x + k > 0 then -1 else 1;
    when not (x + k > 0) then k = pre(k) + 3; end when;
    annotation(experiment(StopTime = 3));
  end M;)");
  EXPECT_EQ(run.doubt, "a surface attracts from both sides");
}

TEST(OneSystem, AResetShowsNoMixedValue) {
  // 0 ≤ z ≤ 1/2 in every solution. At a reset, round 1 has x = 1 still, round 2 has x = 0 and x < 0.5 together.
  const InstantRun run = complete_run(R"(model M
    Real x(start = 0, fixed = true), z;
    Integer n(start = 0, fixed = true), resets(start = 0, fixed = true);
  equation
    der(x) = 1;
    when x > 1 then reinit(x, 0); resets = pre(resets) + 1; end when;
    z = if x < 0.5 then x else 1 - x;
    when z > 0.8 then n = pre(n) + 1; end when;
    annotation(experiment(StopTime = 5.5));
  end M;)");
  EXPECT_TRUE(run.changes("n").empty());
  expect_times(run.changes("resets"), {1, 2, 3, 4, 5});
  EXPECT_NEAR(at(run, "z", 3.25), 0.25, 1e-13);
}

TEST(OneSystem, ABodyMovesAnotherGuardAway) {
  // Both guards are located at 1; with a = 5 the other is -4 in the same solution.
  const InstantRun run = complete_run(R"(model M
    Real x(start = 0, fixed = true);
    Real y;
    discrete Real a(start = 0, fixed = true);
    Integer n(start = 0, fixed = true);
  equation
    der(x) = 1;
    y = x - a;
    when x > 1 then
      a = 5;
    end when;
    when y > 1 then
      n = pre(n) + 1;
    end when;
    annotation(experiment(StopTime = 7));
  end M;)");
  expect_times(run.changes("n"), {6});
  ASSERT_EQ(run.changes("a").size(), 1U);
}

TEST(OneSystem, ABodyMovesAnotherGuardOver) {
  // y > 3 is far away, and true in the same round in which a becomes -5.
  const InstantRun run = complete_run(R"(model M
    Real x(start = 0, fixed = true);
    Real y = x - a;
    discrete Real a(start = 0, fixed = true);
    Integer n(start = 0, fixed = true);
  equation
    der(x) = 1;
    when y > 3 then
      n = pre(n) + 1;
    end when;
    when x > 1 then
      a = -5;
    end when;
    annotation(experiment(StopTime = 7));
  end M;)");
  expect_times(run.changes("n"), {1});
  for (const Firing& firing : run.instants.back().firings) {
    EXPECT_EQ(firing.round, 1);
  }
}

TEST(OneSystem, ABodyThatContradictsItsConditionHasNoSolution) {
  // With a = 5 y is -4 and the clause has no edge; without, y is on its surface, located, and it has one.
  const InstantRun run = interpret(R"(model M
    Real x(start = 0, fixed = true);
    Real y = x - a;
    discrete Real a(start = 0, fixed = true);
  equation
    der(x) = 1;
    when y > 1 then
      a = 5;
    end when;
    annotation(experiment(StopTime = 3));
  end M;)");
  EXPECT_EQ(run.outcome, InstantRun::Outcome::no_solution);
  EXPECT_NEAR(static_cast<double>(run.end), 1, 1e-13);
  // With pre(a) there is no loop.
  const InstantRun fine = complete_run(R"(model M
    Real x(start = 0, fixed = true);
    discrete Real a(start = 0, fixed = true);
  equation
    der(x) = 1;
    when x - pre(a) > 1 then
      a = pre(a) + 1.5;
    end when;
    annotation(experiment(StopTime = 5));
  end M;)");
  expect_times(fine.changes("a"), {1, 2.5, 4});
}

TEST(OneSystem, TwoWavesWithOneWrapAgree) {
  // k and m are the same number at all times; a difference would need a mixture.
  const InstantRun run = complete_run(R"(model M
    Integer k = integer(4*time), m, n(start = 0, fixed = true);
    Real saw = 4*time - k;
  equation
    m = integer(4*time + 8) - 8;
    when k <> m or saw > 1.5 or saw < -0.5 then
      n = pre(n) + 1;
    end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_EQ(at(run, "n", 2), 0);
  EXPECT_EQ(at(run, "k", 1.9), 7);
  EXPECT_EQ(run.changes("k").size(), 8U);
  EXPECT_EQ(run.changes("k"), run.changes("m"));
}

TEST(OneSystem, FloorDownwardsTakesTheNumberBelow) {
  // x = 2.5 - t: floor 2, 1 behind x = 2 (t = 0.5), 0 behind x = 1 (t = 1.5), -1 behind 0 (t = 2.5).
  const InstantRun run = complete_run(R"(model M
    Real x(start = 2.5, fixed = true);
    Integer k = integer(x);
  equation
    der(x) = -1;
    annotation(experiment(StopTime = 3));
  end M;)");
  expect_times(run.changes("k"), {0.5, 1.5, 2.5});
  EXPECT_EQ(at(run, "k", 0.25), 2);
  EXPECT_EQ(at(run, "k", 3), -1);
}

TEST(OneSystem, AGuardThatTurnsBackAtOnceHasTheSideItMovesTo) {
  // x rises to 1, the clause turns it round: x > 1 was true in the round, is false afterwards, and is not again.
  const InstantRun run = complete_run(R"(model M
    Real x(start = 0, fixed = true);
    Boolean up(start = true, fixed = true), above = x > 1;
    Integer n(start = 0, fixed = true);
  equation
    der(x) = if up then 1 else -1;
    when {x > 1, x < -1} then
      up = not pre(up);
      n = pre(n) + 1;
    end when;
    annotation(experiment(StopTime = 8));
  end M;)");
  expect_times(run.changes("n"), {1, 3, 5, 7});
  EXPECT_TRUE(run.changes("above").empty());
  EXPECT_NEAR(at(run, "x", 3.5), -0.5, 1e-13);
}

TEST(OneSystem, ATouchIsNoEvent) {
  // x = 1 - (t - 1)² touches 1 at t = 1.
  const InstantRun run = complete_run(R"(model M
    Real x(start = 0, fixed = true);
    Integer n(start = 0, fixed = true);
  equation
    der(x) = 2 - 2*time;
    when x >= 1 then
      n = pre(n) + 1;
    end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_EQ(at(run, "n", 2), 0);
}

TEST(OneSystem, ARelayOnItsSurfaceIsLeftToSliding) {
  const InstantRun run = interpret(R"(model M
    Real x(start = 1, fixed = true);
  equation
    der(x) = if x > 0 then -1 else 1;
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_EQ(run.outcome, InstantRun::Outcome::sliding);
  EXPECT_NEAR(static_cast<double>(run.end), 1, 1e-13);
}

TEST(OneSystem, AGuardPutOnItsSurfaceIsADoubt) {
  const InstantRun run = interpret(R"(model M
    Real x(start = 0.5, fixed = true);
    Integer n(start = 0, fixed = true);
  equation
    der(x) = 1;
    when time > 1 then
      reinit(x, 0);
    end when;
    when x > 0 then
      n = pre(n) + 1;
    end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_NE(run.doubt, "");
}

TEST(OneSystem, ALocatedGuardThatRestsOnItsSurfaceIsADoubt) {
  // x stops at 1: behind the surface by location, on it by value.
  const InstantRun run = interpret(R"(model M
    Real x(start = 0, fixed = true);
    Boolean rests(start = false, fixed = true), above = x > 1;
  equation
    der(x) = if rests then 0 else 1;
    when x > 1 then
      rests = true;
    end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_EQ(run.outcome, InstantRun::Outcome::complete);
  EXPECT_NE(run.doubt, "");
  EXPECT_EQ(at(run, "above", 1.5), 1);
}

TEST(OneSystem, AGuardThatRestedLeavesWithTheOneThatMovesIt) {
  // y is zero up to 1 and below it afterwards, as x is: there is no time at which one of b and c holds without the other.
  const InstantRun run = complete_run(R"(model M
    Real x(start = 1, fixed = true), y = if b then x else 0;
    Boolean b = x < 0, c = y < 0;
    Integer n(start = 0, fixed = true), m(start = 0, fixed = true);
  equation
    der(x) = -1;
    when c and edge(b) then
      n = pre(n) + 1;
    end when;
    when b <> c then
      m = pre(m) + 1;
    end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  expect_times(run.changes("n"), {1});
  expect_times(run.changes("c"), {1});
  EXPECT_EQ(at(run, "m", 2), 0);
}

TEST(OneSystem, TwoRelationsOverOneSurfaceTurnTogether) {
  // x < 1 or x > 1 is false for no time: x goes on through 1.
  const InstantRun run = complete_run(R"(model M
    Real x(start = 2, fixed = true);
    Boolean b = x < 1 or x > 1, below = x <= 1;
    Integer n(start = 0, fixed = true);
  equation
    der(x) = if b then -1 else 1;
    when pre(below) then
      n = pre(n) + 1;
    end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_EQ(run.doubt, "");
  EXPECT_EQ(at(run, "n", 2), 1);
  EXPECT_NEAR(at(run, "x", 2), 0, 1e-13);
}

TEST(OneSystem, AWaveThatWrapsOntoAWholeNumberFromAboveIsBelowIt) {
  // 2*mod(x, 1) falls to 0 and is next to 2, below it: k is 1 behind the wrap, and was never 2.
  const InstantRun run = complete_run(R"(model M
    Real x(start = 1.75, fixed = true);
    Integer k = integer(2*mod(x, 1)), n(start = 0, fixed = true);
  equation
    der(x) = -1;
    when k == 2 then
      n = pre(n) + 1;
    end when;
    annotation(experiment(StopTime = 1));
  end M;)");
  EXPECT_EQ(run.doubt, "");
  EXPECT_EQ(at(run, "k", 0.8), 1);
  EXPECT_EQ(at(run, "n", 1), 0);
}

TEST(OneSystem, ASideThatWouldNotLastTurnsNothingBack) {
  // x falls through 0, where its wave goes to 1.5: half of it is 0 still. With the number -1 beside the old wave x would turn.
  const InstantRun run = complete_run(R"(model M
    Real x(start = 1, fixed = true), w = mod(x, 1.5);
    Integer k = integer(0.5*w), n(start = 0, fixed = true);
  equation
    der(x) = if mod(k, 2) == 1 then 1 else -1;
    when change(k) then
      n = pre(n) + 1;
    end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_EQ(run.doubt, "");
  EXPECT_EQ(at(run, "n", 2), 0);
  EXPECT_NEAR(at(run, "x", 2), -1, 1e-13);
}

TEST(OneSystem, AGuardThatWasZeroFollowsAJump) {
  // y is 0 up to 1, then -1: y < 0 and the whole number below y change with it, in the same round.
  const InstantRun run = complete_run(R"(model M
    Real y = if time < 1 then 0 else -1, z = if y < 0 then 0 else 1;
    Integer k = integer(y), n(start = 0, fixed = true);
  equation
    when y < 0 and z > 0.5 or k > y then
      n = pre(n) + 1;
    end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_EQ(at(run, "z", 0.5), 1);
  EXPECT_EQ(at(run, "z", 1.5), 0);
  EXPECT_EQ(at(run, "k", 1.5), -1);
  EXPECT_EQ(at(run, "n", 2), 0);
}

}  // namespace
}  // namespace saltus::test::instants
