// What implicit methods say when a residual has no value or an iteration does not converge.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "integrate/advance.hpp"
#include "integrate/method_registry.hpp"
#include "integrate/step/implicit_system.hpp"
#include "support/implicit_fixture.hpp"
#include "support/integration_fixture.hpp"

namespace saltus::test {
namespace {

using integrate::AdvanceOutcome;
using integrate::EndReason;
using integrate::ImplicitSystem;
using integrate::Statistics;
using system::Evaluation;

// Residual at the point (y, ẏ) of a system of two states and one algebraic unknown.
template <class Dae>
Evaluation residual_at(const Dae& dae, const std::vector<double>& y, const std::vector<double>& ydot) {
  const auto evaluator = dae.make_evaluator();
  const integrate::Tolerances tolerance = tolerances(2, 1e-6, 1e-8);
  Statistics statistics;
  ImplicitSystem system(*evaluator, &dae, 2, tolerance, {}, statistics);
  std::copy(y.begin(), y.end(), system.y().begin());
  std::copy(ydot.begin(), ydot.end(), system.ydot().begin());
  std::vector<double> r(3);
  return system.residual(0.0, r);
}

TEST(ImplicitFailure, RowWithADerivativeNamesItsState) {
  // √z has no value at z = -1, though the equations give z = 1 + x₀ = 2 to the right-hand side.
  const GenericDae dae(
      [](double, auto y, auto ydot, auto r) {
        r[0] = ydot[0] - y[2];
        r[1] = ydot[1] + std::sqrt(y[2]);
        r[2] = y[2] - y[0] - 1.0;
      },
      2, 3, {0.7, 0.3, 0.9, 0.2, 0.4}, {2.0});
  const Evaluation failed = residual_at(dae, {1.0, 0.0, -1.0}, {0.0, 0.0});
  EXPECT_EQ(failed.status, Evaluation::Status::not_finite);
  EXPECT_EQ(failed.culprit, 1);
}

TEST(ImplicitFailure, RowWithoutADerivativeNamesNoState) {
  const GenericDae dae(
      [](double, auto y, auto ydot, auto r) {
        r[0] = ydot[0] - y[2];
        r[1] = ydot[1] + y[1];
        r[2] = std::log(y[2]) - y[0];
      },
      2, 3, {0.7, 0.3, 0.9, 0.2, 0.4}, {2.0});
  const Evaluation failed = residual_at(dae, {1.0, 0.0, -1.0}, {0.0, 0.0});
  EXPECT_EQ(failed.status, Evaluation::Status::not_finite);
  EXPECT_EQ(failed.culprit, 2) << "no state: a wrong name would mislead";
}

TEST(ImplicitFailure, WhereTheRightHandSideFailsTooItsOwnNameIsTaken) {
  // Both rows 0 and 1 lack a value at x₀ = 1; the residual would blame row 0, the right-hand side knows better.
  const GenericDae dae(
      [](double, auto y, auto ydot, auto r) {
        r[0] = ydot[0] - std::sqrt(y[0] - 5.0);
        r[1] = ydot[1] + y[2];
        r[2] = y[2] - y[0];
      },
      2, 3, {7.7, 0.3, 0.9, 0.2, 0.4}, {1.0});
  const auto evaluator = dae.make_evaluator();
  std::vector<double> xdot(2);
  const Evaluation expected = evaluator->rhs(0.0, std::vector<double>{1.0, 0.0}, xdot);
  ASSERT_FALSE(expected.ok());
  const Evaluation failed = residual_at(dae, {1.0, 0.0, 1.0}, {0.0, 0.0});
  EXPECT_EQ(failed.status, expected.status);
  EXPECT_EQ(failed.culprit, expected.culprit);
}

// ẋ = 1, z² = 1 - t: there is no z after t = 1.
constexpr auto kEnding = [](double t, auto y, auto ydot, auto r) {
  r[0] = ydot[0] - 1.0;
  r[1] = y[1] * y[1] + t - 1.0;
};

TEST(ImplicitFailure, IterationThatCannotConvergeIsToldWithItsUnknown) {
  for (const std::string name : {"radau5", "sdirk4", "bdf"}) {
    const GenericDae dae(kEnding, 1, 2, {0.7, 0.3, 0.9}, {1.0});
    const auto evaluator = dae.make_evaluator();
    const integrate::Method& method = *integrate::find_method(name);
    const auto stepper = integrate::make_stepper(method, *evaluator, &dae, 1, tolerances(1, 1e-6, 1e-6));
    const auto controller = integrate::make_controller(method, *stepper);
    integrate::Advance advance(*stepper, *controller, {});
    ASSERT_TRUE(stepper->restart(trajectory::CompensatedTime(0.0), std::vector<double>{0.0}).ok()) << name;
    IgnoringSink sink;
    const AdvanceOutcome outcome = advance.to(2.0, sink);
    EXPECT_EQ(outcome.reason, EndReason::iteration_failed) << name << ": " << reason_text(outcome.reason);
    EXPECT_EQ(outcome.culprit, 1) << name << ": z, not the state";
    EXPECT_NEAR(outcome.t, 1.0, 1e-6) << name;
    EXPECT_LT(std::abs(outcome.h), 1e-13) << name;
    EXPECT_GT(stepper->statistics().rejected_by_iteration, 10) << name;
  }
}

}  // namespace
}  // namespace saltus::test
