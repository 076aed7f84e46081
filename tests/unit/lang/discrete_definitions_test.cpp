// Names of relations are put into the equations of continuous variables.
#include "flat/discrete_definitions.hpp"

#include <gtest/gtest.h>

#include <string>

#include "expr/dependency.hpp"
#include "support/compile_text.hpp"

namespace saltus::flat {
namespace {

// Whether the equation of y still contains the variable.
bool equation_of_y_reads(const Model& given, const std::string& name) {
  Model model = given;
  put_in_definitions(model);
  NodeId y;
  NodeId read;
  for (std::size_t v = 0; v < model.variables.size(); ++v) {
    if (model.variables[v].name == "y") {
      y = model.graph.variable(VariableId(v));
    } else if (model.variables[v].name == name) {
      read = model.graph.variable(VariableId(v));
    }
  }
  for (const Equation& equation : model.equations) {
    if (equation.left == y) {
      return expr::depends_on(model.graph, equation.right, read);
    }
  }
  ADD_FAILURE() << "no equation for y";
  return true;
}

Model model_with(const std::string& declarations, const std::string& equations) {
  return test::compile_text("model M\n Real x(start = 0, fixed = true), y;\n" + declarations +
                            "equation\n der(x) = 1;\n" + equations + "end M;\n");
}

TEST(DiscreteDefinitions, ARelationWithANameIsTheRelation) {
  EXPECT_FALSE(
      equation_of_y_reads(model_with(" Boolean b;\n", " b = x > 1;\n y = if b then 1 else 2;\n"), "b"));
  EXPECT_FALSE(
      equation_of_y_reads(model_with(" Boolean b;\n", " x > 1 = b;\n y = if b then 1 else 2;\n"), "b"));
  EXPECT_FALSE(
      equation_of_y_reads(model_with(" Integer n;\n", " n = if x > 1 then 3 else 4;\n y = n*x;\n"), "n"));
  EXPECT_FALSE(equation_of_y_reads(model_with(" Integer n;\n", " n = integer(x);\n y = n*x;\n"), "n"));
}

TEST(DiscreteDefinitions, ChainsInAnyOrder) {
  const std::string y = " y = if c then 1 else 2;\n";
  const std::string b = " b = x > 1;\n";
  const std::string c = " c = not b and x < 3;\n";
  for (const std::string& equations : {y + b + c, c + b + y, c + y + b}) {
    EXPECT_FALSE(equation_of_y_reads(model_with(" Boolean b, c;\n", equations), "c")) << equations;
    EXPECT_FALSE(equation_of_y_reads(model_with(" Boolean b, c;\n", equations), "b")) << equations;
  }
  EXPECT_FALSE(equation_of_y_reads(model_with(" Boolean b, c;\n", " c = b;\n" + b + y), "c"));
}

TEST(DiscreteDefinitions, MemoryStaysAName) {
  EXPECT_TRUE(
      equation_of_y_reads(model_with(" Boolean b(start = false, fixed = true);\n",
                                     " when x > 1 then\n  b = true;\n end when;\n y = if b then 1 else 2;\n"),
                          "b"));
  EXPECT_TRUE(equation_of_y_reads(model_with(" Boolean b(start = false, fixed = true);\n",
                                             " b = x > 1 or pre(b);\n y = if b then 1 else 2;\n"),
                                  "b"));
  EXPECT_TRUE(equation_of_y_reads(
      model_with(" Boolean b;\n", " b = sample(0, 0.5);\n y = if b then 1 else 2;\n"), "b"));
}

// What is read from memory stays, the relation beside it does not hide behind a name.
TEST(DiscreteDefinitions, ARelationBesideMemory) {
  const Model model = model_with(" Boolean b, c(start = false, fixed = true);\n",
                                 " when x > 2 then\n  c = true;\n end when;\n b = x > 1 and not c;\n"
                                 " y = if b then 1 else 2;\n");
  EXPECT_FALSE(equation_of_y_reads(model, "b"));
  EXPECT_TRUE(equation_of_y_reads(model, "c"));
}

}  // namespace
}  // namespace saltus::flat
