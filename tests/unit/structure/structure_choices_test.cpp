#include "structure/structure_choices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "structure/causalize.hpp"
#include "unit/structure/model_maker.hpp"

namespace saltus::structure {
namespace {

using ::testing::ElementsAre;

// A condition of its own for each call; what it asks does not matter here.
NodeId some_condition(ModelMaker& m, ConditionId& id) {
  id = ConditionId(m.model.conditions.size());
  m.model.conditions.emplace_back();
  return m.model.graph.condition(id);
}

Causalized analysed(ModelMaker& m) {
  auto result = causalize(m.finish());
  EXPECT_TRUE(result) << render_text(result.error());
  return result ? *std::move(result) : Causalized{};
}

TEST(StructureChoices, AChoiceBetweenARateAndAValueDecidesTheStructure) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  ConditionId id;
  const NodeId c = some_condition(m, id);
  m.equation(m.model.graph.select(c, m.der(x), m.value(x)), m.number(1.0));
  const Causalized causalized = analysed(m);
  EXPECT_THAT(structural_choices(m.model, causalized).conditions, ElementsAre(id));
  EXPECT_TRUE(structure_holds(m.model.graph, causalized, {{{id, 1.0}}, {}}));
  EXPECT_FALSE(structure_holds(m.model.graph, causalized, {{{id, 0.0}}, {}}));
}

TEST(StructureChoices, AChoiceOfForcesDoesNot) {
  ModelMaker m;
  const VariableId v = m.variable("v");
  const VariableId force = m.variable("force");
  ConditionId id;
  const NodeId c = some_condition(m, id);
  m.equation(m.der(v), m.value(force));
  m.equation(m.value(force), m.model.graph.select(c, m.value(v), m.number(0.0)));
  const Causalized causalized = analysed(m);
  EXPECT_TRUE(structural_choices(m.model, causalized).empty());
}

// The row of z may lose z, but then x' is in it: x' of the other row is not, so z is.
TEST(StructureChoices, EntriesThatNoMatchingNeedsDoNotMatter) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId z = m.variable("z");
  ConditionId id;
  const NodeId c = some_condition(m, id);
  m.equation(m.der(x), m.model.graph.select(c, m.value(z), m.number(1.0)));
  m.equation(m.value(z), m.model.graph.select(c, m.number(2.0), m.der(x)));
  const Causalized causalized = analysed(m);
  EXPECT_TRUE(structural_choices(m.model, causalized).empty());
}

TEST(StructureChoices, AFactorThatMayVanishIsDoubted) {
  ModelMaker m;
  const VariableId z = m.variable("z");
  ConditionId id;
  const NodeId c = some_condition(m, id);
  m.equation(m.multiply(m.model.graph.select(c, m.number(1.0), m.number(0.0)), m.value(z)), m.number(1.0));
  const Causalized causalized = analysed(m);
  EXPECT_THAT(structural_choices(m.model, causalized).conditions, ElementsAre(id));
  EXPECT_TRUE(structure_holds(m.model.graph, causalized, {{{id, 1.0}}, {}}));
  EXPECT_FALSE(structure_holds(m.model.graph, causalized, {{{id, 0.0}}, {}}));
}

TEST(StructureChoices, LockingReplacesConditionsAndDiscreteValues) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId n = m.variable("n");
  ConditionId id;
  const NodeId c = some_condition(m, id);
  expr::Graph& graph = m.model.graph;
  const std::vector<flat::Equation> rows = {{.left = graph.select(c, m.der(x), m.value(x)),
                                             .right = graph.add(m.value(n), graph.previous(n)),
                                             .span = {}}};
  const auto locked = locked_equations(graph, rows, {{{id, 0.0}}, {{n, 2.0}}});
  EXPECT_EQ(locked[0].left, m.value(x));
  EXPECT_EQ(locked[0].right, graph.constant(4.0));
}

}  // namespace
}  // namespace saltus::structure
