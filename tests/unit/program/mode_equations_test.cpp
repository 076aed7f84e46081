// Constraints, derivative arrays and the residual form of whole models.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "equation_check.hpp"
#include "text_system.hpp"

namespace saltus::program {
namespace {

using test::build_text;
using test::EquationCheck;
using testing::HasSubstr;

// x'' = -λx, y'' = -λy - g, x² + y² = L²
const std::string kPendulum = R"(
model Pendulum
  parameter Real L = 2;
  parameter Real g = 10;
  Real x(start = 2);
  Real y;
  Real vx;
  Real vy;
  Real lambda;
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -lambda*x;
  der(vy) = -lambda*y - g;
  x^2 + y^2 = L^2;
end Pendulum;)";

std::shared_ptr<const system::LockedDae> lock(const std::string& text,
                                              lang::Dialect dialect = lang::Dialect::modelica) {
  auto system = build_text(text, dialect);
  EXPECT_TRUE(system) << render_text(system.error());
  return (*system)->lock(ModeId(0U)).value();
}

std::vector<std::string> names(const std::vector<system::StateInfo>& states) {
  std::vector<std::string> result;
  for (const system::StateInfo& state : states) {
    result.push_back(state.name);
  }
  return result;
}

TEST(ModeEquations, ConstraintsOfAPendulumAreThoseOfPositionAndVelocity) {
  const auto locked = lock(kPendulum);
  EXPECT_EQ(locked->reduction(), system::Reduction::structural);
  const auto constraints = locked->constraints();
  ASSERT_NE(constraints, nullptr);
  EquationCheck check(constraints);
  ASSERT_EQ(constraints->n_rows(), 2);
  check.set_slot("x", 1.5);
  check.set_slot("y", -1.0);
  check.set_slot("vx", 3.0);
  check.set_slot("der(x)", 3.0);
  check.set_slot("vy", 2.0);
  check.set_slot("der(y)", 2.0);
  const std::vector<double> residual = check.residual();
  EXPECT_DOUBLE_EQ(residual[0], 1.5 * 1.5 + 1.0 - 4.0);
  EXPECT_DOUBLE_EQ(residual[1], 2.0 * (1.5 * 3.0 - 1.0 * 2.0));
  check.expect_jacobian_of_differences();
  EXPECT_EQ(constraints->rows()[0].text, "x^2 + y^2 = L^2");
  EXPECT_EQ(constraints->rows()[1].text, "2*(x*der(x)) + 2*(y*der(y)) = 0");
  EXPECT_EQ(constraints->rows()[1].equation, 4);
  EXPECT_EQ(constraints->rows()[1].order, 1);
  EXPECT_EQ(names(locked->states()), (std::vector<std::string>{"x", "y", "vx", "vy"}));
}

}  // namespace
}  // namespace saltus::program
