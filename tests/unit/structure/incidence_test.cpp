#include "structure/match/incidence.hpp"

#include <gtest/gtest.h>

#include "unit/structure/model_maker.hpp"

namespace saltus::structure {
namespace {

TEST(Incidence, TellsColumnsAndSides) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y");
  const VariableId z = m.variable("z");
  m.equation(m.multiply(m.value(y), m.der(x)), m.add(m.value(x), m.sin(m.value(y))));
  m.equation(m.value(z), m.number(1.0));
  const SlotTable slots(m.model.graph, {{x, 1}, {y, 0}, {z, 0}}, {{x, 0}});
  const Incidence incidence = find_incidence(m.model.graph, m.model.equations, slots, slots.n_unknowns());
  ASSERT_EQ(incidence.n_rows(), 2U);
  EXPECT_EQ(incidence.columns, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(incidence.sides_of(0, 0), Incidence::kLeftSide);
  EXPECT_EQ(incidence.sides_of(0, 1), Incidence::kLeftSide | Incidence::kRightSide);
  EXPECT_EQ(incidence.sides_of(0, 2), 0);
  const Incidence transposed = transpose(incidence);
  EXPECT_EQ(transposed.n_rows(), 3U);
  EXPECT_EQ(transposed.columns, (std::vector<std::uint32_t>{0, 0, 1}));
}

TEST(Incidence, LooksThroughRepresentatives) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y");
  m.equation(m.value(y), m.value(x));
  SlotTable slots(m.model.graph, {{x, 0}, {y, 0}}, {});
  slots.set_representative(1, {.slot = 0, .negative = true});
  const Incidence incidence = find_incidence(m.model.graph, m.model.equations, slots, 2);
  EXPECT_EQ(incidence.columns, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(incidence.sides_of(0, 0), Incidence::kLeftSide | Incidence::kRightSide);
}

}  // namespace
}  // namespace saltus::structure
