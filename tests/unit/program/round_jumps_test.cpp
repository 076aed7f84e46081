// Rounds: what reinit and jump equations give to states, alone and together (LANGUAGE 5, 6).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/text_system.hpp"

namespace saltus::program {
namespace {

using test::build_text;
using test::TextSystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two bodies meet: momentum and restitution as jump equations, solved together.
TEST(Rounds, JumpEquationsAreSolvedTogether) {
  TextSystem s(R"(
model Two
  parameter Real m1 = 1, m2 = 3, e = 0.8;
  Real p1(start = 0, fixed = true), p2(start = 1, fixed = true);
  Real v1(start = 2, fixed = true), v2(start = -1, fixed = true);
equation
  der(p1) = v1; der(p2) = v2; der(v1) = 0; der(v2) = 0;
  when p1 > p2 then
    m1*v1 + m2*v2 = m1*pre(v1) + m2*pre(v2);
    v1 - v2 = -e*(pre(v1) - pre(v2));
  end when;
end Two;)");
  s.fire({0});
  EXPECT_NEAR(1.0 * s["v1"] + 3.0 * s["v2"], -1.0, 1e-15);
  EXPECT_NEAR(s["v1"] - s["v2"], -0.8 * 3.0, 1e-15);
  EXPECT_EQ(s["p1"], 0.0);
  ASSERT_TRUE(s.round().ok());  // nothing fired: everything is held
  EXPECT_NEAR(s["v1"] - s["v2"], -0.8 * 3.0, 1e-15);
  EXPECT_EQ(s.hybrid->actions()[0].guard, 0);
  EXPECT_EQ(s.hybrid->actions()[0].side, s.hybrid->guards()[0].text == "p1 - p2" ? 1.0 : -1.0);
}

TEST(Rounds, AVariableThatStandsAloneMayJump) {
  TextSystem s(R"(
model Stop
  Real x(start = 1, fixed = true), v(start = 5, fixed = true);
equation
  der(x) = v; der(v) = -1;
  when x > 2 then
    v = 0;
  end when;
end Stop;)");
  s.fire({0});
  EXPECT_THAT(s.x, ElementsAre(1.0, 0.0));
}

// Two masses glued together: v1 = v2 makes one state, which can be set under both names.
TEST(Rounds, StatesUnderAnotherNameMayJump) {
  const auto text = [](const std::string& body) {
    return R"(
model Glued
  Real h(start = 1, fixed = true), v1, v2(start = -3, fixed = true), w, F;
equation
  der(h) = v1; der(v1) = F - 9.81; 2*der(v2) = -F - 2*9.81; v1 = v2; w = -v2;
  when h < 0 then
    )" + body +
           R"(
  end when;
end Glued;)";
  };
  const std::vector<std::string> bodies = {"reinit(v2, -0.5*pre(v1));", "reinit(v1, -0.5*v2);",
                                           "reinit(w, -0.5*w);", "v2 = -0.5*pre(v1);", "w + v1 + v2 = 1.5;"};
  for (const std::string& body : bodies) {
    SCOPED_TRACE(body);
    TextSystem s(text(body));
    ASSERT_EQ(s.x.size(), 2U);
    EXPECT_EQ(s["v1"], -3.0);
    s.fire({0});
    EXPECT_EQ(s["v1"], 1.5);
    EXPECT_EQ(s["v2"], 1.5);
    EXPECT_EQ(s["w"], -1.5);
    EXPECT_EQ(s["F"], 0.0);
  }
}

TEST(Rounds, TooManyJumpEquationsAreNamed) {
  const auto system = build_text(R"(
model Stop
  Real v(start = 5, fixed = true), w(start = 5, fixed = true);
equation
  der(v) = -1; der(w) = 1;
  when v < 2 then
    v = 0;
    v + w = 3;
  end when;
end Stop;)");
  ASSERT_FALSE(system);
  EXPECT_EQ(system.error().items()[0].code, "too-many-jump-equations");
  EXPECT_THAT(system.error().items()[0].message, HasSubstr("2 for the states that may jump, v"));
  EXPECT_THAT(system.error().items()[0].message, HasSubstr("'v + w = 3"));
}

TEST(Rounds, ReinitThatCannotWorkIsNamed) {
  const auto algebraic = build_text(R"(
model M
  Real x(start = 1, fixed = true), y;
equation
  der(x) = 1; y = 2*x;
  when x > 2 then reinit(y, 0); end when;
end M;)");
  ASSERT_FALSE(algebraic);
  EXPECT_EQ(algebraic.error().items()[0].code, "reinit-not-a-state");
  const auto derivative = build_text(R"(
model M
  Real x(start = 1, fixed = true);
equation
  der(x) = -x;
  when x > 2 then reinit(x, der(x)); end when;
end M;)",
                                     lang::Dialect::saltus);
  ASSERT_FALSE(derivative);
  EXPECT_EQ(derivative.error().items()[0].code, "derivative-in-reinit");
}

// In Modelica reinit takes effect after the round (8.3.6): all that the round gives has seen the old values. In the other dialect it is
// part of the round, and a plain name outside of it is the new value.
TEST(Rounds, PlainNamesAndPre) {
  for (const bool is_modelica : {true, false}) {
    SCOPED_TRACE(is_modelica);
    TextSystem s(R"(
model M
  Real x(start = 3, fixed = true), y(start = 7, fixed = true);
  discrete Real a(start = 0, fixed = true), b(start = 0, fixed = true);
equation
  der(x) = 0; der(y) = 0;
  when x > 10 then
    reinit(x, y);
  end when;
  when y > 10 then
    reinit(y, x);
    a = x;
    b = pre(x);
  end when;
end M;)",
                 is_modelica ? lang::Dialect::modelica : lang::Dialect::saltus);
    s.fire({0, 1});
    EXPECT_EQ(s["x"], 7.0);
    EXPECT_EQ(s["y"], 3.0);
    EXPECT_EQ(s["a"], is_modelica ? 3.0 : 7.0);
    EXPECT_EQ(s["b"], 3.0);
    s.fire({1});
    EXPECT_EQ(s["y"], 7.0);
    EXPECT_EQ(s["x"], 7.0);
  }
}

// What reinit assigns is evaluated in the solution of the round: with new discrete values, old states, and derivatives.
TEST(Rounds, ReinitReadsTheSolutionOfItsRound) {
  TextSystem s(R"(
model M
  Real x(start = 3, fixed = true), y;
  Integer n(start = 0, fixed = true);
equation
  der(x) = -2*x;
  y = x + 10*n;
  when x > 10 then
    n = pre(n) + 1;
    reinit(x, y + 100*pre(n) + der(x));
  end when;
end M;)");
  s.fire({0});
  EXPECT_EQ(s["n"], 1.0);
  EXPECT_EQ(s["x"], 13.0 - 6.0);
  EXPECT_EQ(s["y"], 17.0);
}

TEST(Rounds, TheLaterOfTwoResetsCountsAndTheOtherIsNamed) {
  TextSystem s(R"(
model M
  Real x(start = 3, fixed = true);
equation
  der(x) = 0;
  when x > 10 then reinit(x, 1); end when;
  when x > 20 then reinit(x, 2); end when;
end M;)");
  s.fire({0});
  EXPECT_EQ(s["x"], 1.0);
  EXPECT_EQ(s.solution.overruled, -1);
  s.fire({0, 1});
  EXPECT_EQ(s["x"], 2.0);
  EXPECT_EQ(s.solution.overruled, 0);
}

}  // namespace
}  // namespace saltus::program
