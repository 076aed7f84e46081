// Guards that are not affine: polynomials, enclosed functions, functions that can only be evaluated.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "locate/event_search.hpp"
#include "support/guard_fixture.hpp"

namespace saltus::locate {
namespace {

using test::opaque_guard;
using test::polynomial_guard;
using test::PolynomialMotion;
using test::StepWithGuards;
using test::TestGuard;
using Kind = SearchResult::Kind;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kRounding = 32.0 * kEpsilon;

Interval sine(const Interval& a) {
  if (a.upper - a.lower >= 2.0 * std::numbers::pi) {
    return {-1.0, 1.0};
  }
  Interval result{std::min(std::sin(a.lower), std::sin(a.upper)),
                  std::max(std::sin(a.lower), std::sin(a.upper))};
  const auto holds = [&](double phase) {
    return std::floor((a.upper - phase) / (2.0 * std::numbers::pi)) >
           std::floor((a.lower - phase) / (2.0 * std::numbers::pi));
  };
  result.upper = holds(0.5 * std::numbers::pi) ? 1.0 : result.upper;
  result.lower = holds(-0.5 * std::numbers::pi) ? -1.0 : result.lower;
  return {result.lower - 4.0 * kEpsilon, result.upper + 4.0 * kEpsilon};
}
Interval cosine(const Interval& a) {
  return sine({a.lower + 0.5 * std::numbers::pi, a.upper + 0.5 * std::numbers::pi});
}
Interval times(const Interval& a, const Interval& b) {
  const std::array<double, 4> p{a.lower * b.lower, a.lower * b.upper, a.upper * b.lower, a.upper * b.upper};
  return {*std::min_element(p.begin(), p.end()), *std::max_element(p.begin(), p.end())};
}

// sin(factor·x[0]) - level, with enclosures.
TestGuard sine_guard(double factor, double level) {
  TestGuard guard;
  guard.value = [=](double, std::span<const double> x) { return std::sin(factor * x[0]) - level; };
  guard.shape = {system::GuardShape::Kind::enclosed, 0};
  guard.noise = 4.0 * kEpsilon;
  const Interval f{factor, factor};
  guard.range = [=](const Interval&, std::span<const Interval> x) {
    const Interval s = sine(times(f, x[0]));
    return Interval{s.lower - level, s.upper - level};
  };
  guard.rate = [=](const Interval&, std::span<const Interval> x, std::span<const Interval> xdot) {
    return times(times(f, cosine(times(f, x[0]))), xdot[0]);
  };
  return guard;
}

TestGuard exponential_guard(double level) {
  TestGuard guard;
  guard.value = [=](double, std::span<const double> x) { return std::exp(x[0]) - level; };
  guard.shape = {system::GuardShape::Kind::enclosed, 0};
  guard.noise = 4.0 * kEpsilon * level;
  const auto range = [](const Interval& a) {
    return Interval{std::exp(a.lower) * (1.0 - 2.0 * kEpsilon), std::exp(a.upper) * (1.0 + 2.0 * kEpsilon)};
  };
  guard.range = [=](const Interval&, std::span<const Interval> x) {
    return Interval{range(x[0]).lower - level, range(x[0]).upper - level};
  };
  guard.rate = [=](const Interval&, std::span<const Interval> x, std::span<const Interval> xdot) {
    return times(range(x[0]), xdot[0]);
  };
  return guard;
}

// sin(time) - 0.5
TestGuard time_guard() {
  TestGuard guard;
  guard.value = [](double t, std::span<const double>) { return std::sin(t) - 0.5; };
  guard.shape = {system::GuardShape::Kind::enclosed, 0};
  guard.noise = 2.0 * kEpsilon;
  guard.range = [](const Interval& t, std::span<const Interval>) {
    const Interval s = sine(t);
    return Interval{s.lower - 0.5, s.upper - 0.5};
  };
  guard.rate = [](const Interval& t, std::span<const Interval>, std::span<const Interval>) {
    return cosine(t);
  };
  return guard;
}

const PolynomialMotion kLine{{{0.0, 1.0}}};

TEST(CurvedGuards, QuadraticWithBothRootsInTheStep) {
  // x(1 - x) - 3/16 on x = t: roots at 1/4 and 3/4.
  StepWithGuards step(kLine,
                      {polynomial_guard(2, [](double, auto x) { return x[0] * (1.0 - x[0]) - 0.1875; })});
  const SearchResult first = step.step(1.0);
  ASSERT_EQ(first.kind, Kind::found);
  EXPECT_NEAR(first.theta, 0.25, kRounding);
  // From there on: the other one.
  ASSERT_TRUE(step.stepper.restart(trajectory::CompensatedTime(0.25), std::vector<double>{0.25}).ok());
  const SearchResult second = step.step(0.75, {{.guard = 0, .side = 1.0, .starts_at_root = true}});
  ASSERT_EQ(second.kind, Kind::found);
  EXPECT_NEAR(second.theta * 0.75, 0.5, kRounding);
}

TEST(CurvedGuards, QuadraticTangency) {
  const auto touch = [](double lift) {
    return polynomial_guard(2, [lift](double, auto x) { return (x[0] - 0.3) * (x[0] - 0.3) + lift; });
  };
  StepWithGuards touching(kLine, {touch(0.0)});
  EXPECT_EQ(touching.step(1.0).kind, Kind::none);
  StepWithGuards missing(kLine, {touch(1e-9)});
  EXPECT_EQ(missing.step(1.0).kind, Kind::none);
  StepWithGuards passing(kLine, {touch(-1e-5)});
  const SearchResult result = passing.step(1.0);
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_NEAR(result.theta, 0.3 - std::sqrt(1e-5), 1e-12);
}

TEST(CurvedGuards, QuarticOfAQuinticMotion) {
  // Degree 20 in θ.
  const PolynomialMotion motion{{{0.0, 0.5, 0.2, 0.1, 0.1, 0.1}}};
  StepWithGuards step(motion,
                      {polynomial_guard(4, [](double, auto x) { return std::pow(x[0], 4.0) - 0.02; })}, 0.0,
                      {}, 1e-2);
  const SearchResult result = step.step(1.0);
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_NEAR(motion.at(0, result.theta), std::pow(0.02, 0.25), 1e-14);
}

TEST(CurvedGuards, SineOfAState) {
  // sin(7x) > 0.9 for the first time at x = asin(0.9)/7.
  StepWithGuards step(kLine, {sine_guard(7.0, 0.9)});
  const SearchResult result = step.step(1.0);
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_NEAR(result.theta, std::asin(0.9) / 7.0, kRounding);
}

TEST(CurvedGuards, SineThatTouchesMissesAndPasses) {
  StepWithGuards touch(kLine, {sine_guard(7.0, 1.0)});
  EXPECT_EQ(touch.step(1.0).kind, Kind::none);
  StepWithGuards miss(kLine, {sine_guard(7.0, 1.0 + 1e-9)});
  EXPECT_EQ(miss.step(1.0).kind, Kind::none);
  StepWithGuards pass(kLine, {sine_guard(7.0, 1.0 - 1e-5)});
  const SearchResult result = pass.step(1.0);
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_NEAR(result.theta, std::asin(1.0 - 1e-5) / 7.0, 1e-13);
}

TEST(CurvedGuards, ManySwingsInOneStep) {
  // 32 sign changes in the step; the side is that just after the one at the start.
  StepWithGuards step(kLine, {sine_guard(100.0, 0.0)});
  const SearchResult result = step.step(1.0, {{.guard = 0, .side = 1.0, .starts_at_root = true}});
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_NEAR(result.theta, std::numbers::pi / 100.0, kRounding);
}

TEST(CurvedGuards, Exponential) {
  StepWithGuards step(kLine, {exponential_guard(2.0)});
  const SearchResult result = step.step(1.0);
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_NEAR(result.theta, std::numbers::ln2, kRounding);
  StepWithGuards far(kLine, {exponential_guard(3.0)});
  EXPECT_EQ(far.step(1.0).kind, Kind::none);
  EXPECT_EQ(far.search.counters().full_extensions, 0) << "one enclosure proves it";
}

TEST(CurvedGuards, TimeAlone) {
  StepWithGuards step(kLine, {time_guard()});
  step.search.watch(step.evaluator, step.watches());
  EXPECT_EQ(step.attempt(0.4).kind, Kind::none);
  step.stepper.accept();
  const SearchResult result = step.attempt(0.4);
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_NEAR(0.4 + step.local_time(result.theta), std::numbers::pi / 6.0, kRounding);
}

TEST(CurvedGuards, DeflatedTangentially) {
  // 1 - cos: starts at zero with zero rate and leaves upwards.
  TestGuard guard = sine_guard(7.0, 0.0);
  guard.value = [](double, std::span<const double> x) { return 1.0 - std::cos(x[0]); };
  guard.range = [](const Interval&, std::span<const Interval> x) {
    return Interval{1.0 - cosine(x[0]).upper, 1.0 - cosine(x[0]).lower};
  };
  guard.rate = [](const Interval&, std::span<const Interval> x, std::span<const Interval> xdot) {
    return times(sine(x[0]), xdot[0]);
  };
  StepWithGuards step(kLine, {guard});
  EXPECT_EQ(step.step(1.0, {{.guard = 0, .side = 1.0, .starts_at_root = true}}).kind, Kind::none);
}

TEST(CurvedGuards, EnclosedThatNeverDecidesAsksForASmallerStep) {
  TestGuard guard = sine_guard(1.0, 5.0);
  guard.range = [](const Interval&, std::span<const Interval>) { return Interval{-1e3, 1e3}; };
  guard.rate = [](const Interval&, std::span<const Interval>, std::span<const Interval>) {
    return Interval{-1e12, 1e12};
  };
  StepWithGuards step(kLine, {guard});
  const SearchResult result = step.step(1.0);
  EXPECT_EQ(result.kind, Kind::refine);
  EXPECT_GE(result.theta, 0.5);
  EXPECT_LT(result.theta, 1.0);
}

TEST(CurvedGuards, OpaqueRootTouchMissAndPass) {
  StepWithGuards root(kLine, {opaque_guard([](double, auto x) { return std::exp(x[0]) - 2.0; })});
  const SearchResult result = root.step(1.0);
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_NEAR(result.theta, std::numbers::ln2, kRounding);

  const auto bump = [](double level) {
    return opaque_guard([level](double, auto x) { return level - std::sin(7.0 * x[0]); });
  };
  StepWithGuards touch(kLine, {bump(1.0)});
  EXPECT_EQ(touch.step(1.0).kind, Kind::none);
  StepWithGuards miss(kLine, {bump(1.0 + 1e-5)});
  EXPECT_EQ(miss.step(1.0).kind, Kind::none);
  StepWithGuards pass(kLine, {bump(1.0 - 1e-5)});
  const SearchResult passed = pass.step(1.0);
  ASSERT_EQ(passed.kind, Kind::found);
  EXPECT_NEAR(passed.theta, std::asin(1.0 - 1e-5) / 7.0, 1e-12);
}

TEST(CurvedGuards, OpaqueWithFastSwingsIsResolved) {
  StepWithGuards step(
      kLine, {opaque_guard([](double, auto x) { return 1.001 - std::sin(60.0 * x[0]) - 0.01 * x[0]; })});
  const SearchResult result = step.step(1.0);
  // 1.001 - 0.01x falls below 1 for x > 0.1: first swing whose top is reached is at 60x = π/2 + 2π.
  ASSERT_EQ(result.kind, Kind::found);
  const double x = result.theta;
  EXPECT_NEAR(1.001 - std::sin(60.0 * x) - 0.01 * x, 0.0, 1e-14);
  EXPECT_GT(60.0 * x, 2.0 * std::numbers::pi);
  EXPECT_LT(60.0 * x, 2.5 * std::numbers::pi);
}

TEST(CurvedGuards, OpaqueDeflated) {
  StepWithGuards step(kLine, {opaque_guard([](double, auto x) { return std::sin(4.0 * x[0]); })});
  const SearchResult result = step.step(1.0, {{.guard = 0, .side = 1.0, .starts_at_root = true}});
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_NEAR(result.theta, std::numbers::pi / 4.0, kRounding);
  EXPECT_EQ(step.step(0.7, {{.guard = 0, .side = 1.0, .starts_at_root = true}}).kind, Kind::none);
}

TEST(CurvedGuards, OpaqueThatIsNotResolvedAsksForASmallerStep) {
  // A kink is never resolved; where it is close to zero the step must shrink.
  StepWithGuards step(kLine, {opaque_guard([](double, auto x) { return std::abs(x[0] - 0.37) + 1e-9; })});
  EXPECT_EQ(step.step(1.0).kind, Kind::refine);
}

TEST(CurvedGuards, WhatCannotBeEvaluatedFails) {
  StepWithGuards step(kLine, {opaque_guard([](double, auto x) { return std::sqrt(0.5 - x[0]) + 1.0; })});
  const SearchResult result = step.step(1.0);
  EXPECT_EQ(result.kind, Kind::failed);
  EXPECT_EQ(result.evaluation.status, system::Evaluation::Status::not_finite);
  EXPECT_EQ(result.evaluation.culprit, 0);
  // An event before it is found all the same.
  StepWithGuards earlier(kLine, {opaque_guard([](double, auto x) { return std::sqrt(0.5 - x[0]) + 1.0; }),
                                 test::affine_guard({1.0}, -0.25)});
  const SearchResult found = earlier.step(1.0);
  ASSERT_EQ(found.kind, Kind::found);
  EXPECT_NEAR(found.theta, 0.25, kRounding);
}

}  // namespace
}  // namespace saltus::locate
