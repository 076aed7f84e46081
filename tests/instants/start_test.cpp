// Initialisation: the rules and examples of the Modelica Language Specification 3.6, section 8.6. Every value is derived by hand.
#include "instants/check.hpp"

namespace saltus::test::instants {
namespace {

TEST(Start, AStateAtRest) {
  // der(y) = 0 = -2y + 3·4: y = 6, and it stays there.
  const InstantRun run = complete_run(R"(model M
    parameter Real a = -2, b = 3, u = 4;
    Real y(fixed = false);
  equation
    der(y) = a*y + b*u;
  initial equation
    der(y) = 0;
  end M;)");
  EXPECT_NEAR(at(run, "y", 0), 6, 1e-13);
  EXPECT_NEAR(at(run, "y", 1), 6, 1e-13);
}

TEST(Start, ADiscreteControllerAtRest) {
  // y = a·pre(y) + b·u and y = pre(y): y = b·u/(1 - a) = 3·4/(1 - 1/2) = 24, and every sample keeps it.
  const InstantRun run = complete_run(R"(model M
    parameter Real a = 0.5, b = 3, u = 4;
    discrete Real y;
  equation
    when {initial(), sample(0.25, 0.25)} then
      y = a*pre(y) + b*u;
    end when;
  initial equation
    y = pre(y);
  end M;)");
  EXPECT_NEAR(at(run, "y", 0), 24, 1e-13);
  EXPECT_NEAR(at(run, "y", 1), 24, 1e-13);
}

TEST(Start, AClauseWithInitialIsAnEquation) {
  // a = 2 + 0.5; b = 4 = pre(b) + 0.5, so pre(b) = 3.5 = y. Then five samples up to 1: a = 5, b = 6.5.
  const InstantRun run = complete_run(R"(model M
    discrete Real a(start = 2, fixed = true);
    discrete Real b(start = 0, fixed = false);
    Real y;
  initial equation
    b = 4;
    y = pre(b);
  equation
    der(y) = 0;
    when {initial(), sample(0.2, 0.2)} then
      a = pre(a) + 0.5;
      b = pre(b) + 0.5;
    end when;
  end M;)");
  EXPECT_NEAR(at(run, "a", 0.1), 2.5, 1e-13);
  EXPECT_NEAR(at(run, "b", 0.1), 4, 1e-13);
  EXPECT_NEAR(at(run, "y", 0.1), 3.5, 1e-13);
  EXPECT_NEAR(at(run, "a", 1), 5, 1e-13);
  EXPECT_NEAR(at(run, "b", 1), 6.5, 1e-13);
}

TEST(Start, ReinitInAClauseWithInitialIsAnInitialEquation) {
  // y = y0 at the start and again at the reset at 0.5; der(y) = 1.
  const InstantRun run = complete_run(R"(model M
    parameter Real y0 = 3;
    Real y;
    Boolean reset = time >= 0.5;
  equation
    der(y) = 1;
    when {initial(), reset} then
      reinit(y, y0);
    end when;
  end M;)");
  EXPECT_NEAR(at(run, "y", 0.25), 3.25, 1e-13);
  EXPECT_NEAR(at(run, "y", 0.75), 3.25, 1e-13);
}

TEST(Start, AClauseMayFireInTheFirstRoundAfterTheStart) {
  // b and pre(b) are false at the start; then initial() is false, b rises and x becomes 5.
  const InstantRun run = complete_run(R"(model M
    Boolean b = not initial();
    Real x(start = 0, fixed = true);
  equation
    der(x) = 0;
    when b then
      reinit(x, 5);
    end when;
  end M;)");
  EXPECT_EQ(at(run, "x", 0.5), 5);
  ASSERT_EQ(run.instants.size(), 1U);
  EXPECT_EQ(run.instants[0].before[1], 0);
}

TEST(Start, OtherFormsOfInitialInAConditionAreNotActive) {
  // `initial() or …` is true at the start but not active there: n = pre(n) = 0; it falls, and has its edge at 0.5.
  // `not initial()` has its edge right after the start.
  const InstantRun run = complete_run(R"(model M
    Integer n(start = 0, fixed = true), m(start = 0, fixed = true), k(start = 0, fixed = true);
  equation
    when initial() or time > 0.5 then
      n = pre(n) + 1;
    end when;
    when not initial() then
      m = pre(m) + 1;
    end when;
    when initial() then
      k = pre(k) + 1;
    end when;
  end M;)");
  expect_times(run.changes("n"), {0.5});
  EXPECT_EQ(at(run, "m", 0), 1);
  EXPECT_EQ(at(run, "k", 1), 1);
}

TEST(Start, InitialIsTrueOnce) {
  // stage 2, 1 from 0.5, 0 from 0.7. At 0.5 pre(stage) becomes 1 in the round after the one in which stage does.
  const InstantRun run = complete_run(R"(model M
    Integer stage(start = 2, fixed = true);
    Boolean go;
  equation
    stage = if time < 0.5 then 2 elseif time < 0.7 then 1 else 0;
    go = pre(stage) == 1 or initial();
  end M;)");
  EXPECT_EQ(at(run, "go", 0.25), 0);
  EXPECT_EQ(at(run, "go", 0.6), 1);
  EXPECT_EQ(at(run, "go", 0.8), 0);
}

TEST(Start, FixedOfADiscreteVariableFixesPre) {
  const InstantRun run = complete_run(R"(model M
    Integer k(start = 1, fixed = true);
    Real x;
  initial equation
    x = pre(k);
  equation
    der(x) = 0;
    k = if time > 0.5 then 2 else 3;
  end M;)");
  EXPECT_EQ(at(run, "x", 1), 1);
  EXPECT_EQ(at(run, "k", 0), 3);
  EXPECT_EQ(at(run, "k", 1), 2);
}

TEST(Start, ADiscreteVariableWithoutClauseKeepsPre) {
  // 8.6: v = pre(v) is added for a clause that is not active; with the initial equation on v, pre(v) follows.
  const InstantRun run = complete_run(R"(model M
    Integer v(start = 3, fixed = false), w(start = 5, fixed = true), u(start = 7);
  initial equation
    v = 9;
  equation
    when time > 0.5 then
      v = pre(v) + 1;
      w = pre(w) + 1;
      u = pre(u) + 1;
    end when;
  end M;)");
  EXPECT_EQ(at(run, "v", 0), 9);
  EXPECT_EQ(at(run, "v", 1), 10);
  EXPECT_EQ(at(run, "w", 1), 6);
  EXPECT_EQ(at(run, "u", 1), 8);
}

TEST(Start, AFreeParameterIsAnUnknown) {
  // 2p + x = 7 with x = 1: p = 3; x = 1 + 3t.
  const InstantRun run = complete_run(R"(model M
    parameter Real p(fixed = false, start = 1);
    Real x(start = 1, fixed = true);
  initial equation
    2*p + x = 7;
  equation
    der(x) = p;
  end M;)");
  EXPECT_NEAR(at(run, "p", 1), 3, 1e-13);
  EXPECT_NEAR(at(run, "x", 1), 4, 1e-13);
}

TEST(Start, TheStartOfTheStateWins) {
  // level' = level from 200: 200 e^t; `shown` is not a state, its start is a guess.
  const InstantRun run = complete_run(R"(model M
    Real shown(start = 0);
    Real level(start = 200);
  equation
    shown = level;
    der(level) = shown;
  end M;)");
  EXPECT_NEAR(at(run, "level", 1), 543.65636569180904, 1e-10);
}

TEST(Start, AConditionThatIsTrueMakesNoEdgeAndAStrictOneAtZeroDoes) {
  // time >= 0 holds at the start; time > 0 does not, and becomes true at once.
  const InstantRun run = complete_run(R"(model M
    Integer n(start = 0, fixed = true), m(start = 0, fixed = true);
  equation
    when time >= 0 then
      n = pre(n) + 1;
    end when;
    when time > 0 then
      m = pre(m) + 1;
    end when;
  end M;)");
  EXPECT_EQ(at(run, "n", 1), 0);
  EXPECT_EQ(at(run, "m", 1), 1);
  EXPECT_EQ(run.instants.size(), 1U);
}

TEST(Start, TheFirstClockComesAfterInitialisation) {
  // 3.7.5: also where its start is the start of the run; y is the x of that round.
  const InstantRun run = complete_run(R"(model M
    Real x(start = 2, fixed = true);
    discrete Real y(start = -1, fixed = true);
  equation
    der(x) = 1;
    when sample(0, 0.5) then
      y = x + pre(y);
    end when;
    annotation(experiment(StopTime = 0.75));
  end M;)");
  EXPECT_EQ(run.instants[0].before[1], -1);
  EXPECT_NEAR(at(run, "y", 0.25), 1, 1e-13);
  EXPECT_NEAR(at(run, "y", 0.6), 3.5, 1e-13);
}

TEST(Start, PreThatNothingDeterminesIsADoubt) {
  // b is true at the start; whether pre(b) is false there, its start, is left to the tool unless `fixed` says so.
  const std::string head = "model M\n Integer n(start = 0, fixed = true); Boolean b(start = false";
  const std::string rest = R"();
  equation
    b = time < 0.5;
    when not edge(b) then
      n = pre(n) + 1;
    end when;
  end M;)";
  EXPECT_NE(interpret(head + rest).doubt, "");
  // With it edge(b) is true at the start and false after it: the clause fires once at 0.
  const InstantRun run = complete_run(head + ", fixed = true" + rest);
  EXPECT_EQ(at(run, "n", 0.25), 1);
  EXPECT_EQ(at(run, "n", 1), 1);
}

}  // namespace
}  // namespace saltus::test::instants
