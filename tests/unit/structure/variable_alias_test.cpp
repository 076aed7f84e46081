#include "structure/match/variable_alias.hpp"

#include <gtest/gtest.h>

#include "unit/structure/model_maker.hpp"

namespace saltus::structure {
namespace {

VariableAliases tied(ModelMaker& m) {
  return tie_variables(m.model, m.model.equations, std::vector<std::uint8_t>(m.model.variables.size(), 1));
}

TEST(VariableAlias, ChainsOfDerivativesAndSigns) {
  ModelMaker m;
  const VariableId a = m.variable("a");
  const VariableId v = m.variable("v");
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y", 1.0);
  m.equation(m.add(m.value(a), m.der(v)), m.number(0.0));  // a = -der(v)
  m.equation(m.der(x), m.negate(m.value(v)));              // v = -der(x)
  m.equation(m.value(x), m.value(y));                      // y has a start: it represents
  const VariableAliases aliases = tied(m);
  EXPECT_EQ(aliases.is_used, (std::vector<std::uint8_t>{1, 1, 1}));
  EXPECT_EQ(aliases.variables[a.index()].base, y);
  EXPECT_EQ(aliases.variables[a.index()].shift, 2);
  EXPECT_FALSE(aliases.variables[a.index()].negative);
  EXPECT_EQ(aliases.variables[a.index()].equation, 0U);
  EXPECT_EQ(aliases.variables[v.index()].shift, 1);
  EXPECT_TRUE(aliases.variables[v.index()].negative);
  EXPECT_EQ(aliases.variables[x.index()].base, y);
  EXPECT_EQ(aliases.variables[y.index()].base, y);
}

// der(x) = der(y) leaves a constant open, v = der(y) after v = der(x) does too, x = der(x) is a differential equation.
TEST(VariableAlias, WhatDoesNotMakeVariablesEqual) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y");
  const VariableId v = m.variable("v");
  m.equation(m.der(x), m.der(y));
  m.equation(m.value(v), m.der(x));
  m.equation(m.value(v), m.der(y));
  m.equation(m.value(x), m.der(x));
  const VariableAliases aliases = tied(m);
  EXPECT_EQ(aliases.is_used, (std::vector<std::uint8_t>{0, 1, 0, 0}));
  EXPECT_EQ(aliases.variables[v.index()].base, x);
  EXPECT_EQ(aliases.variables[y.index()].base, y);
  EXPECT_TRUE(aliases.repeated.empty());
}

TEST(VariableAlias, RepetitionsAndContradictions) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y");
  const VariableId v = m.variable("v");
  m.equation(m.value(x), m.value(y));
  m.equation(m.value(y), m.value(x));            // again
  m.equation(m.value(y), m.negate(m.value(x)));  // says zero: stays
  m.equation(m.value(v), m.der(x));
  m.equation(m.der(y), m.value(v));            // again, through y = x
  m.equation(m.value(v), m.negate(m.der(y)));  // says that the derivative is zero: stays
  const VariableAliases aliases = tied(m);
  EXPECT_EQ(aliases.is_used, (std::vector<std::uint8_t>{1, 0, 0, 1, 0, 0}));
  EXPECT_EQ(aliases.repeated, (std::vector<std::uint32_t>{1, 4}));
}

TEST(VariableAlias, SomeTakeNoPart) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y");
  m.equation(m.value(x), m.value(y));
  const VariableAliases aliases = tie_variables(m.model, m.model.equations, std::vector<std::uint8_t>{1, 0});
  EXPECT_EQ(aliases.is_used, (std::vector<std::uint8_t>{0}));
  EXPECT_EQ(aliases.variables[x.index()].base, x);
  EXPECT_EQ(aliases.variables[y.index()].base, y);
}

}  // namespace
}  // namespace saltus::structure
