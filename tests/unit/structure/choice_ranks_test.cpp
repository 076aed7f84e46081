// Choices that leave every unknown in its place and make a block singular.
#include "structure/choice_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "structure/causalize.hpp"
#include "unit/structure/model_maker.hpp"

namespace saltus::structure {
namespace {

using ::testing::ElementsAre;

// v = if c then s*on_true else s*on_false; i = s - v; i = x, and s + v gives the rate of x.
struct Diode {
  Diode(double on_true, double on_false) {
    const VariableId x = m.variable("x");
    const VariableId s = m.variable("s");
    const VariableId v = m.variable("v");
    m.model.conditions.emplace_back();
    const NodeId c = m.model.graph.condition(id);
    const auto times = [&](double factor) { return m.model.graph.multiply(m.number(factor), m.value(s)); };
    m.equation(m.value(v), m.model.graph.select(c, times(on_true), times(on_false)));
    m.equation(m.value(x), m.model.graph.subtract(m.value(s), m.value(v)));
    m.equation(m.der(x), m.model.graph.add(m.value(s), m.value(v)));
    auto result = causalize(m.finish());
    EXPECT_TRUE(result) << render_text(result.error());
    causalized = *std::move(result);
  }

  ModelMaker m;
  ConditionId id{0U};
  Causalized causalized;
};

TEST(ChoiceRanks, ADifferenceThatCancelsDecidesTheStructure) {
  Diode diode(1.0, 0.0);
  EXPECT_THAT(rank_choices(diode.m.model, diode.causalized).conditions, ElementsAre(diode.id));
  EXPECT_FALSE(ranks_hold(diode.m.model.graph, diode.causalized, {{{diode.id, 1.0}}, {}}));
  EXPECT_TRUE(ranks_hold(diode.m.model.graph, diode.causalized, {{{diode.id, 0.0}}, {}}));
  EXPECT_THAT(structural_choices(diode.m.model, diode.causalized).conditions, ElementsAre(diode.id));
  EXPECT_FALSE(structure_holds(diode.m.model.graph, diode.causalized, {{{diode.id, 1.0}}, {}}));
}

TEST(ChoiceRanks, OneThatDoesNotCancelDoesNot) {
  Diode diode(0.999, 1e-5);
  EXPECT_TRUE(rank_choices(diode.m.model, diode.causalized).empty());
  EXPECT_TRUE(ranks_hold(diode.m.model.graph, diode.causalized, {{{diode.id, 1.0}}, {}}));
}

TEST(ChoiceRanks, WhatIsLeftOpenIsNoChoice) {
  Diode diode(1.0, 0.0);
  EXPECT_TRUE(ranks_hold(diode.m.model.graph, diode.causalized, {}));
}

}  // namespace
}  // namespace saltus::structure
