#include "structure/structural_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "structure/causalize.hpp"
#include "unit/structure/model_maker.hpp"

namespace saltus::structure {
namespace {

using testing::ElementsAre;

StructuralReport report_of(ModelMaker& m) {
  const auto causalized = causalize(m.finish());
  EXPECT_TRUE(causalized.has_value());
  return causalized ? structural_report(m.model, *causalized) : StructuralReport{};
}

// The pendulum of first order: the numbers of the equations as written, the constraints of the run.
TEST(StructuralReport, Pendulum) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y");
  const VariableId v = m.variable("v");
  const VariableId w = m.variable("w");
  const VariableId lambda = m.variable("lambda");
  m.equation(m.der(x), m.value(v));
  m.equation(m.der(y), m.value(w));
  m.equation(m.der(v), m.multiply(m.value(lambda), m.value(x)));
  m.equation(m.der(w), m.multiply(m.value(lambda), m.value(y)));
  expr::Graph& graph = m.model.graph;
  m.equation(m.add(graph.power(m.value(x), m.number(2.0)), graph.power(m.value(y), m.number(2.0))),
             m.number(1.0), "x^2 + y^2 = 1");
  const StructuralReport report = report_of(m);
  ASSERT_TRUE(report.has_offsets);
  EXPECT_EQ(report.structural_index, 3);
  EXPECT_EQ(report.degrees_of_freedom, 2);
  std::vector<int> c;
  std::vector<int> d;
  for (const auto& equation : report.equations) {
    c.push_back(equation.differentiations);
  }
  for (const auto& variable : report.variables) {
    d.push_back(variable.highest_order);
  }
  EXPECT_EQ(c, (std::vector<int>{1, 1, 0, 0, 2}));
  EXPECT_EQ(d, (std::vector<int>{2, 2, 1, 1, 0}));
  EXPECT_EQ(report.equations[4].text, "x^2 + y^2 = 1");
  ASSERT_EQ(report.constraints.size(), 2U);
  EXPECT_EQ(report.constraints[0].text, "x^2 + y^2 = 1");
  EXPECT_EQ(report.constraints[1].text, "2*(x*v) + 2*(y*w) = 0");
  EXPECT_THAT(report.states, ElementsAre("x", "y", "v", "w"));
  EXPECT_THAT(report.block_sizes, ElementsAre(3U));
}

TEST(StructuralReport, IndexOneHasNoConstraints) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y");
  m.equation(m.der(x), m.value(y));
  m.equation(m.sin(m.value(y)), m.value(x));
  const StructuralReport report = report_of(m);
  EXPECT_EQ(report.structural_index, 1);
  EXPECT_EQ(report.degrees_of_freedom, 1);
  EXPECT_TRUE(report.constraints.empty());
}

TEST(StructuralReport, ByRanksThereAreNoOffsets) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y");
  m.equation(m.der(x), m.value(y));
  const StructuralReport report = report_of(m);
  EXPECT_FALSE(report.has_offsets);
  EXPECT_EQ(report.variables.size(), 2U);
  EXPECT_EQ(report.variables[0].highest_order, 1);
}

}  // namespace
}  // namespace saltus::structure
