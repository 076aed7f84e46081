#include "linalg/eigenvalues.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace saltus::linalg {
namespace {

using Complex = std::complex<double>;

TEST(Eigenvalues, OfSmallMatrices) {
  const auto turn = eigenvalues({{0.0, 1.0}, {-4.0, 0.0}});
  EXPECT_NEAR(std::abs(turn[0] - Complex(0.0, -2.0)), 0.0, 1e-14);
  EXPECT_EQ(turn[1], std::conj(turn[0]));
  const auto one = eigenvalues({{3.5}});
  EXPECT_EQ(one[0], Complex(3.5));
  const auto defective = eigenvalues({{2.0, 1.0}, {0.0, 2.0}});
  EXPECT_NEAR(std::abs(defective[0] - 2.0), 0.0, 1e-7);
  EXPECT_TRUE(eigenvalues(DenseMatrix(0, 0)).empty());
  const auto zero = eigenvalues(DenseMatrix(3, 3));
  EXPECT_EQ(zero[2], Complex(0.0));
}

// The companion matrix of (x - 1)(x - 2)…(x - n), and a cyclic shift, on which QR steps without exceptional shifts stand still.
TEST(Eigenvalues, OfCompanionAndCyclicMatrices) {
  constexpr Index kN = 6;
  std::vector<double> coefficients{1.0};
  for (Index root = 1; root <= kN; ++root) {
    coefficients.push_back(0.0);
    for (std::size_t i = coefficients.size() - 1; i > 0; --i) {
      coefficients[i] -= static_cast<double>(root) * coefficients[i - 1];
    }
  }
  DenseMatrix companion(kN, kN);
  DenseMatrix cyclic(kN, kN);
  for (Index i = 0; i < kN; ++i) {
    companion(0, i) = -coefficients[static_cast<std::size_t>(i) + 1];
    if (i > 0) {
      companion(i, i - 1) = 1.0;
    }
    cyclic((i + 1) % kN, i) = 1.0;
  }
  const auto roots = eigenvalues(companion);
  for (Index i = 0; i < kN; ++i) {
    EXPECT_NEAR(std::abs(roots[static_cast<std::size_t>(i)] - static_cast<double>(i + 1)), 0.0, 1e-9);
  }
  for (const Complex& value : eigenvalues(cyclic)) {
    EXPECT_NEAR(std::abs(std::pow(value, kN) - 1.0), 0.0, 1e-12);
  }
}

TEST(Eigenvalues, UnitsDoNotMatter) {
  const double scale[3] = {1.0, 1e8, 1e-7};
  DenseMatrix matrix{{-1.0, 2.0, 0.5}, {0.3, -2.0, 1.0}, {0.1, 0.4, -3.0}};
  const auto plain = eigenvalues(matrix);
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 3; ++j) {
      matrix(i, j) *= scale[i] / scale[j];
    }
  }
  const auto scaled = eigenvalues(matrix);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(std::abs(plain[i] - scaled[i]), 0.0, 1e-12);
  }
}

}  // namespace
}  // namespace saltus::linalg
