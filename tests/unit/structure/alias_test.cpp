#include "structure/match/alias.hpp"

#include <gtest/gtest.h>

#include "unit/structure/model_maker.hpp"

namespace saltus::structure {
namespace {

class Aliases : public testing::Test {
 protected:
  ModelMaker m;
  VariableId a = m.variable("a");
  VariableId b = m.variable("b");
  VariableId c = m.variable("c");
  VariableId d = m.variable("d");
  SlotTable slots{m.model.graph, {{a, 0}, {b, 0}, {c, 0}, {d, 0}}, {}};

  AliasReport eliminate(std::vector<int> ranks = {1, 1, 1, 1}) {
    return eliminate_aliases(m.model.graph, m.model.equations, ranks, slots);
  }
  void expect_representative(std::uint32_t slot, std::uint32_t target, bool negative) {
    EXPECT_EQ(slots.representative(slot).slot, target);
    EXPECT_EQ(slots.representative(slot).negative, negative);
  }
};

TEST_F(Aliases, ChainsKeepTheirSigns) {
  m.equation(m.value(d), m.negate(m.value(c)));                   // d = -c
  m.equation(m.subtract(m.value(b), m.value(a)), m.number(0.0));  // b = a
  m.equation(m.number(0.0), m.add(m.value(c), m.value(b)));       // c = -b
  const AliasReport report = eliminate();
  EXPECT_EQ(report.aliases.size(), 3U);
  EXPECT_TRUE(report.repeated.empty());
  expect_representative(0, 0, false);
  expect_representative(1, 0, false);
  expect_representative(2, 0, true);
  expect_representative(3, 0, false);
}

TEST_F(Aliases, TheBetterRankRepresents) {
  m.equation(m.value(a), m.negate(m.value(b)));
  m.equation(m.value(b), m.value(c));
  const AliasReport report = eliminate({1, 1, 0, 1});
  ASSERT_EQ(report.aliases.size(), 2U);
  expect_representative(0, 2, true);
  expect_representative(1, 2, false);
}

TEST_F(Aliases, RepetitionIsReportedAndContradictionStays) {
  m.equation(m.value(a), m.value(b));
  m.equation(m.value(b), m.value(a));
  m.equation(m.value(a), m.negate(m.value(b)));  // says a = 0
  m.equation(m.value(c), m.negate(m.value(c)));  // says c = 0
  const AliasReport report = eliminate();
  EXPECT_EQ(report.aliases.size(), 1U);
  EXPECT_EQ(report.repeated, (std::vector<std::uint32_t>{1}));
}

TEST_F(Aliases, TwoKnownQuantitiesAreNotMerged) {
  m.equation(m.value(a), m.value(b));
  m.equation(m.value(b), m.value(c));
  m.equation(m.value(d), m.value(c));
  const AliasReport report = eliminate({kKnownRank, kNeverAlias, kKnownRank, kKnownRank});
  EXPECT_TRUE(report.aliases.empty());
  EXPECT_TRUE(report.repeated.empty());
}

TEST_F(Aliases, OtherEquationsAreLeftAlone) {
  m.equation(m.value(a), m.number(2.0));
  m.equation(m.add(m.value(a), m.value(b)), m.number(1.0));
  m.equation(m.multiply(m.number(2.0), m.value(a)), m.value(b));
  EXPECT_TRUE(eliminate().aliases.empty());
}

}  // namespace
}  // namespace saltus::structure
