// Laws a·y·|y| = b, however they are written, become roots where they give y.
#include "flat/square_laws.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/compile_text.hpp"

namespace saltus::flat {
namespace {

// Whether the last equation gives y by a root.
bool is_solved(const std::string& law, const std::string& others = "") {
  const Model model = test::compile_text(
      "model M\n  parameter Real k = 2;\n  Real x(start = 1, fixed = true), y, p;\nequation\n  der(x) = -y;\n"
      "  p = 3*x;\n" +
      others + "  " + law + ";\nend M;\n");
  const expr::Node& left = model.graph[model.equations.back().left];
  const expr::Node& right = model.graph[model.equations.back().right];
  return left.op == expr::Op::variable && model.variables[left.first].name == "y" &&
         (right.op == expr::Op::select || right.op == expr::Op::multiply);
}

TEST(SquareLaws, AreFoundByWhatTheyAre) {
  for (const std::string law :
       {"y*abs(y) = x", "x = y*abs(y)", "abs(y)*y = p", "k*y*abs(y) = x", "x - k*abs(y)*y = 0",
        "0 = 2*x - 3*y*abs(y) + sin(time)", "(if y > 0 then y^2 else -y^2) = x",
        "if y >= 0 then y*y = x; else -y*y = x; end if", "sign(y)*y^2 = x", "y*noEvent(abs(y)) = x",
        "x*y*abs(y) = p", "-y*abs(y) = x"}) {
    EXPECT_TRUE(is_solved(law)) << law;
  }
}

TEST(SquareLaws, OthersAreLeftAlone) {
  for (const std::string law :
       {"y*abs(y) + y = x", "y*abs(x) = x", "y^2 = x", "abs(y) = x", "y*abs(y) = 5", "y*abs(y) = k",
        "y*abs(y)*y = x", "y*abs(y) = x + abs(y)", "y*abs(y - 1) = x"}) {
    EXPECT_FALSE(is_solved(law)) << law;
  }
}

// The law gives the pressure: y is known by something else.
TEST(SquareLaws, ThatGiveAnotherVariableAreLeftAlone) {
  const Model model = test::compile_text(
      "model M\n  Real x(start = 1, fixed = true), y, p, r;\nequation\n  der(x) = -1;\n  y = x;\n  r = p - "
      "1;\n"
      "  y*abs(y) = p;\nend M;\n");
  EXPECT_EQ(model.graph[model.equations.back().left].op, expr::Op::multiply);
}

}  // namespace
}  // namespace saltus::flat
