#include "program/guards/guard_facts.hpp"

#include <gtest/gtest.h>

#include "program/guards/guard_blend.hpp"
#include "structure/causalize.hpp"
#include "support/compile_text.hpp"
#include "support/text_system.hpp"

namespace saltus::program {
namespace {

constexpr int kAll = GuardFacts::kAll;

struct Row {
  const char* name;
  const char* declarations;
  const char* equations;  // beside der(x) = v
  int continuity;
  bool can_slide;
  bool is_affine;
};

GuardFacts facts_of(const Row& row) {
  flat::Model model = saltus::test::compile_text(
      std::string("model M\n parameter Real p = 2;\n Real x(start = 1), v(start = 0);\n") + row.declarations +
      "\nequation\n der(x) = v;\n" + row.equations + "\nend M;");
  normalize_same_guard_choices(model);
  Result<structure::Causalized> causalized = structure::causalize(model);
  EXPECT_TRUE(causalized.has_value()) << row.name;
  return find_guard_facts(model, model.equations, causalized->blocks).at(0);
}

// The first guard of each model is the one in question.
TEST(GuardFacts, Table) {
  const Row rows[] = {
      {"friction", "", "der(v) = -sign(v);", -1, true, true},
      {"relay", "", "der(v) = -sign(x);", -1, true, true},
      {"scaled relay", "", "der(v) = -p*sign(x)*v - x;", -1, true, true},
      {"three regions", "", "der(v) = if v > 0 then -1 elseif v < 0 then p else 0;", -1, true, true},
      {"abs", "", "der(v) = -abs(x);", 0, false, true},
      {"max", "", "der(v) = -max(x, v);", 0, false, true},
      {"min with a number", "", "der(v) = min(2*x, 4);", 0, false, true},
      {"saturation", "", "der(v) = -min(max(x, -1), 1);", 0, false, true},
      {"abs times its argument", "", "der(v) = -abs(v)*v;", 1, false, true},
      {"cube of abs", "", "der(v) = -abs(x)^3;", 2, false, false},
      {"fourth power of abs", "", "der(v) = -abs(x)^4;", kAll, false, false},
      {"abs squared as a product", "", "der(v) = -abs(x)*abs(x);", kAll, false, false},
      {"sign squared", "", "der(v) = -sign(v)^2;", -1, true, false},
      {"sign times its argument", "", "der(v) = -sign(v)*v;", 0, false, true},
      {"if that is continuous", "", "der(v) = if x > 0 then x else 0;", 0, false, true},
      {"if with a factor", "", "der(v) = if x > 0 then x^2*sin(v) else 0;", 1, false, true},
      {"if with different sides", "", "der(v) = if x > 1 then x^2 else 2*x - 1;", -1, true, true},
      {"smooth(1)", "", "der(v) = smooth(1, if x > 1 then x^2 else 2*x - 1);", 1, false, true},
      {"smooth(3) of a cube", "", "der(v) = smooth(3, abs(x)^3);", 3, false, false},
      {"sine of abs", "", "der(v) = sin(abs(x));", 0, false, false},
      {"sine of sign", "", "der(v) = sin(sign(x));", -1, true, false},
      {"root of abs", "", "der(v) = sqrt(abs(x));", 0, false, false},
      {"valve", "", "der(v) = if x > v then sqrt(x - v) else 0;", 0, false, true},
      {"valve, both ways", "", "der(v) = sign(x)*sqrt(abs(x));", 0, false, false},
      {"power below one", "", "der(v) = if x > 0 then x^0.3 else 0;", 0, false, true},
      {"power above one", "", "der(v) = if x > 0 then x^1.5 else 0;", 1, false, true},
      {"product of roots", "", "der(v) = if x > 0 then sqrt(x)*sqrt(p*x) else 0;", 0, false, true},
      {"root of something else", "", "der(v) = if x > 0 then sqrt(v) else 0;", -1, true, true},
      {"root in a denominator", "", "der(v) = if x > 0 then 1/sqrt(x) else 0;", -1, true, true},
      {"two guards multiplied", "", "der(v) = -sign(x)*sign(v);", -1, true, true},
      {"algebraic u used twice", "Real u;", "u = sign(x); der(v) = u + 2*u;", -1, true, true},
      {"algebraic u squared", "Real u;", "u = sign(x); der(v) = u*u;", -1, true, false},
      {"algebraic u unused", "Real u;", "u = sign(x); der(v) = -x;", -1, true, true},
      {"u in a linear system", "Real u, w;", "u + w = sign(x); u - 2*w = v; der(v) = u;", -1, true, true},
      {"coefficient of a linear system", "Real u, w;", "u + (2 + sign(x))*w = 1; u - 2*w = v; der(v) = u;",
       -1, true, false},
      {"u in a nonlinear equation", "Real u;", "u + u^3 = sign(x); der(v) = u;", -1, true, false},
      {"division by a choice", "", "der(v) = 1/(2 + sign(x));", -1, true, false},
      {"if equation", "", "if x > 0 then\n der(v) = -1;\n else\n der(v) = p;\n end if;", -1, true, true},
      {"proposition", "", "der(v) = if x > 0 and v > 1 then -1 else 1;", -1, true, true},
      {"Boolean alone", "Boolean b;", "b = x > 0; der(v) = if b then 1 else 2;", -1, false, true},
  };
  for (const Row& row : rows) {
    const GuardFacts facts = facts_of(row);
    EXPECT_TRUE(facts.in_equations) << row.name;
    EXPECT_EQ(facts.continuity, row.continuity) << row.name;
    EXPECT_EQ(facts.can_slide, row.can_slide) << row.name;
    EXPECT_EQ(facts.is_affine_in_weight, row.is_affine) << row.name;
  }
}

TEST(GuardFacts, GuardOfAClauseAloneIsNotInTheEquations) {
  const Row row{"when", "", "der(v) = 0; when x > 1 then reinit(v, 0); end when;", kAll, false, true};
  EXPECT_FALSE(facts_of(row).in_equations);
}

TEST(GuardFacts, KinksAreThoseThatWereWrittenSo) {
  const auto is_kink = [](const char* equations) {
    return facts_of(Row{equations, "", equations, 0, false, true}).is_kink;
  };
  EXPECT_TRUE(is_kink("der(v) = abs(x);"));
  EXPECT_TRUE(is_kink("der(v) = smooth(0, if x > 0 then x else 0);"));
  EXPECT_FALSE(is_kink("der(v) = if x > 0 then x else 0;"));
  EXPECT_FALSE(is_kink("der(v) = abs(x) + (if x >= 0 then 1 else 0);"));
}

// A diode with two slopes: its branches meet, so the equations do not jump, but the user has written an event.
TEST(GuardFacts, ChoiceWhoseBranchesMeetIsAnEventWithoutAJump) {
  const auto info_of = [](const std::string& choice) {
    test::TextSystem run(
        "model M Real v(start = 1, fixed = true), s; equation der(v) = -s; v - 1/2 = " + choice + "; end M;");
    EXPECT_EQ(run.hybrid->guards().size(), 1U);
    return run.hybrid->guards()[0];
  };
  const system::GuardInfo meets = info_of("s*(if s < 0 then 1 else 0.001)");
  EXPECT_TRUE(meets.is_continuous);
  EXPECT_EQ(meets.continuity, -1);
  EXPECT_FALSE(meets.can_slide);
  EXPECT_FALSE(info_of("s + (if s < 0 then 1 else 0.001)").is_continuous);
}

}  // namespace
}  // namespace saltus::program
