// --sens: which parameters and start values a name means, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "saltus/callback_model.hpp"
#include "saltus/simulate.hpp"
#include "saltus/simulation.hpp"

namespace saltus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char* const kModel = R"(model Names
  parameter Real mass = 2;
  parameter Real k[2] = {3, 4};
  parameter Real twice = 2*mass;
  final parameter Real fixed_one = 1;
  constant Real c = 1;
  parameter Integer n = 2;
  parameter Boolean on = true;
  parameter Integer size = 2;
  parameter Real all = 0.5;
  input Real u;
  Real x(start = 1, fixed = true);
  Real v[size](each start = 0.5, each fixed = true);
  Real z = x + v[1];
  Integer count(start = 0, fixed = true);
equation
  der(x) = -k[1]*x + u + (if on then n*c else 0);
  for i in 1:size loop
    der(v[i]) = -k[2]*v[i]/twice + fixed_one + all;
  end for;
  when x < 0.5 then
    count = pre(count) + 1;
  end when;
  annotation(experiment(StopTime = 0.1));
end Names;
)";

Model model() {
  return Model::from_text("names.mo", kModel).value();
}

std::vector<std::string> keys(std::vector<std::string> items) {
  const auto result = simulate(model(), {.sensitivities = std::move(items)});
  EXPECT_TRUE(result) << render_text(result.error());
  return result ? result->sensitivities->parameters : std::vector<std::string>{};
}

Diagnostic problem(std::vector<std::string> items) {
  const auto result = simulate(model(), {.sensitivities = std::move(items)});
  EXPECT_FALSE(result);
  return result ? Diagnostic{} : result.error().items()[0];
}

TEST(SensitivityNames, ParametersVariablesAndArraysOnceInTheirOrder) {
  EXPECT_THAT(keys({"x", "mass"}), ElementsAre("x", "mass"));
  EXPECT_THAT(keys({"k", "k[1]", "start(v)", "v[2]"}), ElementsAre("k[1]", "k[2]", "v[1]", "v[2]"));
  EXPECT_THAT(keys({"k[2]", "start(x)", "x"}), ElementsAre("k[2]", "x"));
}

TEST(SensitivityNames, AllParametersThatMayBeSetAndStartsOfStates) {
  EXPECT_THAT(keys({"all"}), ElementsAre("mass", "k[1]", "k[2]", "twice", "all"));
  EXPECT_THAT(keys({"starts"}), ElementsAre("x", "v[1]", "v[2]"));
  EXPECT_THAT(keys({"'all'", "starts"}), ElementsAre("all", "x", "v[1]", "v[2]"));
}

TEST(SensitivityNames, TextIsSplitOutsideOfBracketsAndQuotes) {
  SimulationOptions options;
  EXPECT_FALSE(set_option(options, "sens", "a, m[1,2] ,'p,q'").has_errors());
  EXPECT_FALSE(set_option(options, "sens", "x").has_errors());
  EXPECT_THAT(options.sensitivities, ElementsAre("a", "m[1,2]", "'p,q'", "x"));
  EXPECT_TRUE(set_option(options, "sens", "a,,b").has_errors());
}

TEST(SensitivityNames, UnknownNamesAreErrorsWithASuggestion) {
  const Diagnostic unknown = problem({"masss"});
  EXPECT_EQ(unknown.code, "unknown-sensitivity");
  EXPECT_THAT(unknown.hint, HasSubstr("'mass'"));
  EXPECT_EQ(problem({"start(mass)"}).code, "unknown-sensitivity");
  const Model fixed = Model::from_text("m.mo", "model M\n  Real x = time;\nend M;\n").value();
  EXPECT_EQ(simulate(fixed, {.sensitivities = {"all", "starts"}}).error().items()[0].code,
            "unknown-sensitivity");
}

TEST(SensitivityNames, WhatIsNoNumberThatMovesIsRefused) {
  for (const char* name : {"n", "on", "size", "c", "fixed_one", "count", "u"}) {
    EXPECT_EQ(problem({name}).code, "no-sensitivity") << name;
  }
}

TEST(SensitivityNames, WhatCannotWorkTogetherIsRefused) {
  EXPECT_EQ(simulate(model(), {.sensitivities = {"x"}, .error_estimate = true}).error().items()[0].code,
            "conflicting-options");
  EXPECT_EQ(simulate(model(), {.sensitivities = {"x"}, .checkpoint = "c"}).error().items()[0].code,
            "conflicting-options");
  EXPECT_EQ(simulate(model(), {.sensitivity_check = true}).error().items()[0].code, "conflicting-options");
  EXPECT_EQ(Simulation::begin(model(), {.sensitivities = {"x"}}, {}).error().items()[0].code,
            "option-not-supported");
  CallbackModel functions;
  EXPECT_EQ(simulate(functions, {.sensitivities = {"x"}}).error().items()[0].code, "option-not-supported");
}

TEST(SensitivityNames, AnAnnotationAsksForThem) {
  const Model annotated =
      Model::from_text("m.mo",
                       "model M\n  parameter Real k = 1;\n  Real x(start = 1, fixed = true);\nequation\n"
                       "  der(x) = -k*x;\n  annotation(__saltus(sens = \"k,x\"));\nend M;\n")
          .value();
  EXPECT_THAT(simulate(annotated).value().sensitivities->parameters, ElementsAre("k", "x"));
}

}  // namespace
}  // namespace saltus
