#include <gtest/gtest.h>

#include "support/compile_text.hpp"

namespace saltus {
namespace {

using test::compile_text;

TEST(Events, BodyIsSplitIntoAssignmentsReinitsAndJumpEquations) {
  const flat::Model model = compile_text(R"(
model A
  Real v, w; Integer n(start = 0); Real u;
equation
  der(v) = 1; der(w) = 2;
  when v > w then
    reinit(v, -pre(v));
    n = pre(n) + 1;
    u = 2*w;
    w + v = pre(w);
  end when;
end A;
)");
  ASSERT_EQ(model.when_clauses.size(), 1U);
  const flat::Body& body = model.when_clauses[0].branches[0].body;
  EXPECT_EQ(body.reinits.size(), 1U);
  EXPECT_EQ(body.assignments.size(), 2U);
  EXPECT_EQ(body.jump_equations.size(), 1U);
  EXPECT_EQ(model.variables[3].variability, flat::Variability::discrete);  // u is set in a when
  EXPECT_EQ(model.variables[0].variability, flat::Variability::continuous);
}

TEST(Events, RelationInABodyUsesTheGuardOfTheModelOrIsPlain) {
  const flat::Model model = compile_text(R"(
model A
  Real v, w; Boolean b(start = false), c(start = false);
equation
  der(v) = 1; der(w) = 2;
  when v > w then
    b = w < v;
    c = v > 7;
  end when;
end A;
)");
  const flat::Body& body = model.when_clauses[0].branches[0].body;
  EXPECT_EQ(body.assignments[0].value, model.when_clauses[0].branches[0].condition);
  EXPECT_EQ(model.graph[body.assignments[1].value].op, expr::Op::less);
  EXPECT_EQ(model.conditions.size(), 1U);
}

TEST(Events, KinksAreMarkedUnlessTheConditionIsUsedOtherwise) {
  const flat::Model model = compile_text(R"(
model A
  Real x, y, z, s;
equation
  der(x) = 1;
  y = abs(x);
  z = abs(x - 1);
  s = if x >= 1 then 1 else 0;
end A;
)");
  ASSERT_EQ(model.conditions.size(), 2U);
  EXPECT_TRUE(model.conditions[0].kink);
  EXPECT_FALSE(model.conditions[1].kink);
}

TEST(Events, OrderOfSmoothIsKept) {
  const flat::Model model = compile_text(R"(
model A
  Real x, a, b, c, d, e;
equation
  der(x) = 1;
  a = smooth(2, if x > 1 then (x - 1)^3 else 0);
  b = smooth(1, abs(x - 2)^2);
  c = smooth(1, smooth(3, if x > 3 then (x - 3)^4 else 0));
  d = smooth(2, max(x, 4)) + abs(x - 4) + max(x, 4);
  e = if x > 5 then 1 else 0;
end A;
)");
  const auto continuity_at = [&](double place) {
    for (const flat::Condition& condition : model.conditions) {
      const expr::Node& guard = model.graph[model[condition.guard].expression];
      if (model.graph[NodeId(guard.second)].value == place) {
        return condition.continuity;
      }
    }
    return -2;
  };
  EXPECT_EQ(continuity_at(1), 2);
  EXPECT_EQ(continuity_at(2), 1);
  EXPECT_EQ(continuity_at(3), 3);
  EXPECT_EQ(continuity_at(4), 0) << "the weakest of several uses";
  EXPECT_EQ(continuity_at(5), -1);
}

TEST(Events, NoEventAndParametersMakeNoConditions) {
  const flat::Model model = compile_text(R"(
model A
  parameter Real p = 2;
  Real x, y, z;
equation
  der(x) = 1;
  y = noEvent(if x > 0 then abs(x) else floor(x));
  z = if p > 1 then max(p, 3)*x else x;
end A;
)");
  EXPECT_TRUE(model.conditions.empty());
  EXPECT_FALSE(model.parameters[0].is_structural);
}

TEST(Events, ConditionsInLoopsAreNamedByTheirElements) {
  const flat::Model model = compile_text(R"(
model A
  Real x[2], y[2], z[2];
equation
  for i in 1:2 loop
    der(x[i]) = 1;
    y[i] = if x[i] > 3 then 1 else 0;
    z[i] = if 4 - i >= 2*x[i] then 1 else floor(x[i]);
  end for;
end A;
)");
  std::vector<std::string> texts;
  for (const flat::Condition& condition : model.conditions) {
    texts.push_back(condition.text);
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"x[1] > 3", "3 >= 2*x[1]", "floor(x[1])", "x[2] > 3",
                                             "2 >= 2*x[2]", "floor(x[2])"}));
}

TEST(Modes, OwnVariablesOfOneNameAreSeparateAndPreMeansTheOldMode) {
  const flat::Model model = compile_text(R"(
model A
  Real x;
equation
  der(x) = 1;
initial mode a
  Real z(start = 0);
  equation
    der(z) = 1;
  transition to b when x > 1 then
    z = pre(z) + 1;
  end transition;
end a;
mode b
  Real z;
  equation
    der(z) = 2;
end b;
end A;
)",
                                         lang::Dialect::saltus);
  ASSERT_EQ(model.variables.size(), 3U);
  EXPECT_EQ(model.variables[1].name, "z");
  EXPECT_EQ(model.variables[2].name, "z");
  const flat::Equation& jump = model.modes[0].transitions[0].body.jump_equations.at(0);
  EXPECT_EQ(model.graph[jump.left].first, 2U);
  EXPECT_TRUE(model.graph.is_constant(model.initial_mode, 0.0));
}

}  // namespace
}  // namespace saltus
