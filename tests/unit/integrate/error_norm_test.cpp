#include "integrate/step/error_norm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace saltus::integrate {
namespace {

Tolerances simple(std::size_t n) {
  return {.rtol = 0.1, .atol = std::vector<double>(n, 0.5)};
}

TEST(ErrorNorm, IsTheWeightedRootMeanSquare) {
  // weights 0.5 + 0.1·max(|x|, |x₁|) = 0.7 and 1.5
  const std::vector<double> x = {1.0, -10.0};
  const std::vector<double> x_new = {-2.0, 3.0};
  const std::vector<double> error = {0.7, -3.0};
  EXPECT_DOUBLE_EQ(error_norm(simple(2), x, x_new, error), std::sqrt((1.0 + 4.0) / 2.0));
  EXPECT_EQ(worst_state(simple(2), x, x_new, error), 1);
}

TEST(ErrorNorm, OfLongVectorsUsesEveryElement) {
  for (std::size_t n = 1; n <= 11; ++n) {
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> error(n, 0.0);
      error[i] = 1.0;
      const std::vector<double> x(n, 5.0);  // weight 1
      EXPECT_DOUBLE_EQ(error_norm(simple(n), x, x, error), std::sqrt(1.0 / static_cast<double>(n)));
      EXPECT_DOUBLE_EQ(weighted_norm(simple(n), x, error), std::sqrt(1.0 / static_cast<double>(n)));
    }
  }
}

TEST(ErrorNorm, OfNothingIsZero) {
  EXPECT_EQ(error_norm(simple(0), {}, {}, {}), 0.0);
}

TEST(ErrorNorm, DoesNotHideAnOverflowedStateBehindItsWeight) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> x = {1.0, 1.0};
  const std::vector<double> x_new = {1.0, infinity};
  const std::vector<double> error = {0.0, 1.0};
  for (const ErrorNorm norm : {ErrorNorm::weighted_rms, ErrorNorm::compere}) {
    Tolerances tolerances = simple(2);
    tolerances.norm = norm;
    EXPECT_FALSE(std::isfinite(error_norm(tolerances, x, x_new, error)));
    EXPECT_EQ(worst_state(tolerances, x, x_new, error), 1);
    const std::vector<double> nan_error = {std::nan(""), 0.0};
    EXPECT_FALSE(std::isfinite(error_norm(tolerances, x, x, nan_error)));
  }
}

TEST(ErrorNorm, OfCompereIsTheMaximumNormBesideTheStateBefore) {
  Tolerances tolerances = simple(2);
  tolerances.norm = ErrorNorm::compere;
  const std::vector<double> x = {-4.0, 2.0};
  const std::vector<double> x_new = {100.0, 100.0};
  const std::vector<double> error = {0.1, -0.8};
  EXPECT_DOUBLE_EQ(error_norm(tolerances, x, x_new, error), 0.8 / (0.1 * 4.0));
  const std::vector<double> small = {0.1, 0.1};
  EXPECT_DOUBLE_EQ(error_norm(tolerances, small, x_new, error), 0.8 / 0.1);
}

}  // namespace
}  // namespace saltus::integrate
