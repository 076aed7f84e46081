// Derivatives that only conditions read become variables with an equation.
#include "flat/read_derivatives.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/compile_text.hpp"

namespace saltus::flat {
namespace {

std::size_t n_named(const Model& model, const std::string& name) {
  return static_cast<std::size_t>(
      std::count_if(model.variables.begin(), model.variables.end(),
                    [&](const Variable& variable) { return variable.name == name; }));
}

std::string model_with(const std::string& condition) {
  return "model M\n  Real x(start = 0, fixed = true), h;\n  Integer n(start = 0, fixed = true);\nequation\n  "
         "der(x) = 1;\n  h "
         "= 2*sin(x);\n  when " +
         condition + " then\n    n = pre(n) + 1;\n  end when;\nend M;\n";
}

TEST(ReadDerivatives, OfAnAlgebraicVariableIsGiven) {
  const Model model = test::compile_text(model_with("der(h) < 0"));
  EXPECT_EQ(n_named(model, "der(h)"), 1U);
  EXPECT_EQ(model.equations.size(), 3U);
}

TEST(ReadDerivatives, ThatAnEquationContainsIsLeftAlone) {
  const Model model = test::compile_text(model_with("der(x) < 0"));
  EXPECT_EQ(n_named(model, "der(x)"), 0U);
  EXPECT_EQ(model.equations.size(), 2U);
}

// Where the obstacle is taken no equation contains der(x), and the relation still reads it.
TEST(ReadDerivatives, ThatAChoiceMayTakeAwayIsGiven) {
  const auto model_of = [](const std::string& equation) {
    return test::compile_text("model M\n  Real x(start = 1, fixed = true);\nequation\n  " + equation +
                              ";\nend M;\n");
  };
  EXPECT_EQ(n_named(model_of("0 = min(der(x) + x, x - 0.5)"), "der(x)"), 1U);
  EXPECT_EQ(n_named(model_of("0 = if der(x) < -x then der(x) + x else x - 0.5"), "der(x)"), 1U);
  EXPECT_EQ(n_named(model_of("0 = if der(x) < -x then der(x) + x else 2*der(x) + 2*x"), "der(x)"), 0U);
  EXPECT_EQ(n_named(model_of("der(x) = min(-x, -0.5)"), "der(x)"), 0U);
}

TEST(ReadDerivatives, NothingIsAddedWhereNoneIsRead) {
  EXPECT_EQ(test::compile_text(model_with("h < 0")).equations.size(), 2U);
}

}  // namespace
}  // namespace saltus::flat
