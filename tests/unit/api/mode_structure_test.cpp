// Structures of linear models as text, and the same in C++.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "saltus/analysis.hpp"

namespace saltus {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ModeStructure structure_of(const std::string& text, AnalysisOptions options = {.at = 7.0 / 3.0}) {
  options.structure = true;
  const auto model = Model::from_text("m.mo", "model M " + text + " end M;");
  EXPECT_TRUE(model) << model.error().items()[0].message;
  auto analysis = analyze(*model, options);
  EXPECT_TRUE(analysis) << analysis.error().items()[0].message;
  EXPECT_TRUE(analysis->modes[0].structure);
  return *analysis->modes[0].structure;
}

TEST(ModeStructure, Example4_11) {
  const ModeStructure found = structure_of(
      "Real x1, x2, x3; equation der(x1) = time*x3 + 1; time*der(x2) = x2 + sin(time); 0 = time*x1 + "
      "cos(time);");
  EXPECT_EQ(found.kind, PairKind::symmetric);
  EXPECT_FALSE(found.is_constant);
  EXPECT_EQ(found.times.size(), 5U);
  ASSERT_TRUE(found.values);
  EXPECT_EQ(found.values->index, 1);
  EXPECT_EQ(found.values->strangeness, 1);
  EXPECT_EQ(found.values->differential, 1);
  EXPECT_TRUE(found.values->is_semidefinite);
  EXPECT_TRUE(found.values->strangeness_free);
  EXPECT_TRUE(found.values->extended);
  EXPECT_EQ(found.reason, "");
}

// A gyroscopic motion with a constraint: self-adjoint, of index 2, and so refused. Equations in another order, and with other signs.
TEST(ModeStructure, Example4_21) {
  const ModeStructure found = structure_of(
      "Real p1(start = 0), p2(start = 0), v1, v2, l; equation p1 + 2*p2 = 0; 5*der(p2) = 5*v2; "
      "3*der(p2) + 2*der(v1) + p1 = l; -2*der(p1) = -2*v1; 3*der(p1) - 5*der(v2) - 2*p2 = -2*l;");
  EXPECT_EQ(found.kind, PairKind::self_adjoint);
  EXPECT_TRUE(found.is_constant);
  EXPECT_EQ(found.equations.size(), 5U);
  EXPECT_EQ(found.equations[4], "2*p2 + p1 = 0");
  ASSERT_TRUE(found.values);
  EXPECT_EQ(found.values->strangeness, 1);
  EXPECT_FALSE(found.values->index);
  EXPECT_FALSE(found.values->strangeness_free);
  EXPECT_THAT(found.reason, HasSubstr("E22"));
}

TEST(ModeStructure, Example4_12) {
  const ModeStructure found = structure_of(
      "Real x1, x2, x3, x4, x5, x6; equation time*der(x3) = x5; time*der(x4) = x6; time*der(x1) = x3; "
      "time*der(x2) = 0; 0 = x1 + 1; 0 = x2 + 1;");
  EXPECT_EQ(found.kind, PairKind::symmetric);
  ASSERT_TRUE(found.values);
  EXPECT_EQ(found.values->strangeness, 2);
  EXPECT_FALSE(found.values->index);
  EXPECT_THAT(found.reason, HasSubstr("E22 of 2 rows"));
}

// t·(x₂' , -x₁')ᵀ = A·x with A = (A + Ė)ᵀ: A₁₂ - A₂₁ = Ė₂₁ = -1.
TEST(ModeStructure, SelfAdjointCoefficientsMayVary) {
  const ModeStructure found = structure_of(
      "Real x1(start = 1), x2; equation time*der(x2) = x1 - 0.5*x2; -time*der(x1) = 0.5*x1 + 3*x2;");
  EXPECT_EQ(found.kind, PairKind::self_adjoint);
  EXPECT_FALSE(found.is_constant);
  ASSERT_TRUE(found.values);
  EXPECT_EQ(found.values->index, 0);
  EXPECT_EQ(found.values->differential, 2);
  // Other entries beside the diagonal, and it is none, with no signs.
  const ModeStructure other = structure_of(
      "Real x1(start = 1), x2; equation time*der(x2) = x1 + 0.3*x2; -time*der(x1) = 0.1*x1 + 3*x2;");
  EXPECT_EQ(other.kind, PairKind::none);
}

// (time - 2)³ and its first two derivatives vanish at 2.
TEST(ModeStructure, ACoincidenceAtATimeIsNone) {
  const ModeStructure found = structure_of(
      "Real x1(start = 1), x2; equation der(x1) = x1 + (time - 2)^3*x2; der(x2) = x2;", {.at = 2.0});
  EXPECT_EQ(found.kind, PairKind::none);
  EXPECT_THAT(found.reason, HasSubstr("does not hold at time"));
}

TEST(ModeStructure, SecondOrder) {
  const ModeStructure symmetric = structure_of(
      "Real x(start = 1), y; equation 2*der(der(x)) + der(x) + 3*x - y = 0; der(der(y)) + y - x = 0;");
  EXPECT_EQ(symmetric.kind, PairKind::symmetric);
  EXPECT_EQ(symmetric.order, 2);
  EXPECT_FALSE(symmetric.values);
  const ModeStructure gyroscopic = structure_of(
      "Real x(start = 1), y; equation der(der(x)) + 2*der(y) + 3*x = 0; der(der(y)) - 2*der(x) + y = 0;");
  EXPECT_EQ(gyroscopic.kind, PairKind::self_adjoint);
  EXPECT_THAT(gyroscopic.signs, ElementsAre(1, 1));
}

TEST(ModeStructure, WhatIsNotLinearSquareOrStructuredSaysSo) {
  EXPECT_EQ(structure_of("Real x(start = 1); equation der(x) = -x^2;").reason,
            "the equations are not linear");
  EXPECT_EQ(structure_of("Real x(start = 1), y; equation der(x) = y;").reason,
            "there are 1 equations for 2 unknowns");
  EXPECT_THAT(structure_of("Real x(start = 1), y; equation der(x) = y; der(y) = -2*x - y;").reason,
              HasSubstr("symmetric or self-adjoint"));
}

TEST(ModeStructure, Json) {
  const auto model = Model::from_text(
      "m.mo", "model M Real x1, x2, x3; equation der(x1) = x3; der(x2) = x2; x1 = sin(time); end M;");
  const auto json = nlohmann::json::parse(render_json(analyze(*model, {.structure = true}).value()));
  const auto& structure = json["modes"][0]["structure"];
  EXPECT_EQ(structure["kind"], "symmetric");
  EXPECT_EQ(structure["constant"], true);
  EXPECT_EQ(structure["values"]["s"], 1);
  EXPECT_EQ(structure["values"]["index"], 1);
  EXPECT_EQ(structure["values"]["strangeness_free"]["E"].size(), 3U);
  EXPECT_EQ(structure["values"]["extended"]["E"].size(), 4U);
  const auto plain = nlohmann::json::parse(render_json(analyze(*model).value()));
  EXPECT_FALSE(plain["modes"][0].contains("structure"));
}

TEST(LinearEquations, TripleAndReductionInCpp) {
  const Matrix m{{1, 0}, {0, 0}};
  const Matrix c{{1, 0}, {0, 0}};
  const Matrix k{{0, 1}, {1, 0}};
  const TripleValues values = triple_values(m, c, k).value();
  EXPECT_TRUE(values.is_clear);
  EXPECT_EQ(values.strangeness_mk, 1);
  EXPECT_EQ(values.undetermined, 1);
  const ReducedEquations reduced = reduce_equations({{k}, {c}, {m}}).value();
  EXPECT_EQ(reduced.index, 2);
  EXPECT_EQ(reduced.algebraic, 2);
  EXPECT_THAT(reduced.data_orders, ElementsAre(0, 2));
  EXPECT_EQ(reduced.trimmed_e.size(), 2U);
  const CoefficientList companion = companion_equations({{k}, {c}, {m}}).value();
  EXPECT_EQ(reduce_equations(companion).value().index, 3);
}

TEST(LinearEquations, WrongAndUnclearOnesAreRefused) {
  const auto code = [](const auto& result) {
    return result ? std::string() : result.error().items()[0].code;
  };
  EXPECT_EQ(code(triple_values({{1}}, {{1, 2}}, {{1}})), "wrong-matrix");
  EXPECT_EQ(code(reduce_equations({{{{1}}}})), "wrong-matrix");
  EXPECT_EQ(code(reduce_equations({{{{1}}}, {}})), "wrong-matrix");
  EXPECT_EQ(code(reduce_equations({{{{1, 0}, {0, 1}}}, {{{1, 1}, {1, 1 + 1e-13}}}})), "unclear-rank");
  EXPECT_EQ(code(structured_pair({{{1, 0}, {1, 1}}}, {{{1, 0}, {0, 1}}}, PairKind::symmetric)),
            "wrong-matrix");
  EXPECT_EQ(code(structured_pair({{{1, 0}, {0, 1}}}, {{{1, 0}, {0, 1}}}, PairKind::none)), "wrong-matrix");
  EXPECT_EQ(code(structured_pair({{{1, 1}, {1, 1 + 1e-13}}}, {{{1, 0}, {0, 1}}}, PairKind::symmetric)),
            "unclear-rank");
}

TEST(LinearEquations, StructureInCpp) {
  // Rows in the other order, the first with the other sign.
  const FoundStructure found = find_structure({{{{-0.5, -2}, {-3, 0.5}}}, {{{0, 0}, {1, 0}}}}).value();
  EXPECT_EQ(found.kind, PairKind::symmetric);
  EXPECT_THAT(found.unknown, ElementsAre(1, 0));
  EXPECT_THAT(found.sign, ElementsAre(1, -1));
  const StructuredValues values =
      structured_pair({{{1, 0}, {0, 0}}}, {{{2, 1}, {1, 0}}}, PairKind::symmetric).value();
  EXPECT_EQ(values.strangeness, 1);
  EXPECT_EQ(values.index, 1);
  ASSERT_TRUE(values.extended);
  EXPECT_EQ(values.extended->e.size(), 3U);
}

}  // namespace
}  // namespace saltus
