// contact(gap, force, e) in models (flat/contacts.hpp).
#include "flat/contacts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "support/compile_text.hpp"

namespace saltus::flat {
namespace {

std::string model_with(const std::string& equations, const std::string& variables = "") {
  return "model M\n  Real y(start = 1, fixed = true), v(start = 0, fixed = true), N;\n" + variables +
         "equation\n  der(y) = v;\n  der(v) = N - 1;\n" + equations + "end M;\n";
}

std::ptrdiff_t n_contacts(const Model& model) {
  return std::count_if(model.equations.begin(), model.equations.end(),
                       [&](const Equation& equation) { return contact_of(model, equation).has_value(); });
}

TEST(Contacts, AreEquationsWithThreeConditions) {
  const Model model = test::compile_text(model_with("  contact(y, N, 0.5);\n"));
  EXPECT_EQ(n_contacts(model), 1);
  const auto is_kind = [](Condition::Kind kind) {
    return [kind](const Condition& condition) { return condition.kind == kind; };
  };
  const auto gap =
      std::find_if(model.conditions.begin(), model.conditions.end(), is_kind(Condition::Kind::gap));
  ASSERT_NE(gap, model.conditions.end());
  EXPECT_EQ(gap->text, "contact(y, N, 0.5)");
  EXPECT_EQ(
      std::count_if(model.conditions.begin(), model.conditions.end(), is_kind(Condition::Kind::restitution)),
      1);
}

TEST(Contacts, OfVectorsAndInLoopsAreNamedOneByOne) {
  const std::string variables = "  Real x[3](each start = 1, each fixed = true), F[3];\n";
  const std::string rates = "  contact(y, N);\n  der(x) = F;\n";
  for (const std::string& contacts :
       {std::string("  contact(x, F, 0.5);\n"), std::string("  contact(x, F, {0.1, 0.2, 0.3});\n"),
        std::string("  for i in 1:3 loop\n    contact(x[i], F[i], 0.5);\n  end for;\n")}) {
    const Model model = test::compile_text(model_with(rates + contacts, variables));
    EXPECT_EQ(n_contacts(model), 4) << contacts;
    EXPECT_TRUE(std::any_of(model.conditions.begin(), model.conditions.end(), [](const Condition& condition) {
      return condition.kind == Condition::Kind::gap && condition.text == "contact(x[2], F[2])";
    })) << contacts;
  }
}

TEST(Contacts, OwnFunctionsTakeItsPlace) {
  const Model model = test::compile_text(
      "function contact\n  input Real a;\n  output Real b;\nalgorithm\n  b := 2*a;\nend contact;\n" +
      model_with("  N = contact(y);\n"));
  EXPECT_EQ(n_contacts(model), 0);
}

TEST(Contacts, WrongOnesAreRefused) {
  const auto code_of = [](const std::string& equations) {
    const auto compiled =
        lang::compile(std::make_shared<const SourceText>("test.mo", model_with(equations)), {});
    return compiled ? std::string() : std::string(compiled.error().items()[0].code);
  };
  EXPECT_EQ(code_of("  contact(y);\n"), "wrong-arguments");
  EXPECT_EQ(code_of("  contact(y, N, 0.5, 1);\n"), "wrong-arguments");
  EXPECT_EQ(code_of("  contact(y, {N, N});\n"), "shape-mismatch");
  EXPECT_EQ(code_of("  contact(y, true);\n"), "wrong-type");
  EXPECT_EQ(code_of("  contact(1, 2);\n"), "parameter-equation");
  EXPECT_EQ(code_of("  if y > 2 then\n    contact(y, N);\n  else\n    N = 0;\n  end if;\n"), "misplaced");
  EXPECT_EQ(code_of("  N = contact(y, N);\n"), "misplaced");
}

}  // namespace
}  // namespace saltus::flat
