// Guards with bounds along the curve: kept boxes, rates, pieces, and what is done where there are no bounds.
#include "locate/implicit_exclusion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/guard_fixture.hpp"

namespace saltus::locate {
namespace {

using test::StepWithGuards;
using test::TestGuard;
using Kind = SearchResult::Kind;

struct Counts {
  int boxes = 0;
  int pieces = 0;
};

// c - |x - centre|/(w + |x - centre|): positive in a neighbourhood of the centre alone when c is small. Bounds as for an implicit
// guard: none where `is_known` says so.
TestGuard peak(double centre, double width, Counts& counts, bool is_known = true) {
  TestGuard guard = test::polynomial_guard(
      0, [=](double, auto x) { return std::abs(x[0] - centre) / (width + std::abs(x[0] - centre)) - 0.5; });
  guard.shape = {.kind = system::GuardShape::Kind::implicit};
  guard.bounds = [=, &counts](const system::CurvePiece& piece) {
    ++(piece.is_box ? counts.boxes : counts.pieces);
    const Interval& x = piece.box[0];
    const double near =
        x.contains(centre) ? 0.0 : std::min(std::abs(x.lower - centre), std::abs(x.upper - centre));
    const double far = std::max(std::abs(x.lower - centre), std::abs(x.upper - centre));
    const auto at = [=](double distance) { return distance / (width + distance) - 0.5; };
    const double steepest = width / ((width + near) * (width + near));
    const double flattest = width / ((width + far) * (width + far));
    const double sign = x.lower > centre ? 1.0 : -1.0;
    const bool is_one_sided = near > 0.0;
    const double speed = std::max(std::abs(piece.xdot[0].lower), std::abs(piece.xdot[0].upper));
    const double slow = std::min(std::abs(piece.xdot[0].lower), std::abs(piece.xdot[0].upper));
    const double direction = piece.xdot[0].lower > 0.0 ? sign : -sign;
    Interval rate{-steepest * speed, steepest * speed};
    if (is_one_sided && piece.xdot[0].lower * piece.xdot[0].upper > 0.0) {
      rate = direction > 0.0 ? Interval{flattest * slow, steepest * speed}
                             : Interval{-steepest * speed, -flattest * slow};
    }
    return system::GuardBounds{
        .is_known = is_known, .value = {at(near) - 1e-12, at(far) + 1e-12}, .rate = rate};
  };
  return guard;
}

test::RhsFunction constant_rate(double rate) {
  return [rate](double, std::span<const double>, std::span<double> xdot) { xdot[0] = rate; };
}

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

TEST(ImplicitExclusion, APeakBetweenAllPointsIsFound) {
  for (const double width : {0.1, 1e-3, 1e-6}) {
    Counts counts;
    StepWithGuards step(constant_rate(1.0), {0.0}, {peak(3.3, width, counts)});
    EXPECT_NEAR(first_event(step, 10.0, 10.0), 3.3 - width, 1e-9) << width;
    EXPECT_LT(counts.pieces, 100) << width;
    EXPECT_EQ(step.search.guard_watches()[0].proved, 1);
    EXPECT_EQ(step.search.guard_watches()[0].sampled, 0);
  }
}

TEST(ImplicitExclusion, StepsInABoxAskNothing) {
  Counts counts;
  StepWithGuards step(constant_rate(0.01), {0.0}, {peak(30.0, 0.1, counts)});
  EXPECT_EQ(first_event(step, 0.1, 20.0), 20.0);
  EXPECT_LE(counts.boxes, 12) << "boxes become longer, for two hundred steps";
  EXPECT_LE(counts.pieces, 4);
  EXPECT_EQ(step.search.guard_watches()[0].proved, 200);
}

// Near a guard no box certifies: they are tried less and less often, and the bounds along the curve decide.
TEST(ImplicitExclusion, BoxesAreNotTriedForEver) {
  Counts counts;
  // Moves along the border of the peak: a box that is as wide as the step holds a zero.
  StepWithGuards step([](double t, auto, auto xdot) { xdot[0] = 40.0 * std::cos(40.0 * t); }, {0.0},
                      {peak(3.0, 1.95, counts)});
  EXPECT_EQ(first_event(step, 0.01, 2.0), 2.0);
  EXPECT_LT(counts.boxes, 60) << "of two hundred steps";
}

TEST(ImplicitExclusion, WithoutBoundsValuesDecideAndAreCounted) {
  Counts counts;
  StepWithGuards step(constant_rate(1.0), {0.0}, {peak(3.3, 0.5, counts, false)});
  EXPECT_NEAR(first_event(step, 10.0, 10.0), 2.8, 1e-6);
  EXPECT_EQ(step.search.guard_watches()[0].sampled, 1);
}

// Backward in time the same.
TEST(ImplicitExclusion, Backward) {
  Counts counts;
  StepWithGuards step(constant_rate(1.0), {10.0}, {peak(3.3, 1e-3, counts)}, 10.0);
  const SearchResult result = step.step(-10.0);
  ASSERT_TRUE(result.found());
  EXPECT_NEAR(10.0 + step.local_time(result.theta), 3.301, 1e-9);
}

}  // namespace
}  // namespace saltus::locate
