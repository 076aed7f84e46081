#include "linalg/weighted_norm.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {

TEST(WeightedNorm, IsTheRootOfTheMeanSquare) {
  const std::array<double, 2> v = {3.0, 8.0};
  const std::array<double, 2> w = {1.0, 0.5};
  EXPECT_DOUBLE_EQ(weighted_norm(v, w), std::sqrt((9.0 + 16.0) / 2.0));
  EXPECT_EQ(weighted_norm({}, {}), 0.0);
}

TEST(WeightedNorm, DoesNotHideWhatIsNotFinite) {
  const std::array<double, 2> w = {1.0, 1.0};
  const std::array<double, 2> with_nan = {0.0, std::numeric_limits<double>::quiet_NaN()};
  const std::array<double, 2> with_infinity = {0.0, std::numeric_limits<double>::infinity()};
  EXPECT_TRUE(std::isnan(weighted_norm(with_nan, w)));
  EXPECT_FALSE(weighted_norm(with_infinity, w) <= 1.0);
}

TEST(WeightedNorm, WeightsFollowTheLargerValue) {
  const std::array<double, 2> y = {-10.0, 0.0};
  const std::array<double, 2> z = {5.0, 100.0};
  const std::array<double, 2> atol = {1.0, 2.0};
  std::array<double, 2> weights = {};
  compute_weights(y, 0.1, atol, weights);
  EXPECT_DOUBLE_EQ(weights[0], 0.5);
  EXPECT_DOUBLE_EQ(weights[1], 0.5);
  compute_weights(y, z, 0.1, atol, weights);
  EXPECT_DOUBLE_EQ(weights[0], 0.5);
  EXPECT_DOUBLE_EQ(weights[1], 1.0 / 12.0);
}

TEST(WeightedNorm, RefusesSpansOfDifferentLength) {
  const std::vector<double> v(3, 1.0);
  const std::vector<double> w(2, 1.0);
  EXPECT_THROW(static_cast<void>(weighted_norm(v, w)), ContractViolation);
}

}  // namespace
}  // namespace saltus::linalg
