#include "linalg/phi_functions.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "linalg/matrix_exponential.hpp"

namespace saltus::linalg {
namespace {

// Of numbers: φ_k(z) = (φ_(k-1)(z) - 1/(k-1)!)/z, which is accurate for large |z|; the series for small ones.
double phi(int k, double z) {
  if (std::abs(z) < 1.0) {
    double sum = 0.0;
    for (int j = 30; j >= 0; --j) {
      sum = sum * z + 1.0 / std::tgamma(j + k + 1.0);
    }
    return sum;
  }
  return k == 0 ? std::exp(z) : (phi(k - 1, z) - 1.0 / std::tgamma(static_cast<double>(k))) / z;
}

TEST(PhiFunctions, OfNumbers) {
  for (const double z : {0.0, 1e-9, -0.3, 0.9, -4.0, -30.0, -1e4, 5.0}) {
    const auto found = phi_functions(DenseMatrix{{z}}, 10);
    ASSERT_EQ(found.size(), 11U);
    for (int k = 0; k <= 10; ++k) {
      const double expected = phi(k, z);
      // Squarings multiply the relative error of the argument.
      const double tolerance = 1e-13 * (1.0 + std::abs(z)) * std::max(std::abs(expected), 1e-3 * phi(10, z));
      EXPECT_NEAR(found[static_cast<std::size_t>(k)](0, 0), expected, tolerance) << z << " " << k;
    }
  }
  EXPECT_EQ(phi_functions(DenseMatrix(0, 0), 3).size(), 4U);
}

TEST(PhiFunctions, OfMatrices) {
  const DenseMatrix a{{-2.0, 1.5, 0.0}, {0.25, 0.0, -3.0}, {1.0, 2.5, -0.5}};
  const auto found = phi_functions(a, 4);
  const DenseMatrix expected = exponential(a);
  EXPECT_LT((found[0] - expected).largest_entry(), 1e-14 * (1.0 + expected.largest_entry()));
  for (std::size_t k = 0; k < 4; ++k) {
    const DenseMatrix again =
        a * found[k + 1] + (1.0 / std::tgamma(static_cast<double>(k) + 1.0)) * DenseMatrix::identity(3);
    EXPECT_LT((found[k] - again).largest_entry(), 1e-14) << k;
  }
  // A nilpotent matrix has a finite series.
  const auto shift = phi_functions({{0.0, 8.0}, {0.0, 0.0}}, 2);
  EXPECT_NEAR(shift[1](0, 1), 4.0, 1e-15);
  EXPECT_NEAR(shift[2](0, 1), 8.0 / 6.0, 1e-15);
}

}  // namespace
}  // namespace saltus::linalg
