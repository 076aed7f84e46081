#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "unit/lang/parser_support.hpp"

namespace saltus::lang::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string in_model(const std::string& declarations) {
  return "model M\n" + declarations + "\nend M;\n";
}

TEST(ParserDeclaration, PrefixesAndTypesBelongToAllNamesOfAClause) {
  const Parsed parsed =
      parse_text(in_model("final parameter input Real a, b; discrete output Integer c; constant "
                          "Modelica.Units.SI.Mass d = 1; protected Boolean e;"));
  ASSERT_THAT(parsed.found(), IsEmpty());
  const std::vector<Component>& list = parsed.main().components;
  ASSERT_EQ(list.size(), 5U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(list[i].final);
    EXPECT_EQ(list[i].variability, VariabilityPrefix::parameter);
    EXPECT_EQ(list[i].causality, CausalityPrefix::input);
    EXPECT_EQ(parsed.ast().text(list[i].type), "Real");
    EXPECT_FALSE(list[i].is_protected);
  }
  EXPECT_EQ(list[2].variability, VariabilityPrefix::discrete);
  EXPECT_EQ(list[2].causality, CausalityPrefix::output);
  EXPECT_EQ(list[3].variability, VariabilityPrefix::constant);
  EXPECT_EQ(parsed.ast().text(list[3].type), "Modelica.Units.SI.Mass");
  EXPECT_TRUE(list[4].is_protected);
}

TEST(ParserDeclaration, ModificationsValuesAndDescriptions) {
  const Parsed parsed = parse_text(
      in_model("Real x(start = 1, each final fixed = true, a(b = 2) = 3, unit = \"m\") = y + 1 \"the \" + "
               "\"text\" annotation(Evaluate = true), z;"));
  ASSERT_THAT(parsed.found(), IsEmpty());
  const Ast& ast = parsed.ast();
  const Component& x = parsed.main().components.front();
  const auto list = ast[x.modifications];
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(ast.text(list[0].name), "start");
  EXPECT_EQ(ast.integer(list[0].value), 1);
  EXPECT_TRUE(list[1].each && list[1].final);
  EXPECT_FALSE(list[0].each || list[0].final);
  EXPECT_EQ(ast.text(ast[list[2].nested].front().name), "b");
  EXPECT_EQ(ast.integer(list[2].value), 3);
  EXPECT_EQ(ast.text(ast.string(list[3].value)), "m");
  EXPECT_EQ(written(ast, x.value), "(y + 1)");
  EXPECT_EQ(ast.text(x.description), "the text");
  EXPECT_EQ(ast.text(ast[x.annotation].front().name), "Evaluate");
  EXPECT_FALSE(parsed.main().components[1].value.valid());
  EXPECT_TRUE(parsed.main().components[1].modifications.empty());
}

TEST(ParserDeclaration, SizesOfTheNameComeBeforeThoseOfTheType) {
  const Parsed parsed = parse_text(in_model("Real[3, n] x[2], y; Real z[:, 4];"));
  ASSERT_THAT(parsed.found(), IsEmpty());
  const Ast& ast = parsed.ast();
  const std::vector<Component>& list = parsed.main().components;
  EXPECT_EQ(joined(ast, ast[list[0].dimensions], ", "), "2, 3, n");
  EXPECT_EQ(joined(ast, ast[list[1].dimensions], ", "), "3, n");
  EXPECT_EQ(joined(ast, ast[list[2].dimensions], ", "), ":, 4");
}

TEST(ParserDeclaration, NamesOfFlattenedText) {
  const Parsed parsed = parse_text(in_model("Real a.b, c[1].d[2].e[3], 'f.g[1]';"));
  ASSERT_THAT(parsed.found(), IsEmpty());
  const Ast& ast = parsed.ast();
  const std::vector<Component>& list = parsed.main().components;
  EXPECT_EQ(ast.text(list[0].name), "a.b");
  EXPECT_EQ(ast.text(list[1].name), "c[1].d[2].e");
  EXPECT_EQ(joined(ast, ast[list[1].dimensions], ", "), "3");
  EXPECT_EQ(ast.text(list[2].name), "f.g[1]");
  EXPECT_EQ(parsed.source->text(list[1].name_span), "c[1].d[2].e");
}

TEST(ParserDeclaration, ConditionalComponentsKeepTheirCondition) {
  const Parsed parsed = parse_text(in_model("Real x if a > 1 \"text\";"));
  ASSERT_THAT(parsed.found(), IsEmpty());
  EXPECT_EQ(written(parsed.ast(), parsed.main().components[0].condition), "(a > 1)");
}

TEST(ParserDeclaration, TypeAliases) {
  const Parsed parsed =
      parse_text("type Voltage = Real(unit = \"V\", min = 0) \"volt\"; type R3 = Real[3];\n" +
                 in_model("Voltage v = 1; type Local = Integer; Local k = 1;"));
  ASSERT_THAT(parsed.found(), IsEmpty());
  const Ast& ast = parsed.ast();
  ASSERT_EQ(ast.classes.size(), 4U);
  EXPECT_EQ(ast.classes[0].kind, ClassKind::type);
  EXPECT_EQ(ast.text(ast.classes[0].base), "Real");
  EXPECT_EQ(ast[ast.classes[0].modifications].size(), 2U);
  EXPECT_EQ(joined(ast, ast[ast.classes[1].dimensions], ", "), "3");
  EXPECT_EQ(ast.text(ast.classes[3].name), "Local");
  EXPECT_TRUE(ast.classes[3].is_nested());
  EXPECT_EQ(ast.classes[3].parent, 2U);
  EXPECT_EQ(ast.main_model(), &ast.classes[2]);
}

TEST(ParserDeclaration, AnnotationsOfAModel) {
  const Parsed parsed =
      parse_text(in_model("Real x = 1; annotation(experiment(StopTime = 10, Tolerance = 1e-6), "
                          "__saltus(method = \"radau5\"));"));
  ASSERT_THAT(parsed.found(), IsEmpty());
  const Ast& ast = parsed.ast();
  const std::vector<Modification>& list = parsed.main().annotations;
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(ast.text(list[0].name), "experiment");
  EXPECT_EQ(ast[list[0].nested].size(), 2U);
  EXPECT_EQ(ast.text(ast.string(ast[list[1].nested][0].value)), "radau5");
}

TEST(ParserDeclaration, GraphicsInAnnotationsAreReadAndIgnored) {
  const Parsed parsed = parse_text(in_model(
      "Real x = 1 annotation(Placement(transformation(extent = {{-10, -10}, {10, 10}}))); annotation(Icon("
      "coordinateSystem(preserveAspectRatio = false), graphics = {Line(points = {{0, 0}, {1, 1}}, color = "
      "{0, 0, 255}), "
      "Text(textString = \"%name\")}), Documentation(info = \"<html>\n<a href=\\\"x\\\">\n</html>\"));"));
  EXPECT_THAT(parsed.found(), IsEmpty());
}

TEST(ParserDeclaration, AFaultyDeclarationDoesNotHideTheNext) {
  const Parsed parsed = parse_text(in_model("Real x = ;\nReal y(start = );\nReal z;"));
  EXPECT_THAT(parsed.found(), ElementsAre("missing-expression 2:10", "missing-expression 3:16"));
  EXPECT_EQ(parsed.ast().text(parsed.main().components.back().name), "z");
}

}  // namespace
}  // namespace saltus::lang::test
