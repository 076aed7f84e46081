// Initial values and conditions that depend on each other (docs/semantics.md 3.1); truth values of conditions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program/guards/condition_inputs.hpp"
#include "support/text_system.hpp"
#include "unit/program/model_builder.hpp"

namespace saltus::program {
namespace {

using test::build_text;
using test::ModelBuilder;
using test::TextSystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ConditionInputs, BothReadingsOfAGuard) {
  using Kind = flat::Condition::Kind;
  struct Case {
    double latched;
    bool is_weight;
    double equations[4];  // >, >=, <, <=
    double written[4];
  };
  const Case cases[] = {
      {1.0, false, {1, 1, 0, 0}, {1, 1, 0, 0}},
      {-1.0, false, {0, 0, 1, 1}, {0, 0, 1, 1}},
      {0.0, false, {0, 1, 0, 1}, {0, 1, 0, 1}},
      {0.0, true, {0.5, 0.5, 0.5, 0.5}, {0, 1, 0, 1}},
      {0.5, true, {0.75, 0.75, 0.25, 0.25}, {0, 1, 0, 1}},
      {-0.5, false, {0.25, 0.25, 0.75, 0.75}, {0, 1, 0, 1}},
  };
  const Kind kinds[] = {Kind::greater, Kind::greater_equal, Kind::less, Kind::less_equal};
  for (const Case& c : cases) {
    for (int k = 0; k < 4; ++k) {
      EXPECT_EQ(value_in_equations(kinds[k], c.latched, c.is_weight), c.equations[k]) << c.latched << k;
      EXPECT_EQ(value_as_written(kinds[k], c.latched), c.written[k]) << c.latched << k;
    }
  }
  EXPECT_EQ(value_as_written(Kind::floor, 0.0), 0.0);
  EXPECT_EQ(value_in_equations(Kind::truncate, -3.0, false), -3.0);
  EXPECT_EQ(ConditionInputs::latched_of({.expression = {}, .kind = Kind::floor}, -0.5), -1.0);
  EXPECT_EQ(ConditionInputs::latched_of({.expression = {}, .kind = Kind::ceil}, -0.5), 0.0);
  EXPECT_EQ(ConditionInputs::latched_of({.expression = {}, .kind = Kind::truncate}, -1.5), -1.0);
  EXPECT_EQ(ConditionInputs::latched_of({.expression = {}, .kind = Kind::greater}, 0.0), 0.0);
}

TEST(InitialConditions, RelationsAsWrittenOnTheInitialValues) {
  TextSystem s(R"(
model M
  Real x(start = 2, fixed = true), y(start = -1), z;
  Boolean b;
  Integer n;
equation
  der(x) = 1;
  y = if x > 1 then 3*x else -x;
  z = if y > 5 then 10 else 20;
  b = z < 15;
  n = integer(x/0.75);
end M;)");
  EXPECT_EQ(s["y"], 6.0);
  EXPECT_EQ(s["z"], 10.0);
  EXPECT_EQ(s["b"], 1.0);
  EXPECT_EQ(s["n"], 2.0);
  EXPECT_EQ(s.configuration.latched[s.guard("x > 1")], 1.0);
  EXPECT_EQ(s.configuration.latched[s.guard("y > 5")], 1.0);
  EXPECT_EQ(s.configuration.latched[s.guard("z < 15")], -1.0);
  EXPECT_THAT(s.configuration.discrete, ElementsAre(1.0, 2.0));
}

TEST(InitialConditions, AGuardThatIsZeroHasSideZero) {
  TextSystem s(R"(
model M
  Real x(start = 0, fixed = true);
equation
  der(x) = -sign(x);
end M;)");
  EXPECT_EQ(s.configuration.latched[0], 0.0);
  EXPECT_THAT(s.rhs(0.0, {0.0}), ElementsAre(0.0));
}

TEST(InitialConditions, ACycleNamesTheConditions) {
  // A state depends on the choice: nothing to blend it with before the run begins.
  const auto system = build_text(R"(
model M
  Real x, y(start = 0);
initial equation
  y = 2*x;
equation
  x = if y > 0 then -1 else 1;
  der(y) = x;
end M;)");
  ASSERT_TRUE(system) << render_text(system.error());
  const auto initial = (*system)->initial(0.0);
  ASSERT_FALSE(initial);
  EXPECT_EQ(initial.error().items()[0].code, "initial-conditions-cycle");
  EXPECT_THAT(initial.error().items()[0].message, HasSubstr("'y > 0'"));
}

TEST(InitialConditions, InitialEquationsAndDiscreteStarts) {
  TextSystem s(R"(
model M
  Real x(start = 5), v(start = 0, fixed = true);
  Integer n(start = 3, fixed = true);
  discrete Real u(start = 0.5, fixed = true);
  Boolean was;
equation
  der(x) = v;
  der(v) = if n > 2 then -u*x else 0;
  was = pre(n) > 2;
  when x < 0 then
    n = pre(n) - 1;
    u = 1;
  end when;
initial equation
  der(v) = -2;
end M;)");
  EXPECT_EQ(s["x"], 4.0);
  EXPECT_EQ(s["was"], 1.0);
  EXPECT_THAT(s.rhs(0.0, {4.0, 1.0}), ElementsAre(1.0, -2.0));
  s.configuration.discrete[0] = 1.0;  // n
  EXPECT_THAT(s.rhs(0.0, {4.0, 1.0}), ElementsAre(1.0, 0.0));
}

TEST(InitialConditions, TheInitialModeFollowsFromParameters) {
  const char* const text = R"(
model M
  parameter Real a = 1;
  Real x(start = 0, fixed = true);
initial mode = if a > 0 then up else down;
mode up
  equation der(x) = 1;
  transition to down when x > 1;
end up;
mode down
  equation der(x) = -1;
  transition to up when x < -1;
end down;
end M;)";
  TextSystem up(text, lang::Dialect::saltus);
  EXPECT_EQ(up.hybrid->modes()[up.configuration.mode.index()].name, "up");
  TextSystem down(text, lang::Dialect::saltus, 0.0, {{"a", -1.0}});
  EXPECT_EQ(down.hybrid->modes()[down.configuration.mode.index()].name, "down");
  EXPECT_THAT(down.rhs(0.0, {0.0}), ElementsAre(-1.0));
}

TEST(InitialConditions, AnInitialModeThatIsNoneIsNamed) {
  ModelBuilder b;
  const VariableId x = b.state("x", 0.0);
  b.model().modes.resize(1);
  b.model().modes[0].equations.push_back({b.g().variable(x, 1), b.g().constant(1.0), {}});
  b.model().initial_mode = b.g().constant(3.0);
  const auto system = build_system(b.build(), {});
  ASSERT_FALSE(system);
  EXPECT_EQ(system.error().items()[0].code, "initial-mode-unknown");
}

TEST(InitialConditions, PreOfAContinuousVariableInAnEquationIsRefused) {
  ModelBuilder b;
  const VariableId x = b.state("x", 0.0);
  b.equation(b.g().variable(x, 1), b.g().previous(x));
  const auto system = build_system(b.build(), {});
  ASSERT_FALSE(system);
  EXPECT_EQ(system.error().items()[0].code, "not-supported-yet");
}

}  // namespace
}  // namespace saltus::program
