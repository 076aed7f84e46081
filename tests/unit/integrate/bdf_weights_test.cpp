#include "integrate/implicit/bdf_weights.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "integrate/step/weighted_sum.hpp"

namespace saltus::integrate::bdf {
namespace {

const Offsets kUneven = {0.0, 0.3, 0.4, 0.9, 1.0, 1.7, 1.9, 2.6};
constexpr double kStep = 0.45;

double power(double t, int p) {
  return std::pow(t, p);
}

TEST(BdfWeights, PredictorIsExactForPolynomialsUpToItsOrder) {
  constexpr double kNow = 0.7;
  for (int order = 1; order <= kHighestOrder; ++order) {
    const Predictor weights = predictor(order, kStep, kUneven);
    for (int p = 0; p <= order; ++p) {
      double value = power(kNow, p);
      double slope = 0.0;
      for (std::size_t j = 1; j <= static_cast<std::size_t>(order); ++j) {
        const double difference = power(kNow - kUneven[j], p) - power(kNow, p);
        value += weights.value[j] * difference;
        slope += weights.slope[j] * difference;
      }
      EXPECT_NEAR(value, power(kNow + kStep, p), 1e-11) << order << ' ' << p;
      EXPECT_NEAR(slope, p == 0 ? 0.0 : p * power(kNow + kStep, p - 1), 1e-10) << order << ' ' << p;
    }
  }
}

TEST(BdfWeights, ScaledDifferenceIsTheDerivative) {
  for (int order = 1; order < kHighestOrder; ++order) {
    const Difference weights = scaled_difference(order, kStep, kUneven);
    // t^(m+1) has the derivative (m+1)! everywhere, lower powers none.
    for (int p = 0; p <= order + 1; ++p) {
      double sum = weights.newest * (power(kStep, p) - power(0.0, p));
      double factorial = 1.0;
      for (int j = 0; j <= order; ++j) {
        sum += weights.past[static_cast<std::size_t>(j)] *
               (power(-kUneven[static_cast<std::size_t>(j)], p) - power(0.0, p));
      }
      for (int j = 1; j <= order + 1; ++j) {
        factorial *= j;
      }
      EXPECT_NEAR(sum, p == order + 1 ? factorial * power(kStep, order + 1) : 0.0, 1e-9) << order << ' ' << p;
    }
  }
}

TEST(BdfWeights, DifferenceOfTheOwnOrderIsAMultipleOfTheCorrection) {
  for (int order = 1; order <= kHighestOrder; ++order) {
    const Predictor prediction = predictor(order, kStep, kUneven);
    const Difference difference = scaled_difference(order, kStep, kUneven);
    const auto f = [](double t) { return std::exp(0.3 * t); };
    double predicted = f(0.0);
    double sum = difference.newest * (f(kStep) - f(0.0));
    for (std::size_t j = 1; j <= static_cast<std::size_t>(order); ++j) {
      predicted += prediction.value[j] * (f(-kUneven[j]) - f(0.0));
      sum += difference.past[j] * (f(-kUneven[j]) - f(0.0));
    }
    EXPECT_NEAR(sum, scaled_difference_factor(order, kStep, kUneven) * (f(kStep) - predicted),
                1e-12 * std::abs(difference.newest));
  }
}

TEST(BdfWeights, WithEqualStepsTheErrorConstantIsOneOverOrderPlusOne) {
  Offsets even{};
  for (std::size_t j = 0; j < even.size(); ++j) {
    even[j] = 0.25 * static_cast<double>(j);
  }
  for (int order = 1; order <= kHighestOrder; ++order) {
    EXPECT_NEAR(error_constant(order, 0.25, even), 1.0 / (order + 1), 1e-15);
    EXPECT_NEAR(scaled_difference_factor(order, 0.25, even), 1.0, 1e-15);
  }
  EXPECT_DOUBLE_EQ(leading_coefficient(3), 11.0 / 6.0);
}

TEST(BdfWeights, DensePolynomialMeetsTheValues) {
  for (int order = 1; order <= kHighestOrder; ++order) {
    const PowerTable table = dense_powers(order, kStep, kUneven);
    for (int p = 1; p <= order; ++p) {
      for (const double theta : {0.0, 0.25, 0.5, 1.0, -0.5}) {
        double value = 0.0;
        for (int q = order; q >= 1; --q) {
          double coefficient = table[static_cast<std::size_t>(q)][0] * power(kStep, p);
          for (std::size_t j = 1; j < static_cast<std::size_t>(order); ++j) {
            coefficient += table[static_cast<std::size_t>(q)][j] * power(-kUneven[j], p);
          }
          value = theta * (value + coefficient);
        }
        EXPECT_NEAR(value, power(theta * kStep, p), 1e-11) << order << ' ' << p << ' ' << theta;
      }
    }
  }
}

TEST(WeightedSum, LongVectorsAreSummedInPieces) {
  constexpr std::size_t kLength = 1300;
  std::vector<double> a(kLength);
  std::vector<double> b(kLength);
  std::vector<double> c(kLength);
  for (std::size_t i = 0; i < kLength; ++i) {
    a[i] = static_cast<double>(i);
    b[i] = a[i] + 1.0;
    c[i] = 2.0 * a[i];
  }
  std::vector<double> sum(kLength, 7.0);
  weighted_sum<3>({a, b, c}, {99.0, 2.0, -0.5}, 3, sum);
  for (std::size_t i = 0; i < kLength; ++i) {
    ASSERT_EQ(sum[i], 2.0 - 0.5 * a[i]);
  }
}

}  // namespace
}  // namespace saltus::integrate::bdf
