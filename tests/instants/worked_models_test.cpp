// Small models of which a step that mixes old and new, or that is a round too early or too late, shows in the values after the instant.
// Every value is derived by hand.
#include "instants/check.hpp"

namespace saltus::test::instants {
namespace {

TEST(WorkedModels, ABodyReadsTheStateBeforeReinit) {
  // k takes the x of the round, 1; x is 5 after it.
  const InstantRun run = complete_run(R"(model M
    Real x(start = 1, fixed = true);
    discrete Real k(start = 0, fixed = true);
  equation
    der(x) = 0;
    when time > 1 then
      k = x;
      reinit(x, 5);
    end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_NEAR(at(run, "k", 1.5), 1, 1e-13);
  EXPECT_NEAR(at(run, "x", 1.5), 5, 1e-13);
}

TEST(WorkedModels, AnotherBodyOfTheRoundReadsTheStateBeforeReinit) {
  // n changes in round 1, so does k: x is still 1.
  const InstantRun run = complete_run(R"(model M
    Integer n(start = 0, fixed = true);
    discrete Real k(start = 0, fixed = true);
    Real x(start = 1, fixed = true);
  equation
    der(x) = 0;
    when time > 1 then
      n = pre(n) + 1;
      reinit(x, 5);
    end when;
    when change(n) then
      k = x;
    end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_NEAR(at(run, "k", 1.5), 1, 1e-13);
  EXPECT_NEAR(at(run, "x", 1.5), 5, 1e-13);
}

TEST(WorkedModels, ReinitReadsTheSolutionOfTheRound) {
  // In the round x2 > 0.5 is true, so y = 0; the value for x1 is taken from that solution.
  const InstantRun run = complete_run(R"(model M
    Real y;
    Real x1(start = 3, fixed = true), x2(start = 0, fixed = true);
  equation
    der(x1) = 0;
    der(x2) = 1;
    y = if x2 > 0.5 then 0 else 1;
    when x2 > 0.5 then
      reinit(x1, y);
    end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_NEAR(at(run, "x1", 0.25), 3, 1e-13);
  EXPECT_NEAR(at(run, "x1", 1), 0, 1e-13);
}

TEST(WorkedModels, BothElementsBecomeTrueInOneRound) {
  // a is true in round 1, as is time > 0.5: one firing.
  const InstantRun run = complete_run(R"(model M
    Boolean a(start = false, fixed = true), b(start = false, fixed = true);
  equation
    when time > 0.5 then
      a = true;
    end when;
    when {a, time > 0.5} then
      b = not pre(b);
    end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_NEAR(at(run, "b", 1), 1, 1e-13);
}

TEST(WorkedModels, AConditionFallsInOneRoundAndRisesInTheNext) {
  // change(k) is true in round 1 alone: not change(k) has an edge in round 2.
  const InstantRun run = complete_run(R"(model M
    Integer k(start = 0, fixed = true), n(start = 0, fixed = true);
  equation
    when time > 1 then
      k = pre(k) + 1;
    end when;
    when not change(k) then
      n = pre(n) + 1;
    end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_NEAR(at(run, "n", 0.5), 0, 1e-13);
  EXPECT_NEAR(at(run, "n", 1.5), 1, 1e-13);
}

TEST(WorkedModels, AnOrThatChangesItsReasonMakesNoEdge) {
  // x < 1 falls and a rises in one solution: the condition is true throughout.
  const InstantRun run = complete_run(R"(model M
    Boolean a(start = false, fixed = true);
    Integer n(start = 0, fixed = true);
    Real x(start = 0, fixed = true);
  equation
    der(x) = 1;
    when x > 1 then
      a = true;
    end when;
    when x < 1 or a then
      n = pre(n) + 1;
    end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_NEAR(at(run, "n", 2), 0, 1e-13);
}

TEST(WorkedModels, AChangeThatLastsTwoRoundsIsOneEdge) {
  // Round 1: k = 1; round 2: pre(k) >= 1, k = 0; change(k) is true in both: one edge.
  const InstantRun run = complete_run(R"(model M
    Integer k(start = 0, fixed = true), n(start = 0, fixed = true);
  equation
    when pre(k) >= 1 then
      k = 0;
    elsewhen time > 1 then
      k = pre(k) + 1;
    end when;
    when change(k) then
      n = pre(n) + 1;
    end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_NEAR(at(run, "k", 1.5), 0, 1e-13);
  EXPECT_NEAR(at(run, "n", 1.5), 1, 1e-13);
}

TEST(WorkedModels, ALaterBranchLosesAnEdgeOfTheSameRound) {
  // change(k1) and time > 1 have their edges in round 1: the first branch.
  const InstantRun run = complete_run(R"(model M
    Integer k1(start = 0, fixed = true), k3(start = 5, fixed = true);
  equation
    when time > 1 then
      k3 = 0;
    elsewhen change(k1) then
      k3 = 1;
    end when;
    when time > 1 then
      k1 = 1;
    end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_NEAR(at(run, "k3", 1.5), 0, 1e-13);
}

TEST(WorkedModels, APulseOfOneRoundFires) {
  // Round 1: 0 - 1 + 2 >= 0; round 2: 0 - 1 - 0 < 0.
  const InstantRun run = complete_run(R"(model M
    Boolean b;
    discrete Real k(start = -2, fixed = true);
    Integer n(start = 0, fixed = true);
  equation
    b = k - 1 - pre(k) >= 0;
    when b then
      n = pre(n) + 1;
    end when;
    when time > 1 then
      k = 0;
    end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_NEAR(at(run, "n", 2), 1, 1e-13);
  EXPECT_NEAR(at(run, "b", 1.5), 0, 1e-13);
}

TEST(WorkedModels, AWaveOfAWave) {
  // a = 1/16 at 17/16, and so is b.
  const InstantRun run = complete_run(R"(model M
    Real a, b;
  equation
    a = mod(time, 1);
    b = mod(a, 0.5);
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_NEAR(at(run, "b", 1.0625), 0.0625, 1e-13);
  EXPECT_NEAR(at(run, "b", 0.75), 0.25, 1e-13);
}

TEST(WorkedModels, AWholeNumberOfAWave) {
  // 1.5 a reaches 1 at 2/3 and falls to 0 at 1.
  const InstantRun run = complete_run(R"(model M
    Real a;
    Integer k(start = 0);
  equation
    a = mod(time, 1);
    k = integer(1.5*a);
    annotation(experiment(StopTime = 2.75));
  end M;)");
  EXPECT_NEAR(at(run, "k", 0.5), 0, 1e-13);
  EXPECT_NEAR(at(run, "k", 0.75), 1, 1e-13);
  EXPECT_NEAR(at(run, "k", 1.25), 0, 1e-13);
  EXPECT_NEAR(at(run, "k", 1.75), 1, 1e-13);
}

TEST(WorkedModels, AGuardThatIsReachedWhereTheWaveWraps) {
  // a < 1 always: where it would be 1 it is 0 in the same solution.
  const InstantRun run = complete_run(R"(model M
    Real a;
    Integer n(start = 0, fixed = true);
  equation
    a = mod(time, 1);
    when a >= 1 then
      n = pre(n) + 1;
    end when;
    annotation(experiment(StopTime = 2.5));
  end M;)");
  EXPECT_NEAR(at(run, "n", 2.5), 0, 1e-13);
}

TEST(WorkedModels, AChoiceAtTheWrap) {
  // a < 0.5 always.
  const InstantRun run = complete_run(R"(model M
    Real a, b;
  equation
    a = mod(time, 0.5);
    b = if a < 0.5 then 0 else 1;
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_NEAR(at(run, "b", 0.25), 0, 1e-13);
  EXPECT_NEAR(at(run, "b", 0.5625), 0, 1e-13);
}

TEST(WorkedModels, AValueThatNeverExisted) {
  // y2 = 1 for either sign of y1.
  const InstantRun run = complete_run(R"(model M
    Real y1, y2;
    Boolean k(start = false, fixed = true);
    Integer n(start = 0, fixed = true);
  equation
    y1 = if k then 1 else -1;
    y2 = if y1 > 0 then y1 else 1;
    when sample(0.5, 0.5) then
      k = not pre(k);
    end when;
    when y2 <= 0 then
      n = pre(n) + 1;
    end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  EXPECT_NEAR(at(run, "n", 2), 0, 1e-13);
  EXPECT_NEAR(at(run, "y2", 0.75), 1, 1e-13);
  EXPECT_NEAR(at(run, "y2", 1.25), 1, 1e-13);
}

TEST(WorkedModels, ADiodeThatTurnsItsSourceBack) {
  // x reaches 0 at 2.4: off falls, n = 1, x turns back, off rises in the same instant; x(4) = -1.6.
  const InstantRun run = complete_run(R"(model M
    Real i, s;
    Boolean off(start = true);
    Integer n(start = 0, fixed = true);
    Real x(start = -1.2, fixed = true);
  equation
    off = s < 0;
    x = i;
    i = s*(if off then 0.5 else 1);
    der(x) = if n == 1 then -1 else 0.5;
    when not off then
      n = pre(n) + 1;
    end when;
    annotation(experiment(StopTime = 4));
  end M;)");
  EXPECT_NEAR(at(run, "n", 4), 1, 1e-13);
  EXPECT_NEAR(at(run, "off", 3), 1, 1e-13);
  EXPECT_NEAR(at(run, "x", 4), -1.6, 1e-13);
}

TEST(WorkedModels, TwoDiodesWithoutResistance) {
  // u = 0 at 0.6: both conduct from then on; u(1) = 2 = i.
  const InstantRun run = complete_run(R"(model M
    Real u, i, s1, s2, v1, v2;
    Boolean off1(start = true), off2(start = true);
  equation
    u = 5*time - 3;
    off1 = s1 < 0;
    off2 = s2 < 0;
    v1 = s1*(if off1 then 1 else 0);
    i = s1*(if off1 then 0.5 else 1);
    v2 = s2*(if off2 then 1 else 0);
    i = s2*(if off2 then 0.5 else 1);
    u = i + v1 + v2;
    annotation(experiment(StopTime = 1));
  end M;)");
  EXPECT_NEAR(at(run, "off1", 0.5), 1, 1e-13);
  EXPECT_NEAR(at(run, "off1", 0.75), 0, 1e-13);
  EXPECT_NEAR(at(run, "off2", 0.75), 0, 1e-13);
  EXPECT_NEAR(at(run, "i", 1), 2, 1e-13);
}

TEST(WorkedModels, PreIsTheValueAfterTheLastRound) {
  // After the first clock k = 2, and in the round after it y = pre(k) = 2.
  const InstantRun run = complete_run(R"(model M
    Real y;
    discrete Real k(start = 1, fixed = true);
  equation
    y = pre(k);
    when sample(0, 1) then
      k = pre(k) + 1;
    end when;
    annotation(experiment(StopTime = 0.5));
  end M;)");
  EXPECT_NEAR(at(run, "y", 0), 2, 1e-13);
}

TEST(WorkedModels, ReinitTakesNoRoundAway) {
  // Round 1: k = 1 and x = 0 after it; round 2: m = pre(k) = 1 changes, n = 1.
  const InstantRun run = complete_run(R"(model M
    Integer m(start = 0), k(start = 0, fixed = true), n(start = 0, fixed = true);
    Real x(start = 2, fixed = true);
  equation
    der(x) = 1;
    m = pre(k);
    when sample(0.5, 10) then
      k = pre(k) + 1;
      reinit(x, 0);
    end when;
    when change(m) then
      n = pre(n) + 1;
    end when;
  end M;)");
  EXPECT_EQ(at(run, "m", 0.75), 1);
  EXPECT_EQ(at(run, "n", 0.75), 1);
  EXPECT_NEAR(at(run, "x", 0.75), 0.25, 1e-13);
}

}  // namespace
}  // namespace saltus::test::instants
