#include "program/equations/firing_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/text_system.hpp"

namespace saltus::program {
namespace {

using test::build_text;
using test::TextSystem;
using ::testing::HasSubstr;

std::string with_clauses(const std::string& clauses) {
  return "model M\n Real x(start = 0, fixed = true), z;\n Integer n(start = 0, fixed = true), m(start = 0, "
         "fixed = true);\n Boolean b;\nequation\n der(x) = 1;\n z = x - n;\n b = z > 3;\n" +
         clauses + "end M;\n";
}

TEST(FiringOrder, AClauseThatReadsWhatAnotherSetsIsInNoLoop) {
  const TextSystem s(with_clauses(
      " when x > 1 then\n  n = pre(n) + 1;\n end when;\n when z > 2 then\n  m = n;\n end when;\n"));
  EXPECT_FALSE(s.hybrid->actions()[0].is_own_cause);
  EXPECT_FALSE(s.hybrid->actions()[1].is_own_cause);
}

// Directly, by an algebraic variable, by a Boolean equation.
TEST(FiringOrder, AClauseThatReadsWhatItSetsIsItsOwnCause) {
  for (const char* const condition : {"x > n", "z > 1", "b", "x - n > 2 and x < 7", "change(n) or x > 1"}) {
    SCOPED_TRACE(condition);
    const TextSystem s(
        with_clauses(std::string(" when ") + condition + " then\n  n = pre(n) + 1;\n  m = 2;\n end when;\n"));
    EXPECT_TRUE(s.hybrid->actions()[0].is_own_cause);
  }
  const TextSystem with_pre(with_clauses(" when x > pre(n) then\n  n = pre(n) + 1;\n  m = 2;\n end when;\n"));
  EXPECT_FALSE(with_pre.hybrid->actions()[0].is_own_cause);
}

TEST(FiringOrder, ClausesThatSetEachOthersConditionsAreNamed) {
  const std::string clauses =
      " when x > m then\n  n = pre(n) + 1;\n end when;\n when x > n then\n  m = pre(m) + 1;\n end when;\n";
  const auto system = build_text(with_clauses(clauses));
  ASSERT_FALSE(system);
  EXPECT_EQ(system.error().items()[0].code, "clauses-in-a-loop");
  EXPECT_THAT(system.error().items()[0].message, HasSubstr("'x > m', 'x > n'"));
  const TextSystem other(with_clauses(clauses), lang::Dialect::saltus);
  EXPECT_TRUE(other.hybrid->actions()[0].is_own_cause);
  EXPECT_TRUE(other.hybrid->actions()[1].is_own_cause);
}

}  // namespace
}  // namespace saltus::program
