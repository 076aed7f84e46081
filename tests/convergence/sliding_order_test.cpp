// Order kept while sliding on a curved surface (docs/math/sliding.md): at the steps, between them, and for the time of the exit.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "slide/field/sliding_field.hpp"
#include "support/explicit_method.hpp"
#include "support/integration_fixture.hpp"
#include "support/order_estimate.hpp"
#include "support/problems/sliding_circle.hpp"

namespace saltus::test {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr Index kExitMinus = 2;  // 1 + s of the one surface of one guard

// A run of fixed steps on the circle from angle 0.
class CircleRun {
 public:
  CircleRun(const integrate::Tableau& method, double h)
      : system(sliding_circle()),
        inner(system),
        field(inner, 2, inner.infos),
        stepper(method, field, 2, no_error_test(2)),
        h_(h) {
    const std::vector<Index> surfaces = {0};
    slide::SlidingSet set;
    set.surfaces = surfaces;
    set.configuration = &inner.configuration;
    field.begin(set);
    EXPECT_TRUE(stepper.restart(trajectory::CompensatedTime(0.0), std::vector<double>{1.0, 0.0}).ok());
  }

  void step() {
    ASSERT_TRUE(stepper.attempt(h_).good());
    stepper.accept();
  }
  [[nodiscard]] double error(double t, std::span<const double> x) const {
    const std::vector<double> exact = sliding_circle_point(sliding_circle_angle(t));
    return std::hypot(x[0] - exact[0], x[1] - exact[1]);
  }
  // Largest error of the extension within the open step.
  double dense_error(integrate::DenseOutput which) {
    trajectory::SegmentView segment;
    EXPECT_TRUE(stepper.dense_output(which, segment).ok());
    std::vector<double> x(2);
    double largest = 0.0;
    for (const double theta : {0.2, 0.45, 0.7, 0.9}) {
      segment.evaluate(theta, x);
      EXPECT_TRUE(field.project(0.0, x).ok());
      largest = std::max(largest, error(segment.start().value() + theta * h_, x));
    }
    segment.evaluate(1.0, x);
    EXPECT_NEAR(distance(x, stepper.state()), 0.0, 8.0 * kEpsilon);
    return largest;
  }

  SwitchedSystem system;
  SwitchedEvaluator inner;
  slide::SlidingField field;
  integrate::ExplicitRungeKutta stepper;

 private:
  double h_;
};

struct Observed {
  std::vector<double> steps;
  std::vector<double> at_steps;
  std::vector<double> standard;
  std::vector<double> full;
};

Observed observe(const integrate::Tableau& method, int first, int last) {
  Observed observed;
  // Beyond the exit the weights leave [-1, 1]; the field and its solution go on smoothly.
  constexpr double kEnd = 2.0;
  for (int n = first; n <= last; n += (last - first) / 6) {
    const double h = kEnd / n;
    CircleRun run(method, h);
    double at_steps = 0.0;
    double standard = 0.0;
    double full = 0.0;
    for (int i = 0; i < n; ++i) {
      run.step();
      standard = std::max(standard, run.dense_error(integrate::DenseOutput::standard));
      full = std::max(full, run.dense_error(integrate::DenseOutput::full));
      const std::span<const double> x = run.stepper.state();
      at_steps = std::max(at_steps, run.error(run.stepper.time().value(), x));
      EXPECT_NEAR(run.system.guards[0].value(0.0, x, {}), 0.0, 8.0 * kEpsilon) << "held to rounding";
    }
    observed.steps.push_back(h);
    observed.at_steps.push_back(at_steps);
    observed.standard.push_back(standard);
    observed.full.push_back(full);
  }
  return observed;
}

TEST(SlidingOrder, DormandPrinceKeepsOrderFive) {
  const Observed observed = observe(*test::find_explicit_method("dopri5"), 8, 38);
  EXPECT_GT(observed_order(observed.steps, observed.at_steps), 4.7);
  EXPECT_GT(observed_order(observed.steps, observed.full), 4.7);
  EXPECT_GT(observed_order(observed.steps, observed.standard), 4.0 - 0.2);
}

TEST(SlidingOrder, OtherMethodsKeepTheirsToo) {
  for (const integrate::Tableau* method : integrate::explicit_methods()) {
    if (method->order > 5) {
      continue;  // rounding is reached within a few steps
    }
    const Observed observed = observe(*method, 12, 60);
    EXPECT_GT(observed_order(observed.steps, observed.at_steps), method->order - 0.3) << method->name;
  }
}

// The exit is a root of 1 + s on the extension of the method's order.
TEST(SlidingOrder, TimeOfTheExitHasTheOrderOfTheMethod) {
  std::vector<double> steps;
  std::vector<double> errors;
  const double exact = sliding_circle_exit();
  for (int n = 3; n <= 15; n += 2) {
    const double h = exact / (n - 0.43);
    CircleRun run(*test::find_explicit_method("dopri5"), h);
    for (int i = 0; i < n; ++i) {
      run.step();
    }
    trajectory::SegmentView segment;
    ASSERT_TRUE(run.stepper.dense_output(integrate::DenseOutput::full, segment).ok());
    std::vector<double> x(2);
    const auto exit_value = [&](double theta) {
      segment.evaluate(theta, x);
      double value = 0.0;
      EXPECT_TRUE(run.field.guards({&kExitMinus, 1}, theta, x, {&value, 1}).ok());
      return value;
    };
    double low = 0.0;
    double high = 1.0;
    ASSERT_GT(exit_value(low), 0.0);
    ASSERT_LT(exit_value(high), 0.0);
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      (exit_value(middle) > 0.0 ? low : high) = middle;
    }
    steps.push_back(h);
    errors.push_back(std::abs(segment.start().value() + low * h - exact));
  }
  EXPECT_GT(observed_order(steps, errors), 4.5);
  EXPECT_LT(errors.back(), 1e-9);
}

}  // namespace
}  // namespace saltus::test
