// der(expression): values of the derivative against the formula worked out by hand.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "expr/evaluate.hpp"
#include "flat/verify.hpp"
#include "support/compile_text.hpp"

namespace saltus {
namespace {

// x = 0.7, y = -1.3, der(x) = 2.5, der(y) = 0.4, time = 3, p = 1.7; second derivatives 5.5 and -0.9.
constexpr double kX = 0.7;
constexpr double kY = -1.3;
constexpr double kDx = 2.5;
constexpr double kDy = 0.4;
constexpr double kDdx = 5.5;
constexpr double kP = 1.7;

double value_of(const std::string& expression, double condition = 1.0) {
  const flat::Model model = test::compile_text(
      "model M\n  parameter Real p = 1.7;\n  Real x, y, r;\nequation\n  der(x) = y;\n  der(y) = x;\n"
      "  r = " +
      expression + ";\nend M;\n");
  EXPECT_EQ(flat::verify(model), std::vector<std::string>{});
  const std::vector<double> variables{kX, kY, 0.0};
  const std::vector<double> derivatives{kDx, kDy, 0.0};
  const std::vector<double> parameters{kP};
  const std::vector<double> conditions(model.conditions.size(), condition);
  expr::LeafValues leaves;
  leaves.time = 3.0;
  leaves.variables = variables;
  leaves.derivatives = derivatives;
  leaves.parameters = parameters;
  leaves.conditions = conditions;
  leaves.other = [](const expr::Node& leaf) {
    return leaf.op == expr::Op::variable && leaf.first == 0 && leaf.second == 2 ? kDdx : std::nan("");
  };
  return expr::evaluate(model.graph, model.equations[2].right, leaves);
}

TEST(TotalDerivative, FollowsTheChainRule) {
  EXPECT_DOUBLE_EQ(value_of("der(x*y)"), kDx * kY + kX * kDy);
  EXPECT_DOUBLE_EQ(value_of("der(x^2)"), 2 * kX * kDx);
  EXPECT_DOUBLE_EQ(value_of("der(p*sin(x))"), kP * std::cos(kX) * kDx);
  EXPECT_DOUBLE_EQ(value_of("der(x/y)"), (kDx * kY - kX * kDy) / (kY * kY));
  EXPECT_DOUBLE_EQ(value_of("der(time*x)"), kX + 3.0 * kDx);
  EXPECT_DOUBLE_EQ(value_of("der(x*der(x))"), kDx * kDx + kX * kDdx);
  EXPECT_DOUBLE_EQ(value_of("der(der(x^2/2))"), kDx * kDx + kX * kDdx);
  EXPECT_DOUBLE_EQ(value_of("sum(der({x, y} .* {y, 2}))"), kDx * kY + kX * kDy + 2 * kDy);
}

TEST(TotalDerivative, OfParametersIsZeroAndOfTimeOne) {
  EXPECT_EQ(value_of("x*0 + der(p^2 + 3)"), 0.0);
  EXPECT_EQ(value_of("x*0 + der(time)"), 1.0);
}

TEST(TotalDerivative, OfAKinkIsThatOfTheSideTaken) {
  EXPECT_DOUBLE_EQ(value_of("der(abs(3*x + y))", 1.0), 3 * kDx + kDy);
  EXPECT_DOUBLE_EQ(value_of("der(abs(3*x + y))", 0.0), -(3 * kDx + kDy));
  EXPECT_DOUBLE_EQ(value_of("der(max(x, y))", 1.0), kDx);
  EXPECT_DOUBLE_EQ(value_of("der(max(x, y))", 0.0), kDy);
  EXPECT_DOUBLE_EQ(value_of("der(if x > 0 then x else 0)", 1.0), kDx);
  EXPECT_DOUBLE_EQ(value_of("der(if x > 0 then x else 0)", 0.0), 0.0);
  EXPECT_DOUBLE_EQ(value_of("der(smooth(1, if x > 0 then x^2 else 0))", 1.0), 2 * kX * kDx);
  EXPECT_DOUBLE_EQ(value_of("der(noEvent(if x > y then x^2 else y))"), 2 * kX * kDx);
  EXPECT_DOUBLE_EQ(value_of("der(if p > 1 then x*y else 0)"), kDx * kY + kX * kDy);
}

}  // namespace
}  // namespace saltus
