// Event time and event state have the order of the method.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/explicit_method.hpp"
#include "support/guard_fixture.hpp"
#include "support/order_estimate.hpp"

namespace saltus::locate {
namespace {

using test::affine_guard;
using test::opaque_guard;

struct Outcome {
  double time;
  std::vector<double> x;
};

// x' = y, y' = -x - 0.2 y + 0.1 x³, from (1, 0): smooth and not solvable in closed form.
void oscillator(double, std::span<const double> x, std::span<double> xdot) {
  xdot[0] = x[1];
  xdot[1] = -x[0] - 0.2 * x[1] + 0.1 * x[0] * x[0] * x[0];
}

Outcome first_event(const test::TestGuard& guard, double h) {
  test::GuardedEvaluator evaluator(oscillator, {guard});
  integrate::ExplicitRungeKutta stepper(*test::find_explicit_method("dopri5"), evaluator, 2,
                                        test::no_error_test(2));
  EXPECT_TRUE(stepper.restart(trajectory::CompensatedTime(0.0), std::vector<double>{1.0, 0.0}).ok());
  EventSearch search(2, {});
  search.watch(evaluator, std::vector<Watch>{{.guard = 0, .side = 1.0}});
  for (;;) {
    EXPECT_TRUE(stepper.attempt(h).good());
    const SearchResult result = search.first_event(stepper, 10.0);
    if (result.found()) {
      Outcome outcome{stepper.time().value() + result.theta * h, std::vector<double>(2)};
      search.segment().evaluate(result.theta, outcome.x);
      return outcome;
    }
    EXPECT_EQ(result.kind, SearchResult::Kind::none);
    stepper.accept();
  }
}

// Errors are added up over several guards, because each also depends on where in its step the event falls.
void expect_order_five(const std::vector<test::TestGuard>& guards) {
  std::vector<Outcome> reference;
  for (const test::TestGuard& guard : guards) {
    reference.push_back(first_event(guard, 1e-3));
  }
  std::vector<double> steps;
  std::vector<double> time_errors;
  std::vector<double> state_errors;
  for (const double n : {32.0, 45.0, 64.0, 90.0, 128.0}) {
    steps.push_back(2.2 / n);
    time_errors.push_back(0.0);
    state_errors.push_back(0.0);
    for (std::size_t k = 0; k < guards.size(); ++k) {
      const Outcome outcome = first_event(guards[k], steps.back());
      time_errors.back() += std::abs(outcome.time - reference[k].time);
      state_errors.back() += test::distance(outcome.x, reference[k].x);
    }
  }
  EXPECT_NEAR(test::observed_order(steps, time_errors), 5.0, 0.3);
  EXPECT_NEAR(test::observed_order(steps, state_errors), 5.0, 0.3);
}

TEST(LocationOrder, AffineGuard) {
  std::vector<test::TestGuard> guards;
  for (int k = 0; k < 8; ++k) {
    guards.push_back(affine_guard({1.0, 0.3}, -0.3 + 0.1 * k));
  }
  expect_order_five(guards);
}

TEST(LocationOrder, OpaqueGuard) {
  std::vector<test::TestGuard> guards;
  for (int k = 0; k < 8; ++k) {
    guards.push_back(opaque_guard([k](double, auto x) { return std::exp(x[0]) - 0.6 - 0.1 * k; }));
  }
  expect_order_five(guards);
}

}  // namespace
}  // namespace saltus::locate
