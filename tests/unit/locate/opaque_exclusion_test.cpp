#include "locate/opaque_exclusion.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/guard_fixture.hpp"

namespace saltus::locate {
namespace {

using test::opaque_guard;
using test::PolynomialMotion;
using test::StepWithGuards;

const PolynomialMotion kLine{{{0.0, 1.0}}};

TEST(OpaqueExclusion, TwoEvaluationsForMostSteps) {
  StepWithGuards step(kLine, {opaque_guard([](double, auto x) { return 5.0 + std::sin(x[0]); })});
  step.search.watch(step.evaluator, step.watches());
  std::int64_t before = step.evaluator.n_values();
  ASSERT_EQ(step.attempt(0.2).kind, SearchResult::Kind::none);
  EXPECT_EQ(step.evaluator.n_values() - before, 3);
  for (int k = 0; k < 5; ++k) {
    step.stepper.accept();
    before = step.evaluator.n_values();
    ASSERT_EQ(step.attempt(0.2).kind, SearchResult::Kind::none);
    EXPECT_EQ(step.evaluator.n_values() - before, 2) << "the start is the end of the step before";
  }
  // A step that is tried again with another size starts where it started.
  before = step.evaluator.n_values();
  ASSERT_EQ(step.attempt(0.1).kind, SearchResult::Kind::none);
  EXPECT_EQ(step.evaluator.n_values() - before, 3);
  EXPECT_EQ(step.search.counters().full_extensions, 0);
}

TEST(OpaqueExclusion, LongerStepsNeedMorePoints) {
  StepWithGuards step(kLine, {opaque_guard([](double, auto x) { return 5.0 + std::sin(x[0]); })});
  step.search.watch(step.evaluator, step.watches());
  const auto evaluations = [&](double size) {
    const std::int64_t before = step.evaluator.n_values();
    EXPECT_EQ(step.attempt(size).kind, SearchResult::Kind::none);
    step.stepper.accept();
    return step.evaluator.n_values() - before;
  };
  EXPECT_EQ(evaluations(0.01), 3);  // the first step, with its start
  EXPECT_EQ(evaluations(0.02), 2);
  EXPECT_EQ(evaluations(0.06), 4);  // three times as long
  EXPECT_EQ(evaluations(0.3), 8);   // five times as long
  EXPECT_EQ(evaluations(0.3), 2);
  EXPECT_EQ(step.search.counters().full_extensions, 0);
}

TEST(OpaqueExclusion, CloseToZeroItLooksAgainAndThenAsksTheFullExtension) {
  // Falls to 0.05 at the end of the step.
  StepWithGuards near(kLine, {opaque_guard([](double, auto x) { return 1.05 - std::pow(x[0], 1.5); })}, 0.25);
  EXPECT_EQ(near.step(0.75).kind, SearchResult::Kind::none);
  StepWithGuards closer(kLine, {opaque_guard([](double, auto x) { return 1.0001 - std::pow(x[0], 1.5); })},
                        0.25);
  EXPECT_EQ(closer.step(0.75).kind, SearchResult::Kind::none);
  EXPECT_EQ(closer.search.counters().full_extensions, 1);
}

TEST(OpaqueExclusion, ADipBetweenThePointsOfASmoothGuardIsSeen) {
  // Positive at 0, 1/2 and 1, negative around 1/4.
  StepWithGuards step(kLine, {opaque_guard([](double, auto x) { return 0.9 - std::sin(6.2 * x[0]); })});
  const SearchResult result = step.step(1.0);
  ASSERT_EQ(result.kind, SearchResult::Kind::found);
  EXPECT_NEAR(result.theta, std::asin(0.9) / 6.2, 1e-14);
}

}  // namespace
}  // namespace saltus::locate
