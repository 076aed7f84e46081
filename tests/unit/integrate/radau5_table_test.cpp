#include "integrate/implicit/radau5_table.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace saltus::integrate::radau5 {
namespace {

constexpr double kRounding = 1e-14;

// Collocation: h q̇(c_i h) = Σ_j (A⁻¹)_ij Z_j for the polynomials q = θᵖ, p = 1, 2, 3, which have Z_j = c_jᵖ.
TEST(Radau5Table, InverseDifferentiatesCubics) {
  for (int p = 1; p <= 3; ++p) {
    for (std::size_t i = 0; i < kStages; ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < kStages; ++j) {
        sum += kInverse[i][j] * std::pow(kC[j], p);
      }
      EXPECT_NEAR(sum, p * std::pow(kC[i], p - 1), kRounding) << p << i;
    }
  }
}

TEST(Radau5Table, PowersAreThoseOfThePolynomialThroughTheStages) {
  for (std::size_t p = 0; p < kStages; ++p) {
    for (std::size_t q = 0; q < kStages; ++q) {
      double sum = 0.0;
      for (std::size_t j = 0; j < kStages; ++j) {
        sum += kPowers[p][j] * std::pow(kC[j], static_cast<double>(q) + 1.0);
      }
      EXPECT_NEAR(sum, p == q ? 1.0 : 0.0, 4.0 * kRounding) << p << q;
    }
  }
}

// The nodes are those of the Radau quadrature, which is exact to θ⁴ and not beyond.
TEST(Radau5Table, QuadratureWithTheNodesHasOrderFive) {
  const double root = std::sqrt(6.0);
  const double b[] = {(16.0 - root) / 36.0, (16.0 + root) / 36.0, 1.0 / 9.0};
  for (int p = 0; p <= 5; ++p) {
    double sum = 0.0;
    for (std::size_t j = 0; j < kStages; ++j) {
      sum += b[j] * std::pow(kC[j], p);
    }
    EXPECT_EQ(std::abs(sum - 1.0 / (p + 1)) < kRounding, p <= 4) << p;
  }
}

TEST(Radau5Table, TransformationMakesTheBlocks) {
  const double blocks[3][3] = {{kGamma, 0.0, 0.0}, {0.0, kAlpha, -kBeta}, {0.0, kBeta, kAlpha}};
  for (std::size_t i = 0; i < kStages; ++i) {
    for (std::size_t j = 0; j < kStages; ++j) {
      double unit = 0.0;
      double transformed = 0.0;
      for (std::size_t k = 0; k < kStages; ++k) {
        unit += kTInverse[i][k] * kT[k][j];
        for (std::size_t l = 0; l < kStages; ++l) {
          transformed += kTInverse[i][k] * kInverse[k][l] * kT[l][j];
        }
      }
      EXPECT_NEAR(unit, i == j ? 1.0 : 0.0, kRounding);
      EXPECT_NEAR(transformed, blocks[i][j], 4.0 * kRounding);
    }
  }
}

}  // namespace
}  // namespace saltus::integrate::radau5
