#include "integrate/implicit/sdirk4.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "integrate/step/implicit_controller.hpp"
#include "support/implicit_fixture.hpp"
#include "support/integration_fixture.hpp"
#include "support/order_estimate.hpp"
#include "support/problems/stiff_problems.hpp"

namespace saltus::test {
namespace {

using integrate::Sdirk4;
using trajectory::CompensatedTime;
using trajectory::SegmentView;

// x = sin(t + ½t²) with an algebraic z = x² + x.
constexpr auto kSmooth = [](double t, auto y, auto ydot, auto r) {
  const double exact = std::sin(t + 0.5 * t * t);
  r[0] = ydot[0] - (1.0 + t) * std::cos(t + 0.5 * t * t) + (y[1] - exact * exact - exact) * (2.0 + y[0]);
  r[1] = y[1] - y[0] * y[0] - y[0];
};

TEST(Sdirk4, HasOrderFourInStatesAndAlgebraicUnknownsAndInBetween) {
  const GenericDae dae(kSmooth, 1, 2, {0.7, 0.2, 0.3});
  std::vector<double> sizes;
  std::vector<double> x_errors;
  std::vector<double> z_errors;
  std::vector<double> dense_errors;
  for (const int n : {10, 15, 22, 33, 50}) {
    const auto evaluator = dae.make_evaluator();
    Sdirk4 stepper(*evaluator, &dae, 1, no_error_test(1));
    ASSERT_TRUE(stepper.restart(CompensatedTime(0.0), std::vector<double>{0.0}).ok());
    const double h = 1.5 / n;
    for (int i = 0; i < n; ++i) {
      ASSERT_TRUE(stepper.attempt(h).good());
      stepper.accept();
    }
    const double exact = std::sin(1.5 + 0.5 * 1.5 * 1.5);
    sizes.push_back(h);
    x_errors.push_back(std::abs(stepper.state()[0] - exact));
    z_errors.push_back(std::abs(stepper.algebraic()[0] - exact * exact - exact));
    SegmentView segment;
    ASSERT_TRUE(stepper.dense_output(integrate::DenseOutput::full, segment).ok());
    const double t = 1.5 - 0.7 * h;
    dense_errors.push_back(std::abs(segment.value(0, 0.3) - std::sin(t + 0.5 * t * t)));
  }
  EXPECT_NEAR(observed_order(sizes, x_errors), 4.0, 0.3);
  EXPECT_NEAR(observed_order(sizes, z_errors), 4.0, 0.3);
  EXPECT_GT(observed_order(sizes, dense_errors), 3.7);
}

TEST(Sdirk4, StiffProblemsAreSolvedToTheirTolerances) {
  for (const double tolerance : {1e-4, 1e-6}) {
    const StiffProblem problem = hires();
    const GenericDae dae(kHires, 8, 8, problem.probe);
    const auto evaluator = dae.make_evaluator();
    Sdirk4 stepper(*evaluator, &dae, 8, tolerances(8, tolerance, 1e-4 * tolerance));
    integrate::ImplicitController controller(stepper, stepper.embedded_order());
    integrate::Advance advance(stepper, controller, {.initial_step = 1e-6});
    ASSERT_TRUE(stepper.restart(CompensatedTime(0.0), problem.x_start).ok());
    IgnoringSink sink;
    ASSERT_TRUE(advance.to(problem.t_end, sink).reached_end());
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_NEAR(stepper.state()[i] / problem.x_end[i], 1.0, 20.0 * tolerance) << i;
    }
    EXPECT_LT(stepper.statistics().jacobians, stepper.statistics().accepted);
  }
}

}  // namespace
}  // namespace saltus::test
