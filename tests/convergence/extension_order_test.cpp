// Orders of the extensions of implicit methods inside a step: where x is integrated and where it follows the equations at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "integrate/method_registry.hpp"
#include "support/implicit_fixture.hpp"
#include "support/integration_fixture.hpp"
#include "support/order_estimate.hpp"

namespace saltus::test {
namespace {

using integrate::DenseOutput;
using trajectory::CompensatedTime;
using trajectory::SegmentView;

double slave(double t) {
  return std::sin(2.0 * t) + 0.3 * t * t;
}
double slave_rate(double t) {
  return 2.0 * std::cos(2.0 * t) + 0.6 * t;
}
double slow(double t) {
  return std::exp(-std::sin(t));
}
// h times it is beyond 1e9 for every step below, so y₀ follows the equations at once and y₁ is integrated.
constexpr double kStiffness = 1e10;
constexpr double kTime = 1.3;
constexpr auto kPair = [](double t, auto y, auto ydot, auto r) {
  r[0] = ydot[0] - slave_rate(t) + kStiffness * (y[0] - slave(t));
  r[1] = ydot[1] + std::cos(t) * y[1] - 0.4 * (y[0] - slave(t));
};

// Largest errors inside a step of size h from kTime; a step before it, because slopes at a start are exact.
std::array<double, 2> errors(const char* method, DenseOutput which, double h) {
  const GenericDae<decltype(kPair)> dae{kPair, 2, 2, {0.7, 0.2, 0.3, 0.4}};
  const std::unique_ptr<system::Evaluator> evaluator = dae.make_evaluator();
  const std::unique_ptr<integrate::Stepper> stepper =
      integrate::make_stepper(*integrate::find_method(method), *evaluator, &dae, 2, no_error_test(2), {});
  const double start = kTime - h;
  EXPECT_TRUE(stepper->restart(CompensatedTime(start), std::vector<double>{slave(start), slow(start)}).ok());
  for (int k = 0; k < 2; ++k) {
    EXPECT_TRUE(stepper->attempt(h).good());
    stepper->accept();
  }
  SegmentView segment;
  EXPECT_TRUE(stepper->dense_output(which, segment).ok());
  // What the first step has left in y₁ is not an error of the extension.
  const double inherited = stepper->step_start_state()[1] / slow(kTime);
  std::array<double, 2> largest{};
  for (int k = 1; k < 40; ++k) {
    const double theta = k / 40.0;
    const double t = kTime + theta * h;
    largest[0] = std::max(largest[0], std::abs(segment.value(0, theta) - slave(t)));
    largest[1] = std::max(largest[1], std::abs(segment.value(1, theta) - inherited * slow(t)));
  }
  return largest;
}

struct Expected {
  const char* method;
  DenseOutput which;
  double slave;
  double slow;
};

class ExtensionOrder : public ::testing::TestWithParam<Expected> {};

TEST_P(ExtensionOrder, IsObservedInsideAStep) {
  std::vector<double> sizes;
  std::array<std::vector<double>, 2> found;
  for (const double h : {0.4, 0.3, 0.2, 0.15, 0.1}) {
    const std::array<double, 2> largest = errors(GetParam().method, GetParam().which, h);
    sizes.push_back(h);
    found[0].push_back(largest[0]);
    found[1].push_back(largest[1]);
  }
  EXPECT_GT(observed_order(sizes, found[0]), GetParam().slave - 0.3);
  EXPECT_GT(observed_order(sizes, found[1]), GetParam().slow - 0.3);
}

// Powers of h of the error inside one step.
INSTANTIATE_TEST_SUITE_P(Methods, ExtensionOrder,
                         ::testing::Values(Expected{"radau5", DenseOutput::standard, 5.0, 5.0},
                                           Expected{"radau5", DenseOutput::full, 5.6, 5.8},
                                           Expected{"sdirk4", DenseOutput::standard, 5.0, 4.0},
                                           Expected{"sdirk4", DenseOutput::full, 5.6, 4.2}),
                         [](const auto& given) {
                           return std::string(given.param.method) +
                                  (given.param.which == DenseOutput::full ? "_full" : "_standard");
                         });

// Under error control the largest error inside the steps is a few tolerances, whatever the stiffness.
class ExtensionControl : public ::testing::TestWithParam<const char*> {};

TEST_P(ExtensionControl, KeepsTheToleranceInsideSteps) {
  for (const double stiffness : {3.0, 1e2, 1e4, 1e6, 1e8}) {
    const auto function = [stiffness](double t, auto y, auto ydot, auto r) {
      r[0] = ydot[0] - slave_rate(t) + stiffness * (y[0] - slave(t));
      r[1] = ydot[1] + y[1] - (slave(t) + y[0] - slave(t));
    };
    const GenericDae<decltype(function)> dae{function, 2, 2, {0.7, 0.2, 0.3, 0.4}};
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      const std::unique_ptr<system::Evaluator> evaluator = dae.make_evaluator();
      const integrate::Method& method = *integrate::find_method(GetParam());
      const std::unique_ptr<integrate::Stepper> stepper =
          integrate::make_stepper(method, *evaluator, &dae, 2, tolerances(2, tolerance, tolerance), {});
      ASSERT_TRUE(stepper->restart(CompensatedTime(0.0), std::vector<double>{slave(0.0), 0.0}).ok());
      const std::unique_ptr<integrate::StepController> controller =
          integrate::make_controller(method, *stepper);
      integrate::Advance advance(*stepper, *controller, {});
      RecordingSink sink;
      ASSERT_EQ(advance.to(8.0, sink).reason, integrate::EndReason::reached_end);
      double largest = 0.0;
      std::array<double, 2> x{};
      for (int k = 0; k <= 4000; ++k) {
        const double t = 8.0 * k / 4000.0;
        sink.trajectory.evaluate(t, x);
        largest = std::max(largest, std::abs(x[0] - slave(t)) / (1.0 + std::abs(slave(t))));
      }
      // Local errors of a damped component do not add up beyond a few steps; bdf's estimate is a mean over components.
      EXPECT_LT(largest, (stiffness > 10.0 ? 6.0 : 30.0) * tolerance)
          << GetParam() << " stiffness " << stiffness << " tolerance " << tolerance;
      if (method.name != "sdirk4") {  // whose estimate is too large there
        EXPECT_LT(stepper->statistics().accepted, 3000) << stiffness << " " << tolerance;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, ExtensionControl, ::testing::Values("radau5", "sdirk4", "bdf"),
                         [](const auto& given) { return std::string(given.param); });

}  // namespace
}  // namespace saltus::test
