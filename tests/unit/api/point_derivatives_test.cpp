// What a simulation says about the point at which it stands: derivatives of variables, directional and adjoint derivatives, dependencies, rounds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "saltus/contract.hpp"
#include "saltus/simulation.hpp"

namespace saltus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Simulation begin(const std::string& text, SimulationOptions options = {},
                 const std::vector<std::string>& tunable = {}) {
  const Model model = Model::from_text("test.mo", text).value();
  return std::move(Simulation::begin(model, options, tunable).value());
}

// An implicit equation, an input, parameters of which one is zero and one depends on another, a second-order variable.
const std::string kPlant = R"(model Plant
  parameter Real k = 2;
  parameter Real twice = 2*k;
  parameter Real none = 0;
  input Real u(start = 0.5);
  input Boolean on(start = true);
  Real x(start = 1, fixed = true);
  Real y(start = 0.5);
  Real z = sin(x)*time + none*x;
  Real w(start = 2, fixed = true);
  Real bare = 7;
  discrete Integer n(start = 3, fixed = true);
equation
  der(x) = -twice*x + u*y + none*x^2;
  y^3 + y = x + u;
  der(der(w)) = -w - n*der(w) + (if on then u else 0);
  when x < -100 then
    n = pre(n) + 1;
  end when;
end Plant;
)";

struct Expected {
  double x, u, y, t, z_x, y_x, y_u;
};

Expected at(const Simulation& plant) {
  Expected e{};
  e.x = plant.value("x");
  e.u = plant.value("u");
  e.y = plant.value("y");
  e.t = plant.time();
  e.y_x = 1.0 / (3.0 * e.y * e.y + 1.0);
  e.y_u = e.y_x;
  e.z_x = std::cos(e.x) * e.t;
  return e;
}

TEST(PointDerivatives, AreThoseByHand) {
  Simulation plant = begin(kPlant, {.stop = 2.0, .tolerance = 1e-9}, {"k", "none"});
  ASSERT_TRUE(plant.advance_to(0.7));
  const Expected e = at(plant);
  const std::vector<std::string> unknowns{"der(x)", "y", "z", "x", "der(der(w))", "der(w)", "bare", "u", "n"};
  const std::vector<std::string> knowns{"x", "u", "k", "none", "time", "der(w)"};
  const Matrix j = plant.partial_derivatives(unknowns, knowns).value();
  const Matrix by_hand{
      {-4.0 + e.u * e.y_x, e.y + e.u * e.y_u, -2.0 * e.x, e.x * e.x, 0, 0},
      {e.y_x, e.y_u, 0, 0, 0, 0},
      {e.z_x, 0, 0, e.x, std::sin(e.x), 0},
      {1, 0, 0, 0, 0, 0},
      {0, 1, 0, 0, 0, -3},
      {0, 0, 0, 0, 0, 1},
      {0, 0, 0, 0, 0, 0},
      {0, 1, 0, 0, 0, 0},
      {0, 0, 0, 0, 0, 0},
  };
  ASSERT_EQ(j.size(), by_hand.size());
  for (std::size_t i = 0; i < j.size(); ++i) {
    ASSERT_EQ(j[i].size(), by_hand[i].size());
    for (std::size_t k = 0; k < j[i].size(); ++k) {
      EXPECT_NEAR(j[i][k], by_hand[i][k], 1e-13) << unknowns[i] << " by " << knowns[k];
    }
  }
  const std::vector<double> seeds{0.3, -2.0, 1.5, 0.25, 4.0, -1.0};
  const std::vector<double> moved = plant.directional_derivative(unknowns, knowns, seeds).value();
  const std::vector<double> weights{1, -2, 3, 0.5, 2, 4, 1, -1, 9};
  const std::vector<double> back = plant.adjoint_derivative(unknowns, weights, knowns).value();
  double forwards = 0.0;
  double backwards = 0.0;
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    double sum = 0.0;
    for (std::size_t k = 0; k < knowns.size(); ++k) {
      sum += by_hand[i][k] * seeds[k];
    }
    EXPECT_NEAR(moved[i], sum, 1e-12) << unknowns[i];
    forwards += weights[i] * moved[i];
  }
  for (std::size_t k = 0; k < knowns.size(); ++k) {
    backwards += back[k] * seeds[k];
  }
  EXPECT_NEAR(forwards, backwards, 1e-11) << "the transposed";
  EXPECT_THAT(plant.directional_derivative({"x"}, {}, {}).value(), ElementsAre(0.0));
  EXPECT_THAT(plant.directional_derivative({}, {"x"}, {1}).value(), IsEmpty());
  EXPECT_THAT(plant.adjoint_derivative({}, {}, {"x"}).value(), ElementsAre(0.0));
}

TEST(PointDerivatives, OfMoreKnownsThanAreTakenAtOnce) {
  Simulation chain = begin(R"(model Chain
  Real x[40](each start = 1, each fixed = true);
equation
  for i in 1:39 loop
    der(x[i]) = i*x[i+1];
  end for;
  der(x[40]) = x[1]^2;
end Chain;
)",
                           {.stop = 1.0});
  std::vector<std::string> states;
  std::vector<std::string> rates;
  for (int i = 1; i <= 40; ++i) {
    states.push_back("x[" + std::to_string(i) + "]");
    rates.push_back("der(x[" + std::to_string(i) + "])");
  }
  const Matrix j = chain.partial_derivatives(rates, states).value();
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t k = 0; k < 40; ++k) {
      const double expected = k == i + 1 ? static_cast<double>(i + 1) : i == 39 && k == 0 ? 2.0 : 0.0;
      EXPECT_EQ(j[i][k], expected) << i << " " << k;
    }
  }
}

TEST(PointDerivatives, MisuseIsNamed) {
  Simulation plant = begin(kPlant, {.stop = 2.0}, {"k"});
  const auto what = [](const auto& call) -> std::string {
    try {
      (void)call();
    } catch (const ContractViolation& violation) {
      return violation.what();
    }
    return "nothing";
  };
  const double nan = std::nan("");
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THAT(what([&] {
                return plant.directional_derivative({"x"}, {"x"}, {1, 2});
              }),
              HasSubstr("2 seeds for 1"));
  EXPECT_THAT(what([&] { return plant.directional_derivative({"x"}, {"x"}, {}); }),
              HasSubstr("0 seeds for 1"));
  EXPECT_THAT(what([&] { return plant.directional_derivative({"x"}, {"x"}, {nan}); }),
              HasSubstr("a seed is"));
  EXPECT_THAT(what([&] { return plant.adjoint_derivative({"x"}, {inf}, {"x"}); }), HasSubstr("a seed is"));
  EXPECT_THAT(what([&] { return plant.adjoint_derivative({"x"}, {}, {"x"}); }), HasSubstr("0 seeds for 1"));
  EXPECT_THAT(what([&] { return plant.partial_derivatives({"q"}, {"x"}); }), HasSubstr("'q'"));
  EXPECT_THAT(what([&] { return plant.partial_derivatives({"der(y)"}, {"x"}); }), HasSubstr("'der(y)'"));
  EXPECT_THAT(what([&] { return plant.partial_derivatives({"x"}, {"y"}); }), HasSubstr("'y' is no state"));
  EXPECT_THAT(what([&] { return plant.partial_derivatives({"x"}, {"none"}); }),
              HasSubstr("'none' is no state"));
  EXPECT_THAT(what([&] { return plant.partial_derivatives({"x"}, {"x", "x"}); }), HasSubstr("twice"));
  EXPECT_THAT(what([&] { return plant.partial_derivatives({"x"}, {"on"}); }), HasSubstr("no Real"));
  EXPECT_THAT(what([&] { return plant.dependencies("q"); }), HasSubstr("'q'"));
  EXPECT_THAT(what([&] { return plant.derivative("q"); }), HasSubstr("'q'"));
  (void)plant.finish();
  EXPECT_THAT(what([&] { return plant.partial_derivatives({"x"}, {"x"}); }), HasSubstr("finished"));
  EXPECT_THAT(what([&] { return plant.rounds(); }), HasSubstr("finished"));
  EXPECT_THAT(what([&] { return plant.events(); }), HasSubstr("finished"));
  EXPECT_THAT(what([&] { return plant.dependencies("x"); }), HasSubstr("finished"));
}

TEST(PointDerivatives, WhereThereAreNoneTheErrorSaysWhy) {
  Simulation relay = begin(
      "model M\n Real x(start = 0.1, fixed = true);\n Real s = 3*x + time;\nequation\n der(x) = 0.5 - "
      "sign(x);\nend M;\n",
      {.stop = 2.0});
  ASSERT_TRUE(relay.advance_to(1.0));
  ASSERT_THAT(relay.mode(), HasSubstr("sliding"));
  auto j = relay.partial_derivatives({"der(x)"}, {"x"});
  ASSERT_FALSE(j);
  EXPECT_EQ(j.error().items()[0].code, "no-point-derivative");
  EXPECT_THAT(j.error().items()[0].message, HasSubstr("held on a surface"));
  EXPECT_NEAR(relay.derivative("s"), 1.0, 1e-8) << "along the motion there is one, by differences";

  Simulation ranks = begin(
      "model M\n Real x(start = 1, fixed = true), y, z;\nequation\n der(x) = -x;\n y + z = x;\n 2*y + 2*z = "
      "2*x;\nend M;\n",
      {.stop = 1.0});
  j = ranks.partial_derivatives({"der(x)"}, {"x"});
  ASSERT_FALSE(j);
  EXPECT_THAT(j.error().items()[0].message, HasSubstr("reduced by ranks"));
  EXPECT_FALSE(ranks.dependencies("x").has_value());

  Simulation root = begin(
      "model M\n Real x(start = 0, fixed = true);\n Real r = sqrt(x);\n Real q = 2*x;\nequation\n der(x) = "
      "1;\nend M;\n",
      {.stop = 1.0});
  j = root.partial_derivatives({"r"}, {"x"});
  ASSERT_FALSE(j);
  EXPECT_THAT(j.error().items()[0].message, HasSubstr("'r'"));
  EXPECT_EQ(root.partial_derivatives({"q"}, {"x"}).value()[0][0], 2.0) << "others have theirs";
}

TEST(PointDerivatives, DerivativesOfAlgebraicVariables) {
  Simulation plant = begin(kPlant, {.stop = 2.0, .tolerance = 1e-9}, {"k"});
  ASSERT_TRUE(plant.advance_to(0.7));
  const Expected e = at(plant);
  const double xdot = -4.0 * e.x + e.u * e.y;
  EXPECT_NEAR(plant.derivative("x"), xdot, 1e-12);
  EXPECT_NEAR(plant.derivative("y"), e.y_x * xdot, 1e-12);
  EXPECT_NEAR(plant.derivative("z"), std::sin(e.x) + e.z_x * xdot, 1e-12);
  EXPECT_EQ(plant.derivative("bare"), 0.0);
  EXPECT_EQ(plant.derivative("u"), 0.0) << "it is held";
  EXPECT_TRUE(std::isnan(plant.derivative("n")));
  EXPECT_TRUE(std::isnan(plant.derivative("on")));
}

// Questions leave no trace.
TEST(PointDerivatives, AskingChangesNothing) {
  for (const std::string method : {"dopri5", "radau5", "bdf"}) {
    const SimulationOptions options{.stop = 2.0, .interval = 0.1, .method = method};
    Simulation silent = begin(kPlant, options, {"k"});
    Simulation asked = begin(kPlant, options, {"k"});
    while (silent.step()) {
    }
    do {
      (void)asked.derivative("y");
      (void)asked.partial_derivatives({"der(x)", "y"}, {"x", "u", "time"});
      (void)asked.dependencies("y");
      (void)asked.values();
      (void)asked.guards();
      (void)asked.states();
    } while (asked.step());
    const SimulationResult a = silent.finish();
    const SimulationResult b = asked.finish();
    EXPECT_EQ(a.final_values, b.final_values) << method;
    EXPECT_EQ(a.statistics.accepted_steps, b.statistics.accepted_steps) << method;
  }
}

TEST(PointDerivatives, DependenciesAreThoseOfTheEquations) {
  Simulation plant = begin(kPlant, {.stop = 2.0}, {"k"});
  EXPECT_THAT(plant.dependencies("der(x)").value(), ElementsAre("x", "u", "k"));
  EXPECT_THAT(plant.dependencies("y").value(), ElementsAre("x", "u"));
  EXPECT_THAT(plant.dependencies("z").value(), ElementsAre("time", "x"));
  EXPECT_THAT(plant.dependencies("x").value(), ElementsAre("x"));
  EXPECT_THAT(plant.dependencies("der(der(w))").value(), ElementsAre("w", "der(w)", "u", "on", "n"));
  EXPECT_THAT(plant.dependencies("bare").value(), IsEmpty());
  EXPECT_THAT(plant.dependencies("n").value(), ElementsAre("n"));
}

TEST(PointDerivatives, WhatVariablesAre) {
  const Model model = Model::from_text("m.mo", R"(model M
  Real s(start = 0, fixed = true), v(start = 1, fixed = true);
  Real a[2,3](each start = 0, each fixed = true);
equation
  der(s) = v;
  der(v) = -s;
  for i in 1:2 loop
    for j in 1:3 loop
      der(a[i,j]) = 1;
    end for;
  end for;
end M;
)")
                          .value();
  EXPECT_EQ(model.variables()[0].derivative_of, "");
  EXPECT_EQ(model.variables()[1].derivative_of, "s");
  EXPECT_THAT(model.variables()[1].dimensions, IsEmpty());
  EXPECT_THAT(model.variables()[2].dimensions, ElementsAre(2U, 3U));
}

TEST(Rounds, OneAfterTheOther) {
  Simulation chain = begin(R"(model Chain
  Real x(start = 0, fixed = true);
  discrete Integer a(start = 0, fixed = true), b(start = 0, fixed = true), c(start = 0, fixed = true);
equation
  der(x) = 1;
  when x > 0.5 then
    a = pre(a) + 1;
  end when;
  when pre(a) > 0 then
    b = pre(b) + 1;
  end when;
  when pre(b) > 0 then
    c = pre(c) + 1;
  end when;
end Chain;
)",
                           {.stop = 9.0, .max_step = 1.0});
  ASSERT_TRUE(chain.advance_to_event(9.0));
  const std::vector<Simulation::Round> rounds = chain.rounds();
  ASSERT_GE(rounds.size(), 4U);
  const auto whole = [](const Simulation::Round& round) {
    return std::vector<double>(round.values.begin() + 1, round.values.end());
  };
  EXPECT_THAT(whole(rounds[0]), ElementsAre(0, 0, 0)) << "before";
  EXPECT_THAT(whole(rounds[1]), ElementsAre(1, 0, 0));
  EXPECT_THAT(whole(rounds[2]), ElementsAre(1, 1, 0));
  EXPECT_THAT(whole(rounds[3]), ElementsAre(1, 1, 1));
  EXPECT_EQ(rounds.back().values, chain.values());
  EXPECT_EQ(static_cast<std::int64_t>(chain.events().size()), chain.n_events());
  EXPECT_EQ(chain.events()[0].segment, rounds[1].segment);
  ASSERT_TRUE(chain.step());
  EXPECT_THAT(chain.rounds(), IsEmpty());
  EXPECT_FALSE(chain.advance_to(9.0));
}

// x² + y² = 4 with ẋ = u·y: residuals and Jacobian by hand, at the point and beside it.
TEST(EquationsAtAPoint, ResidualsAndJacobianAreThoseByHand) {
  const Model model =
      Model::from_text("test.mo",
                       "model M\n input Real u(start = 3);\n Real x(start = 1, fixed = true), y(start = "
                       "1.7);\nequation\n der(x) = u*y;\n x^2 + y^2 = 4;\nend M;\n")
          .value();
  const Simulation held = std::move(Simulation::begin(model, {.stop = 1.0}).value());
  const double y = std::sqrt(3.0);
  const auto value = [](const EquationValues& values, std::size_t row, std::string_view name) {
    const auto found = std::find(values.unknowns.begin(), values.unknowns.end(), name);
    return found == values.unknowns.end()
               ? std::nan("")
               : values.jacobian[row][static_cast<std::size_t>(found - values.unknowns.begin())];
  };
  for (const bool is_beside : {false, true}) {
    const EquationValues found =
        (is_beside ? held.equations({{"x", 2.0}, {"der(x)", 7.0}, {"time", 0.5}}) : held.equations()).value();
    const double x = is_beside ? 2.0 : 1.0;
    EXPECT_EQ(found.time, is_beside ? 0.5 : 0.0);
    ASSERT_EQ(found.residuals.size(), found.equations.size());
    ASSERT_GE(found.equations.size(), 2U);
    const auto row_of = [&](std::string_view part) {
      for (std::size_t i = 0; i < found.equations.size(); ++i) {
        if (found.equations[i].find(part) != std::string::npos) {
          return i;
        }
      }
      return found.equations.size();
    };
    const std::size_t rate = row_of("der(x)");
    const std::size_t circle = row_of("^2");
    ASSERT_LT(rate, found.equations.size());
    ASSERT_LT(circle, found.equations.size());
    EXPECT_NEAR(found.residuals[rate], is_beside ? 7.0 - 3.0 * y : 0.0, 1e-9);
    EXPECT_NEAR(found.residuals[circle], x * x + y * y - 4.0, 1e-9);
    EXPECT_NEAR(value(found, circle, "x"), 2.0 * x, 1e-12);
    EXPECT_NEAR(value(found, circle, "y"), 2.0 * y, 1e-9);
    EXPECT_NEAR(value(found, rate, "der(x)"), 1.0, 1e-12);
    EXPECT_NEAR(value(found, rate, "y"), -3.0, 1e-12);
  }
  EXPECT_THROW((void)held.equations({{"nothing", 1.0}}), ContractViolation);
  EXPECT_THROW((void)held.equations({{"x", std::nan("")}}), ContractViolation);
}

}  // namespace
}  // namespace saltus
