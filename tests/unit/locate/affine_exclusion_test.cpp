#include "locate/affine_exclusion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "support/explicit_method.hpp"
#include "support/guard_fixture.hpp"

namespace saltus::locate {
namespace {

using test::affine_guard;
using test::StepWithGuards;

void van_der_pol(double, std::span<const double> x, std::span<double> xdot) {
  xdot[0] = x[1];
  xdot[1] = 5.0 * (1.0 - x[0] * x[0]) * x[1] - x[0];
}
void lorenz(double, std::span<const double> x, std::span<double> xdot) {
  xdot[0] = 10.0 * (x[1] - x[0]);
  xdot[1] = x[0] * (28.0 - x[2]) - x[1];
  xdot[2] = x[0] * x[1] - 8.0 / 3.0 * x[2];
}
void forced(double t, std::span<const double> x, std::span<double> xdot) {
  xdot[0] = x[1];
  xdot[1] = -x[0] + std::cos(3.0 * t) * std::exp(-0.1 * t);
}

// Largest distance of the two extensions over a run, in tolerances of the state.
double largest_ratio(const test::RhsFunction& rhs, const std::vector<double>& start, double t_end,
                     double tolerance) {
  test::FunctionEvaluator evaluator(rhs);
  integrate::ExplicitRungeKutta stepper(*test::find_explicit_method("dopri5"), evaluator,
                                        static_cast<Index>(start.size()),
                                        test::tolerances(start.size(), tolerance, tolerance));
  const auto controller = integrate::make_controller(*integrate::find_method("dopri5"), stepper);
  integrate::Advance advance(stepper, *controller, {});
  EXPECT_TRUE(stepper.restart(trajectory::CompensatedTime(0.0), start).ok());
  double largest = 0.0;
  std::vector<std::vector<double>> standard;
  while (advance.step(t_end).reason == integrate::EndReason::stopped) {
    trajectory::SegmentView segment;
    std::vector<double> x(start.size());
    standard.clear();
    EXPECT_TRUE(stepper.dense_output(integrate::DenseOutput::standard, segment).ok());
    for (int k = 1; k < 20; ++k) {
      segment.evaluate(k / 20.0, x);
      standard.push_back(x);
    }
    EXPECT_TRUE(stepper.dense_output(integrate::DenseOutput::full, segment).ok());
    for (int k = 1; k < 20; ++k) {
      segment.evaluate(k / 20.0, x);
      for (std::size_t i = 0; i < x.size(); ++i) {
        largest = std::max(largest, std::abs(x[i] - standard[static_cast<std::size_t>(k - 1)][i]) /
                                        (tolerance + tolerance * std::abs(x[i])));
      }
    }
  }
  return largest;
}

TEST(AffineExclusion, TheExtensionsDifferByLessThanKappaTolerances) {
  double largest = 0.0;
  for (const double tolerance : {1e-3, 1e-5, 1e-7, 1e-9}) {
    largest = std::max(largest, largest_ratio(van_der_pol, {2.0, 0.0}, 20.0, tolerance));
    largest = std::max(largest, largest_ratio(lorenz, {1.0, 1.0, 1.0}, 5.0, tolerance));
    largest = std::max(largest, largest_ratio(forced, {1.0, 0.0}, 20.0, tolerance));
  }
  RecordProperty("largest_ratio", std::to_string(largest));
  EXPECT_LT(largest, kExtensionError) << "half of what is allowed for so few states";
  EXPECT_GT(largest, 0.05) << "else κ proves nothing";
}

TEST(AffineExclusion, SumsOfStatesThatCancelNeedTheirOwnCoefficients) {
  // x and y both move by 1, their difference stays 0.1: ranges cannot see it, the coefficients of the guard can.
  StepWithGuards step({{{0.1, 1.0, 0.5}, {0.0, 1.0, 0.5}}}, {affine_guard({1.0, -1.0}, 0.0)});
  EXPECT_EQ(step.step(1.0).kind, SearchResult::Kind::none);
  EXPECT_EQ(step.search.counters().full_extensions, 0);
}

TEST(AffineExclusion, WithinTheMarginTheFullExtensionIsAsked) {
  // The least distance is 5 tolerances: undecided on the free extension, none on the full one.
  StepWithGuards step({{{0.25 + 5e-6, -1.0, 1.0}}}, {affine_guard({1.0}, 0.0)});
  EXPECT_EQ(step.step(1.0).kind, SearchResult::Kind::none);
  EXPECT_EQ(step.search.counters().full_extensions, 1);
}

TEST(AffineExclusion, DeflatedGuardIsExcludedWithoutTheFullExtension) {
  StepWithGuards step({{{0.0, 1.0, 0.5}}}, {affine_guard({1.0}, 0.0)});
  EXPECT_EQ(step.step(1.0, {{.guard = 0, .side = 1.0, .starts_at_root = true}}).kind,
            SearchResult::Kind::none);
  EXPECT_EQ(step.search.counters().full_extensions, 0);
}

TEST(AffineExclusion, IdenticallyZeroCostsNoFullExtension) {
  StepWithGuards step({{{0.0}, {1.0, 1.0}}}, {affine_guard({1.0, 0.0}, 0.0), affine_guard({0.0, 0.0}, 0.0)});
  EXPECT_EQ(step.step(1.0).kind, SearchResult::Kind::none);
  EXPECT_EQ(step.search.counters().full_extensions, 0);
}

}  // namespace
}  // namespace saltus::locate
