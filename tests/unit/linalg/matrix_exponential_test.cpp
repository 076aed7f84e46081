// e^A against closed forms: rotations, nilpotent matrices, large and small norms.
#include "linalg/matrix_exponential.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace saltus::linalg {
namespace {

// Norms on both sides of every scaling; the rounding of squarings grows with the norm.
TEST(Exponential, Rotations) {
  for (const double angle : {1e-12, 0.3, 2.0, 5.37, 5.38, 40.0, 1000.0}) {
    const DenseMatrix rotation = exponential({{0.0, angle}, {-angle, 0.0}});
    const double rounding = 4e-16 * (4.0 + angle);
    EXPECT_NEAR(rotation(0, 0), std::cos(angle), rounding) << angle;
    EXPECT_NEAR(rotation(0, 1), std::sin(angle), rounding) << angle;
    EXPECT_NEAR(rotation(1, 0), -std::sin(angle), rounding) << angle;
  }
}

TEST(Exponential, NilpotentAndDiagonalAndEmpty) {
  const DenseMatrix chain = exponential({{0.0, 3.0, 0.0}, {0.0, 0.0, 5.0}, {0.0, 0.0, 0.0}});
  EXPECT_NEAR(chain(0, 2), 7.5, 1e-14);
  EXPECT_NEAR(chain(0, 1), 3.0, 1e-15);
  EXPECT_NEAR(chain(0, 0), 1.0, 1e-15);
  const DenseMatrix decay = exponential({{-700.0, 0.0}, {0.0, 3.0}});
  EXPECT_NEAR(decay(0, 0) / std::exp(-700.0), 1.0, 1e-12);
  EXPECT_NEAR(decay(1, 1) / std::exp(3.0), 1.0, 1e-13);
  EXPECT_EQ(exponential(DenseMatrix(0, 0)), DenseMatrix(0, 0));
}

}  // namespace
}  // namespace saltus::linalg
