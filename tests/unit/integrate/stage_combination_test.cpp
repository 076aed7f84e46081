#include "integrate/explicit/stage_combination.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

namespace saltus::integrate {
namespace {

TEST(Combination, SumsAnyNumberOfStages) {
  constexpr std::size_t kStates = 9;
  std::vector<std::vector<double>> stages(kMaxStages, std::vector<double>(kStates));
  std::array<double*, kMaxStages> k{};
  for (std::size_t j = 0; j < kMaxStages; ++j) {
    for (std::size_t i = 0; i < kStates; ++i) {
      stages[j][i] = static_cast<double>(j + 1) + 0.25 * static_cast<double>(i);
    }
    k[j] = stages[j].data();
  }
  for (std::size_t size = 0; size <= kMostStageTerms; ++size) {
    std::vector<double> a(size);
    for (std::size_t j = 0; j < size; ++j) {
      a[j] = 1.0 + static_cast<double>(j);
    }
    const std::vector<double> x(kStates, 3.0);
    std::vector<double> y(kStates);
    Combination(a).apply(x, 0.5, k, y);
    for (std::size_t i = 0; i < kStates; ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < size; ++j) {
        sum += a[j] * stages[j][i];
      }
      EXPECT_EQ(y[i], 3.0 + 0.5 * sum);
    }
    Combination(a).apply(2.0, k, y);
    EXPECT_EQ(y[0] == 0.0, size == 0);
  }
}

TEST(Combination, DoesNotTouchStagesWithCoefficientZero) {
  std::vector<double> unset(3, std::numeric_limits<double>::quiet_NaN());
  std::vector<double> one(3, 1.0);
  const std::array<double*, 2> k = {unset.data(), one.data()};
  const std::array<double, 2> a = {0.0, 2.0};
  std::vector<double> y(3);
  Combination(a).apply(1.0, k, y);
  EXPECT_EQ(y[2], 2.0);
}

}  // namespace
}  // namespace saltus::integrate
