// Loops through relations: values and truths together (Modelica Language Specification 3.6, appendix B: "systems of equations remain,
// for ideal diodes, Coulomb friction elements"). Every value is derived by hand.
#include <cmath>

#include "instants/check.hpp"

namespace saltus::test::instants {
namespace {

TEST(MixedSystems, ADiodeByACurveParameterSwitchesOnce) {
  // u = 1 - t over R = 1 and the diode: conducting (s = i): i(R + Ron) = u; blocking (s = v): v(1 + Goff·R) = u.
  const InstantRun run = complete_run(R"(model M
    parameter Real R = 1, Ron = 0.25, Goff = 0.25;
    Real u = 1 - time, s, v, i;
    Boolean off;
    Integer n(start = 0, fixed = true);
  equation
    off = s < 0;
    v = s*(if off then 1 else Ron);
    i = s*(if off then Goff else 1);
    u = R*i + v;
    when change(off) then n = pre(n) + 1; end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  expect_times(run.changes("off"), {1});
  EXPECT_EQ(at(run, "n", 2), 1);
  EXPECT_NEAR(at(run, "i", 0), 0.8, 1e-13);
  EXPECT_NEAR(at(run, "v", 2), -0.8, 1e-13);
}

TEST(MixedSystems, ADiodeThatASwitchTurnsInTheSameRound) {
  // The source jumps from 1 to -1 at 1: the only solution there has off = true, found in the same round; off has no other value.
  const InstantRun run = complete_run(R"(model M
    Real u = if time < 1 then 1 else -1, s, v, i;
    Boolean off;
    Integer n(start = 0, fixed = true);
  equation
    off = s < 0;
    v = if off then s else 0;
    i = if off then 0 else s;
    u = 2*i + v;
    when i < 0 or v > 0 then n = pre(n) + 1; end when;
    annotation(experiment(StopTime = 2));
  end M;)");
  expect_times(run.changes("off"), {1});
  EXPECT_EQ(at(run, "n", 2), 0);
  EXPECT_NEAR(at(run, "i", 0.5), 0.5, 1e-13);
  EXPECT_NEAR(at(run, "v", 1.5), -1, 1e-13);
}

TEST(MixedSystems, TwoDiodesInSeriesChangeTogether) {
  // Both have the same current; at u = 0 both change, the loop through both truths has the solution on - on, then off - off.
  const InstantRun run = complete_run(R"(model M
    Real u = 1 - time, s1, s2, v1, v2, i;
    Boolean off1 = s1 < 0, off2 = s2 < 0;
  equation
    v1 = s1*(if off1 then 1 else 0.25);
    i = s1*(if off1 then 0.5 else 1);
    v2 = s2*(if off2 then 1 else 0.25);
    i = s2*(if off2 then 0.5 else 1);
    u = i + v1 + v2;
    annotation(experiment(StopTime = 2));
  end M;)");
  expect_times(run.changes("off1"), {1});
  expect_times(run.changes("off2"), {1});
  EXPECT_NEAR(at(run, "i", 0), 1 / 1.5, 1e-13);
  EXPECT_NEAR(at(run, "i", 2), -1 / 5.0, 1e-13);  // s = -0.4, i = -0.2: -0.2 - 0.4 - 0.4 = -1
}

TEST(MixedSystems, SeveralSolutionsAreADoubt) {
  // y = 1 with b, y = -1 without, both consistent whatever x is within (-1, 1); b = x + 2y > 0.
  const InstantRun run = interpret(R"(model M
    Real x = time - 0.5, y;
    Boolean b;
  equation
    b = x + 2*y > 0;
    y = if b then 1 else -1;
  end M;)");
  EXPECT_NE(run.doubt, "");
}

TEST(MixedSystems, HysteresisFollowsItsBranch) {
  // The same with a loop that starts beyond it: x = 3 - 2t. b holds until x + 2 = 0 (t = 2.5), although b false is consistent
  // from x < 2 on: a held relation changes only where its own operands do, and then the nearest combination is the other one.
  const InstantRun run = interpret(R"(model M
    Real x = 3 - 2*time, y;
    Boolean b;
  equation
    b = x + 2*y > 0;
    y = if b then 1 else -1;
    annotation(experiment(StopTime = 4));
  end M;)");
  EXPECT_EQ(run.outcome, InstantRun::Outcome::complete) << run.why;
  expect_times(run.changes("b"), {2.5});
  EXPECT_EQ(at(run, "y", 3), -1);
}

TEST(MixedSystems, NoConsistentCombinationEndsTheRun) {
  // For 0 < x < 1: with b x - 1 > 0 is false, without it x > 0 is true.
  const InstantRun run = interpret(R"(model M
    Real x = time - 0.5, y;
    Boolean b;
  equation
    b = x + y > 0;
    y = if b then -1 else 0;
  end M;)");
  EXPECT_EQ(run.outcome, InstantRun::Outcome::no_solution);
  EXPECT_NEAR(static_cast<double>(run.end), 0.5, 1e-13);
}

TEST(MixedSystems, ADiodeBlocksWhereItsCurrentEnds) {
  // A source 2 - t charges v over a diode and a resistor: v' = 2 - t - v from 0, v = 3 - t - 3e^(-t), until i = 3e^(-t) - 1 = 0 at
  // t = ln 3; then v stays at 2 - ln 3.
  const InstantRun run = complete_run(R"(model M
    Real v(start = 0, fixed = true), u = 2 - time, s, vd, i;
    Boolean off = s < 0;
  equation
    der(v) = i;
    vd = if off then s else 0;
    i = if off then 0 else s;
    u - v = i + vd;
    annotation(experiment(StopTime = 3));
  end M;)");
  expect_times(run.changes("off"), {std::log(3.0)});
  EXPECT_NEAR(at(run, "v", 1), 2 - 3 * std::exp(-1.0), 1e-13);
  EXPECT_NEAR(at(run, "v", 3), 2 - std::log(3.0), 1e-13);
}

}  // namespace
}  // namespace saltus::test::instants
