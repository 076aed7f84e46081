#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "unit/lang/parser_support.hpp"

namespace saltus::lang::test {
namespace {

TEST(ParserExpression, SignsBindWeakerThanPowersAndProducts) {
  EXPECT_EQ(bracketed("-x^2"), "(- (x ^ 2))");
  EXPECT_EQ(bracketed("-a*b + c"), "((- (a * b)) + c)");
  EXPECT_EQ(bracketed("a - b - c + d"), "(a - b - c + d)");
  EXPECT_EQ(bracketed("a/b*c"), "(a / b * c)");
  EXPECT_EQ(bracketed("a*(-b)"), "(a * (- b))");
  EXPECT_EQ(bracketed("a .+ b .* c .^ d ./ e .- f"), "(a .+ (b .* (c .^ d) ./ e) .- f)");
  EXPECT_EQ(bracketed("2^(-x)"), "(2 ^ (- x))");
  EXPECT_EQ(bracketed("(a^b)^c"), "((a ^ b) ^ c)");
}

TEST(ParserExpression, LogicBindsWeakerThanRelations) {
  EXPECT_EQ(bracketed("a < b and not c >= d or e <> f and g"),
            "(((a < b) and (not (c >= d))) or ((e <> f) and g))");
  EXPECT_EQ(bracketed("not a == b"), "(not (a == b))");
  EXPECT_EQ(bracketed("(a < b) == c"), "((a < b) == c)");
}

TEST(ParserExpression, RangesAndSubscripts) {
  EXPECT_EQ(bracketed("x[1:n+1]"), "x[(1 : (n + 1))]");
  EXPECT_EQ(bracketed("x[end - 1, :, 1:2:n]"), "x[(end - 1), :, (1 : 2 : n)]");
  EXPECT_EQ(bracketed("a.b[2].c[i, j]"), "a.b[2].c[i, j]");
  EXPECT_EQ(bracketed("x[y[end]]"), "x[y[end]]");
}

TEST(ParserExpression, ArraysMatricesAndLoops) {
  EXPECT_EQ(bracketed("{1, {2, x}}"), "{1, {2, x}}");
  EXPECT_EQ(bracketed("[1, 2; 3, -x]"), "[1, 2; 3, (- x)]");
  EXPECT_EQ(bracketed("{i + j for i in 1:n, j in {1, 3}}"), "{(i + j) for i in (1 : n) for j in {1, 3}}");
  EXPECT_EQ(bracketed("sum(x[j]*y[j] for j in 1:n)"), "sum((x[j] * y[j]) for j in (1 : n))");
}

TEST(ParserExpression, Calls) {
  EXPECT_EQ(bracketed("f()"), "f()");
  EXPECT_EQ(bracketed("f(1, x + y, n = 3, k = g(z))"), "f(1, (x + y), n = 3, k = g(z))");
  EXPECT_EQ(bracketed("der(der(x)) + initial()"), "(der(der(x)) + initial())");
  EXPECT_EQ(bracketed("Modelica.Math.sin(Modelica.Constants.pi)"),
            "Modelica.Math.sin(Modelica.Constants.pi)");
}

TEST(ParserExpression, Conditionals) {
  EXPECT_EQ(bracketed("if a then b elseif c then d else e"), "if(a, b, c, d, e)");
  EXPECT_EQ(bracketed("if a then b else if c then d else e"), "if(a, b, c, d, e)");
  EXPECT_EQ(bracketed("if a then if b then 1 else 2 else 3"), "if(a, if(b, 1, 2), 3)");
  EXPECT_EQ(bracketed("2*(if a then b else c) + 1"), "((2 * if(a, b, c)) + 1)");
}

TEST(ParserExpression, Literals) {
  EXPECT_EQ(bracketed("true and false"), "(true and false)");
  EXPECT_EQ(bracketed("\"a\\n\" + \"b\""), "(\"a\n\" + \"b\")");
  EXPECT_EQ(bracketed("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(bracketed("007"), "7");
  EXPECT_EQ(bracketed("1."), "real:1.000000");
  EXPECT_EQ(bracketed("2.5E+1"), "real:25.000000");
}

double real_value(const std::string& literal) {
  const Parsed parsed = parse_text("model M\n  Real value = " + literal + ";\nend M;\n");
  return parsed.ast().real(parsed.main().components.front().value);
}

TEST(ParserExpression, RealLiteralsAreRoundedCorrectly) {
  EXPECT_EQ(real_value("0.1"), 0.1);
  EXPECT_EQ(real_value("1.7976931348623157e308"), 1.7976931348623157e308);
  EXPECT_EQ(real_value("4.9406564584124654e-324"), 4.9406564584124654e-324);
  // Halfway between two doubles: to even (IEEE 754). 2^53 + 1 and 2^53 + 3.
  EXPECT_EQ(real_value("9007199254740993.0"), 9007199254740992.0);
  EXPECT_EQ(real_value("9007199254740995.0"), 9007199254740996.0);
}

TEST(ParserExpression, NumbersOutOfRange) {
  EXPECT_EQ(bracketed("1e400"), "number-too-large 2:16; ");
  EXPECT_EQ(bracketed("1e99999999999999999999"), "number-too-large 2:16; ");
  EXPECT_EQ(bracketed("1" + std::string(400, '0') + ".0"), "number-too-large 2:16; ");
  EXPECT_EQ(bracketed("9223372036854775808"), "number-too-large 2:16; ");
  EXPECT_EQ(bracketed("1e-400"), "number-too-small 2:16; ");
  EXPECT_EQ(bracketed("0." + std::string(400, '0') + "1"), "number-too-small 2:16; ");
  EXPECT_EQ(bracketed("0e400"), "real:0.000000");
}

TEST(ParserExpression, QuotedNamesLoseTheirQuotes) {
  EXPECT_EQ(bracketed("'a.b[1]' + 'it\\'s' + 'x'"), "(a.b[1] + it's + x)");
  const Parsed parsed = parse_text("model M Real 'x'; Real y = x; end M;");
  EXPECT_EQ(parsed.main().components[0].name,
            parsed.ast().name_parts(parsed.main().components[1].value).front().name);
}

TEST(ParserExpression, SpansCoverTheText) {
  const Parsed parsed = parse_text("model M\n  Real v = a*(b + c[2]) - f(x, 1);\nend M;\n");
  const Ast& ast = parsed.ast();
  const ExpressionId root = parsed.main().components.front().value;
  EXPECT_EQ(parsed.source->text(ast[root].span), "a*(b + c[2]) - f(x, 1)");
  EXPECT_EQ(parsed.source->text(ast[ast.operands(root)[1]].span), "f(x, 1)");
  EXPECT_EQ(parsed.source->text(ast[ast.operands(ast.operands(root)[0])[1]].span), "b + c[2]");
}

std::string repeated(const std::string& part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) {
    text += part;
  }
  return text;
}

TEST(ParserExpression, LongChainsAreNotDeep) {
  for (const char* op : {" + 1", "*1", " and a", " or a"}) {
    const Parsed parsed = parse_text("model M Real x = a" + repeated(op, 200000) + "; end M;");
    ASSERT_TRUE(parsed.result.ok) << op;
    EXPECT_EQ(parsed.ast().operands(parsed.main().components.front().value).size(), 200001U);
  }
  EXPECT_TRUE(parse_text("model M Real x = " + repeated("if a then 1 else ", 10000) + "2; end M;").result.ok);
}

TEST(ParserExpression, DeepNestingIsReportedOnce) {
  for (const char* open : {"(", "{", "[", "f(", "x[", "if a then ", "if ", "1 + (", "-(", "not ("}) {
    const Parsed parsed = parse_text("model M\n  Real x = " + repeated(open, 100000) + ";\nend M;\n");
    ASSERT_EQ(parsed.diagnostics.items().size(), 1U) << open;
    EXPECT_EQ(parsed.diagnostics.items()[0].code, "nesting-too-deep") << open;
  }
  EXPECT_TRUE(
      parse_text("model M Real x = " + repeated("(", 250) + "1" + repeated(")", 250) + "; end M;").result.ok);
}

}  // namespace
}  // namespace saltus::lang::test
