#include "linalg/generalized_inverse.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace saltus::linalg {
namespace {

DenseMatrix random_matrix(std::mt19937& random, Index rows, Index columns) {
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  DenseMatrix a(rows, columns);
  for (double& value : a.entries()) {
    value = entry(random);
  }
  return a;
}

double distance(const DenseMatrix& a, const DenseMatrix& b) {
  return (a - b).largest_entry();
}

TEST(MoorePenrose, FourEquationsOfPenrose) {
  std::mt19937 random(2);
  for (const Index rank : {0, 1, 3}) {
    const DenseMatrix a = random_matrix(random, 5, rank) * random_matrix(random, rank, 4);
    const DenseMatrix x = moore_penrose(a);
    ASSERT_EQ(x.rows(), 4);
    ASSERT_EQ(x.columns(), 5);
    EXPECT_LT(distance(a * x * a, a), 1e-12);
    EXPECT_LT(distance(x * a * x, x), 1e-11);
    EXPECT_LT(distance((a * x).transposed(), a * x), 1e-12);
    EXPECT_LT(distance((x * a).transposed(), x * a), 1e-12);
  }
  EXPECT_EQ(moore_penrose(DenseMatrix(0, 3)), DenseMatrix(3, 0));
}

// T·diag(C, N)·T⁻¹ with N nilpotent of a known index.
TEST(Drazin, DefiningEquationsAndIndex) {
  std::mt19937 random(3);
  for (const int nilpotency : {1, 2, 3}) {
    DenseMatrix canonical(6, 6);
    canonical(0, 0) = 2.0;
    canonical(0, 1) = 1.0;
    canonical(1, 1) = -0.5;
    for (Index i = 2; i + 1 < 2 + nilpotency; ++i) {
      canonical(i, i + 1) = 1.0;
    }
    const DenseMatrix t = random_matrix(random, 6, 6) + 2.0 * DenseMatrix::identity(6);
    const DenseMatrix a = t * canonical * *inverse(t);
    const Drazin result = drazin(a);
    EXPECT_EQ(result.index, nilpotency);
    const DenseMatrix& x = result.inverse;
    EXPECT_LT(distance(a * x, x * a), 1e-10);
    EXPECT_LT(distance(x * a * x, x), 1e-10);
    DenseMatrix power = DenseMatrix::identity(6);
    for (int i = 0; i < nilpotency; ++i) {
      power = power * a;
    }
    EXPECT_LT(distance(x * power * a, power), 1e-10);
  }
}

TEST(Drazin, SpecialCases) {
  const DenseMatrix nonsingular = {{2.0, 1.0}, {0.0, 4.0}};
  EXPECT_EQ(drazin(nonsingular).index, 0);
  EXPECT_LT(distance(drazin(nonsingular).inverse * nonsingular, DenseMatrix::identity(2)), 1e-15);
  EXPECT_EQ(drazin(DenseMatrix(3, 3)).index, 1);
  EXPECT_EQ(drazin(DenseMatrix(3, 3)).inverse, DenseMatrix(3, 3));
  EXPECT_EQ(drazin(DenseMatrix(0, 0)).index, 0);
  // A nilpotent matrix has the Drazin inverse 0, other than its Moore-Penrose inverse.
  EXPECT_LT(drazin(DenseMatrix{{0.0, 1.0}, {0.0, 0.0}}).inverse.largest_entry(), 1e-15);
  EXPECT_EQ(drazin(DenseMatrix{{0.0, 1.0}, {0.0, 0.0}}).index, 2);
}

TEST(PairIndex, WeierstrassFormAndSingularPairs) {
  EXPECT_EQ(pair_index(DenseMatrix::identity(2), DenseMatrix(2, 2)), 0);
  EXPECT_EQ(pair_index(DenseMatrix(2, 2), DenseMatrix::identity(2)), 1);
  EXPECT_EQ(pair_index({{0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}}, DenseMatrix::identity(3)), 3);
  EXPECT_EQ(pair_index({{1.0, 0.0}, {0.0, 0.0}}, {{3.0, 0.0}, {0.0, 0.0}}), std::nullopt);
  EXPECT_EQ(pair_index({{0.0, 1.0}, {0.0, 0.0}}, {{0.0, 0.0}, {0.0, 1.0}}), std::nullopt);
  EXPECT_EQ(pair_index(DenseMatrix(0, 0), DenseMatrix(0, 0)), 0);
}

TEST(CommutingPair, FactorsCommute) {
  std::mt19937 random(4);
  const DenseMatrix e = random_matrix(random, 4, 2) * random_matrix(random, 2, 4);
  const DenseMatrix a = random_matrix(random, 4, 4);
  const auto pair = commuting_pair(e, a);
  ASSERT_TRUE(pair.has_value());
  EXPECT_LT(distance(pair->e * pair->a, pair->a * pair->e), 1e-12);
  EXPECT_LT(distance(pair->shift * pair->e - pair->a, DenseMatrix::identity(4)), 1e-12);
}

}  // namespace
}  // namespace saltus::linalg
