#include "linalg/triangular_factor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace saltus::linalg {
namespace {

// ‖A·x + b‖² is the same before and after, whatever x is.
void expect_same_norms(Index m, Index n) {
  SCOPED_TRACE(testing::Message() << m << " × " << n);
  constexpr unsigned kSeed = 11;
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  DenseMatrix a(m, n);
  for (double& value : a.entries()) {
    value = entry(random);
  }
  std::vector<double> b(static_cast<std::size_t>(m));
  for (double& value : b) {
    value = entry(random);
  }
  const TriangularFactor factor = triangular_factor(a, b);
  const auto square = [](std::vector<double> v, const std::vector<double>& shift) {
    double sum = 0.0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      sum += (v[i] + shift[i]) * (v[i] + shift[i]);
    }
    return sum;
  };
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::vector<double> x(static_cast<std::size_t>(n));
    for (double& value : x) {
      value = entry(random);
    }
    const double before = square(a * x, b);
    EXPECT_NEAR(square(factor.r * x, factor.c) + factor.rest, before, 1e-13 * (1.0 + before));
  }
  for (Index j = 0; j < n; ++j) {
    for (Index i = j + 1; i < n; ++i) {
      EXPECT_EQ(factor.r(i, j), 0.0);
    }
  }
}

TEST(TriangularFactor, KeepsNormsForAllShapes) {
  for (const auto& [m, n] : std::vector<std::pair<Index, Index>>{{1, 1}, {3, 3}, {7, 3}, {200, 5}, {2, 4}}) {
    expect_same_norms(m, n);
  }
}

TEST(TriangularFactor, OfAZeroColumnIsZero) {
  const DenseMatrix a{{1.0, 0.0}, {1.0, 0.0}, {1.0, 0.0}};
  const TriangularFactor factor = triangular_factor(a, {1.0, 2.0, 3.0});
  EXPECT_EQ(factor.r(1, 1), 0.0);
  EXPECT_NEAR(std::abs(factor.r(0, 0)), std::sqrt(3.0), 1e-15);
}

}  // namespace
}  // namespace saltus::linalg
