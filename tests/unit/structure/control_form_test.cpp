// By which unknowns constraints act (structure/control_form.hpp).
#include "structure/control_form.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "structure/causalize.hpp"
#include "unit/structure/model_maker.hpp"

namespace saltus::structure {
namespace {

using testing::HasSubstr;

ControlForm form_of(ModelMaker& m) {
  flat::Model& model = m.finish();
  const Result<Causalized> causalized = causalize(model);
  EXPECT_TRUE(causalized.has_value());
  return control_form(model, *causalized);
}

// Two masses on a line, each held by its own force; `swaps` writes the constraints in the other order.
struct TwoMasses {
  ModelMaker m;
  VariableId x = m.variable("x");
  VariableId y = m.variable("y");
  VariableId a = m.variable("a");
  VariableId b = m.variable("b");

  explicit TwoMasses(bool swaps) {
    m.equation(m.der(x, 2), m.value(a));
    m.equation(m.der(y, 2), m.value(b));
    const NodeId half = m.parameter("half", 0.5);
    m.equation(m.value(swaps ? y : x), half);
    m.equation(m.value(swaps ? x : y), half);
  }
};

TEST(ControlForm, MultipliersBelongToTheirConstraints) {
  TwoMasses straight(false);
  const ControlForm form = form_of(straight.m);
  ASSERT_FALSE(form.refusal) << *form.refusal;
  EXPECT_TRUE(form.is_paired);
  EXPECT_EQ(form.multipliers, (std::vector<Unknown>{{straight.a, 0}, {straight.b, 0}}));
  ASSERT_EQ(form.constraints.size(), 2U);
  EXPECT_EQ(form.constraints[0].differentiations, 2);
  EXPECT_EQ(form.rows.size(), form.moved.size());
  TwoMasses swapped(true);
  const ControlForm other = form_of(swapped.m);
  EXPECT_TRUE(other.is_paired);
  EXPECT_EQ(other.multipliers, (std::vector<Unknown>{{swapped.b, 0}, {swapped.a, 0}}));
}

// f = k·λ is between; where nothing says which of two is, nothing is chosen.
TEST(ControlForm, ForcesBetweenAreNoMultipliers) {
  for (const bool is_defined : {true, false}) {
    ModelMaker m;
    const VariableId x = m.variable("x");
    const VariableId f = m.variable("f");
    const VariableId lambda = m.variable("lambda");
    m.equation(m.multiply(m.parameter("mass", 2.0), m.der(x, 2)), m.value(f));
    if (is_defined) {
      m.equation(m.value(f), m.multiply(m.parameter("k", 3.0), m.value(lambda)));
    } else {
      m.equation(m.multiply(m.value(f), m.value(f)), m.sin(m.value(lambda)));
    }
    m.equation(m.value(x), m.parameter("half", 0.5));
    const ControlForm form = form_of(m);
    if (is_defined) {
      ASSERT_FALSE(form.refusal) << *form.refusal;
      EXPECT_EQ(form.multipliers, (std::vector<Unknown>{{lambda, 0}}));
    } else {
      ASSERT_TRUE(form.refusal);
      EXPECT_THAT(*form.refusal, HasSubstr("f and lambda"));
    }
  }
}

TEST(ControlForm, NothingConstrainedIsNamed) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  m.equation(m.der(x), m.negate(m.value(x)));
  EXPECT_EQ(form_of(m).refusal, "no equations constrain states");
}

}  // namespace
}  // namespace saltus::structure
