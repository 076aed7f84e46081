#include <gtest/gtest.h>

#include "flat/verify.hpp"
#include "lang/compile.hpp"
#include "support/compile_text.hpp"
#include "support/flat_print.hpp"

namespace saltus {
namespace {

using test::compile_text;

TEST(Elaboration, OdeWithParameterHasVariablesParametersEquations) {
  const flat::Model model = compile_text(R"(
model Decay "exponential"
  parameter Real k = 0.5 "rate";
  Real x(start = 1, fixed = true, unit = "m");
equation
  der(x) = -k*x;
  annotation(experiment(StopTime = 10, Tolerance = 1e-8));
end Decay;
)");
  EXPECT_EQ(model.name, "Decay");
  ASSERT_EQ(model.variables.size(), 1U);
  EXPECT_EQ(model.variables[0].name, "x");
  EXPECT_EQ(model.variables[0].unit, "m");
  EXPECT_TRUE(model.variables[0].fixed);
  ASSERT_TRUE(model.variables[0].start.has_value());
  EXPECT_TRUE(model.graph.is_constant(*model.variables[0].start, 1.0));
  ASSERT_EQ(model.parameters.size(), 1U);
  ASSERT_EQ(model.equations.size(), 1U);
  const expr::Node left = model.graph[model.equations[0].left];
  EXPECT_EQ(left.op, expr::Op::variable);
  EXPECT_EQ(left.second, 1U);
  EXPECT_EQ(model.experiment.stop, 10.0);
  EXPECT_EQ(model.experiment.tolerance, 1e-8);
}

TEST(Elaboration, OptionsInAModeAreThoseOfTheMode) {
  const flat::Model model = compile_text(R"(
model M
  Real x(start = 1, fixed = true);
initial mode a
  equation
    der(x) = -x;
  transition to b when x < 0.5;
  annotation(experiment(StopTime = 3), __saltus(method = "bdf", max_order = 2));
end a;
mode b
  equation
    der(x) = x;
end b;
  annotation(__saltus(method = "dopri5"));
end M;
)",
                                         lang::Dialect::saltus);
  ASSERT_EQ(model.experiment.options.size(), 3U);
  EXPECT_FALSE(model.experiment.options[0].mode.valid());
  EXPECT_EQ(model.experiment.options[0].value, "dopri5");
  EXPECT_EQ(model.experiment.options[1].mode, ModeId(std::size_t{0}));
  EXPECT_EQ(model.experiment.options[1].value, "bdf");
  EXPECT_EQ(model.experiment.options[2].name, "max_order");
  EXPECT_EQ(model.experiment.stop, 3.0);
  // As text each stands where it was.
  const std::string text = flat::print(model);
  const std::size_t own = text.find("annotation(__saltus(method = \"bdf\", max_order = \"2\"))");
  ASSERT_NE(own, std::string::npos) << text;
  EXPECT_LT(own, text.find("end a;"));
  EXPECT_NE(text.find("annotation(experiment(StopTime = 3), __saltus(method = \"dopri5\"))"),
            std::string::npos)
      << text;
}

TEST(Elaboration, OneSurfaceInManySpellingsIsOneGuard) {
  const flat::Model model = compile_text(R"(
model Spellings
  Real a, b, c, d, e, f, v1, v2;
equation
  der(v1) = 1; der(v2) = 2;
  a = if v1 > v2 then 1 else 0;
  b = if v2 < v1 then 1 else 0;
  c = if v1 - v2 > 0 then 1 else 0;
  d = sign(v1 - v2);
  e = abs(v2 - v1);
  f = if 2*v1 <= 2*v2 then 1 else 0;
end Spellings;
)");
  EXPECT_EQ(model.guards.size(), 1U);
  EXPECT_EQ(model.equations[2].right, model.equations[3].right);
  EXPECT_EQ(model.equations[2].right, model.equations[4].right);
}

TEST(Elaboration, ArraysAndLoopsAreWrittenOut) {
  const flat::Model model = compile_text(R"(
model Chain
  parameter Integer N = 4;
  Real x[N](each start = 1);
  Real y[2, N];
equation
  for i in 2:N-1 loop
    der(x[i]) = x[i-1] - 2*x[i] + x[i+1];
  end for;
  der(x[1]) = 0;
  der(x[end]) = 0;
  y[1, :] = 2*x;
  y[2, :] = {sum(x[j] for j in 1:i) for i in 1:N};
end Chain;
)");
  EXPECT_EQ(model.variables.size(), 12U);
  EXPECT_EQ(model.variables[0].name, "x[1]");
  EXPECT_EQ(model.variables[11].name, "y[2,4]");
  EXPECT_EQ(model.equations.size(), 12U);
  EXPECT_TRUE(model.parameters[0].is_structural);
}

TEST(Elaboration, StructuralParameterIsOverridden) {
  const auto source = std::make_shared<const SourceText>(
      "a.mo", "model A parameter Integer N = 2; Real x[N]; equation x = zeros(N) + time*ones(N); end A;");
  lang::CompileOptions options;
  options.parameters = {{"N", {.shape = {}, .numbers = {5.0}}}};
  const auto compiled = lang::compile(source, options);
  ASSERT_TRUE(compiled.has_value()) << render_text(compiled.error());
  EXPECT_EQ(compiled->model.variables.size(), 5U);
}

TEST(Elaboration, FunctionsAreInlined) {
  const flat::Model model = compile_text(R"(
function power_sum
  input Real x;
  input Integer n;
  output Real y;
  output Real z;
protected
  Real term;
algorithm
  y := 0;
  term := 1;
  for i in 1:n loop
    term := term*x;
    y := y + term;
  end for;
  if x > 0 then
    z := y;
  else
    z := -y;
  end if;
end power_sum;
model M
  Real x, y, z;
equation
  der(x) = 1;
  (y, z) = power_sum(x, 2);
end M;
)");
  ASSERT_EQ(model.equations.size(), 3U);
  EXPECT_EQ(model.conditions.size(), 1U);
  EXPECT_EQ(model.graph[model.equations[2].right].op, expr::Op::select);
}

}  // namespace
}  // namespace saltus
