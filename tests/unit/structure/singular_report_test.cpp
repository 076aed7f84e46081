#include "structure/singular_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "structure/causalize.hpp"
#include "unit/structure/model_maker.hpp"

namespace saltus::structure {
namespace {

using testing::HasSubstr;

// Of a model that its structure does not determine: warnings, and ranks decide.
std::vector<Diagnostic> problems(ModelMaker& m) {
  auto result = causalize(m.finish());
  if (!result) {
    ADD_FAILURE() << render_text(result.error());
    return {};
  }
  EXPECT_TRUE(result->needs_ranks);
  EXPECT_TRUE(result->blocks.empty());
  EXPECT_EQ(result->equations.size(), m.model.equations.size());
  return result->warnings.items();
}

TEST(SingularReport, NamesTheEquationsThatAreTooMany) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y");
  const VariableId z = m.variable("z");
  m.equation(m.add(m.value(x), m.sin(m.value(y))), m.number(1.0), "x + sin(y) = 1");
  m.equation(m.sin(m.value(x)), m.number(0.5), "sin(x) = 0.5");
  m.equation(m.sin(m.value(y)), m.number(0.25), "sin(y) = 0.25");
  m.equation(m.value(z), m.value(z), "z = z");
  m.equation(m.value(z), m.number(2.0), "z = 2");
  // z = z is a repetition of nothing: it is reported first, alone.
  EXPECT_EQ(problems(m)[0].code, "repeated-equation");
  m.model.equations.erase(m.model.equations.begin() + 3);
  const auto items = problems(m);
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].code, "too-many-equations");
  EXPECT_THAT(items[0].message, HasSubstr("3 equations for 2 unknowns: x and y"));
  EXPECT_THAT(items[0].message, HasSubstr("4 equations for 3 unknowns"));
  EXPECT_EQ(items[0].notes.size(), 3U);
  EXPECT_TRUE(items[0].span.has_value());
  EXPECT_EQ(items[0].severity, Severity::warning);
}

TEST(SingularReport, NamesTheUnknownsThatLackAnEquation) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y");
  const VariableId z = m.variable("z");
  const VariableId unused = m.variable("unused");
  m.equation(m.add(m.value(x), m.sin(m.value(y))), m.number(1.0));
  m.equation(m.value(z), m.number(2.0));
  const auto items = problems(m);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].code, "too-few-equations");
  EXPECT_THAT(items[0].message, HasSubstr("1 equation for 2 unknowns: x and y"));
  EXPECT_THAT(items[1].message, HasSubstr("unused occurs in no equation"));
  EXPECT_EQ(items[1].span, m.model[unused].span);
  EXPECT_EQ(items[0].severity, Severity::warning);
}

TEST(SingularReport, PartsThatOverlapAreOneProblem) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y");
  const VariableId z = m.variable("z");
  const VariableId w = m.variable("w");
  m.equation(m.der(x), m.multiply(m.value(y), m.value(z)));
  m.equation(m.value(w), m.value(y));
  const auto items = problems(m);
  ASSERT_EQ(items.size(), 1U);
  EXPECT_THAT(items[0].message, HasSubstr("2 equations for 4 unknowns: der(x), y, z and w"));
}

TEST(SingularReport, AsManyEquationsAsUnknownsCanStillBeSingular) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId y = m.variable("y");
  const VariableId z = m.variable("z");
  m.equation(m.value(x), m.number(1.0), "x = 1");
  m.equation(m.sin(m.value(x)), m.number(0.3), "sin(x) = 0.3");
  m.equation(m.sin(m.value(y)), m.sin(m.value(z)), "sin(y) = sin(z)");
  const auto items = problems(m);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].code, "too-many-equations");
  EXPECT_THAT(items[0].message, HasSubstr("2 equations for 1 unknown: x"));
  EXPECT_EQ(items[1].code, "too-few-equations");
  EXPECT_THAT(items[1].message, HasSubstr("y and z"));
}

TEST(SingularReport, AMissingDerivativeIsNamedAlone) {
  // A chain with one equation taken out; with states unknown the whole chain would be named.
  ModelMaker m;
  std::vector<VariableId> x;
  for (int i = 0; i < 6; ++i) {
    x.push_back(m.variable("x" + std::to_string(i)));
  }
  const VariableId y = m.variable("y");
  for (std::size_t i = 0; i < 6; ++i) {
    if (i != 3) {
      m.equation(m.der(x[i]), m.subtract(m.value(x[(i + 1) % 6]), m.value(x[i])));
    }
  }
  m.equation(m.value(y), m.der(x[3]));
  const auto items = problems(m);
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].code, "too-few-equations");
  EXPECT_THAT(items[0].message, HasSubstr("1 equation for 2 unknowns: der(x3) and y (the model has"));
}

// x = 1 contains the state x only: with states known it would be named without any unknown.
TEST(SingularReport, AConstraintTooManyIsNamedWithItsVariable) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const VariableId z = m.variable("z");
  m.equation(m.value(x), m.number(1.0), "x = 1");
  m.equation(m.der(x), m.number(2.0), "der(x) = 2");
  const auto items = problems(m);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].code, "too-many-equations");
  EXPECT_THAT(items[0].message, HasSubstr("2 equations for 1 unknown: x (the model has"));
  EXPECT_THAT(items[1].message, HasSubstr("z occurs in no equation"));
  EXPECT_EQ(items[1].span, m.model[z].span);
}

TEST(SingularReport, AnEquationWithoutUnknownsIsAnError) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  m.equation(m.der(x), m.number(2.0), "der(x) = 2");
  m.equation(m.number(0.0), m.parameter("p", 1.0), "0 = p");
  const auto result = causalize(m.finish());
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().items()[0].code, "too-many-equations");
  EXPECT_THAT(result.error().items()[0].message, HasSubstr("'0 = p' contains no unknown"));
}

TEST(SingularReport, AnUnknownThatCancelsIsNamed) {
  ModelMaker m;
  const VariableId x = m.variable("x");
  const NodeId p = m.parameter("p", 1.0);
  m.equation(m.add(m.value(x), p), m.add(m.value(x), m.number(1.0)), "x + p = x + 1");
  const auto items = problems(m);
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].code, "unknown-cancels");
}

}  // namespace
}  // namespace saltus::structure
