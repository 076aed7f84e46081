#include "integrate/step/implicit_system.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/function_evaluator.hpp"
#include "support/implicit_fixture.hpp"
#include "support/integration_fixture.hpp"

namespace saltus::test {
namespace {

using integrate::ImplicitSystem;
using integrate::Statistics;

// ẋ = -x + z², 0 = z - cos(t) x, the first equation multiplied by a mass that depends on z: B is not constant.
constexpr auto kDae = [](double t, auto y, auto ydot, auto r) {
  r[0] = (2.0 + y[1]) * (ydot[0] + y[0] - y[1] * y[1]);
  r[1] = y[1] - std::cos(t) * y[0];
};

TEST(ImplicitSystem, FormOfTheLockedDaeIsEvaluatedAndSolved) {
  const GenericDae dae(kDae, 1, 2, {0.7, 0.3, 0.9});
  const auto evaluator = dae.make_evaluator();
  const integrate::Tolerances tolerance = tolerances(1, 1e-6, 1e-8);
  Statistics statistics;
  ImplicitSystem system(*evaluator, &dae, 1, tolerance, {.with_complex = true}, statistics);
  EXPECT_TRUE(system.has_form());
  EXPECT_EQ(system.n_y(), 2);
  EXPECT_EQ(system.atol()[1], 1e-8);
  std::vector<double> y(2);
  std::vector<double> ydot(1);
  ASSERT_TRUE(system.find_point(0.5, std::vector<double>{2.0}, y, ydot).ok());
  EXPECT_NEAR(y[1], 2.0 * std::cos(0.5), 1e-14);
  EXPECT_NEAR(ydot[0], -2.0 + y[1] * y[1], 1e-13);
  std::copy(y.begin(), y.end(), system.y().begin());
  system.ydot()[0] = ydot[0] + 1.0;
  std::vector<double> r(2);
  ASSERT_TRUE(system.residual(0.5, r).ok());
  EXPECT_NEAR(r[0], 2.0 + y[1], 1e-13);
  EXPECT_NEAR(r[1], 0.0, 1e-14);
  system.ydot()[0] = ydot[0];
  ASSERT_TRUE(system.evaluate_jacobian(0.5, 0.1).ok());
  constexpr double kAlpha = 3.0;
  ASSERT_TRUE(system.factorize(kAlpha).ok());
  // (A + αB) v for v = (1, 1), by hand.
  std::vector<double> b = {(2.0 + y[1]) * (1.0 - 2.0 * y[1]) + kAlpha * (2.0 + y[1]), 1.0 - std::cos(0.5)};
  system.solve(b);
  EXPECT_NEAR(b[0], 1.0, 1e-13);
  EXPECT_NEAR(b[1], 1.0, 1e-13);
  system.multiply_b(std::vector<double>{4.0}, r);
  EXPECT_NEAR(r[0], 4.0 * (2.0 + y[1]), 1e-13);
  EXPECT_EQ(r[1], 0.0);
  EXPECT_EQ(statistics.jacobians, 1);
  EXPECT_EQ(statistics.factorizations, 1);
}

TEST(ImplicitSystem, WithoutAFormTheRightHandSideIsDifferenced) {
  FunctionEvaluator evaluator([](double t, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = x[0] * x[1] + t;
    xdot[1] = std::exp(x[0]);
  });
  const integrate::Tolerances tolerance = tolerances(2, 1e-6, 1e-8);
  Statistics statistics;
  ImplicitSystem system(evaluator, nullptr, 2, tolerance, {}, statistics);
  EXPECT_FALSE(system.has_form());
  EXPECT_EQ(system.n_y(), 2);
  std::vector<double> y(2);
  std::vector<double> ydot(2);
  ASSERT_TRUE(system.find_point(2.0, std::vector<double>{0.5, 3.0}, y, ydot).ok());
  std::copy(y.begin(), y.end(), system.y().begin());
  std::copy(ydot.begin(), ydot.end(), system.ydot().begin());
  std::vector<double> r(2);
  ASSERT_TRUE(system.residual(2.0, r).ok());
  EXPECT_EQ(r, (std::vector<double>{0.0, 0.0}));
  ASSERT_TRUE(system.evaluate_jacobian(2.0, 0.1).ok());
  ASSERT_TRUE(system.factorize(10.0).ok());
  // (10 I - ∂f/∂x) (1, 1)
  std::vector<double> b = {10.0 - 3.0 - 0.5, 10.0 - std::exp(0.5)};
  system.solve(b);
  EXPECT_NEAR(b[0], 1.0, 1e-7);
  EXPECT_NEAR(b[1], 1.0, 1e-7);
  EXPECT_EQ(statistics.rhs.jacobians, 3);
}

// √x has no value below zero: differences go to the other side.
TEST(ImplicitSystem, DifferencesStayWhereTheRightHandSideHasValues) {
  FunctionEvaluator evaluator([](double, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = x[0] < 1.0 ? std::nan("") : -x[0];
  });
  const integrate::Tolerances tolerance = tolerances(1, 1e-6, 1e-8);
  Statistics statistics;
  ImplicitSystem system(evaluator, nullptr, 1, tolerance, {}, statistics);
  system.y()[0] = 1.0;
  system.ydot()[0] = -1.0;
  ASSERT_TRUE(system.evaluate_jacobian(0.0, 0.1).ok());
  ASSERT_TRUE(system.factorize(1.0).ok());
  std::vector<double> b = {2.0};
  system.solve(b);
  EXPECT_NEAR(b[0], 1.0, 1e-7);
}

TEST(ImplicitSystem, EvaluatorsMayChangeBetweenFormsAndNone) {
  const GenericDae dae(kDae, 1, 2, {0.7, 0.3, 0.9});
  const auto evaluator = dae.make_evaluator();
  FunctionEvaluator plain([](double, std::span<const double> x, std::span<double> xdot) { xdot[0] = -x[0]; });
  const integrate::Tolerances tolerance = tolerances(1, 1e-6, 1e-8);
  Statistics statistics;
  ImplicitSystem system(plain, &dae, 1, tolerance, {}, statistics);
  EXPECT_FALSE(system.has_form()) << "this evaluator has no runner";
  system.set_evaluator(*evaluator, &dae);
  EXPECT_EQ(system.n_y(), 2);
  system.set_evaluator(plain, nullptr);
  EXPECT_EQ(system.n_y(), 1);
}

}  // namespace
}  // namespace saltus::test
