// linearize: closed forms of small models, and the flow of larger ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "saltus/linearization.hpp"
#include "saltus/simulate.hpp"

namespace saltus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Model model_of(const std::string& text, const std::string& name = "m.mo") {
  return Model::from_text(name, text).value();
}

std::string refusal(const Model& model, const SimulationOptions& options = {}) {
  const auto result = linearize(model, options);
  EXPECT_FALSE(result);
  if (result) {
    return "";
  }
  EXPECT_EQ(result.error().items().back().code, "no-linearization");
  return result.error().items().back().message;
}

TEST(Linearize, AMassWithAForceAndAnOutputThatFeedsThrough) {
  const Linearization linear = linearize(model_of(R"(model Mass
  parameter Real m = 2, c = 0.5, k = 8;
  input Real f;
  output Real y;
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  m*der(v) = f - c*v - k*x;
  y = 3*x + f;
end Mass;
)"))
                                   .value();
  EXPECT_THAT(linear.states, ElementsAre("x", "v"));
  EXPECT_THAT(linear.inputs, ElementsAre("f"));
  EXPECT_THAT(linear.outputs, ElementsAre("y"));
  const double expected[2][2] = {{0, 1}, {-4, -0.25}};
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_NEAR(linear.a[i][j], expected[i][j], 1e-13);
    }
  }
  EXPECT_NEAR(linear.b[0][0], 0.0, 1e-13);
  EXPECT_NEAR(linear.b[1][0], 0.5, 1e-13);
  EXPECT_NEAR(linear.c[0][0], 3.0, 1e-13);
  EXPECT_NEAR(linear.c[0][1], 0.0, 1e-13);
  EXPECT_NEAR(linear.d[0][0], 1.0, 1e-13);
}

// s² + (R/L)·s + 1/(L·C) = s² + 4·s + 20.
TEST(Linearize, ACircuitWithAlgebraicUnknowns) {
  const Linearization linear = linearize(model_of(R"(model Rlc
  parameter Real R = 2, L = 0.5, C = 0.1;
  input Real u;
  output Real uc(start = 0, fixed = true);
  output Real ur;
  Real i(start = 0, fixed = true), ul;
equation
  u = ur + ul + uc;
  ur = R*i;
  L*der(i) = ul;
  C*der(uc) = i;
end Rlc;
)"))
                                   .value();
  ASSERT_EQ(linear.eigenvalues.size(), 2U);
  EXPECT_NEAR(std::abs(linear.eigenvalues[1] - std::complex<double>(-2.0, 4.0)), 0.0, 1e-12);
  EXPECT_EQ(linear.eigenvalues[0], std::conj(linear.eigenvalues[1]));
  ASSERT_THAT(linear.states, ElementsAre("uc", "i"));
  EXPECT_NEAR(linear.b[1][0], 2.0, 1e-12);
  EXPECT_NEAR(linear.c[1][1], 2.0, 1e-12) << "ur = R·i";
  EXPECT_NEAR(linear.d[1][0], 0.0, 1e-12);
}

TEST(Linearize, APendulumOfIndexThreeHasTwoStates) {
  const Model model = model_of(R"(model Pendulum
  parameter Real l = 2, g = 9.81;
  Real x(start = 0, fixed = true), y(start = -2), vx(start = 0, fixed = true), vy, f;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -f*x;
  der(vy) = -f*y - g;
  x^2 + y^2 = l^2;
end Pendulum;
)");
  const Linearization rest = linearize(model).value();
  EXPECT_EQ(rest.index, 2);
  EXPECT_THAT(rest.states, ElementsAre("x", "vx"));
  EXPECT_NEAR(std::abs(rest.eigenvalues[1] - std::complex<double>(0.0, std::sqrt(9.81 / 2.0))), 0.0, 1e-12);
  EXPECT_EQ(rest.hidden_constraints.size(), 2U);
}

// The second-order form has der(w) for a state, and the start may be another one.
TEST(Linearize, SecondOrderAndTimesWithinARun) {
  const Model model = model_of(R"(model Swing
  Real w(start = 1, fixed = true);
equation
  der(der(w)) = -sin(w);
initial equation
  der(w) = 0;
end Swing;
)");
  const Linearization start = linearize(model).value();
  EXPECT_THAT(start.states, ElementsAre("w", "der(w)"));
  EXPECT_NEAR(start.a[1][0], -std::cos(1.0), 1e-12);
  const Linearization later = linearize(model, {.stop = 2.0, .tolerance = 1e-10}).value();
  EXPECT_EQ(later.time, 2.0);
  const double w = simulate(model, {.stop = 2.0, .tolerance = 1e-10}).value().final_value("w");
  EXPECT_NEAR(later.a[1][0], -std::cos(w), 1e-9);
}

// Away from rest, in motion and with index three: the rates of nearby solutions are those of A.
TEST(Linearize, AgreesWithDifferencesOfTheFlow) {
  const std::string text = R"(model Pendulum
  parameter Real x0 = 0.6, v0 = 1;
  Real x(start = x0, fixed = true), y(start = -0.8), vx(start = v0, fixed = true), vy, f;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -f*x;
  der(vy) = -f*y - 9.81 - 0.3*vy;
  x^2 + y^2 = 1;
end Pendulum;
)";
  const Model model = model_of(text);
  const Linearization linear = linearize(model).value();
  ASSERT_EQ(linear.states.size(), 2U);
  const std::string& s1 = linear.states[0];
  const std::string& s2 = linear.states[1];
  // s and ds/dt as functions of two numbers at the start: the second changes as A says of the first.
  const auto at = [&](double x, double v) {
    const SimulationResult run = simulate(model, {.stop = 0.0,
                                                  .columns = {s1, s2, "der(" + s1 + ")", "der(" + s2 + ")"},
                                                  .set = {{"x0", x}, {"v0", v}}})
                                     .value();
    return std::vector<double>(run.trajectory.row(0).begin(), run.trajectory.row(0).end());
  };
  constexpr double kStep = 1e-5;
  for (std::size_t j = 0; j < 2; ++j) {
    const auto after = at(0.6 + (j == 0 ? kStep : 0.0), 1.0 + (j == 1 ? kStep : 0.0));
    const auto before = at(0.6 - (j == 0 ? kStep : 0.0), 1.0 - (j == 1 ? kStep : 0.0));
    const auto change = [&](std::size_t k) { return (after[k] - before[k]) / (2.0 * kStep); };
    for (std::size_t i = 0; i < 2; ++i) {
      const double expected = linear.a[i][0] * change(0) + linear.a[i][1] * change(1);
      EXPECT_NEAR(change(2 + i), expected, 1e-5) << i << j;
    }
  }
}

TEST(Linearize, WhatCannotBeIsRefusedByName) {
  EXPECT_THAT(refusal(model_of(R"(model Rate
  input Real u;
  output Real v;
  Real x;
equation
  x = u;
  v = der(x);
end Rate;
)")),
              HasSubstr("'v' depends on the derivative of the input 'u'"));
  const Model block = model_of(R"(model Block
  Real v(start = 1, fixed = true);
equation
  der(v) = if v > 0 then -0.5 else 0.5;
end Block;
)");
  EXPECT_THAT(refusal(block, {.stop = 3.0}), HasSubstr("held on a surface"));
  EXPECT_NEAR(linearize(block, {.stop = 1.0}).value().a[0][0], 0.0, 1e-14);
  const Model ends = model_of(R"(model Ends
  Real x(start = 1, fixed = true);
equation
  der(x) = x^2;
end Ends;
)");
  EXPECT_THAT(refusal(ends, {.stop = 2.0}), HasSubstr("the run ended"));
}

// The run follows what drives the inputs, and the matrices are those of the point where it comes to.
TEST(Linearize, AtTheValuesThatInputsHave) {
  const Model model = Model::from_text("m.mo", R"(model M
  input Real u(start = 1);
  output Real y = x*u;
  Real x(start = 1, fixed = true);
equation
  der(x) = -u*x + u^2;
end M;
)")
                          .value();
  const InputTable ramp{.times = {0, 2}, .columns = {{"u", {0, 2}}}};
  for (const bool by_function : {false, true}) {
    SimulationOptions options{.stop = 1.5, .tolerance = 1e-10};
    if (by_function) {
      options.input_functions = {{"u", [](double t) { return t; }}};
    } else {
      options.inputs = {ramp};
    }
    const Linearization linear = linearize(model, options).value();
    const double x = simulate(model, options).value().final_value("x");
    EXPECT_NEAR(linear.state_values[0], x, 1e-8);
    EXPECT_NEAR(linear.a[0][0], -1.5, 1e-10);
    EXPECT_NEAR(linear.b[0][0], -x + 3.0, 1e-7);
    EXPECT_NEAR(linear.c[0][0], 1.5, 1e-10);
    EXPECT_NEAR(linear.d[0][0], x, 1e-7);
  }
}

}  // namespace
}  // namespace saltus
