// Rounds: bodies, discrete equations and the equations of a mode solved as one system (LANGUAGE 5, 6).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "support/text_system.hpp"

namespace saltus::program {
namespace {

using test::build_text;
using test::TextSystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Rounds, BouncingBall) {
  TextSystem s(R"(
model Ball
  parameter Real e = 0.5;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  Integer bounces(start = 0, fixed = true);
  Real energy;
equation
  der(h) = v;
  der(v) = -9.81;
  energy = 9.81*h + v^2/2;
  when h <= 0 and v < 0 then
    reinit(v, -e*pre(v));
    bounces = pre(bounces) + 1;
  end when;
end Ball;)");
  ASSERT_EQ(s.hybrid->actions().size(), 1U);
  const system::ActionInfo& info = s.hybrid->actions()[0];
  EXPECT_EQ(info.kind, system::ActionInfo::Kind::when);
  EXPECT_TRUE(info.has_jump);
  EXPECT_FALSE(info.is_scheduled);
  EXPECT_EQ(info.guard, -1);
  EXPECT_EQ(info.n_triggers, 1);
  EXPECT_THAT(info.text, HasSubstr("h <= 0"));
  s.x = {0.0, -4.0};
  s.configuration.latched = {-1.0, -1.0};
  ASSERT_TRUE(s.round().ok());
  EXPECT_THAT(s.solution.triggers, ElementsAre(1.0));
  EXPECT_EQ(s["bounces"], 0.0);
  EXPECT_EQ(s["v"], -4.0);
  s.fire({0});
  EXPECT_THAT(s.x, ElementsAre(0.0, 2.0));
  EXPECT_EQ(s["energy"], 2.0);  // algebraic variables are solved for
  EXPECT_EQ(s["bounces"], 1.0);
  EXPECT_THAT(s.configuration.discrete, ElementsAre(1.0));
  s.configuration.latched = {-1.0, 1.0};
  ASSERT_TRUE(s.round().ok());
  EXPECT_THAT(s.solution.triggers, ElementsAre(0.0));
  EXPECT_THAT(s.x, ElementsAre(0.0, 2.0));
}

// Discrete equations read truth values as they are set, also pre; elsewhen branches share a clause.
TEST(Rounds, DiscreteEquationsAndChains) {
  TextSystem s(R"(
model M
  Real x(start = 0, fixed = true);
  Boolean on(start = false), high;
  Integer n(start = 0, fixed = true);
equation
  der(x) = if on then 1 else -1;
  high = x > 1;
  on = high or pre(on) and x > 0.5;
  when high then
    n = 10;
  elsewhen {not on, sample(0, 0.25)} then
    n = pre(n) + 1;
  end when;
end M;)");
  ASSERT_EQ(s.hybrid->actions().size(), 2U);
  EXPECT_EQ(s.hybrid->actions()[0].clause, s.hybrid->actions()[1].clause);
  EXPECT_EQ(s.hybrid->actions()[1].n_triggers, 2);
  EXPECT_EQ(s.hybrid->n_clocks(), 1);
  EXPECT_EQ(s["on"], 0.0);
  EXPECT_THAT(s.rhs(0.0, {0.0}), ElementsAre(-1.0));
  const std::size_t one = s.guard("x > 1");
  const std::size_t half = s.guard("x > 0.5");
  s.configuration.latched[one] = 1.0;
  s.configuration.latched[half] = 1.0;
  ASSERT_TRUE(s.round().ok());
  EXPECT_EQ(s["high"], 1.0);
  EXPECT_EQ(s["on"], 1.0);
  EXPECT_THAT(s.solution.triggers, ElementsAre(1.0, 0.0, 0.0));
  EXPECT_THAT(s.rhs(0.0, {0.0}), ElementsAre(1.0));
  s.configuration.latched[one] = -1.0;
  ASSERT_TRUE(s.round().ok());
  EXPECT_EQ(s["on"], 1.0);              // pre(on) and x > 0.5
  s.configuration.latched[half] = 0.3;  // slid on: as written x > 0.5 is false
  s.clocks = {1};
  ASSERT_TRUE(s.round().ok());
  EXPECT_EQ(s["on"], 0.0);
  EXPECT_THAT(s.solution.triggers, ElementsAre(0.0, 1.0, 1.0));
  s.fire({1});
  EXPECT_EQ(s["n"], 1.0);
  EXPECT_TRUE(s.hybrid->guards()[one].in_rounds);
  EXPECT_FALSE(s.hybrid->guards()[one].in_equations);
}

// While a guard is slid on, equations are blended and Booleans read it as written.
TEST(Rounds, EquationsOfARoundAreBlended) {
  TextSystem s(R"(
model M
  Real x(start = 0, fixed = true), u;
  Boolean b;
equation
  der(x) = u;
  u = -sign(x);
  b = x >= 0;
end M;)");
  s.configuration.latched[0] = 0.5;
  ASSERT_TRUE(s.round().ok());
  EXPECT_EQ(s["u"], -0.5);
  EXPECT_EQ(s["b"], 1.0);
}

TEST(Rounds, InitialTerminalAndMessages) {
  TextSystem s(R"(
model M
  Real x(start = 1);
equation
  der(x) = 1;
  assert(x < 5, "x is large");
  when initial() then
    reinit(x, 2);
  end when;
  when terminal() then
    assert(x > 3, "too small");
    terminate("done");
  end when;
end M;)");
  ASSERT_EQ(s.hybrid->actions().size(), 3U);
  EXPECT_EQ(s.hybrid->actions()[2].kind, system::ActionInfo::Kind::assertion);
  EXPECT_EQ(s.hybrid->actions()[2].text, "x is large");
  ASSERT_EQ(s.hybrid->messages().size(), 2U);
  EXPECT_TRUE(s.hybrid->messages()[0].is_assertion);
  s.inputs.is_initial = true;
  ASSERT_TRUE(s.round().ok());
  EXPECT_THAT(s.solution.triggers, ElementsAre(1.0, 0.0, 1.0));
  EXPECT_TRUE(std::isnan(s.solution.messages[0]));
  s.fire({0});
  EXPECT_EQ(s["x"], 2.0);
  s.inputs.is_initial = false;
  s.inputs.is_terminal = true;
  s.fire({1});
  EXPECT_THAT(s.solution.triggers, ElementsAre(0.0, 1.0, 1.0));
  EXPECT_THAT(s.solution.messages, ElementsAre(0.0, 1.0));
}

// A discrete Real that a body sets from an algebraic variable which depends on it: one linear system.
TEST(Rounds, DiscreteRealInALoop) {
  TextSystem s(R"(
model M
  Real x(start = 2, fixed = true), y;
  discrete Real u(start = 0, fixed = true);
equation
  der(x) = -y;
  y = x + u;
  when sample(0, 1) then
    u = 0.5*y;
  end when;
end M;)");
  EXPECT_TRUE(s.hybrid->actions()[0].is_scheduled);
  s.fire({0});
  EXPECT_DOUBLE_EQ(s["u"], 2.0);
  EXPECT_DOUBLE_EQ(s["y"], 4.0);
}

const char* const kAutomaton = R"(
model Automaton
  parameter Integer first = 0;
  Real p(start = 1, fixed = true), v(start = 0, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  der(p) = v;
initial mode fly
  equation
    der(v) = -1;
    when v < -3 then
      n = pre(n) + 1;
    end when;
  transition to rest when p < 0 then
    z = -pre(v)/2;
  end transition;
end fly;
mode rest
  Real z(start = 9), w;
  equation
    v = 0;
    der(z) = -z;
    w = 2*z;
  transition to fly when z < 0.1 then
    v = pre(z) + 1;
  end transition;
end rest;
end Automaton;)";

TEST(Rounds, ModesWithOwnStatesAndTransitions) {
  TextSystem s(kAutomaton, lang::Dialect::saltus);
  ASSERT_EQ(s.hybrid->modes().size(), 2U);
  EXPECT_EQ(s.hybrid->modes()[1].name, "rest");
  EXPECT_EQ(s.locked->states().size(), 2U);
  EXPECT_TRUE(std::isnan(s["z"]));
  EXPECT_TRUE(std::isnan(s["w"]));
  EXPECT_EQ(s.hybrid->modes()[0].has_variable[s.column("z")], 0);
  ASSERT_EQ(s.hybrid->actions().size(), 3U);
  const system::ActionInfo& down = s.hybrid->actions()[1];
  EXPECT_EQ(down.kind, system::ActionInfo::Kind::transition);
  EXPECT_EQ(down.target, ModeId(1U));
  EXPECT_EQ(down.mode, ModeId(0U));
  EXPECT_EQ(down.text, "p < 0");
  EXPECT_TRUE(down.has_jump);
  const auto p_guard = static_cast<Index>(s.guard("p < 0"));
  const auto z_guard = static_cast<Index>(s.guard("z < 0.1"));
  EXPECT_TRUE(s.locked->watches(p_guard));
  EXPECT_FALSE(s.locked->watches(z_guard));

  s.x = {0.0, -4.0};
  s.values[s.column("p")] = 0.0;
  s.values[s.column("v")] = -4.0;
  s.enter(ModeId(1U));
  EXPECT_FALSE(s.locked->watches(p_guard));
  EXPECT_TRUE(s.locked->watches(z_guard));
  const std::vector<double> entry = s.hybrid->entry_states(ModeId(1U));
  ASSERT_EQ(entry.size(), 2U);  // p, z
  EXPECT_EQ(entry[1], 9.0);
  s.x = {0.0, entry[1]};
  s.fire({0, 1});  // the clause of the mode that is left fires too
  EXPECT_EQ(s["n"], 1.0);
  EXPECT_EQ(s["v"], 0.0);
  EXPECT_EQ(s["z"], 2.0);
  EXPECT_EQ(s["w"], 4.0);
  EXPECT_THAT(s.x, ElementsAre(0.0, 2.0));
  EXPECT_THAT(s.rhs(0.0, s.x), ElementsAre(0.0, -2.0));
  EXPECT_EQ(s.solution.triggers[0], 0.0);
  EXPECT_EQ(s.solution.triggers[1], 0.0);

  s.enter(ModeId(0U));
  s.x = {0.0, 0.0};
  s.fire({2});
  EXPECT_EQ(s["v"], 3.0);
  EXPECT_TRUE(std::isnan(s["z"]));
  EXPECT_THAT(s.rhs(0.0, s.x), ElementsAre(3.0, -1.0));
}

TEST(Rounds, AModeThatTheStructureDoesNotDetermineIsNamed) {
  const auto system = build_text(R"(
model M
  Real x(start = 1, fixed = true);
initial mode a
  equation
    der(x) = 1;
  transition to b when x > 2;
end a;
mode b
  Real y;
  equation
    der(x) = y;
    y = 1;
    y = 2;
  transition to a when x < 1;
end b;
end M;)",
                                 lang::Dialect::saltus);
  ASSERT_TRUE(system);
  EXPECT_EQ((*system)->lock(ModeId(0U)).value()->reduction(), system::Reduction::structural);
  EXPECT_EQ((*system)->lock(ModeId(1U)).value()->reduction(), system::Reduction::ranks);
  EXPECT_THAT((*system)->initial(0.0)->warnings.items()[0].message, HasSubstr("in mode 'b'"));
}

TEST(Rounds, AFailureIsDescribed) {
  TextSystem s(R"(
model M
  Real x(start = 1, fixed = true), y;
equation
  der(x) = 1;
  y = log(x);
  when x > 2 then reinit(x, -1); end when;
end M;)");
  s.fired = {1};
  ASSERT_TRUE(s.round().ok());
  const system::Evaluation evaluation = s.reinitialise();
  ASSERT_FALSE(evaluation.ok());
  EXPECT_THAT(s.solver->describe(evaluation, 0.0), HasSubstr("y = log(x)"));
}

std::string many_clauses(int n) {
  return "model Many\n  parameter Integer n = " + std::to_string(n) + R"(;
  Real x[n](each start = 1, each fixed = true);
  Integer k[n](each start = 0, each fixed = true);
equation
  for i in 1:n loop
    der(x[i]) = -i*x[i];
    when x[i] < 0.5 then
      reinit(x[i], 2*pre(x[i]));
      k[i] = pre(k[i]) + 1;
    end when;
  end for;
end Many;)";
}

// 1000 independent clauses cost what ten of them cost, each: the factor leaves room for noise, not for another power.
TEST(Rounds, IndependentClausesCostLinearly) {
  const auto time_of = [](int n) {
    TextSystem s(many_clauses(n));
    s.fire({0});
    const int repetitions = 20000 / n;
    double best = HUGE_VAL;
    for (int trial = 0; trial < 3; ++trial) {
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < repetitions; ++i) {
        EXPECT_TRUE(s.round().ok());
      }
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
      best = std::min(best, spent.count() / (repetitions * n));
    }
    return best;
  };
  EXPECT_LT(time_of(1000), 4.0 * time_of(100));
}

}  // namespace
}  // namespace saltus::program
