// The earliest event on a step (docs/semantics.md 4): every hard case by name.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "locate/event_search.hpp"
#include "support/guard_fixture.hpp"

namespace saltus::locate {
namespace {

using test::affine_guard;
using test::opaque_guard;
using test::polynomial_guard;
using test::PolynomialMotion;
using test::StepWithGuards;
using Kind = SearchResult::Kind;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// The coefficients of the full extension carry a few roundings each.
constexpr double kRounding = 16.0 * kEpsilon;

// x = (t - a)(t - b) + lift
PolynomialMotion parabola(double a, double b, double lift = 0.0) {
  return {{{a * b + lift, -(a + b), 1.0}}};
}

TEST(EventSearch, NothingHappensFarFromTheSurface) {
  StepWithGuards step({{{2.0, -1.0}}}, {affine_guard({1.0}, 0.0)});
  EXPECT_EQ(step.step(1.0).kind, Kind::none);
  EXPECT_EQ(step.search.counters().full_extensions, 0) << "the free extension suffices";
  EXPECT_EQ(step.evaluator.n_rhs(), 7);
}

TEST(EventSearch, SimpleRootToTheLastBit) {
  StepWithGuards step({{{1.0, -3.0}}}, {affine_guard({1.0}, 0.0)});
  const SearchResult result = step.step(1.0);
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_NEAR(result.theta, 1.0 / 3.0, kEpsilon);
  ASSERT_EQ(result.crossings.size(), 1U);
  EXPECT_EQ(result.crossings[0].watch, 0);
  EXPECT_FALSE(result.extrapolated);
  EXPECT_LE(std::abs(step.state(result.theta)[0]), 2.0 * kEpsilon);
}

TEST(EventSearch, EvenNumberOfRootsInAStep) {
  StepWithGuards step(parabola(0.4, 0.6), {affine_guard({1.0}, 0.0)});
  const SearchResult result = step.step(1.0);
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_NEAR(result.theta, 0.4, kRounding);
}

TEST(EventSearch, PairOfRootsOneBillionthApart) {
  StepWithGuards step(parabola(0.5, 0.5 + 1e-6), {affine_guard({1.0}, 0.0)});
  const SearchResult result = step.step(1.0);
  ASSERT_EQ(result.kind, Kind::found);
  // The pair is found; its excursion is 2.5e-13, so noise of 1e-16 moves the root by 2e-10.
  EXPECT_NEAR(result.theta, 0.5, 1e-9);
}

TEST(EventSearch, FiveRootsGiveTheFirst) {
  // Π (t - k/6)
  std::vector<double> row{1.0};
  for (int k = 1; k <= 5; ++k) {
    std::vector<double> next(row.size() + 1, 0.0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      next[i] -= row[i] * k / 6.0;
      next[i + 1] += row[i];
    }
    row = next;
  }
  StepWithGuards step({{row}}, {affine_guard({1.0}, 0.0)}, 0.0, {}, 1.0);
  const SearchResult result = step.step(1.0);
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_NEAR(result.theta, 1.0 / 6.0, 1e-14);
}

TEST(EventSearch, TangencyThatTouchesIsNoEvent) {
  StepWithGuards step(parabola(0.5, 0.5), {affine_guard({1.0}, 0.0)});
  EXPECT_EQ(step.step(1.0).kind, Kind::none);
  // At a point that halving never meets, where rounding errors decide the sign of the minimum.
  StepWithGuards third(parabola(1.0 / 3.0, 1.0 / 3.0), {affine_guard({1.0}, 0.0)});
  EXPECT_EQ(third.step(1.0).kind, Kind::none);
}

TEST(EventSearch, TangencyThatJustMissesIsNoEvent) {
  for (const double gap : {1e-5, 1e-9, 1e-12}) {
    StepWithGuards step(parabola(1.0 / 3.0, 1.0 / 3.0, gap), {affine_guard({1.0}, 0.0)});
    EXPECT_EQ(step.step(1.0).kind, Kind::none) << gap;
  }
}

TEST(EventSearch, TangencyThatPassesByTenTolerancesIsTwoEvents) {
  const double tolerance = 1e-6;
  StepWithGuards step(parabola(1.0 / 3.0, 1.0 / 3.0, -10.0 * tolerance), {affine_guard({1.0}, 0.0)}, 0.0, {},
                      tolerance);
  const SearchResult first = step.step(1.0);
  ASSERT_EQ(first.kind, Kind::found);
  const double half_width = std::sqrt(10.0 * tolerance);
  EXPECT_NEAR(first.theta, 1.0 / 3.0 - half_width, 1e-13);
  // Go on from there on the other side: the second root, and the first not again.
  const double t = step.local_time(first.theta);
  const std::vector<double> x = step.state(first.theta);
  ASSERT_TRUE(step.stepper.restart(trajectory::CompensatedTime(t), x).ok());
  const SearchResult second = step.step(0.5, {{.guard = 0, .side = -1.0, .starts_at_root = true}});
  ASSERT_EQ(second.kind, Kind::found);
  EXPECT_NEAR(t + step.local_time(second.theta), 1.0 / 3.0 + half_width, 1e-12);
}

TEST(EventSearch, TenGuardsWithinOneTrillionthAreTenInstantsInOrder) {
  std::vector<test::TestGuard> guards;
  for (int k = 0; k < 10; ++k) {
    guards.push_back(affine_guard({1.0}, -(0.5 + 1e-13 * ((k * 7) % 10))));
  }
  StepWithGuards step({{{0.0, 1.0}}}, guards);
  std::vector<Watch> watches = step.watches();
  double t = 0.0;
  double last = 0.0;
  std::vector<double> x{0.0};
  for (int k = 0; k < 10; ++k) {
    const SearchResult result = step.step(1.0, watches);
    ASSERT_EQ(result.kind, Kind::found) << k;
    ASSERT_EQ(result.crossings.size(), 1U) << k;
    const auto crossed = static_cast<std::size_t>(result.crossings[0].watch);
    EXPECT_EQ((crossed * 7) % 10, static_cast<std::size_t>(k));
    x = step.state(result.theta);
    t += step.local_time(result.theta);
    EXPECT_GT(t, last);
    last = t;
    for (Watch& watch : watches) {
      watch.starts_at_root = false;
    }
    watches[crossed].side = 1.0;
    watches[crossed].starts_at_root = true;
    ASSERT_TRUE(step.stepper.restart(trajectory::CompensatedTime(t), x).ok());
  }
  EXPECT_EQ(step.step(1.0, watches).kind, Kind::none);
}

TEST(EventSearch, GuardsOfOneInstantCrossTogether) {
  StepWithGuards step({{{0.0, 1.0}, {1.0, -2.0}, {0.0, 1.0}}},
                      {affine_guard({1.0, 0.0, 0.0}, -0.5), affine_guard({0.0, 1.0, 0.0}, 0.0),
                       affine_guard({0.0, 0.0, 1.0}, -0.7),
                       polynomial_guard(2, [](double, auto x) { return x[0] * x[0] - 0.25; })});
  const SearchResult result = step.step(1.0);
  ASSERT_EQ(result.kind, Kind::found);
  ASSERT_EQ(result.crossings.size(), 3U);
  EXPECT_NEAR(result.theta, 0.5, kRounding);
  std::vector<Index> which;
  for (const Crossing& crossing : result.crossings) {
    which.push_back(crossing.watch);
  }
  std::sort(which.begin(), which.end());
  EXPECT_EQ(which, (std::vector<Index>{0, 1, 3}));
}

TEST(EventSearch, RootAtTheEndOfAStepCountsOnce) {
  StepWithGuards step({{{1.0, -1.0}}}, {affine_guard({1.0}, 0.0)});
  const SearchResult result = step.step(1.0);
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_EQ(result.theta, 1.0);
  // The next step starts on the surface on the other side.
  ASSERT_TRUE(step.stepper.restart(trajectory::CompensatedTime(1.0), step.state(1.0)).ok());
  EXPECT_EQ(step.step(1.0, {{.guard = 0, .side = -1.0, .starts_at_root = true}}).kind, Kind::none);
}

TEST(EventSearch, RootAtTheEndUpToRoundingIsNeverLost) {
  // Steps of 0.1 add up to 1 with rounding errors: the root at 1 is found in the tenth or the eleventh step, once.
  for (const double slope : {1.0, 1.0 / 3.0, 7.0, 1e-9, 1e9}) {
    StepWithGuards step({{{slope, -slope}}}, {affine_guard({1.0}, 0.0)});
    step.search.watch(step.evaluator, step.watches());
    int n_found = 0;
    for (int k = 0; k < 20; ++k) {
      const SearchResult result = step.attempt(0.1);
      if (result.kind == Kind::found) {
        ++n_found;
        EXPECT_NEAR(0.1 * k + step.local_time(result.theta), 1.0, kRounding);
        break;
      }
      step.stepper.accept();
    }
    EXPECT_EQ(n_found, 1) << slope;
  }
}

TEST(EventSearch, GuardThatStartsAtZeroAndLeavesIsNoEvent) {
  StepWithGuards step({{{0.0, 1.0}}}, {affine_guard({1.0}, 0.0)});
  EXPECT_EQ(step.step(1.0, {{.guard = 0, .side = 1.0, .starts_at_root = true}}).kind, Kind::none);
  // Without the promise to deflate: on its side and rising, no event either.
  EXPECT_EQ(step.step(1.0, {{.guard = 0, .side = 1.0}}).kind, Kind::none);
}

TEST(EventSearch, GuardThatStartsAtZeroAndReturnsIsFoundOnItsReturn) {
  StepWithGuards step(parabola(0.0, 0.75), {affine_guard({1.0}, 0.0)});
  const SearchResult result = step.step(1.0, {{.guard = 0, .side = -1.0, .starts_at_root = true}});
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_NEAR(result.theta, 0.75, kRounding);
}

TEST(EventSearch, DeflatedRootMayBeOffByRounding) {
  // The state at an event is zero up to rounding, on either side.
  for (const double offset : {1e-17, -1e-17, 3e-20}) {
    StepWithGuards step(parabola(0.0, 0.75, offset), {affine_guard({1.0}, 0.0)});
    const SearchResult result = step.step(1.0, {{.guard = 0, .side = -1.0, .starts_at_root = true}});
    ASSERT_EQ(result.kind, Kind::found) << offset;
    EXPECT_NEAR(result.theta, 0.75, kRounding);
    EXPECT_EQ(step.step(0.5, {{.guard = 0, .side = -1.0, .starts_at_root = true}}).kind, Kind::none)
        << offset;
  }
}

TEST(EventSearch, TangentialStartThatFirstFallsWithinTheNoiseIsNoEvent) {
  // The end of sliding: the rate is zero but for what the location of the exit left over. x = -1e-11 t + t²/2 falls to
  // -5e-23 before it rises.
  for (const double rate : {-1e-11, -1e-12, 1e-10, 0.0}) {
    for (const double size : {1.0, 1e-3}) {
      const PolynomialMotion motion{{{1e-18, rate, 0.5}}};
      StepWithGuards step(motion, {affine_guard({1.0}, 0.0),
                                   polynomial_guard(2, [](double, auto x) { return x[0] * (1.0 + x[0]); }),
                                   opaque_guard([](double, auto x) { return std::sin(x[0]); })});
      const SearchResult result = step.step(size, {{.guard = 0, .side = 1.0, .starts_at_root = true},
                                                   {.guard = 1, .side = 1.0, .starts_at_root = true},
                                                   {.guard = 2, .side = 1.0, .starts_at_root = true}});
      EXPECT_EQ(result.kind, Kind::none) << rate << " " << size;
    }
  }
  // A fall by more than the error test allows is an event at once.
  const std::vector<Watch> both = {{.guard = 0, .side = 1.0, .starts_at_root = true},
                                   {.guard = 1, .side = 1.0, .starts_at_root = true}};
  StepWithGuards falls({{{0.0, -1e-2, 0.5}}},
                       {affine_guard({1.0}, 0.0), opaque_guard([](double, auto x) { return x[0]; })});
  const SearchResult result = falls.step(1.0, both);
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_EQ(result.theta, 0.0);
  EXPECT_EQ(result.crossings.size(), 2U);
}

// x = -1e-3 t + t²/2 - t³/3: 5e-7 on the wrong side at first, at a tolerance of 1e-6, up to t = 0.002; then clear of it, and back at 1.498.
TEST(EventSearch, AGuardIsLeavingUntilItIsFurtherAwayThanTheErrorTestAllows) {
  const PolynomialMotion motion{{{0.0, -1e-3, 0.5, -1.0 / 3.0}}};
  StepWithGuards step(motion, {affine_guard({1.0}, 0.0)});
  step.search.watch(step.evaluator, std::vector<Watch>{{.guard = 0, .side = 1.0, .starts_at_root = true}});
  int n_leaving = 0;
  for (const double size : {3e-4, 3e-4, 3e-4, 3e-4, 1e-3, 1e-2, 1.0}) {
    ASSERT_EQ(step.attempt(size).kind, Kind::none) << step.stepper.time().value();
    step.stepper.accept();
    step.search.step_kept(1.0);
    n_leaving += step.search.has_leaving() ? 1 : 0;
  }
  EXPECT_EQ(n_leaving, 5);
  const SearchResult result = step.attempt(1.0);
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_NEAR(step.stepper.time().value() + step.local_time(result.theta), 1.49799732, 1e-6);
}

// The same on the wrong side by more than is allowed: the event is where that is seen.
TEST(EventSearch, AGuardThatGoesOnBehindItsSurfaceIsFoundInALaterStep) {
  StepWithGuards step(PolynomialMotion{{{0.0, -1e-3, -0.5}}}, {affine_guard({1.0}, 0.0)});
  step.search.watch(step.evaluator, std::vector<Watch>{{.guard = 0, .side = 1.0, .starts_at_root = true}});
  ASSERT_EQ(step.attempt(1e-4).kind, Kind::none);
  step.stepper.accept();
  step.search.step_kept(1.0);
  EXPECT_EQ(step.attempt(1e-2).kind, Kind::found);
}

TEST(EventSearch, DeflationEndsWithTheFirstStep) {
  StepWithGuards step(parabola(0.0, 1.25), {affine_guard({1.0}, 0.0)});
  step.search.watch(step.evaluator, std::vector<Watch>{{.guard = 0, .side = -1.0, .starts_at_root = true}});
  ASSERT_EQ(step.attempt(1.0).kind, Kind::none);
  step.stepper.accept();
  const SearchResult result = step.attempt(1.0);
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_NEAR(result.theta, 0.25, kRounding);
}

TEST(EventSearch, GuardOnTheWrongSideFromTheStartIsAnEventAtTheStart) {
  StepWithGuards step({{{-0.5, -1.0}}}, {affine_guard({1.0}, 0.0)});
  const SearchResult result = step.step(1.0, {{.guard = 0, .side = 1.0}});
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_EQ(result.theta, 0.0);
}

TEST(EventSearch, GuardThatStartsAtZeroAndCrossesIsAnEventAtTheStart) {
  StepWithGuards step({{{0.0, -1.0}}},
                      {affine_guard({1.0}, 0.0), opaque_guard([](double, auto x) { return x[0]; })});
  const SearchResult result = step.step(1.0, {{.guard = 0, .side = 1.0}, {.guard = 1, .side = 1.0}});
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_EQ(result.theta, 0.0);
  EXPECT_EQ(result.crossings.size(), 2U);
}

TEST(EventSearch, IdenticallyZeroGuardIsNoEvent) {
  StepWithGuards step({{{0.7, 1.0, 3.0}, {0.7, 1.0, 3.0}}},
                      {affine_guard({1.0, -1.0}, 0.0), affine_guard({0.0, 0.0}, 0.0),
                       polynomial_guard(2, [](double, auto x) { return x[0] * x[0] - x[1] * x[1]; }),
                       opaque_guard([](double, auto x) { return x[0] - x[1]; })});
  for (const double side : {1.0, -1.0}) {
    std::vector<Watch> watches = step.watches();
    for (Watch& watch : watches) {
      watch.side = side;
    }
    EXPECT_EQ(step.step(1.0, watches).kind, Kind::none);
    for (Watch& watch : watches) {
      watch.starts_at_root = true;
    }
    EXPECT_EQ(step.step(1.0, watches).kind, Kind::none);
  }
}

TEST(EventSearch, SteepGuard) {
  StepWithGuards step({{{0.0, 3.0}}}, {affine_guard({1e8}, -1e8)});
  const SearchResult result = step.step(1.0);
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_NEAR(result.theta, 1.0 / 3.0, kEpsilon);
}

TEST(EventSearch, FlatGuard) {
  // (x - 1)³ with x = 3t: |g| ≤ ν over |θ - 1/3| ≤ 2e-5; the root is somewhere there and is found.
  StepWithGuards step({{{0.0, 3.0}}}, {polynomial_guard(3, [](double, auto x) {
                        const double d = x[0] - 1.0;
                        return d * d * d;
                      })});
  const SearchResult result = step.step(1.0);
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_NEAR(result.theta, 1.0 / 3.0, 1e-9) << "the sign of d is known to the last bit here";
}

TEST(EventSearch, BackwardInTime) {
  StepWithGuards step(parabola(-0.75, -0.25), {affine_guard({1.0}, 0.0)});
  const SearchResult result = step.step(-1.0);
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_NEAR(result.theta, 0.25, kRounding);
  EXPECT_NEAR(step.local_time(result.theta), -0.25, kRounding);
}

TEST(EventSearch, WholeNumbersAsLevels) {
  StepWithGuards step({{{2.5, 1.0}}}, {affine_guard({1.0}, 0.0)});
  const SearchResult result =
      step.step(1.0, {{.guard = 0, .level = 3.0, .side = -1.0}, {.guard = 0, .level = 2.0, .side = 1.0}});
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_NEAR(result.theta, 0.5, kRounding);
  ASSERT_EQ(result.crossings.size(), 1U);
  EXPECT_EQ(result.crossings[0].watch, 0);
}

TEST(EventSearch, AffineInStateAndTime) {
  StepWithGuards step({{{0.25, 0.5}}}, {affine_guard({1.0}, 0.0, -1.0)});  // x - t
  const SearchResult result = step.step(1.0);
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_NEAR(result.theta, 0.5, kRounding);
}

TEST(EventSearch, LocalTimeAtLargeTimes) {
  // At t = 1e9 doubles are 1.2e-7 apart; θ is right to the last bit all the same.
  StepWithGuards step([](double, auto, auto xdot) { xdot[0] = -1.0; }, {1.0 / 3.0},
                      {affine_guard({1.0}, 0.0)}, 1e9);
  const SearchResult result = step.step(1.0);
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_NEAR(result.theta, 1.0 / 3.0, kEpsilon);
  EXPECT_LE(std::abs(step.state(result.theta)[0]), kEpsilon);
}

TEST(EventSearch, OneSidedLocationExtrapolates) {
  // The right-hand side cannot be evaluated below the surface x = 0; x = 2e^(-t) - 1 reaches it at t = ln 2.
  const auto rhs = [](double, std::span<const double> x, std::span<double> xdot) {
    xdot[0] = x[0] < 0.0 ? std::numeric_limits<double>::quiet_NaN() : -1.0 - x[0];
  };
  StepWithGuards step(rhs, {1.0}, {affine_guard({1.0}, 0.0)}, 0.0, {}, 1e-4);
  EXPECT_EQ(step.step(0.8).kind, Kind::failed);
  const double h = 0.55;
  EXPECT_EQ(step.step(h).kind, Kind::none);
  const std::int64_t n_rhs = step.evaluator.n_rhs();
  const SearchResult result = step.step(h, kExtrapolationLimit);
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_TRUE(result.extrapolated);
  EXPECT_NEAR(step.local_time(result.theta), std::numbers::ln2, 1e-4);
  EXPECT_EQ(step.evaluator.n_rhs() - n_rhs, 6 + 2) << "beyond the surface nothing is evaluated";
  // Out of reach.
  EXPECT_EQ(step.step(0.5, kExtrapolationLimit).kind, Kind::none);
}

TEST(EventSearch, OneSidedArrivalWithoutCrossing) {
  // x = (1 - t)² solves x' = -2 √x, which cannot be evaluated beyond x = 0 and never gets there.
  StepWithGuards step({{{1.0, -2.0, 1.0}}}, {affine_guard({1.0}, 0.0)});
  EXPECT_EQ(step.step(1.0, 1.0).kind, Kind::none) << "a touch";
  const SearchResult result = step.step(1.0, kExtrapolationLimit);
  ASSERT_EQ(result.kind, Kind::found);
  EXPECT_EQ(result.theta, 1.0);
  EXPECT_EQ(step.step(0.9, kExtrapolationLimit).kind, Kind::none);
}

}  // namespace
}  // namespace saltus::locate
