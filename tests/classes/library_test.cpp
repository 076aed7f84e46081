// The library that is part of the program: every example runs, its assertions compare it with its closed form, and its flat text
// gives the same.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "saltus/model.hpp"
#include "saltus/model_request.hpp"
#include "saltus/simulate.hpp"

namespace saltus {
namespace {

class OwnLibrary : public ::testing::TestWithParam<std::string> {};

std::vector<double> final_values(const Model& model) {
  const Result<SimulationResult> result = simulate(model);
  if (!result || !result->ok()) {
    ADD_FAILURE() << (result ? result->message : render_text(result.error()));
    return {};
  }
  return result->final_values;
}

TEST_P(OwnLibrary, ExamplesAgreeWithTheirClosedForm) {
  ModelRequest request;
  request.model = "Saltus." + GetParam();
  const Result<Model> model = load_model(request);
  ASSERT_TRUE(model) << render_text(model.error());
  const std::vector<double> values = final_values(*model);
  const Result<Model> flat = Model::from_text("flat.mo", flat_text(*model));
  ASSERT_TRUE(flat) << render_text(flat.error());
  EXPECT_EQ(values, final_values(*flat));
}

INSTANTIATE_TEST_SUITE_P(All, OwnLibrary,
                         ::testing::Values("Electrical.Examples.Charge", "Electrical.Examples.Oscillation",
                                           "Electrical.Examples.HalfWave", "Electrical.Examples.FreeWheeling",
                                           "Electrical.Examples.PhaseControl",
                                           "Electrical.Examples.Transformed", "Rotational.Examples.Torsion",
                                           "Rotational.Examples.GearedStart", "Rotational.Examples.Braking",
                                           "Translational.Examples.Oscillator",
                                           "Translational.Examples.Sliding",
                                           "Translational.Examples.Bouncing", "Thermal.Examples.Cooling",
                                           "Blocks.Examples.Triangle", "Blocks.Examples.MeanOfPWM",
                                           "Blocks.Examples.Held", "Blocks.Examples.FirstOrderLoop"),
                         [](const auto& given) {
                           std::string name = given.param;
                           for (char& c : name) {
                             c = c == '.' ? '_' : c;
                           }
                           return name;
                         });

TEST(OwnLibraryTexts, AreFoundByModelsOfTexts) {
  const Result<Model> model = Model::from_text(
      "m.mo",
      "model M\n  import Saltus.Electrical.*;\n  ConstantVoltage s(V = 6);\n  Resistor r(R = 3);\n  Ground "
      "g;\n"
      "equation\n  connect(s.p, r.p);\n  connect(s.n, r.n);\n  connect(g.p, s.n);\nend M;\n");
  ASSERT_TRUE(model) << render_text(model.error());
  const Result<SimulationResult> result = simulate(*model);
  ASSERT_TRUE(result && result->ok());
  EXPECT_DOUBLE_EQ(result->final_value("r.i"), 2.0);
}

TEST(OwnLibraryTexts, AClassOfTheModelGoesBeforeIt) {
  const Result<Model> model = Model::from_text(
      "m.mo",
      "package Saltus\n  model A\n    Real x = 4;\n  end A;\nend Saltus;\nmodel M\n  Saltus.A a;\nend M;\n");
  ASSERT_TRUE(model) << render_text(model.error());
  const Result<SimulationResult> result = simulate(*model);
  ASSERT_TRUE(result && result->ok());
  EXPECT_DOUBLE_EQ(result->final_value("a.x"), 4.0);
}

// A source and a closed switch side by side: nothing says which current flows, and the voltages contradict each other.
TEST(OwnLibraryTexts, AnIdealShortCircuitIsNamed) {
  const Result<Model> model = Model::from_text(
      "m.mo",
      "model M\n  import Saltus.Electrical.*;\n  ConstantVoltage s(V = 6);\n"
      "  IdealClosingSwitch k(control = time > 0.5);\n  Ground g;\n"
      "equation\n  connect(s.p, k.p);\n  connect(s.n, k.n);\n  connect(g.p, s.n);\nend M;\n");
  ASSERT_TRUE(model) << render_text(model.error());
  const Result<SimulationResult> result = simulate(*model);
  ASSERT_TRUE(result) << render_text(result.error());
  const std::string said = render_text(result->diagnostics);
  EXPECT_NE(said.find("no equation determines s.p.i"), std::string::npos) << said;
  EXPECT_NE(said.find("contradict"), std::string::npos) << said;
}

}  // namespace
}  // namespace saltus
