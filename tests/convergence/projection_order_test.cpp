// Orders are kept on systems with hidden constraints: explicit methods on the pendulum in Cartesian coordinates, projected after
// every step (docs/math/consistent_values.md).
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "reduce/project/constraint_projection.hpp"
#include "reduce/projected_evaluator.hpp"
#include "support/function_evaluator.hpp"
#include "support/integration_fixture.hpp"
#include "support/order_estimate.hpp"
#include "support/problems/cartesian_pendulum.hpp"

namespace saltus::test {
namespace {

// From rest at the height of the pivot to the lowest point: K(sin π/4)/√g (complete elliptic integral; DLMF 19.2.8).
const double kQuarterPeriod = 1.8540746773013719 / std::sqrt(kGravity);

struct Errors {
  double position = 0.0;
  double constraint = 0.0;
};

// At the lowest point: (0, -1), velocity (-√(2g), 0).
Errors run(const integrate::Tableau& method, int n_steps) {
  const std::vector<double> nominal(4, 1.0);
  reduce::ProjectedEvaluator evaluator(
      std::make_unique<FunctionEvaluator>(pendulum_field),
      std::make_unique<reduce::ConstraintProjection>(pendulum_constraints(), nominal));
  integrate::ExplicitRungeKutta stepper(method, evaluator, 4, no_error_test(4));
  EXPECT_TRUE(
      stepper.restart(trajectory::CompensatedTime(0.0), std::vector<double>{1.0, 0.0, 0.0, 0.0}).ok());
  const double h = kQuarterPeriod / n_steps;
  Errors errors;
  for (int k = 0; k < n_steps; ++k) {
    EXPECT_TRUE(stepper.attempt(h).good());
    stepper.accept();
    const auto x = stepper.state();
    errors.constraint = std::max(
        {errors.constraint, std::abs(x[0] * x[0] + x[1] * x[1] - 1.0), std::abs(x[0] * x[2] + x[1] * x[3])});
  }
  errors.position = std::hypot(stepper.state()[0], stepper.state()[1] + 1.0);
  return errors;
}

TEST(ProjectionOrder, Dopri5KeepsItsOrderAndTheConstraints) {
  std::vector<double> steps;
  std::vector<double> positions;
  // With 8 and 11 steps the leading term of the error nearly cancels: 3e-7 and 2e-7.
  for (const int n : {16, 22, 32, 45, 64, 90}) {
    const Errors errors = run(integrate::dopri5_table(), n);
    steps.push_back(kQuarterPeriod / n);
    positions.push_back(errors.position);
    EXPECT_LE(errors.constraint, 1e-11);
  }
  const double order = observed_order(steps, positions);
  EXPECT_GE(order, 4.7);
  EXPECT_LE(order, 6.3);
}

}  // namespace
}  // namespace saltus::test
