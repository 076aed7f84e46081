// Characteristic values of models as text: the structural examples of [Wun08] 3 to 7 with the values verified there in exact arithmetic
// (d2, d1 and a of second-order equations as written), and what a person is told.
#include "saltus/analysis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace saltus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Expected {
  std::string name;
  std::string text;
  int index;
  int d2, d1, a, u, v;
};

void PrintTo(const Expected& expected, std::ostream* out) {
  *out << expected.name;
}

class CharacteristicValuesOfModels : public ::testing::TestWithParam<Expected> {};

TEST_P(CharacteristicValuesOfModels, AreThoseOfTheSource) {
  const Expected& expected = GetParam();
  const auto model = Model::from_text(expected.name + ".mo", "model M " + expected.text + " end M;");
  ASSERT_TRUE(model) << model.error().items()[0].message;
  const auto analysis = analyze(*model, {.at = 7.0 / 3.0, .set = {}});
  ASSERT_TRUE(analysis) << analysis.error().items()[0].message;
  ASSERT_EQ(analysis->modes.size(), 1U);
  const ModeAnalysis& mode = analysis->modes[0];
  EXPECT_EQ(mode.name, "main");
  EXPECT_EQ(mode.index, expected.index);
  EXPECT_EQ(mode.d2, expected.d2);
  EXPECT_EQ(mode.d1, expected.d1);
  EXPECT_EQ(mode.a, expected.a);
  EXPECT_EQ(mode.u, expected.u);
  EXPECT_EQ(mode.v, expected.v);
  EXPECT_EQ(mode.d, 2 * expected.d2 + expected.d1);
}

const Expected kModels[] = {
    {"Example_3_1", "Real x1, x2; equation der(der(x1)) + der(x1) + x2 = sin(time); x1 = cos(time);", 2, 0, 0,
     2, 0, 0},
    {"Example_3_3",
     "Real p1(start = 1), p2, l; equation der(der(p1)) = -p1 + l; der(der(p2)) = -p2 + l; p1 + p2 = "
     "sin(time);",
     2, 1, 0, 2, 0, 0},
    {"Example_3_14",
     "Real x1, x2, x3, x4; equation der(der(x1)) + time*der(x4) = sin(time); time*der(der(x2)) + "
     "time*der(x1) = 1; "
     "der(x3) + x1 = cos(time); x3 = sin(2*time);",
     3, 1, 1, 2, 0, 0},
    {"Example_3_23",
     "Real x1, x2, x3; equation time*der(der(x1)) + der(x1) + x1 = sin(time); der(der(x2)) + der(der(x3)) + "
     "x2 = "
     "cos(time); time*der(der(x2)) + time*der(der(x3)) + (1 + time)*x2 + x3 = 1;",
     2, 1, 0, 2, 0, 0},
    {"Example_3_32",
     "Real x1(start = 1), x2, x3; equation der(der(x1)) = x1*x2; x1*der(x3) = x2 - 1; 0 = x3 - 1;", 1, 1, 0,
     2, 0, 0},
    {"Example_4_11",
     "Real x1, x2, x3; equation der(x1) = time*x3 + 1; time*der(x2) = x2 + sin(time); 0 = time*x1 + "
     "cos(time);",
     1, 0, 1, 2, 0, 0},
    {"Remark_6_17", "Real x1, x2, g; equation der(x1) = x1 + 1; 0 = x2 + sin(time); g = der(x2);", 1, 0, 1, 2,
     0, 0},
    {"Boost_mode_1",
     "Real vC, iL, iS, vS, vD, iD, iR; equation 0.01*der(vC) = iD - iR; der(iL) = vS - 48; 0 = vD + vC + vS; "
     "0 = 2*iR - "
     "vC; 0 = iS + iL - iD; iS = 0; vD = 0;",
     0, 0, 2, 5, 0, 0},
    {"Boost_mode_3",
     "Real vC, iL, iS, vS, vD, iD, iR; equation 0.01*der(vC) = iD - iR; der(iL) = vS - 48; 0 = vD + vC + vS; "
     "0 = 2*iR - "
     "vC; 0 = iS + iL - iD; iS = 0; iD = 0;",
     1, 0, 1, 6, 0, 0},
    {"Sliding_7_3",
     "Real p1, p2, v1, v2, l; equation der(p1) = v1; der(p2) = v2; der(v1) = sin(time) - 0.4 + l; der(v2) = "
     "0.4 - l; 0 = "
     "v1 - v2;",
     1, 0, 3, 2, 0, 0},
    {"Sliding_7_5", "Real x, v, l; equation der(x) = v; der(v) = -3*x - (2*l - 1); 0 = v - 0.2;", 1, 0, 1, 2,
     0, 0},
    {"Underdetermined", "Real x, y; equation der(x) = y;", 0, 0, 1, 0, 1, 0},
    {"Redundant", "Real x; equation der(x) = -x; 2*der(x) = -2*x;", 0, 0, 1, 0, 0, 1},
    {"Plain", "Real x(start = 1); equation der(x) = -x;", 0, 0, 1, 0, 0, 0},
};

INSTANTIATE_TEST_SUITE_P(Sources, CharacteristicValuesOfModels, ::testing::ValuesIn(kModels),
                         [](const auto& chosen) { return chosen.param.name; });

TEST(Analyze, ThePendulumIsExplained) {
  const auto model = Model::from_text("p.mo",
                                      "model P Real x(start = 1), y(start = 0), l; equation der(der(x)) = "
                                      "-l*x; der(der(y)) = -l*y - 9.81; x^2 + y^2 = "
                                      "1; end P;");
  const auto analysis = analyze(*model);
  ASSERT_TRUE(analysis);
  const ModeAnalysis& mode = analysis->modes[0];
  EXPECT_EQ(mode.equations, 3U);
  EXPECT_EQ(mode.unknowns, 3U);
  EXPECT_EQ(mode.structural_index, 3);
  EXPECT_EQ(mode.degrees_of_freedom, 2);
  EXPECT_FALSE(mode.is_linear);
  EXPECT_TRUE(mode.by_structure);
  // At (1, 0) the mass moves up and down.
  EXPECT_THAT(mode.states, ElementsAre("y", "der(y)"));
  ASSERT_EQ(mode.hidden_constraints.size(), 2U);
  EXPECT_EQ(mode.hidden_constraints[0], "2*(x*der(x)) + 2*(y*der(y)) = 0");
  EXPECT_THAT(mode.hidden_constraints[1], HasSubstr("der(der(x))"));
}

TEST(Analyze, UndeterminedUnknownsAreNamed) {
  const auto model =
      Model::from_text("u.mo", "model U Real x, y, z; equation der(x) = y + z; x = sin(time); end U;");
  const auto analysis = analyze(*model);
  ASSERT_TRUE(analysis);
  EXPECT_THAT(analysis->modes[0].undetermined, ElementsAre("y", "z"));
  EXPECT_FALSE(analysis->modes[0].by_structure);
  EXPECT_FALSE(analysis->modes[0].differentiation_index);
}

TEST(Analyze, ASmallGapIsSaid) {
  // The second pair of rows is nearly dependent, the third pair even nearer: neither clearly zero.
  const auto model = Model::from_text("g.mo",
                                      "model G Real a, b, c, d; equation a + b = sin(time); a + (1 + "
                                      "6e-10)*b = sin(time); c + d = cos(time); c + (1 + "
                                      "1e-10)*d = cos(time); end G;");
  const auto analysis = analyze(*model);
  ASSERT_TRUE(analysis);
  ASSERT_FALSE(analysis->warnings.empty());
  bool is_said = false;
  for (const Diagnostic& item : analysis->warnings.items()) {
    is_said = is_said || item.code == "unclear-rank";
  }
  EXPECT_TRUE(is_said);
}

TEST(Analyze, WhereRanksHaveNoValueTheStructureIsTold) {
  const auto model = Model::from_text(
      "s.mo", "model S Real x(start = 0, fixed = true), y; equation der(x) = 1; y = sqrt(x^2); end S;");
  const auto analysis = analyze(*model);
  ASSERT_TRUE(analysis) << analysis.error().items()[0].message;
  EXPECT_EQ(analysis->modes[0].d, 1);
  EXPECT_EQ(analysis->modes[0].a, 1);
  EXPECT_EQ(analysis->modes[0].index, 0);
}

TEST(Analyze, WrongOptionsAreRefused) {
  const auto model = Model::from_text("d.mo", "model D Real x(start = 1); equation der(x) = -x; end D;");
  EXPECT_FALSE(analyze(*model, {.at = {}, .set = {{"nosuch", 1.0}}}));
}

}  // namespace
}  // namespace saltus
