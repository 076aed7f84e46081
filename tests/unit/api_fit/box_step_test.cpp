#include "api/fit/box_step.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace saltus::api {
namespace {

double value_of(const BoxProblem& problem, const std::vector<double>& p) {
  const std::vector<double> rows = problem.factor.r * p;
  double sum = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double left = rows[i] + problem.factor.c[i];
    sum += left * left + problem.damping * std::pow(problem.scale[i] * p[i], 2);
  }
  return 0.5 * sum;
}

// Derivatives vanish, or push against the bound that holds: necessary and sufficient for the minimum of a convex problem.
void expect_minimum(const BoxProblem& problem, const BoxStep& step) {
  const std::size_t n = step.p.size();
  const std::vector<double> rows = problem.factor.r * step.p;
  for (std::size_t j = 0; j < n; ++j) {
    double slope = problem.damping * problem.scale[j] * problem.scale[j] * step.p[j];
    for (std::size_t i = 0; i < n; ++i) {
      slope +=
          problem.factor.r(static_cast<Index>(i), static_cast<Index>(j)) * (rows[i] + problem.factor.c[i]);
    }
    EXPECT_GE(step.p[j], problem.lower[j]);
    EXPECT_LE(step.p[j], problem.upper[j]);
    if (step.is_held[j] == 0) {
      EXPECT_NEAR(slope, 0.0, 1e-9);
    } else if (step.p[j] == problem.lower[j]) {
      EXPECT_GE(slope, -1e-9);
    } else {
      EXPECT_EQ(step.p[j], problem.upper[j]);
      EXPECT_LE(slope, 1e-9);
    }
  }
}

TEST(BoxStep, IsTheMinimumOfRandomProblems) {
  constexpr unsigned kSeed = 5;
  std::mt19937 random(kSeed);
  RecordProperty("seed", kSeed);
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  int n_held = 0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    const Index n = 1 + repeat % 7;
    linalg::DenseMatrix a(n + 4, n);
    for (double& value : a.entries()) {
      value = entry(random);
    }
    std::vector<double> b(static_cast<std::size_t>(n) + 4);
    std::generate(b.begin(), b.end(), [&] { return 2.0 * entry(random); });
    const linalg::TriangularFactor factor = linalg::triangular_factor(a, b);
    std::vector<double> scale(static_cast<std::size_t>(n));
    std::generate(scale.begin(), scale.end(), [&] { return 1.5 + entry(random); });
    BoxProblem problem{factor, scale, {}, {}, repeat % 3 == 0 ? 0.0 : 0.1 * (repeat % 5), 0.0};
    for (Index j = 0; j < n; ++j) {
      // Some stand on a bound from the beginning.
      problem.lower.push_back(repeat % 4 == 0 && j == 0 ? 0.0 : -0.5 * std::abs(entry(random)));
      problem.upper.push_back(repeat % 4 == 1 && j == 0 ? 0.0 : 0.5 * std::abs(entry(random)));
    }
    const BoxStep step = box_step(problem);
    expect_minimum(problem, step);
    EXPECT_LE(value_of(problem, step.p),
              value_of(problem, std::vector<double>(static_cast<std::size_t>(n), 0.0)) + 1e-12);
    n_held += static_cast<int>(std::count(step.is_held.begin(), step.is_held.end(), 1));
  }
  EXPECT_GT(n_held, 300);
}

TEST(BoxStep, WithoutFullRankIsTheShortest) {
  // x + y = 1 three times; D weighs y double, so that x takes four fifths.
  const linalg::TriangularFactor factor =
      linalg::triangular_factor(linalg::DenseMatrix{{1.0, 1.0}, {1.0, 1.0}, {1.0, 1.0}}, {-1.0, -1.0, -1.0});
  const std::vector<double> scale{1.0, 2.0};
  const BoxStep step = box_step({factor, scale, {-9.0, -9.0}, {9.0, 9.0}, 0.0, 1e-12});
  EXPECT_NEAR(step.p[0], 0.8, 1e-13);
  EXPECT_NEAR(step.p[1], 0.2, 1e-13);
  EXPECT_NEAR(step.left, 0.0, 1e-25);
}

}  // namespace
}  // namespace saltus::api
