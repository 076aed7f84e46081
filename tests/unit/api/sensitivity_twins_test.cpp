// Systems beside a run: how parameters and start values move with one of them, and where nothing can be said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "api/model/model_data.hpp"
#include "api/model/start_point.hpp"
#include "api/sensitivity/plain_parameters.hpp"
#include "api/sensitivity/twins.hpp"
#include "saltus/simulate.hpp"

namespace saltus::api {
namespace {

using ::testing::HasSubstr;

struct Built {
  Instance instance;
  RunSettings settings;
  system::InitialPoint initial;
  std::vector<SensitivityTarget> targets;
  sensitivity::Setup setup;

  [[nodiscard]] double parameter(const std::string& name, std::size_t column) const {
    const ParameterId id = instance.compiled->parameter(name);
    return setup.directions.parameters[id.index() * setup.columns.size() + column];
  }
};

// Twins that are made late read what the setup was made from.
std::unique_ptr<Built> build_in_place(const std::string& text, const std::vector<std::string>& names) {
  const Model model = Model::from_text("m.mo", text).value();
  auto built = std::make_unique<Built>(Built{instantiate(model.data(), {}).value(), {}, {}, {}, {}});
  Diagnostics warnings;
  built->initial = find_start(built->instance, 0.0, 1.0, StartRule::least_change, warnings).value();
  built->targets = choose_targets(names, built->instance, 0.0).value();
  built->setup = make_setup(built->instance, built->initial, built->targets, built->settings);
  return built;
}

Built build(const std::string& text, const std::vector<std::string>& names) {
  return std::move(*build_in_place(text, names));
}

TEST(SensitivityTwins, DependentParametersAndStartValuesFollow) {
  const Built built = build(
      "model M\n  parameter Real a = 3;\n  parameter Real b = 2*a + 1;\n  parameter Real c = sin(a)*b;\n"
      "  parameter Real other = 0.1;\n  Real x(start = b, fixed = true), y(start = a^2, fixed = true);\n"
      "equation\n  der(x) = -c*x;\n  der(y) = -other*y;\nend M;\n",
      {"a", "b", "x"});
  EXPECT_EQ(built.parameter("a", 0), 1.0);
  EXPECT_NEAR(built.parameter("b", 0), 2.0, 1e-12);
  EXPECT_NEAR(built.parameter("c", 0), std::cos(3.0) * 7.0 + 2.0 * std::sin(3.0), 1e-9);
  EXPECT_EQ(built.parameter("other", 0), 0.0);
  EXPECT_EQ(built.parameter("a", 1), 0.0);
  EXPECT_NEAR(built.parameter("c", 1), std::sin(3.0), 1e-12);
  for (const char* name : {"a", "b", "c", "other"}) {
    EXPECT_EQ(built.parameter(name, 2), 0.0) << name;  // start values move no parameter
  }
  // [state][column]
  EXPECT_NEAR(built.setup.x[0], 2.0, 1e-12);
  EXPECT_NEAR(built.setup.x[1], 1.0, 1e-12);
  EXPECT_NEAR(built.setup.x[2], 1.0, 1e-12);
  EXPECT_NEAR(built.setup.x[3], 6.0, 1e-11);
  EXPECT_EQ(built.setup.x[4], 0.0);
  EXPECT_EQ(built.setup.x[5], 0.0);
  ASSERT_EQ(built.setup.columns[0].twins.size(), 4U);
}

std::vector<bool> plain(const std::string& text, const std::vector<std::string>& names) {
  const auto built = build_in_place(text, names);
  return find_plain(built->instance, built->initial, 0.0, built->targets);
}

TEST(SensitivityTwins, WhatOnlyEquationsReadIsPlain) {
  const std::string head =
      "model M\n  parameter Real p = 2;\n  parameter Real q = 3;\n  parameter Real z = 0;\n"
      "  Real x(start = q, fixed = true);\n";
  const std::string end = "equation\n  der(x) = -p*x + z + y;\n  y = q*x;\nend M;\n";
  EXPECT_EQ(plain(head + "  Real y;\n" + end, {"p", "q", "z", "x"}),
            (std::vector<bool>{true, false, false, false}));
  const std::vector<std::string> parts = {
      "  parameter Real other = p + 1;\n  Real y;\n",          // another parameter
      "  Real y(nominal = p);\n",                              // an attribute
      "  parameter Real other = abs(p);\n  Real y;\n",         // a choice
      "  Real y;\ninitial equation\n  x = q;\n",               // the start is solved for
      "  Real y;\n  Real w(start = 1, fixed = true) = y*p;\n"  // an algebraic variable is fixed
  };
  for (const std::string& part : parts) {
    const std::string fixed =
        part.find("initial") == std::string::npos && part.find("w(") == std::string::npos
            ? head
            : std::string(head).replace(head.find("fixed = true"), 12, "fixed = false");
    EXPECT_FALSE(plain(fixed + part + end, {"p"})[0]) << part;
  }
}

TEST(SensitivityTwins, AGuardAtTheStartThatMayTurnIsAReason) {
  const auto with = [](const std::string& guard) {
    return "model M\n  parameter Real p = 2;\n  Real x(start = 1, fixed = true);\n  Real y;\nequation\n"
           "  der(x) = if " +
           guard + " then -p else p;\n  y = p*x;\nend M;\n";
  };
  EXPECT_TRUE(plain(with("x > 0.5"), {"p"})[0]);
  EXPECT_TRUE(plain(with("x > 1"), {"p"})[0]) << "on the surface, which does not move";
  EXPECT_TRUE(plain(with("x > p"), {"p"})[0]);
  EXPECT_FALSE(plain(with("x > 0.5*p"), {"p"})[0]);
  EXPECT_FALSE(plain(with("y > 2.001"), {"p"})[0]);
}

TEST(SensitivityTwins, OfPlainParametersAreMadeLate) {
  const auto built = build_in_place(
      "model M\n  parameter Real p = 2;\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -p*x;\nend "
      "M;\n",
      {"p"});
  const sensitivity::Twins copy = built->setup.columns[0].twins;
  EXPECT_EQ(built->parameter("p", 0), 1.0);
  EXPECT_EQ(built->setup.x[0], 0.0);
  ASSERT_EQ(copy.size(), 4U);
  EXPECT_EQ(copy.begin(), built->setup.columns[0].twins.begin()) << "copies share them";
}

TEST(SensitivityTwins, AtABoundTheyStandOnOneSide) {
  const Built built = build(
      "model M\n  parameter Real a(min = 2) = 2;\n  parameter Real b(max = 2) = 2;\n"
      "  parameter Real p = exp(a);\n  parameter Real q = exp(b);\n  parameter Real r(min = 1, max = 1) = "
      "1;\n"
      "  Real x(start = p, fixed = true);\nequation\n  der(x) = -q*x - r;\nend M;\n",
      {"a", "b", "r"});
  EXPECT_EQ(built.setup.columns[0].undefined, "");
  EXPECT_NEAR(built.parameter("p", 0), std::exp(2.0), 1e-8);
  EXPECT_NEAR(built.setup.x[0], std::exp(2.0), 1e-8);
  EXPECT_NEAR(built.parameter("q", 1), std::exp(2.0), 1e-8);
  EXPECT_EQ(built.setup.columns[0].twins.size(), 5U);
  EXPECT_THAT(built.setup.columns[2].undefined, HasSubstr("bounds"));
}

TEST(SensitivityTwins, AnAssertionLeavesOneSide) {
  const Built built = build(
      "model M\n  parameter Real a = 2;\n  parameter Real p = a^2;\n  Real x(start = p, fixed = true);\n"
      "equation\n  assert(a >= 2, \"too small\");\n  der(x) = -x;\nend M;\n",
      {"a"});
  EXPECT_EQ(built.setup.columns[0].undefined, "");
  EXPECT_NEAR(built.setup.x[0], 4.0, 1e-9);
}

TEST(SensitivityTwins, WhereTheModelBesideItIsAnotherNothingIsSaid) {
  const auto reason = [](const std::string& text, const std::string& name) {
    return build(text, {name}).setup.columns[0].undefined;
  };
  EXPECT_THAT(reason("model M\n  parameter Real L = 0;\n  Real i(start = 1);\nequation\n"
                     "  L*der(i) = 2 - i;\nend M;\n",
                     "L"),
              HasSubstr("structure"));
  EXPECT_THAT(reason("model M\n  parameter Real k = 0;\n  Real x(start = 1, fixed = true);\nequation\n"
                     "  der(x) = -k*x - 1;\nend M;\n",
                     "k"),
              testing::IsEmpty());
  EXPECT_THAT(reason("model M\n  parameter Real k = 1;\n  Real x(start = 1, fixed = true);\nequation\n"
                     "  der(x) = if k > 1 then x else -x;\nend M;\n",
                     "k"),
              HasSubstr("condition over parameters"));
  // A discrete value that follows the side; the side alone is for the run to decide.
  EXPECT_THAT(reason("model M\n  Real x(start = 0, fixed = true);\n  Boolean b = x > 0;\nequation\n"
                     "  der(x) = if b then 1 else 2;\nend M;\n",
                     "x"),
              HasSubstr("at the start"));
}

TEST(SensitivityTwins, AStartOnASurfaceLeavesIt) {
  const Built built = build(
      "model M\n  Real x(start = 0, fixed = true);\nequation\n  der(x) = if x > 0 then 1 else 2;\nend M;\n",
      {"x"});
  EXPECT_EQ(built.setup.columns[0].undefined, "");
  EXPECT_THAT(built.setup.columns[0].leaves, testing::ElementsAre(0));
  EXPECT_NEAR(built.setup.x[0], 1.0, 1e-12);
}

TEST(SensitivityTwins, AZeroThatOnlyStartValuesHoldIsAnyNumber) {
  const Built built = build(
      "model M\n  parameter Real x0 = 0;\n  Real x(start = x0, fixed = true);\nequation\n  der(x) = 1 - x;\n"
      "end M;\n",
      {"x0", "x"});
  EXPECT_EQ(built.setup.columns[0].undefined, "");
  EXPECT_NEAR(built.setup.x[0], 1.0, 1e-13);
  EXPECT_NEAR(built.setup.x[1], 1.0, 1e-13);
}

TEST(SensitivityTwins, DiscreteRealsAndSolvedStartsMove) {
  const Built built = build(
      "model M\n  parameter Real p = 4;\n  Real x;\n  discrete Real d;\ninitial equation\n  x^2 = p;\n"
      "  d = 3*p;\nequation\n  der(x) = -d*x;\n  when time > 5 then\n    d = 0;\n  end when;\nend M;\n",
      {"p"});
  EXPECT_NEAR(built.setup.x[0], 0.25, 1e-9);
  EXPECT_NEAR(built.setup.discrete[0], 3.0, 1e-12);
}

}  // namespace
}  // namespace saltus::api
