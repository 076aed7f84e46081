// Constraints, derivative arrays and the residual form of whole models.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "support/equation_check.hpp"
#include "support/text_system.hpp"

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

// Every variable moves along its own sine: jets of all orders are known.
void place_on_curve(EquationCheck& check, double t) {
  for (std::size_t i = 0; i < check.slots.size(); ++i) {
    const system::SlotInfo& slot = check.set->slots()[i];
    const double frequency = 1.0 + 0.25 * static_cast<double>(slot.variable);
    check.slots[i] =
        std::pow(frequency, slot.order) * std::sin(frequency * t + 0.5 * std::acos(-1.0) * slot.order);
  }
}

// Rows of order k + 1 are the derivatives in time of those of order k; differences of step 1e-4 have errors of about 1e-8
// times third derivatives.
void expect_total_derivatives(EquationCheck& check, double t) {
  constexpr double kStep = 1e-4;
  place_on_curve(check, t + kStep);
  const std::vector<double> above = check.residual(t + kStep);
  place_on_curve(check, t - kStep);
  const std::vector<double> below = check.residual(t - kStep);
  place_on_curve(check, t);
  const std::vector<double> rows = check.residual(t);
  const std::vector<system::RowInfo>& infos = check.set->rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      if (infos[j].equation == infos[i].equation && infos[j].order == infos[i].order + 1) {
        const double difference = (above[i] - below[i]) / (2.0 * kStep);
        EXPECT_NEAR(rows[j], difference, 1e-5 * (1.0 + std::abs(difference))) << infos[j].text;
      }
    }
  }
}

TEST(ModeEquations, ArrayOfAPendulum) {
  const auto locked = lock(kPendulum);
  const auto array = locked->derivative_array(2);
  ASSERT_TRUE(array);
  EXPECT_EQ((*array)->n_rows(), 15);
  EXPECT_EQ((*array)->n_slots(), 5 * 4);
  EXPECT_FALSE((*array)->is_linear());
  // By order, then by variable.
  const std::vector<system::SlotInfo>& slots = (*array)->slots();
  EXPECT_EQ(slots[0].name, "x");
  EXPECT_EQ(slots[4].name, "lambda");
  EXPECT_EQ(slots[5].name, "der(x)");
  EXPECT_EQ(slots[19].name, "der(der(der(lambda)))");
  EXPECT_EQ(slots[19].variable, 4);
  EXPECT_EQ(slots[19].order, 3);
  // By level, then by equation.
  const std::vector<system::RowInfo>& rows = (*array)->rows();
  EXPECT_EQ(rows[4].text, "x^2 + y^2 = L^2");
  EXPECT_EQ(rows[7].text, "der(der(vx)) = -(lambda*der(x) + x*der(lambda))");
  EXPECT_EQ(rows[14].order, 2);
  EXPECT_EQ(rows[14].equation, 4);
  EquationCheck check(*array);
  expect_total_derivatives(check, 0.7);
  check.expect_jacobian_of_differences(0.7);
  EXPECT_EQ(locked->derivative_array(2)->get(), array->get());
}

TEST(ModeEquations, ArrayOfFunctionsTimeAndSecondDerivatives) {
  const auto locked = lock(R"(
model M
  Real x(start = 1);
  Real y(start = 1);
  Real z(start = 1);
equation
  der(der(x)) + exp(y)*sin(time*x) = z/(2 + cos(y));
  y*der(y) = sqrt(4 + x) + atan2(x, 3 + y);
  z^3 + z = x*y*time^2;
end M;)");
  const auto array = locked->derivative_array(3);
  ASSERT_TRUE(array);
  EquationCheck check(*array);
  // x to order 2 + 3, the others to order 1 + 3.
  EXPECT_EQ((*array)->n_slots(), 6 + 5 + 5);
  expect_total_derivatives(check, 0.3);
  check.expect_jacobian_of_differences(0.3, 1e-6);
}

TEST(ModeEquations, ArrayOfAModelThatIsNotSquare) {
  const auto locked = lock(R"(
model M
  Real x(start = 1);
  Real y;
equation
  der(x) = -y;
  y = x;
  x + y = 2*x;
end M;)");
  EXPECT_EQ(locked->reduction(), system::Reduction::ranks);
  EXPECT_EQ(locked->residual_form(), nullptr);
  EXPECT_EQ(locked->constraints(), nullptr);
  const auto array = locked->derivative_array(1);
  ASSERT_TRUE(array);
  EXPECT_EQ((*array)->n_rows(), 6);
  EXPECT_EQ((*array)->n_slots(), 6);
  EXPECT_TRUE((*array)->is_linear());
  EXPECT_TRUE((*array)->has_constant_jacobian());
  EquationCheck check(*array);
  EXPECT_EQ(check.jacobian()[2], (std::vector<double>{-1.0, 1.0, 0.0, 0.0, 0.0, 0.0}));
  EXPECT_EQ(check.jacobian()[3], (std::vector<double>{0.0, 0.0, 0.0, 1.0, 1.0, 0.0}));
}

TEST(ModeEquations, ArrayFollowsConditionsAndHoldsDiscreteValues) {
  auto system = build_text(R"(
model M
  Real x(start = 1, fixed = true);
  Real y;
  discrete Real k(start = 3);
equation
  der(x) = if x > 0 then -k*x else time*x;
  y = k*x^2;
  when x < 0.5 then
    k = 7;
  end when;
end M;)");
  ASSERT_TRUE(system) << render_text(system.error());
  const auto locked = (*system)->lock(ModeId(0U)).value();
  EquationCheck check(locked->derivative_array(1).value());
  EXPECT_EQ(check.set->n_slots(), 6);  // k has no slots
  system::Configuration configuration = (*system)->initial(0.0)->configuration;
  configuration.discrete = {5.0};
  for (const double side : {1.0, -1.0}) {
    std::fill(configuration.latched.begin(), configuration.latched.end(), side);
    check.runner->set_configuration(configuration);
    expect_total_derivatives(check, 0.4);
    check.expect_jacobian_of_differences(0.4);
    const double x = check.slots[0];
    const double rate = side > 0.0 ? -5.0 * x : 0.4 * x;
    EXPECT_DOUBLE_EQ(check.residual(0.4)[0], check.slots[2] - rate);
  }
}

TEST(ModeEquations, AnArrayThatIsTooLargeIsRefused) {
  const auto model =
      std::make_shared<const flat::Model>(saltus::test::compile_text(kPendulum, lang::Dialect::modelica));
  const auto system = build_system(model, {}, {.by_ranks = {}, .most_array_nodes = 200});
  ASSERT_TRUE(system);
  const auto locked = (*system)->lock(ModeId(0U)).value();
  EXPECT_TRUE(locked->derivative_array(0));
  const auto array = locked->derivative_array(9);
  ASSERT_FALSE(array);
  EXPECT_THAT(render_text(array.error()), HasSubstr("derivative-array-too-large"));
}

TEST(ModeEquations, AreBuiltOnceForSeveralThreads) {
  const auto locked = lock(kPendulum);
  std::vector<const system::EquationSet*> found(4);
  std::vector<std::thread> threads;
  for (const system::EquationSet*& place : found) {
    threads.emplace_back([&place, &locked] {
      static_cast<void>(locked->residual_form()->rows());
      place = locked->derivative_array(1)->get();
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(std::count(found.begin(), found.end(), found[0]), 4);
}

}  // namespace
}  // namespace saltus::program
