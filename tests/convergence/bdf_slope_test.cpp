// Orders 1 to 6 of backward differentiation are seen with fixed steps, in x and in z, with starting values of radau5.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "integrate/advance.hpp"
#include "integrate/bdf.hpp"
#include "integrate/bdf_controller.hpp"
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
  for (const int n : {80, 112, 160, 224, 320, 448}) {
    const auto evaluator = dae.make_evaluator();
    integrate::Bdf stepper(*evaluator, &dae, 1, no_error_test(1), {.max_order = 6, .fixed_order = order});
    integrate::BdfController controller(stepper);
    integrate::Advance advance(stepper, controller, {.fixed_step = 4.0 / n});
    ASSERT_TRUE(stepper.restart(trajectory::CompensatedTime(0.0), std::vector<double>{0.0}).ok());
    IgnoringSink sink;
    ASSERT_TRUE(advance.to(4.0, sink).reached_end());
    EXPECT_EQ(stepper.step_order(), order);
    sizes.push_back(4.0 / n);
    errors.push_back(std::abs(stepper.state()[0] - std::sin(4.0)));
  }
  EXPECT_NEAR(observed_order(sizes, errors), order, 0.25);
}

INSTANTIATE_TEST_SUITE_P(Orders, BdfSlope, testing::Range(1, 7),
                         [](const auto& order) { return std::to_string(order.param); });

}  // namespace
}  // namespace saltus::test
