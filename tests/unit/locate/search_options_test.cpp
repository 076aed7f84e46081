// Rules of detection (D3), shifted location (C20-C22), the region of concurrency (C28).
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "locate/event_search.hpp"
#include "support/guard_fixture.hpp"

namespace saltus::locate {
namespace {

using test::affine_guard;
using test::PolynomialMotion;
using test::StepWithGuards;
using Kind = SearchResult::Kind;
using Rule = Detection::Rule;

PolynomialMotion dip(double a, double b) {
  return {{{a * b, -(a + b), 1.0}}};
}

Kind detected(double a, double b, Detection detection) {
  StepWithGuards step(dip(a, b), {affine_guard({1.0}, 0.0)}, 0.0, detection);
  return step.step(1.0).kind;
}

TEST(DetectionRules, EachMissesWhatLiesBetweenItsPoints) {
  // A dip around no point but those of the samples.
  EXPECT_EQ(detected(0.45, 0.55, {Rule::ends}), Kind::none);
  EXPECT_EQ(detected(0.45, 0.55, {Rule::stages}), Kind::none);
  EXPECT_EQ(detected(0.45, 0.55, {Rule::samples, 2}), Kind::found);
  EXPECT_EQ(detected(0.45, 0.55, {Rule::bound}), Kind::found);
  // Around the stage at 0.3.
  EXPECT_EQ(detected(0.26, 0.32, {Rule::ends}), Kind::none);
  EXPECT_EQ(detected(0.26, 0.32, {Rule::stages}), Kind::found);
  // Between the points of 13 samples, not of 25.
  EXPECT_EQ(detected(0.53, 0.56, {Rule::samples, 2}), Kind::none);
  EXPECT_EQ(detected(0.53, 0.56, {Rule::samples, 4}), Kind::found);
  EXPECT_EQ(detected(0.53, 0.56, {Rule::bound}), Kind::found);
}

TEST(DetectionRules, AllFindASimpleRootAtTheSamePlace) {
  for (const Detection detection :
       {Detection{Rule::ends}, Detection{Rule::stages}, Detection{Rule::samples, 3}}) {
    StepWithGuards step({{{1.0, -3.0}}}, {affine_guard({1.0}, 0.0)}, 0.0, detection);
    const SearchResult result = step.step(1.0);
    ASSERT_EQ(result.kind, Kind::found);
    EXPECT_NEAR(result.theta, 1.0 / 3.0, 1e-15);
  }
}

TEST(ShiftedLocation, IsPastOrBeforeByMoreThanTheTolerance) {
  // x = e^(-t) - 0.5, curved, so that Newton's method has something to do.
  const auto rhs = [](double, std::span<const double> x, std::span<double> xdot) { xdot[0] = -x[0]; };
  StepWithGuards step(rhs, {1.0}, {affine_guard({1.0}, -0.5)}, 0.0, {}, 1e-3);
  const SearchResult result = step.step(1.0);
  ASSERT_EQ(result.kind, Kind::found);
  for (const double epsilon_d : {1e-3, 1e-6, 1e-10}) {
    const double past = step.search.shifted(0, result.theta, epsilon_d, true);
    const double before = step.search.shifted(0, result.theta, epsilon_d, false);
    EXPECT_GT(past, result.theta);
    EXPECT_LT(before, result.theta);
    // g has crossed, by at most ε_g + ε_d, as (5.4) promises; and has not, as (5.5) promises.
    EXPECT_LT(step.state(past)[0] - 0.5, 0.0);
    EXPECT_GE(step.state(past)[0] - 0.5, -2.0 * epsilon_d - 1e-15);
    EXPECT_GT(step.state(before)[0] - 0.5, 0.0);
    EXPECT_LE(step.state(before)[0] - 0.5, 2.0 * epsilon_d + 1e-15);
  }
  EXPECT_GT(step.search.counters().newton_iterations, 0);
}

TEST(Concurrency, GroupsWhatIsCloseInTimeAndSmall) {
  // x = t; roots at 0.5, 0.5 + 1e-8, 0.5 + 5e-8, 0.5 + 1e-3; the third guard is steep.
  StepWithGuards step({{{0.0, 1.0}}},
                      {affine_guard({1.0}, -0.5 - 1e-8), affine_guard({1.0}, -0.5),
                       affine_guard({1e3}, -1e3 * (0.5 + 5e-8)), affine_guard({1.0}, -0.501)});
  const auto count = [&](double time, double amplitude) {
    const SearchResult first = step.step(1.0);
    EXPECT_EQ(first.crossings.size(), 1U);
    EXPECT_EQ(first.crossings[0].watch, 1);
    return step.search.concurrent(first, time, amplitude).crossings.size();
  };
  EXPECT_EQ(count(1e-7, 1e-3), 3U);
  EXPECT_EQ(count(1e-7, 2e-8), 2U) << "at the third root the first guard is 5e-8 past zero";
  EXPECT_EQ(count(2e-8, 1e-3), 2U);
  EXPECT_EQ(count(1e-9, 1e-3), 1U);
  EXPECT_EQ(count(1e-2, 0.5), 3U) << "the steep guard is 1 past zero at the last root";
  const SearchResult first = step.step(1.0);
  const SearchResult together = step.search.concurrent(first, 1e-7, 1e-3);
  EXPECT_NEAR(together.theta, 0.5 + 5e-8, 1e-14) << "the latest root of the set";
}

TEST(Concurrency, UnilateralGuardsDoNotJoin) {
  StepWithGuards step({{{0.0, 1.0}}}, {affine_guard({1.0}, -0.5), affine_guard({1.0}, -0.5 - 1e-8),
                                       affine_guard({1.0}, -0.5 - 2e-8)});
  std::vector<Watch> watches = step.watches();
  watches[1].is_bilateral = false;
  const SearchResult first = step.step(1.0, watches);
  const SearchResult together = step.search.concurrent(first, 1e-6, 1.0);
  ASSERT_EQ(together.crossings.size(), 1U) << "nothing is delayed beyond a unilateral event";
  EXPECT_NEAR(together.theta, 0.5, 1e-14);
}

}  // namespace
}  // namespace saltus::locate
