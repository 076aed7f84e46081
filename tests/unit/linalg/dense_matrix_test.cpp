#include "linalg/dense_matrix.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "saltus/contract.hpp"

namespace saltus::linalg {
namespace {

TEST(DenseMatrix, ProductsAndParts) {
  const DenseMatrix a = {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
  const DenseMatrix b = {{1.0, 0.0}, {0.0, 2.0}, {1.0, 1.0}};
  EXPECT_EQ(a * b, (DenseMatrix{{4.0, 7.0}, {10.0, 16.0}}));
  EXPECT_EQ(transpose_times(a.transposed(), b), a * b);
  EXPECT_EQ(a * std::vector<double>({1.0, 1.0, 1.0}), (std::vector<double>{6.0, 15.0}));
  EXPECT_EQ(a.middle_columns(1, 2), (DenseMatrix{{2.0, 3.0}, {5.0, 6.0}}));
  EXPECT_EQ(beside(a.middle_columns(0, 1), a.middle_columns(1, 2)), a);
  EXPECT_EQ(a - a, DenseMatrix(2, 3));
  EXPECT_EQ(a.largest_entry(), 6.0);
}

TEST(DenseMatrix, EmptyOnesAreLegal) {
  const DenseMatrix tall(3, 0);
  const DenseMatrix flat(0, 3);
  EXPECT_EQ(tall * flat, DenseMatrix(3, 3));
  EXPECT_EQ(flat * tall, DenseMatrix(0, 0));
  EXPECT_EQ(transpose_times(tall, tall), DenseMatrix(0, 0));
  EXPECT_EQ(beside(DenseMatrix::identity(3), tall), DenseMatrix::identity(3));
  EXPECT_EQ(tall.largest_entry(), 0.0);
  EXPECT_TRUE(flat.is_finite());
}

TEST(DenseMatrix, WrongSizesAreMisuse) {
  EXPECT_THROW((void)(DenseMatrix(2, 3) * DenseMatrix(2, 3)), ContractViolation);
  EXPECT_THROW((void)(DenseMatrix(2, 3) + DenseMatrix(3, 2)), ContractViolation);
  EXPECT_THROW((void)DenseMatrix(2, 3).middle_columns(2, 2), ContractViolation);
}

TEST(DenseMatrix, NotFinite) {
  DenseMatrix a(1, 2);
  EXPECT_TRUE(a.is_finite());
  a(0, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(a.is_finite());
}

}  // namespace
}  // namespace saltus::linalg
