#include "locate/bernstein.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace saltus::locate {
namespace {

double power_value(std::span<const double> c, double u) {
  double value = 0.0;
  for (std::size_t p = c.size(); p-- > 0;) {
    value = c[p] + u * value;
  }
  return value;
}

// De Casteljau at u.
double bernstein_value(std::span<const double> b, double u) {
  std::vector<double> w(b.begin(), b.end());
  for (std::size_t k = 1; k < w.size(); ++k) {
    for (std::size_t j = 0; j + k < w.size(); ++j) {
      w[j] = (1.0 - u) * w[j] + u * w[j + 1];
    }
  }
  return w[0];
}

std::vector<double> random_numbers(std::size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> result(n);
  std::generate(result.begin(), result.end(), [&] { return uniform(generator); });
  return result;
}

TEST(Bernstein, PowersKeepTheirValues) {
  for (std::size_t degree = 0; degree <= 9; ++degree) {
    const std::vector<double> c = random_numbers(degree + 1, 11);
    std::vector<double> b = c;
    power_to_bernstein(b);
    for (const double u : {0.0, 0.1, 0.5, 0.77, 1.0}) {
      EXPECT_NEAR(bernstein_value(b, u), power_value(c, u), 1e-14) << "degree " << degree << " at " << u;
    }
  }
}

TEST(Bernstein, HalvesAreTheSamePolynomial) {
  const std::vector<double> whole = random_numbers(8, 12);
  std::vector<double> left(8);
  std::vector<double> right = whole;
  halve(whole, left, right);
  for (const double u : {0.0, 0.3, 0.9, 1.0}) {
    EXPECT_NEAR(bernstein_value(left, u), bernstein_value(whole, 0.5 * u), 1e-15);
    EXPECT_NEAR(bernstein_value(right, u), bernstein_value(whole, 0.5 + 0.5 * u), 1e-15);
  }
  // In place.
  std::vector<double> in_place = whole;
  halve(in_place, left, in_place);
  EXPECT_EQ(in_place, right);
}

TEST(Bernstein, InterpolationIsExactUpToItsGrowth) {
  for (const std::size_t degree : {1UL, 2UL, 5UL, 10UL, 15UL, 20UL}) {
    const std::vector<double> c = random_numbers(degree + 1, 13);
    std::vector<double> values(degree + 1);
    double largest = 0.0;
    for (std::size_t j = 0; j <= degree; ++j) {
      values[j] = power_value(c, chebyshev_point(j, degree));
      largest = std::max(largest, std::abs(values[j]));
    }
    std::vector<double> chebyshev(degree + 1);
    std::vector<double> b(degree + 1);
    chebyshev_coefficients(values, chebyshev);
    chebyshev_to_bernstein(chebyshev, b);
    std::vector<double> exact = c;
    power_to_bernstein(exact);
    const double bound = 2.2e-16 * conversion_growth(degree) * largest;
    for (std::size_t j = 0; j <= degree; ++j) {
      EXPECT_NEAR(b[j], exact[j], bound + 1e-15) << "degree " << degree << ", coefficient " << j;
    }
  }
  EXPECT_LT(conversion_growth(10), 2e3);
  EXPECT_LT(conversion_growth(20), 2e6);
}

TEST(Bernstein, SignChangesSkipZeros) {
  EXPECT_EQ(sign_changes(std::vector<double>{1.0, 0.0, 2.0}), 0);
  EXPECT_EQ(sign_changes(std::vector<double>{1.0, 0.0, -2.0, -1.0}), 1);
  EXPECT_EQ(sign_changes(std::vector<double>{-1e-300, 1e-300, -1e-300}), 2);
  EXPECT_EQ(sign_changes(std::vector<double>{0.0, 0.0}), 0);
}

}  // namespace
}  // namespace saltus::locate
