#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "unit/lang/parser_support.hpp"

namespace saltus::lang::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string in_model(const std::string& equations) {
  return "model M\nequation\n" + equations + "\nend M;\n";
}

TEST(ParserStatement, EquationsAndCalls) {
  const Parsed parsed =
      parse_text(in_model("der(x) + y = 2*z \"text\"; (a, , b) = f(x); assert(x > 0, \"m\");"));
  ASSERT_THAT(parsed.found(), IsEmpty());
  const Ast& ast = parsed.ast();
  const std::vector<Statement>& list = parsed.main().equations;
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0].kind, StatementKind::equation);
  EXPECT_EQ(written(ast, list[0].left), "(der(x) + y)");
  EXPECT_EQ(written(ast, list[0].right), "(2 * z)");
  EXPECT_EQ(ast.text(list[0].description), "text");
  EXPECT_EQ(parsed.source->text(list[0].span), "der(x) + y = 2*z");
  EXPECT_EQ(written(ast, list[1].left), "tuple(a, , b)");
  EXPECT_EQ(list[2].kind, StatementKind::call);
  EXPECT_EQ(written(ast, list[2].right), "assert((x > 0), \"m\")");
}

TEST(ParserStatement, BranchesInOrderWithElseLast) {
  const Parsed parsed =
      parse_text(in_model("if a then\n x = 1;\n y = 2;\nelseif b then\n x = 3;\nelse\n if c then\n z = 1;\n "
                          "end if;\nend if;\nx = 4;"));
  ASSERT_THAT(parsed.found(), IsEmpty());
  const Ast& ast = parsed.ast();
  ASSERT_EQ(parsed.main().equations.size(), 2U);
  const auto branches = ast[parsed.main().equations[0].branches];
  ASSERT_EQ(branches.size(), 3U);
  EXPECT_EQ(written(ast, branches[0].condition), "a");
  EXPECT_EQ(ast[branches[0].body].size(), 2U);
  EXPECT_EQ(written(ast, ast[branches[0].body][1].left), "y");
  EXPECT_EQ(written(ast, branches[1].condition), "b");
  EXPECT_FALSE(branches[2].condition.valid());
  EXPECT_EQ(ast[branches[2].body][0].kind, StatementKind::if_block);
}

TEST(ParserStatement, WhenAndFor) {
  const Parsed parsed = parse_text(
      in_model("when {x > 0, y} then\n reinit(v, -v);\nelsewhen sample(0, 1) then\n u = pre(u);\nend when;\n"
               "for i in 1:n, j in 2:3 loop\n x[i, j] = i;\nend for;"));
  ASSERT_THAT(parsed.found(), IsEmpty());
  const Ast& ast = parsed.ast();
  const std::vector<Statement>& list = parsed.main().equations;
  EXPECT_EQ(list[0].kind, StatementKind::when_block);
  EXPECT_EQ(written(ast, ast[list[0].branches][0].condition), "{(x > 0), y}");
  EXPECT_EQ(written(ast, ast[list[0].branches][1].condition), "sample(0, 1)");
  EXPECT_EQ(list[1].kind, StatementKind::for_block);
  EXPECT_EQ(written(ast, ast[list[1].iterators]), " for i in (1 : n) for j in (2 : 3)");
  EXPECT_EQ(ast[list[1].body].size(), 1U);
}

TEST(ParserStatement, SectionsMayAlternate) {
  const Parsed parsed = parse_text(
      "model M\n Real x;\nequation\n x = 1;\ninitial equation\n y = 2;\nprotected\n Real y;\nequation\n y = "
      "3;\nend M;");
  ASSERT_THAT(parsed.found(), IsEmpty());
  EXPECT_EQ(parsed.main().components.size(), 2U);
  EXPECT_EQ(parsed.main().equations.size(), 2U);
  EXPECT_EQ(parsed.main().initial_equations.size(), 1U);
}

TEST(ParserStatement, AlgorithmsOfFunctions) {
  const Parsed parsed = parse_text(
      "function f\n input Real x;\n output Real y := 0;\nprotected\n Real s[3];\nalgorithm\n for i in 1:3 "
      "loop\n"
      "  s[i] := x^i;\n  if s[i] > 1 then break; end if;\n end for;\n while y < 3 loop y := y + 1; end "
      "while;\n return;\n"
      "end f;\nmodel M Real z = f(1); end M;");
  ASSERT_THAT(parsed.found(), IsEmpty());
  const Class& function = parsed.ast().classes[0];
  EXPECT_EQ(function.kind, ClassKind::function);
  ASSERT_EQ(function.algorithm.size(), 3U);
  EXPECT_EQ(parsed.ast()[function.algorithm[0].body][0].kind, StatementKind::assignment);
  EXPECT_EQ(function.algorithm[1].kind, StatementKind::while_block);
  EXPECT_EQ(written(parsed.ast(), function.algorithm[1].right), "(y < 3)");
  EXPECT_EQ(function.algorithm[2].kind, StatementKind::return_statement);
}

TEST(ParserStatement, WhatIsMeantIsKeptAfterSlips) {
  const Parsed parsed = parse_text(in_model("x := 1;\ny == 2;\nif a = b then\n z = 3;\nend if;\nReal w;"));
  EXPECT_THAT(parsed.found(), ElementsAre("assignment-in-equation 3:3", "comparison-as-equation 4:3",
                                          "equation-as-comparison 5:6", "misplaced-statement 8:1"));
  const Ast& ast = parsed.ast();
  const std::vector<Statement>& list = parsed.main().equations;
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0].kind, StatementKind::equation);
  EXPECT_EQ(written(ast, list[1].right), "2");
  EXPECT_EQ(written(ast, ast[list[2].branches][0].condition), "(a == b)");
  EXPECT_EQ(ast.text(parsed.main().components.back().name), "w");
}

TEST(ParserStatement, DeepBlocksAreReportedOnce) {
  std::string text;
  for (int i = 0; i < 100000; ++i) {
    text += "if a then\n";
  }
  const Parsed parsed = parse_text(in_model(text));
  ASSERT_EQ(parsed.diagnostics.items().size(), 1U);
  EXPECT_EQ(parsed.diagnostics.items()[0].code, "nesting-too-deep");
}

TEST(ParserStatement, StopsAfterTheLimitOfErrors) {
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    text += "x = ;\n";
  }
  const Parsed parsed = parse_text(in_model(text));
  EXPECT_EQ(parsed.diagnostics.n_errors(), static_cast<std::size_t>(kMaxReportedErrors));
  EXPECT_EQ(parsed.diagnostics.items().back().code, "too-many-errors");
  EXPECT_EQ(parsed.diagnostics.items().back().severity, Severity::note);
}

TEST(ParserStatement, LineEndingsOfWindowsGiveTheSamePlaces) {
  const Parsed parsed = parse_text("model M\r\n  Real x\r\nequation\r\n  x = ;\r\nend M;\r\n");
  EXPECT_THAT(parsed.found(), ElementsAre("missing-semicolon 2:9", "missing-expression 4:7"));
}

}  // namespace
}  // namespace saltus::lang::test
