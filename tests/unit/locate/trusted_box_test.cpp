// Certificates that outlive a step: what holds in a box is not asked again, and nothing on its way out of it is missed.
#include "locate/trusted_box.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "support/guard_fixture.hpp"

namespace saltus::locate {
namespace {

using test::affine_guard;
using test::StepWithGuards;
using test::TestGuard;
using Kind = SearchResult::Kind;

// c - x², with a range over boxes.
TestGuard parabola(double c) {
  TestGuard guard = test::polynomial_guard(2, [c](double, auto x) { return c - x[0] * x[0]; });
  guard.range = [c](const Interval&, auto x) {
    const double a = x[0].lower * x[0].lower;
    const double b = x[0].upper * x[0].upper;
    const double least = x[0].contains(0.0) ? 0.0 : std::min(a, b);
    return Interval{c - std::max(a, b) - 1e-12, c - least + 1e-12};
  };
  return guard;
}

// c - t.
TestGuard deadline(double c) {
  TestGuard guard = test::polynomial_guard(2, [c](double t, auto) { return c - t; });
  guard.range = [c](const Interval& t, auto) { return Interval{c - t.upper - 1e-12, c - t.lower + 1e-12}; };
  return guard;
}

// Steps of size h until an event; its time, or `end`.
double first_event(StepWithGuards& step, double h, double end) {
  step.search.watch(step.evaluator, step.watches());
  for (double t = 0.0; t < end - 0.5 * h; t += h) {
    const SearchResult result = step.attempt(h);
    EXPECT_TRUE(result.kind == Kind::none || result.found());
    if (result.found()) {
      return t + step.local_time(result.theta);
    }
    step.stepper.accept();
  }
  return end;
}

test::RhsFunction constant_rate(double rate) {
  return [rate](double, std::span<const double>, std::span<double> xdot) { xdot[0] = rate; };
}

TEST(TrustedBox, StepsInsideItAskNothing) {
  StepWithGuards step(constant_rate(0.01), {0.0}, {parabola(100.0), affine_guard({1.0}, 50.0, 1.0)});
  EXPECT_EQ(first_event(step, 0.1, 10.0), 10.0);
  EXPECT_LE(step.search.counters().enclosures, 4) << "one step alone, then one box, for a hundred steps";
  EXPECT_EQ(step.search.counters().full_extensions, 0);
}

TEST(TrustedBox, AGuardApproachedSlowlyIsFound) {
  for (const double rate : {1.0, 0.1, 0.013}) {
    StepWithGuards curved(constant_rate(rate), {0.0}, {parabola(1.0)});
    EXPECT_NEAR(first_event(curved, 0.1, 100.0), 1.0 / rate, 1e-9 / rate) << rate;
    StepWithGuards sum(constant_rate(rate), {0.0}, {affine_guard({-1.0}, 1.0, -rate)});
    EXPECT_NEAR(first_event(sum, 0.1, 100.0), 0.5 / rate, 1e-9 / rate) << rate;
    StepWithGuards threshold(constant_rate(rate), {0.0}, {affine_guard({-1.0}, 1.0)});
    EXPECT_NEAR(first_event(threshold, 0.1, 100.0), 1.0 / rate, 1e-9 / rate) << rate;
  }
}

TEST(TrustedBox, AGuardOfTimeAloneIsFound) {
  StepWithGuards step(constant_rate(0.0), {0.0}, {deadline(7.3)});
  EXPECT_NEAR(first_event(step, 0.1, 20.0), 7.3, 1e-12);
}

TEST(TrustedBox, ATurnWithinTheBoxAndAMotionThatGetsFaster) {
  // x = 1e-3 (eᵗ - 1 - 2t): back and forth at first, then from step to step further than the steps before say.
  const auto rhs = [](double t, std::span<const double>, std::span<double> xdot) {
    xdot[0] = 1e-3 * (std::exp(t) - 2.0);
  };
  StepWithGuards step(rhs, {0.0}, {parabola(0.25)});
  const double t = first_event(step, 0.1, 20.0);
  EXPECT_NEAR(1e-3 * (std::exp(t) - 1.0 - 2.0 * t), 0.5, 1e-5);
}

TEST(TrustedBox, WatchingAnewForgetsIt) {
  // The level moves towards the state: only a box of before would still certify the step.
  StepWithGuards step(constant_rate(0.01), {0.0}, {parabola(100.0)});
  std::vector<Watch> watches = step.watches();
  step.search.watch(step.evaluator, watches);
  for (int k = 0; k < 20; ++k) {
    ASSERT_EQ(step.attempt(0.1).kind, Kind::none);
    step.stepper.accept();
  }
  watches[0].level = 100.0 - 0.0205 * 0.0205;
  step.search.watch(step.evaluator, watches);
  const SearchResult result = step.attempt(0.1);
  ASSERT_TRUE(result.found());
  EXPECT_NEAR(result.theta, 0.5, 1e-6);
}

// Whole runs on orbits that wander, against the signs at many points: nothing between is missed.
TEST(TrustedBox, NothingIsMissedOverManySteps) {
  constexpr unsigned kSeed = 4711;
  std::mt19937 generator(kSeed);
  std::uniform_real_distribution<double> uniform(0.3, 1.7);
  int n_found = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const double a = uniform(generator);
    const double b = uniform(generator);
    const double limit = 1.5 * uniform(generator);
    const auto position = [=](double t) { return std::sin(a * t) + 0.7 * std::sin(b * t + 1.0); };
    const auto rhs = [=](double t, std::span<const double>, std::span<double> xdot) {
      xdot[0] = a * std::cos(a * t) + 0.7 * b * std::cos(b * t + 1.0);
    };
    const bool is_curved = trial % 2 == 0;
    const double start = position(0.0);
    if (std::abs(start) >= limit) {
      continue;
    }
    StepWithGuards step(
        rhs, {start},
        is_curved ? std::vector<TestGuard>{parabola(limit * limit)}
                  : std::vector<TestGuard>{affine_guard({1.0}, limit), affine_guard({-1.0}, limit)});
    double seen = 20.0;
    for (int k = 1; k <= 20'000 && seen == 20.0; ++k) {
      // Beyond what the integration is accurate to.
      seen = std::abs(position(1e-3 * k)) > limit + 1e-4 ? 1e-3 * k : seen;
    }
    const double found = first_event(step, 0.05, 20.0);
    n_found += found < 20.0 ? 1 : 0;
    EXPECT_LE(found, seen) << "seed " << kSeed << ", trial " << trial;
    if (found < 20.0) {
      EXPECT_NEAR(std::abs(position(found)), limit, 1e-4) << "seed " << kSeed << ", trial " << trial;
    }
  }
  EXPECT_GT(n_found, 50);
}

}  // namespace
}  // namespace saltus::locate
