#include "callback/line_derivatives.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace saltus::callback {
namespace {

TEST(LineDerivatives, ThreeOrdersOfSmoothFunctions) {
  LineDerivatives line(2, 3);
  const std::vector<double> scale(2, 1.0);
  ASSERT_TRUE(line.run(1.0, scale, [](double tau, std::span<double> values) {
    values[0] = std::sin(1.0 + tau);
    values[1] = std::exp(tau);
    return true;
  }));
  const double bound[] = {0.0, 1e-14, 1e-12, 1e-11};
  const double of_sine[] = {std::sin(1.0), std::cos(1.0), -std::sin(1.0), -std::cos(1.0)};
  for (int k = 1; k <= 3; ++k) {
    EXPECT_NEAR(line.derivative(k)[0], of_sine[k], bound[k]) << k;
    EXPECT_NEAR(line.derivative(k)[1], 1.0, bound[k]) << k;
    EXPECT_LE(std::abs(line.derivative(k)[1] - 1.0), line.error(k)) << k;
    EXPECT_LT(line.error(k), 10.0 * bound[k]) << k;
  }
}

TEST(LineDerivatives, StepsFollowAFasterFunctionThanPromised) {
  LineDerivatives line(1, 2);
  const std::vector<double> scale(1, 1.0);
  ASSERT_TRUE(line.run(1.0, scale, [](double tau, std::span<double> values) {
    values[0] = std::sin(300.0 * tau);
    return true;
  }));
  EXPECT_NEAR(line.derivative(1)[0] / 300.0, 1.0, 1e-11);
  // The error is measured in units of the function over the promised time.
  EXPECT_LE(std::abs(line.derivative(1)[0] - 300.0), line.error(1));
}

TEST(LineDerivatives, PlacesWithoutValuesMakeTheStepsSmaller) {
  LineDerivatives line(1, 1);
  const std::vector<double> scale(1, 0.0);
  const auto root = [](double tau, std::span<double> values) {
    values[0] = std::sqrt(0.01 + tau);
    return tau > -0.01;
  };
  ASSERT_TRUE(line.run(1.0, scale, root));
  EXPECT_NEAR(line.derivative(1)[0], 5.0, 1e-9);
  EXPECT_FALSE(line.run(1.0, scale, [](double tau, std::span<double>) { return tau != 0.0; }));
  EXPECT_FALSE(line.run(1.0, scale, [](double tau, std::span<double>) { return tau == 0.0; }));
}

// |τ| has no derivative at 0: the estimate says so.
TEST(LineDerivatives, KinksShowInTheEstimate) {
  LineDerivatives line(1, 1);
  const std::vector<double> scale(1, 0.0);
  ASSERT_TRUE(line.run(1.0, scale, [](double tau, std::span<double> values) {
    values[0] = std::max(tau, 0.0) + 1e-3 * tau * tau * tau;
    return true;
  }));
  LineDerivatives second(1, 2);
  ASSERT_TRUE(second.run(1.0, scale, [](double tau, std::span<double> values) {
    values[0] = std::max(tau, 0.0);
    return true;
  }));
  EXPECT_GT(second.error(2), 1e-2);
}

}  // namespace
}  // namespace saltus::callback
