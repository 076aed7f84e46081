#include "api/fit/fit_statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "api/fit/student.hpp"

namespace saltus::api {
namespace {

// y = a + b·t at given times: all is known in closed form.
struct Line {
  std::vector<double> t;
  LeastSquaresPoint point;
  double mean = 0.0;
  double spread = 0.0;  // Σ(t - mean)²
  double squares = 0.0;
};

Line make_line(std::size_t n) {
  constexpr unsigned kSeed = 7;
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> noise(-1.0, 1.0);
  Line line;
  line.point.jacobian = linalg::DenseMatrix(static_cast<Index>(n), 2);
  line.point.x = {1.0, 2.0};
  for (std::size_t i = 0; i < n; ++i) {
    line.t.push_back(3.0 + 0.5 * static_cast<double>(i));
    line.point.jacobian(static_cast<Index>(i), 0) = 1.0;
    line.point.jacobian(static_cast<Index>(i), 1) = line.t.back();
    line.point.residuals.push_back(noise(random));
    line.squares += line.point.residuals.back() * line.point.residuals.back();
    line.mean += line.t.back() / static_cast<double>(n);
  }
  for (const double t : line.t) {
    line.spread += (t - line.mean) * (t - line.mean);
  }
  return line;
}

TEST(FitStatistics, OfALineAreThoseOfTheTextbook) {
  const Line line = make_line(20);
  const FitQuality quality = fit_quality(line.point, {0, 0}, {});
  const double variance = line.squares / 18.0;
  const double intercept = std::sqrt(variance * (1.0 / 20.0 + line.mean * line.mean / line.spread));
  const double slope = std::sqrt(variance / line.spread);
  EXPECT_EQ(quality.degrees_of_freedom, 18);
  EXPECT_NEAR(quality.variance, variance, 1e-12 * variance);
  EXPECT_NEAR(quality.standard_errors[0], intercept, 1e-10 * intercept);
  EXPECT_NEAR(quality.standard_errors[1], slope, 1e-10 * slope);
  const double correlation = -line.mean / std::sqrt(line.spread / 20.0 + line.mean * line.mean);
  EXPECT_NEAR(quality.correlation[1], correlation, 1e-10);
  EXPECT_NEAR(quality.correlation[2], correlation, 1e-10);
  EXPECT_EQ(quality.correlation[0], 1.0);
  EXPECT_NEAR(quality.half_width, 2.1009220402410378, 1e-9);  // tables of Student's distribution, 18
  EXPECT_TRUE(quality.unseen.empty());
}

TEST(FitStatistics, WithKnownVarianceUseItAndTheNormalDistribution) {
  const Line line = make_line(20);
  QualityOptions options;
  options.is_variance_known = true;
  const FitQuality quality = fit_quality(line.point, {0, 0}, options);
  EXPECT_EQ(quality.variance, 1.0);
  EXPECT_NEAR(quality.standard_errors[1], 1.0 / std::sqrt(line.spread), 1e-10);
  EXPECT_NEAR(quality.half_width, 1.959963984540054, 1e-10);
}

TEST(FitStatistics, WhatIsHeldCountsAsKnown) {
  const Line line = make_line(20);
  const FitQuality quality = fit_quality(line.point, {1, 0}, {});
  EXPECT_TRUE(std::isnan(quality.standard_errors[0]));
  double squares = 0.0;
  for (const double t : line.t) {
    squares += t * t;
  }
  EXPECT_NEAR(quality.standard_errors[1], std::sqrt(line.squares / 19.0 / squares), 1e-12);
  EXPECT_TRUE(std::isnan(quality.correlation[1]));
  EXPECT_EQ(quality.degrees_of_freedom, 19);
}

TEST(FitStatistics, WithAsManyDataAsParametersThereIsNoVariance) {
  const Line line = make_line(2);
  const FitQuality quality = fit_quality(line.point, {0, 0}, {});
  EXPECT_TRUE(std::isnan(quality.variance));
  EXPECT_TRUE(std::isnan(quality.standard_errors[0]));
  EXPECT_TRUE(quality.unseen.empty());
}

// The first two columns are multiples of each other, the fourth is zero; the third has its standard error all the same.
TEST(FitStatistics, NamesWhatTheDataDoNotSee) {
  const Line line = make_line(20);
  LeastSquaresPoint point;
  point.x = {2.0, 3.0, 1.0, 5.0};
  point.residuals = line.point.residuals;
  point.jacobian = linalg::DenseMatrix(20, 4);
  double squares = 0.0;
  for (Index i = 0; i < 20; ++i) {
    const double t = line.t[static_cast<std::size_t>(i)];
    point.jacobian(i, 0) = 3.0 * t;
    point.jacobian(i, 1) = 2.0 * t;
    point.jacobian(i, 2) = i % 2 == 0 ? 1.0 / t : 0.0;
    squares += t * t;
  }
  QualityOptions options;
  options.least_singular = 1e-10;
  const FitQuality quality = fit_quality(point, {0, 0, 0, 0}, options);
  ASSERT_EQ(quality.unseen.size(), 2U);
  EXPECT_EQ(quality.unseen[0].change, (std::vector<double>{0.0, 0.0, 0.0, 1.0}));
  const std::vector<double>& pair = quality.unseen[1].change;
  EXPECT_NEAR(3.0 * pair[0] + 2.0 * pair[1], 0.0, 1e-14);
  EXPECT_EQ(pair[2], 0.0);
  EXPECT_TRUE(std::isnan(quality.standard_errors[0]));
  EXPECT_TRUE(std::isnan(quality.standard_errors[1]));
  EXPECT_GT(quality.standard_errors[2], 0.0);
  EXPECT_TRUE(std::isnan(quality.standard_errors[3]));
}

// Huber's estimate of a mean: s² by hand.
TEST(FitStatistics, OfALossCountWhatItLetsThrough) {
  LeastSquaresPoint point;
  point.x = {0.0};
  point.residuals = {0.5, -0.5, 1.0, -1.0, 30.0};
  point.jacobian = linalg::DenseMatrix{{1.0}, {1.0}, {1.0}, {1.0}, {1.0}};
  QualityOptions options;
  options.loss = Loss::huber;
  options.loss_scale = 2.0;
  const FitQuality quality = fit_quality(point, {0}, options);
  const double squares = (0.25 + 0.25 + 1.0 + 1.0 + 4.0) / 4.0;
  const double mean = 4.0 / 5.0;
  const double correction = 1.0 + 0.2 * (0.8 - 0.64) / (mean * mean);
  EXPECT_NEAR(quality.variance, correction * correction * squares / (mean * mean), 1e-14);
}

TEST(Student, QuantilesOfTables) {
  EXPECT_NEAR(student_quantile(0.95, 1.0), 12.706204736432095, 1e-8);
  EXPECT_NEAR(student_quantile(0.95, 2.0), 4.302652729696142, 1e-9);
  EXPECT_NEAR(student_quantile(0.95, 10.0), 2.2281388519649385, 1e-9);
  EXPECT_NEAR(student_quantile(0.99, 30.0), 2.7499956535670305, 1e-9);
  EXPECT_NEAR(student_quantile(0.95, 1000.0), 1.9623390808264078, 1e-9);
  EXPECT_NEAR(student_quantile(0.95, 1e7), 1.9599642, 1e-6);
  EXPECT_NEAR(student_quantile(0.95, std::numeric_limits<double>::infinity()), 1.959963984540054, 1e-10);
}

}  // namespace
}  // namespace saltus::api
