#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "unit/lang/parser_support.hpp"

namespace saltus::lang::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ParserClass, TheLastModelIsTheMainOne) {
  const Parsed parsed = parse_text(
      "model A \"first\" Real x = 1; end A;\nfunction f input Real u; output Real y = u; end f;\n"
      "class B \"second\" function g output Real y = 1; end g; Real x = 1; end B;\ntype T = Real;\n");
  ASSERT_THAT(parsed.found(), IsEmpty());
  EXPECT_EQ(parsed.ast().text(parsed.main().name), "B");
  EXPECT_EQ(parsed.ast().text(parsed.main().description), "second");
  EXPECT_EQ(parsed.ast().classes.size(), 5U);
  EXPECT_EQ(parsed.ast().text(parsed.ast().classes[3].name), "g");
  EXPECT_EQ(parsed.ast().classes[3].parent, 2U);
}

constexpr const char* kAutomaton = R"(model M
  parameter Real a = 1;
  Real x(start = 1, fixed = true);
equation
  der(x) = 1;
initial mode right "to the right"
  Real lambda;
equation
  lambda = 1;
  when x > 3 then
    reinit(x, 0);
  end when;
  transition to left when x < 0;
  transition to stick when x > 1 then
    reinit(x, pre(x));
    x = 2;
  end transition;
  annotation(a = 1);
end right;
mode left
equation
  x = 2;
end left;
sliding mode stick between right, left
equation
  x = 0;
end stick;
initial mode = if a > 0 then right else left;
end M;
)";

TEST(ParserClass, ModesAndTransitions) {
  const Parsed parsed = parse_text(kAutomaton, Dialect::saltus);
  ASSERT_THAT(parsed.found(), IsEmpty());
  const Ast& ast = parsed.ast();
  const std::vector<Mode>& modes = parsed.main().modes;
  ASSERT_EQ(modes.size(), 3U);
  EXPECT_TRUE(modes[0].is_initial);
  EXPECT_EQ(ast.text(modes[0].description), "to the right");
  EXPECT_EQ(parsed.source->text(modes[0].span), "initial mode right");
  EXPECT_EQ(modes[0].components.size(), 1U);
  EXPECT_EQ(modes[0].equations.size(), 2U);
  EXPECT_EQ(modes[0].annotations.size(), 1U);
  ASSERT_EQ(modes[0].transitions.size(), 2U);
  EXPECT_EQ(ast.text(modes[0].transitions[0].target), "left");
  EXPECT_EQ(written(ast, modes[0].transitions[0].condition), "(x < 0)");
  EXPECT_FALSE(modes[0].transitions[0].has_body);
  EXPECT_EQ(ast[modes[0].transitions[1].body].size(), 2U);
  EXPECT_FALSE(modes[1].is_initial || modes[1].is_sliding);
  EXPECT_TRUE(modes[2].is_sliding);
  EXPECT_EQ(ast.text(modes[2].between_first), "right");
  EXPECT_EQ(ast.text(modes[2].between_second), "left");
  EXPECT_EQ(written(ast, parsed.main().initial_mode), "if((a > 0), right, left)");
  EXPECT_EQ(parsed.main().components.size(), 2U);
  EXPECT_EQ(parsed.main().equations.size(), 1U);
}

TEST(ParserClass, ModesAreRefusedOnceInModelicaFiles) {
  EXPECT_THAT(parse_text(kAutomaton).found(), ElementsAre("not-supported 6:1"));
}

TEST(ParserClass, WordsOfModesAreNamesElsewhere) {
  const std::string text =
      "type mode = Integer;\nmodel M\n  mode m(start = 1);\n  Integer mode = 1;\n  Real transition, to, "
      "sliding, "
      "between;\nequation\n  m = mode;\n  transition = to;\n  sliding = between;\n  to = 1;\n  between = "
      "2;\nend M;\n";
  EXPECT_THAT(parse_text(text).found(), IsEmpty());
  const Parsed saltus = parse_text(
      "model M\n  Real transition, to, sliding, between;\n  Integer mode;\nequation\n  mode = 1;\n"
      "  transition = mode + to;\nend M;\n",
      Dialect::saltus);
  EXPECT_THAT(saltus.found(), IsEmpty());
  EXPECT_EQ(saltus.main().equations.size(), 2U);
}

TEST(ParserClass, QuotedNamesCloseTheirClass) {
  EXPECT_THAT(parse_text("model 'a b' Real x = 1; end 'a b';").found(), IsEmpty());
  EXPECT_THAT(parse_text("model 'it\\'s' Real x = 1; end 'it\\'s';").found(), IsEmpty());
}

TEST(ParserClass, MissingEndsPointToTheOpening) {
  const Parsed parsed = parse_text("model M\n  Real x;\nequation\n  if x > 0 then\n    x = 1;\nend M;\n");
  ASSERT_THAT(parsed.found(), ElementsAre("missing-end 6:1"));
  const Diagnostic& item = parsed.diagnostics.items().front();
  ASSERT_EQ(item.notes.size(), 1U);
  EXPECT_EQ(parsed.source->position(item.notes[0].span->offset).line, 4);
  EXPECT_EQ(item.message, "'end if;' is missing before 'end'");
}

TEST(ParserClass, DiagnosticsComeInTheOrderOfTheText) {
  const Parsed parsed =
      parse_text("model M\n  Real x = ;\n  Real y = 1 # 2;\nequation\n  x := 1;\n  y = 1e;\nend N;\n");
  EXPECT_THAT(parsed.found(),
              ElementsAre("missing-expression 2:12", "invalid-character 3:14", "assignment-in-equation 5:5",
                          "invalid-number 6:7", "wrong-end-name 7:5"));
}

TEST(ParserClass, TheSameTextGivesTheSameTree) {
  const Parsed first = parse_text(kAutomaton, Dialect::saltus);
  const Parsed second = parse_text(kAutomaton, Dialect::saltus);
  ASSERT_EQ(first.ast().n_expressions(), second.ast().n_expressions());
  for (std::size_t i = 0; i < first.ast().n_expressions(); ++i) {
    EXPECT_EQ(first.ast()[ExpressionId(i)].span, second.ast()[ExpressionId(i)].span);
  }
}

TEST(ParserClass, EveryPrefixOfAModelIsAnswered) {
  const std::string text = kAutomaton;
  for (std::size_t length = 0; length < text.size() - 1; ++length) {
    const Parsed parsed = parse_text(text.substr(0, length), Dialect::saltus);
    ASSERT_FALSE(parsed.result.ok) << length;
    ASSERT_LE(parsed.diagnostics.n_errors(), 4U) << text.substr(0, length) << render_text(parsed.diagnostics);
  }
}

TEST(ParserClass, EveryMissingTokenIsAnsweredWithFewErrors) {
  const std::string text = kAutomaton;
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    if (text[begin] == ' ' || text[begin] == '\n') {
      continue;
    }
    std::string damaged = text;
    damaged.erase(begin, 1);
    EXPECT_LE(parse_text(damaged, Dialect::saltus).diagnostics.n_errors(), 4U) << text.substr(begin, 20);
  }
}

}  // namespace
}  // namespace saltus::lang::test
