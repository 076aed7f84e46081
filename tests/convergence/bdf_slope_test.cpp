// Orders 1 to 6 of backward differentiation are seen with fixed steps, in x and in z, with starting values of radau5.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "integrate/advance.hpp"
#include "integrate/implicit/bdf.hpp"
#include "integrate/implicit/bdf_controller.hpp"
#include "support/implicit_fixture.hpp"
#include "support/integration_fixture.hpp"
#include "support/order_estimate.hpp"

namespace saltus::test {
namespace {

// The solution is x = sin t, z = cos t: both equations vanish there, and are nonlinear beside it.
struct AroundSine {
  template <class S>
  void operator()(double t, std::span<const S> y, std::span<const S> ydot, std::span<S> r) const {
    r[0] = ydot[0] - y[1] - (y[0] - std::sin(t)) * y[0];
    r[1] = exp(y[1]) - std::exp(std::cos(t)) * (1.0 - 0.5 * (y[0] - std::sin(t)));
  }
};

class BdfSlope : public testing::TestWithParam<int> {};

TEST_P(BdfSlope, FixedStepsShowTheOrder) {
  const GenericDae<AroundSine> dae({}, 1, 2, {0.3, 0.2, 0.5}, {1.0});
  std::vector<double> sizes;
  std::vector<double> errors;
  const int order = GetParam();
  // Steps are solved to 1e-13: with order 6 smaller ones than these would show that and no order.
  const std::vector<int> numbers = order < 6 ? std::vector<int>{80, 112, 160, 224, 320, 448}
                                             : std::vector<int>{64, 80, 100, 126, 158, 200};
  for (const int n : numbers) {
    const auto evaluator = dae.make_evaluator();
    integrate::Bdf stepper(*evaluator, &dae, 1, no_error_test(1), {.max_order = 6, .fixed_order = order});
    integrate::BdfController controller(stepper);
    integrate::Advance advance(stepper, controller, {.fixed_step = 4.0 / n});
    ASSERT_TRUE(stepper.restart(trajectory::CompensatedTime(0.0), std::vector<double>{0.0}).ok());
    // The largest error of all steps: at a single time the leading term may happen to be small.
    double error = 0.0;
    while (stepper.time().since(4.0) != 0.0) {
      const integrate::EndReason reason = advance.step(4.0).reason;
      ASSERT_TRUE(reason == integrate::EndReason::stopped || reason == integrate::EndReason::reached_end);
      error = std::max(error, std::abs(stepper.state()[0] - std::sin(stepper.time().value())));
    }
    EXPECT_EQ(stepper.step_order(), order);
    sizes.push_back(4.0 / n);
    errors.push_back(error);
  }
  EXPECT_NEAR(observed_order(sizes, errors), order, 0.25);
}

INSTANTIATE_TEST_SUITE_P(Orders, BdfSlope, testing::Range(1, 7),
                         [](const auto& order) { return std::to_string(order.param); });

}  // namespace
}  // namespace saltus::test
