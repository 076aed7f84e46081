// Observed orders of the implicit methods: states, algebraic unknowns, dense output, event time and event state.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "integrate/implicit/radau5.hpp"
#include "support/implicit_fixture.hpp"
#include "support/integration_fixture.hpp"
#include "support/order_estimate.hpp"

namespace saltus::test {
namespace {

using integrate::DenseOutput;
using integrate::Radau5;
using trajectory::CompensatedTime;
using trajectory::SegmentView;

// x₁ = sin(t + ½t²), x₂ = e^(-sin t), as solution of a coupled nonlinear system whose residuals have a mass that depends on x,
// with an algebraic z = x₁x₂ + z³/10 - z³_exact/10 that is only implicitly given.
double first(double t) {
  return std::sin(t + 0.5 * t * t);
}
double second(double t) {
  return std::exp(-std::sin(t));
}
double algebraic(double t) {
  return first(t) * second(t);
}
constexpr auto kSmoothDae = [](double t, auto y, auto ydot, auto r) {
  const double x1 = first(t);
  const double x2 = second(t);
  const double z = algebraic(t);
  // Terms that vanish on the solution couple everything.
  r[0] = (2.0 + y[1] * y[1]) * (ydot[0] - (1.0 + t) * std::cos(t + 0.5 * t * t) - (y[2] - z) * y[0]) +
         0.3 * (y[1] - x2);
  r[1] = ydot[1] + std::cos(t) * y[1] - 0.5 * (y[2] * y[2] - z * z) + 0.2 * (ydot[0] * y[1] - ydot[0] * x2);
  r[2] = y[2] + 0.1 * y[2] * y[2] * y[2] - y[0] * y[1] - 0.1 * z * z * z + 0.05 * (y[0] - x1);
};

class SmoothDae {
 public:
  explicit SmoothDae(double h)
      : evaluator_(dae_.make_evaluator()), stepper_(*evaluator_, &dae_, 2, no_error_test(2)), h_(h) {
    EXPECT_TRUE(stepper_.restart(CompensatedTime(0.0), std::vector<double>{first(0.0), second(0.0)}).ok());
  }
  void step() {
    ASSERT_TRUE(stepper_.attempt(h_).good());
    stepper_.accept();
  }
  Radau5& stepper() { return stepper_; }

 private:
  GenericDae<decltype(kSmoothDae)> dae_{kSmoothDae, 2, 3, {0.7, 0.2, 0.3, 0.4, 0.6}};
  std::unique_ptr<system::Evaluator> evaluator_;
  Radau5 stepper_;
  double h_;
};

const std::vector<int> kSteps = {6, 9, 13, 19, 28};
constexpr double kEnd = 1.5;

TEST(ImplicitOrder, Radau5HasOrderFiveInStatesAndAlgebraicUnknowns) {
  std::vector<double> sizes;
  std::vector<double> x_errors;
  std::vector<double> z_errors;
  for (const int n : kSteps) {
    SmoothDae run(kEnd / n);
    for (int i = 0; i < n; ++i) {
      run.step();
    }
    sizes.push_back(kEnd / n);
    x_errors.push_back(distance(run.stepper().state(), std::vector<double>{first(kEnd), second(kEnd)}));
    z_errors.push_back(std::abs(run.stepper().algebraic()[0] - algebraic(kEnd)));
  }
  EXPECT_NEAR(observed_order(sizes, x_errors), 5.0, 0.35);
  EXPECT_NEAR(observed_order(sizes, z_errors), 5.0, 0.35);
  EXPECT_LT(x_errors.back(), 1e-7);
}

TEST(ImplicitOrder, Radau5DenseOutputsHaveTheirOrders) {
  for (const DenseOutput which : {DenseOutput::standard, DenseOutput::full}) {
    std::vector<double> sizes;
    std::vector<double> errors;
    for (const double h : {0.4, 0.3, 0.2, 0.15, 0.1}) {
      SmoothDae run(h);
      run.step();
      SegmentView segment;
      ASSERT_TRUE(run.stepper().dense_output(which, segment).ok());
      double largest = 0.0;
      for (int k = 1; k < 20; ++k) {
        const double theta = k / 20.0;
        largest = std::max(largest, std::abs(segment.value(0, theta) - first(theta * h)));
        largest = std::max(largest, std::abs(segment.value(1, theta) - second(theta * h)));
      }
      sizes.push_back(h);
      errors.push_back(largest);
    }
    // The error of one step is one power of h beyond the order.
    EXPECT_NEAR(observed_order(sizes, errors), which == DenseOutput::full ? 6.0 : 5.0, 0.4);
  }
}

// The event is where x₁ falls through ½, found on the full dense output of the step that holds it.
TEST(ImplicitOrder, Radau5HasOrderFiveInEventTimeAndState) {
  constexpr double kLevel = 0.5;
  // t + ½t² = 5π/6
  const double exact_time = std::sqrt(1.0 + 5.0 * std::acos(-1.0) / 3.0) - 1.0;
  std::vector<double> sizes;
  std::vector<double> time_errors;
  std::vector<double> state_errors;
  for (const int n : {9, 13, 19, 28, 41}) {
    const double h = 1.9 / n;
    SmoothDae run(h);
    for (int i = 0; i < n; ++i) {
      run.step();
      if (run.stepper().step_start_state()[0] > kLevel && run.stepper().state()[0] <= kLevel) {
        break;
      }
    }
    SegmentView segment;
    ASSERT_TRUE(run.stepper().dense_output(DenseOutput::full, segment).ok());
    double low = 0.0;
    double high = 1.0;
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (low + high);
      (segment.value(0, middle) > kLevel ? low : high) = middle;
    }
    sizes.push_back(h);
    time_errors.push_back(std::abs(segment.start_time() + low * h - exact_time));
    state_errors.push_back(std::abs(segment.value(1, low) - second(exact_time)));
  }
  EXPECT_GT(observed_order(sizes, time_errors), 4.5);
  EXPECT_GT(observed_order(sizes, state_errors), 4.5);
  EXPECT_LT(state_errors.back(), 1e-7);
}

}  // namespace
}  // namespace saltus::test
