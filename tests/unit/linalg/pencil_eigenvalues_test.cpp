#include "linalg/pencil/pencil_eigenvalues.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "linalg/eigenvalues.hpp"

namespace saltus::linalg {
namespace {

using Complex = std::complex<double>;

TEST(PencilEigenvalues, OfSmallPairs) {
  EXPECT_TRUE(pencil_eigenvalues(DenseMatrix(0, 0), DenseMatrix(0, 0)).empty());
  EXPECT_EQ(pencil_eigenvalues({{2.0}}, {{7.0}})[0], Complex(3.5));
  const auto turn = pencil_eigenvalues({{2.0, 0.0}, {0.0, 0.5}}, {{0.0, 4.0}, {-1.0, 0.0}});
  EXPECT_NEAR(std::abs(turn[0] - Complex(0.0, -2.0)), 0.0, 1e-14);
  EXPECT_EQ(turn[1], std::conj(turn[0]));
  const auto zero = pencil_eigenvalues(DenseMatrix::identity(3), DenseMatrix(3, 3));
  EXPECT_EQ(zero[2], Complex(0.0));
  // A cyclic shift, on which steps without other shifts stand still.
  DenseMatrix cyclic(6, 6);
  for (Index i = 0; i < 6; ++i) {
    cyclic((i + 1) % 6, i) = 1.0;
  }
  for (const Complex& value : pencil_eigenvalues(DenseMatrix::identity(6), cyclic)) {
    EXPECT_NEAR(std::abs(std::pow(value, 6) - 1.0), 0.0, 1e-12);
  }
}

// A small pair beside a large value stays a pair.
TEST(PencilEigenvalues, SizesDoNotMixUp) {
  const auto found =
      pencil_eigenvalues(DenseMatrix::identity(3), {{-1e14, 0.0, 0.0}, {0.0, 0.0, 1e-3}, {0.0, -1e-3, 0.0}});
  EXPECT_EQ(found[0], Complex(-1e14));
  EXPECT_NEAR(std::abs(found[1] - Complex(0.0, -1e-3)), 0.0, 1e-16);
}

TEST(PencilEigenvalues, AreThoseOfTheQuotient) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  for (Index n = 2; n <= 40; n += 3) {
    DenseMatrix e(n, n);
    DenseMatrix q(n, n);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        e(i, j) = entry(random) + (i == j ? 4.0 : 0.0);
        q(i, j) = entry(random);
      }
    }
    const auto expected = eigenvalues(q);
    const auto found = pencil_eigenvalues(e, e * q);
    ASSERT_EQ(found.size(), expected.size());
    for (const Complex& value : expected) {
      double nearest = 1.0;
      for (const Complex& other : found) {
        nearest = std::min(nearest, std::abs(value - other));
      }
      EXPECT_LT(nearest, 1e-9) << n;
    }
  }
}

}  // namespace
}  // namespace saltus::linalg
