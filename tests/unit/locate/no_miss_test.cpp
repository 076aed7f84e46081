// Random guards on random motions against dense sampling: what samples see is never missed, and never found too late.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "support/guard_fixture.hpp"

namespace saltus::locate {
namespace {

using test::affine_guard;
using test::opaque_guard;
using test::polynomial_guard;
using test::PolynomialMotion;
using test::StepWithGuards;
using Kind = SearchResult::Kind;

constexpr unsigned kSeed = 20010;
constexpr int kSamples = 2000;

struct Random {
  std::mt19937 generator{kSeed};
  double operator()(double a, double b) { return std::uniform_real_distribution<double>(a, b)(generator); }
};

// Degree 5 in t, of moderate size on [0, 1], the terms falling by `decay`.
PolynomialMotion random_motion(Random& random, double decay) {
  PolynomialMotion motion;
  for (int i = 0; i < 2; ++i) {
    // In Chebyshev polynomials of 2t - 1, so that all coefficients matter alike.
    std::vector<double> row(6, 0.0);
    const std::vector<std::vector<double>> chebyshev{{1.0},
                                                     {-1.0, 2.0},
                                                     {1.0, -8.0, 8.0},
                                                     {-1.0, 18.0, -48.0, 32.0},
                                                     {1.0, -32.0, 160.0, -256.0, 128.0},
                                                     {-1.0, 50.0, -400.0, 1120.0, -1280.0, 512.0}};
    double size = 1.0;
    for (const std::vector<double>& basis : chebyshev) {
      const double weight = size * random(-1.0, 1.0);
      size *= decay;
      for (std::size_t k = 0; k < basis.size(); ++k) {
        row[k] += weight * basis[k];
      }
    }
    motion.rows.push_back(row);
  }
  return motion;
}

test::TestGuard random_guard(Random& random, int kind) {
  const double a = random(-1.0, 1.0);
  const double b = random(-1.0, 1.0);
  const double c = random(-1.0, 1.0);
  const double w = random(0.5, 3.0);
  switch (kind) {
    case 0: return affine_guard({a, b}, c);
    case 1: return polynomial_guard(2, [=](double, auto x) { return a * x[0] * x[0] + b * x[0] * x[1] + c; });
    case 2: return polynomial_guard(3, [=](double, auto x) { return a * x[0] * x[0] * x[1] + b * x[1] + c; });
    default: return opaque_guard([=](double, auto x) { return std::sin(w * x[0]) + a * std::cos(x[1]) + b; });
  }
}

class NoMiss : public testing::TestWithParam<int> {};

TEST_P(NoMiss, AgainstDenseSampling) {
  Random random;
  // Polynomials are isolated however wild they are. Functions that can only be evaluated must be resolved: motions as
  // smooth as those that pass an error test of 1e-2.
  const bool is_opaque = GetParam() == 3;
  const double decay = is_opaque ? 0.4 : 1.0;
  int n_found = 0;
  int n_none = 0;
  int n_refined = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    StepWithGuards step(random_motion(random, decay), {random_guard(random, GetParam())}, 0.0, {}, 1e3);
    const std::vector<Watch> watches = step.watches();
    const double side = watches[0].side;
    const SearchResult result = step.step(1.0, watches);
    if (result.kind == Kind::refine) {
      ++n_refined;
      continue;
    }
    ASSERT_TRUE(result.kind == Kind::found || result.kind == Kind::none)
        << "seed " << kSeed << ", trial " << trial;
    // The full extension, as the search is bound to answer for it.
    trajectory::SegmentView segment;
    ASSERT_TRUE(step.stepper.dense_output(integrate::DenseOutput::full, segment).ok());
    std::vector<double> x(2);
    const auto value = [&](double theta) {
      segment.evaluate(theta, x);
      double g = 0.0;
      const Index guard = 0;
      static_cast<void>(
          step.evaluator.guards(std::span<const Index>(&guard, 1), theta, x, std::span<double>(&g, 1)));
      return side * g;
    };
    double first_seen = 2.0;
    for (int k = 1; k <= kSamples && first_seen > 1.0; ++k) {
      const double theta = static_cast<double>(k) / kSamples;
      if (value(theta) < -1e-10) {
        first_seen = theta;
      }
    }
    if (first_seen <= 1.0) {
      ASSERT_EQ(result.kind, Kind::found)
          << "missed at " << first_seen << ", seed " << kSeed << ", trial " << trial;
      EXPECT_LE(result.theta, first_seen) << "seed " << kSeed << ", trial " << trial;
    }
    if (result.found()) {
      ++n_found;
      EXPECT_LT(std::abs(value(result.theta)), 1e-12) << "seed " << kSeed << ", trial " << trial;
      // Really the first: what lies before, is before.
      if (first_seen > 1.0) {
        EXPECT_LT(value(std::min(result.theta + 1e-7, 1.0)), 1e-12)
            << "seed " << kSeed << ", trial " << trial;
      }
    } else {
      ++n_none;
    }
  }
  EXPECT_GT(n_found, 300);
  EXPECT_GT(n_none, 100);
  EXPECT_LT(n_refined, is_opaque ? 30 : 1);
}

INSTANTIATE_TEST_SUITE_P(Kinds, NoMiss, testing::Values(0, 1, 2, 3));

}  // namespace
}  // namespace saltus::locate
