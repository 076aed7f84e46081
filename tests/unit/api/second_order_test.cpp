// What equations of second order need and what their companion form would cost, of models as text: the examples of [Wun08] 3.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "saltus/analysis.hpp"

namespace saltus {

bool operator==(const DataDerivative& a, const DataDerivative& b) {
  return a.equation == b.equation && a.order == b.order;
}
void PrintTo(const DataDerivative& derivative, std::ostream* out) {
  *out << derivative.equation << " (" << derivative.order << ")";
}

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

ModeAnalysis mode_of(const std::string& text, AnalysisOptions options = {.at = 7.0 / 3.0}) {
  const auto model = Model::from_text("m.mo", "model M " + text + " end M;");
  EXPECT_TRUE(model) << model.error().items()[0].message;
  auto analysis = analyze(*model, options);
  EXPECT_TRUE(analysis) << analysis.error().items()[0].message;
  return std::move(analysis->modes[0]);
}

std::vector<int> orders(const std::vector<DataDerivative>& derivatives) {
  std::vector<int> all;
  for (const DataDerivative& one : derivatives) {
    all.push_back(one.order);
  }
  return all;
}

constexpr const char* kExample3_1 =
    "Real x1, x2; equation der(der(x1)) + der(x1) + x2 = sin(time); x1 = cos(time);";

TEST(SecondOrder, Example3_1) {
  const ModeAnalysis mode = mode_of(kExample3_1);
  EXPECT_EQ(mode.index, 2);
  EXPECT_THAT(mode.data_derivatives, ElementsAre(DataDerivative{"x1 = cos(time)", 2}));
  ASSERT_TRUE(mode.companion);
  EXPECT_EQ(mode.companion->index, 3);
  EXPECT_EQ(mode.companion->size, 4U);
  EXPECT_THAT(orders(mode.companion->data_derivatives), ElementsAre(1, 3));
  EXPECT_FALSE(mode.merged);
}

TEST(SecondOrder, Example3_14) {
  const ModeAnalysis mode = mode_of(
      "Real x1, x2, x3, x4; equation der(der(x1)) + time*der(x4) = sin(time); time*der(der(x2)) + "
      "time*der(x1) "
      "= 1; der(x3) + x1 = cos(time); x3 = sin(2*time);");
  EXPECT_EQ(mode.index, 3);
  EXPECT_THAT(mode.data_derivatives, ElementsAre(DataDerivative{"der(x3) + x1 = cos(time)", 2},
                                                 DataDerivative{"x3 = sin(2*time)", 3}));
  ASSERT_TRUE(mode.companion);
  EXPECT_GE(mode.companion->index, 3);
  EXPECT_EQ(mode.companion->size, 8U);
}

// f₂'' and f₃'' as written, f₂''' and f₃''' in the companion form (Example 3.33).
TEST(SecondOrder, Example3_23) {
  const ModeAnalysis mode = mode_of(
      "Real x1, x2, x3; equation time*der(der(x1)) + der(x1) + x1 = sin(time); der(der(x2)) + der(der(x3)) + "
      "x2 "
      "= cos(time); time*der(der(x2)) + time*der(der(x3)) + (1 + time)*x2 + x3 = 1;");
  EXPECT_EQ(mode.index, 2);
  EXPECT_THAT(orders(mode.data_derivatives), ElementsAre(2, 2));
  ASSERT_TRUE(mode.companion);
  EXPECT_EQ(mode.companion->index, 3);
  EXPECT_EQ(mode.companion->size, 6U);
  EXPECT_THAT(orders(mode.companion->data_derivatives), ElementsAre(3, 3));
}

// Nonlinear: x₁'' = x₁·x₂, x₁·x₃' = x₂ - 1, 0 = x₃ - 1 is linearised at the point.
TEST(SecondOrder, Example3_32) {
  const ModeAnalysis mode =
      mode_of("Real x1(start = 1), x2, x3; equation der(der(x1)) = x1*x2; x1*der(x3) = x2 - 1; 0 = x3 - 1;");
  EXPECT_EQ(mode.index, 1);
  EXPECT_THAT(mode.data_derivatives, ElementsAre(DataDerivative{"0 = x3 - 1", 1}));
  ASSERT_TRUE(mode.companion);
  EXPECT_EQ(mode.companion->size, 6U);
  EXPECT_EQ(mode.companion->index, 2);
}

// The same equations with velocities as unknowns are of first order as written; merged they are what they come from.
TEST(SecondOrder, VelocitiesAreMerged) {
  const ModeAnalysis mode =
      mode_of("Real x1, x2, v1; equation der(x1) = v1; der(v1) + v1 + x2 = sin(time); x1 = cos(time);");
  EXPECT_EQ(mode.index, 2);
  EXPECT_EQ(mode.a, 3);
  ASSERT_TRUE(mode.merged);
  EXPECT_THAT(mode.merged->rates, ElementsAre("v1 = der(x1)"));
  EXPECT_EQ(mode.merged->order, 2);
  EXPECT_EQ(mode.merged->unknowns, 2U);
  EXPECT_EQ(mode.merged->equations, 2U);
  EXPECT_EQ(mode.merged->index, 2);
  EXPECT_EQ(mode.merged->a, 2);
  EXPECT_EQ(mode.merged->d1 + mode.merged->d2 + mode.merged->u + mode.merged->v, 0);
  EXPECT_THAT(orders(mode.merged->data_derivatives), ElementsAre(2));
  ASSERT_TRUE(mode.companion);
  EXPECT_EQ(mode.companion->index, 3);
  EXPECT_EQ(mode.companion->size, 4U);
}

TEST(SecondOrder, APendulumWithVelocities) {
  const ModeAnalysis mode = mode_of(
      "Real x(start = 0.6, fixed = true), y(start = -0.8), u(start = 0.8, fixed = true), v(start = 0.6), l; "
      "equation der(x) = u; der(y) = v; der(u) = -l*x; der(v) = -l*y - 9.81; x^2 + y^2 = 1;",
      {});
  ASSERT_TRUE(mode.merged);
  EXPECT_THAT(mode.merged->rates, UnorderedElementsAre("u = der(x)", "v = der(y)"));
  EXPECT_EQ(mode.merged->unknowns, 3U);
  EXPECT_EQ(2 * mode.merged->d2 + mode.merged->d1, 2);
  ASSERT_TRUE(mode.companion);
  EXPECT_EQ(mode.companion->size, 6U);
}

TEST(SecondOrder, FirstOrderHasNone) {
  const ModeAnalysis mode = mode_of("Real x(start = 1), y; equation der(x) = -x; y = der(x);");
  EXPECT_FALSE(mode.companion);
  EXPECT_FALSE(mode.merged);
  EXPECT_THAT(mode.data_derivatives, IsEmpty());
}

TEST(SecondOrder, IsLeftOutWhereNobodyAsks) {
  const ModeAnalysis mode = mode_of(kExample3_1, {.second_order = false});
  EXPECT_FALSE(mode.companion);
  EXPECT_EQ(mode.data_derivatives.size(), 1U);
}

TEST(SecondOrder, Json) {
  const auto model = Model::from_text("m.mo", std::string("model M ") + kExample3_1 + " end M;");
  const auto json = nlohmann::json::parse(render_json(analyze(*model).value()));
  const auto& mode = json["modes"][0];
  ASSERT_EQ(mode["data_derivatives"].size(), 1U);
  EXPECT_EQ(mode["data_derivatives"][0]["equation"], "x1 = cos(time)");
  EXPECT_EQ(mode["data_derivatives"][0]["order"], 2);
  EXPECT_EQ(mode["companion"]["index"], 3);
  EXPECT_EQ(mode["companion"]["size"], 4);
  EXPECT_EQ(mode["companion"]["data_derivatives"][1]["order"], 3);
  EXPECT_TRUE(mode["merged"].is_null());
}

}  // namespace
}  // namespace saltus
