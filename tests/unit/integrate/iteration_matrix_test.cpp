#include "integrate/step/iteration_matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <memory>
#include <vector>

namespace saltus::integrate {
namespace {

// n_y = 3, two states: A full in its first column, B with a column that meets A and one that does not.
system::RectangularPattern jacobian_pattern() {
  return {3, 5, {0, 3, 5, 6, 8, 9}, {0, 1, 2, 1, 2, 2, 0, 1, 0}};
}
const std::vector<double> kEntries = {1.0, -2.0, 0.5, 3.0, 0.25, 7.0, 2.0, 1.0, -1.5};

template <class Scalar>
std::vector<Scalar> product(Scalar alpha, const std::vector<Scalar>& x) {
  const system::RectangularPattern pattern = jacobian_pattern();
  std::vector<Scalar> b(3, Scalar(0.0));
  for (std::size_t j = 0; j < 5; ++j) {
    for (auto k = pattern.column_starts[j]; k < pattern.column_starts[j + 1]; ++k) {
      const auto place = static_cast<std::size_t>(k);
      b[static_cast<std::size_t>(pattern.rows[place])] +=
          (j < 3 ? Scalar(1.0) : alpha) * kEntries[place] * x[j < 3 ? j : j - 3];
    }
  }
  return b;
}

template <class Scalar>
void expect_solves(Scalar alpha, MatrixStorage storage) {
  const auto pattern = std::make_shared<IterationPattern>(jacobian_pattern(), 2, storage);
  EXPECT_EQ(pattern->is_dense(), storage != MatrixStorage::sparse);
  BasicIterationMatrix<Scalar> matrix(pattern);
  const std::vector<Scalar> x = {Scalar(1.0), Scalar(-2.0), Scalar(0.5)};
  // The second factorisation must forget the first.
  for (const Scalar factor : {Scalar(3.0) * alpha, alpha}) {
    ASSERT_TRUE(matrix.factorize(factor, kEntries).ok());
    std::vector<Scalar> b = product(factor, x);
    matrix.solve(b);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LT(std::abs(b[i] - x[i]), 1e-13);
    }
  }
}

TEST(IterationMatrix, SolvesWithRealAndComplexFactorsDenseAndSparse) {
  for (const MatrixStorage storage :
       {MatrixStorage::automatic, MatrixStorage::dense, MatrixStorage::sparse}) {
    expect_solves(2.5, storage);
    expect_solves(std::complex<double>(2.0, -3.0), storage);
  }
}

TEST(IterationMatrix, MultipliesByTheDerivativesOfTheStates) {
  const IterationPattern pattern(jacobian_pattern(), 2);
  std::vector<double> out(3, 9.0);
  pattern.multiply_b(kEntries, std::vector<double>{2.0, 1.0}, out);
  EXPECT_EQ(out, (std::vector<double>{2.5, 2.0, 0.0}));
}

TEST(IterationMatrix, SingularSumIsAValue) {
  // A + αB with a column that vanishes for α = 2.
  const system::RectangularPattern jacobian{1, 2, {0, 1, 2}, {0, 0}};
  for (const MatrixStorage storage : {MatrixStorage::dense, MatrixStorage::sparse}) {
    IterationMatrix matrix(std::make_shared<IterationPattern>(jacobian, 1, storage));
    EXPECT_FALSE(matrix.factorize(2.0, std::vector<double>{-2.0, 1.0}).ok());
    EXPECT_TRUE(matrix.factorize(3.0, std::vector<double>{-2.0, 1.0}).ok());
  }
}

TEST(IterationMatrix, LargeSparseSystemsAreNotDense) {
  constexpr Index kOrder = 400;
  system::RectangularPattern chain{kOrder, 2 * kOrder, {0}, {}};
  for (Index j = 0; j < 2 * kOrder; ++j) {
    const Index row = j % kOrder;
    chain.rows.push_back(row);
    if (j < kOrder && row + 1 < kOrder) {
      chain.rows.push_back(row + 1);
    }
    chain.column_starts.push_back(static_cast<Index>(chain.rows.size()));
  }
  const IterationPattern pattern(chain, kOrder);
  EXPECT_FALSE(pattern.is_dense());
  EXPECT_EQ(pattern.n_values(), static_cast<std::size_t>(2 * kOrder - 1));
}

}  // namespace
}  // namespace saltus::integrate
