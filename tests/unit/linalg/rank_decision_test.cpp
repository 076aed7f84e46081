#include "linalg/rank_decision.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "linalg/equilibration.hpp"

namespace saltus::linalg {
namespace {

constexpr RankMethod kMethods[] = {RankMethod::singular_values, RankMethod::pivoted_qr};

DenseMatrix random_matrix(std::mt19937& random, Index rows, Index columns) {
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  DenseMatrix a(rows, columns);
  for (double& value : a.entries()) {
    value = entry(random);
  }
  return a;
}

double distance_from_orthonormal(const DenseMatrix& q) {
  return (transpose_times(q, q) - DenseMatrix::identity(q.columns())).largest_entry();
}

TEST(RankDecision, BasesOfTheFourSubspaces) {
  constexpr unsigned kSeed = 1;
  std::mt19937 random(kSeed);
  RecordProperty("seed", kSeed);
  for (const RankMethod method : kMethods) {
    for (const auto& [m, n, r] : std::vector<std::array<Index, 3>>{{5, 5, 5},
                                                                   {5, 5, 3},
                                                                   {4, 7, 2},
                                                                   {7, 4, 4},
                                                                   {6, 3, 1},
                                                                   {4, 4, 0},
                                                                   {0, 3, 0},
                                                                   {3, 0, 0},
                                                                   {0, 0, 0}}) {
      const DenseMatrix a = random_matrix(random, m, r) * random_matrix(random, r, n);
      RankOptions options;
      options.method = method;
      const RankBases bases = rank_bases(a, options);
      ASSERT_EQ(bases.decision.rank, r);
      EXPECT_FALSE(bases.decision.is_unclear);
      ASSERT_EQ(bases.corange.columns(), m - r);
      ASSERT_EQ(bases.kernel.columns(), n - r);
      ASSERT_EQ(bases.range.rows(), m);
      ASSERT_EQ(bases.kernel.rows(), n);
      EXPECT_LT(transpose_times(bases.corange, a).largest_entry(), 1e-13);
      EXPECT_LT((a * bases.kernel).largest_entry(), 1e-13);
      EXPECT_LT(transpose_times(bases.corange, bases.range).largest_entry(), 1e-13);
      EXPECT_LT(transpose_times(bases.kernel, bases.cokernel).largest_entry(), 1e-13);
      for (const DenseMatrix* q : {&bases.range, &bases.corange, &bases.cokernel, &bases.kernel}) {
        EXPECT_LT(distance_from_orthonormal(*q), 1e-14);
      }
    }
  }
}

TEST(RankDecision, BadlyScaledRowsAndColumnsAreSeenThrough) {
  // Farads beside megaohms: without equilibration the small row counts as zero.
  const DenseMatrix a = {{1e-12, 2e-12, 0.0}, {1e6, 3e6, 1e6}, {2e6, 6e6, 2e6}};
  for (const RankMethod method : kMethods) {
    RankOptions options;
    options.method = method;
    EXPECT_EQ(decide_rank(a, options).rank, 2);
    EXPECT_FALSE(decide_rank(a, options).is_unclear);
    options.equilibrate = false;
    EXPECT_EQ(decide_rank(a, options).rank, 1);
  }
  EXPECT_LT((a * rank_bases(a).kernel).largest_entry(), 1e-9);
  EXPECT_LT(transpose_times(rank_bases(a).corange, a).largest_entry(), 1e-9);
}

// [Wun08] Example 3.2: all coefficients of the order of rounding errors are no coefficients of size zero.
TEST(RankDecision, SmallNumbersAloneAreNoZeros) {
  EXPECT_EQ(decide_rank(DenseMatrix{{2.2e-16}}).rank, 1);
  RankOptions options;
  options.reference = 1.0;
  options.equilibrate = false;
  EXPECT_EQ(decide_rank(DenseMatrix{{2.2e-16}}, options).rank, 0);
}

TEST(RankDecision, SmallGapIsUnclear) {
  const auto diagonal = [](double last_kept, double first_dropped) {
    RankOptions options;
    options.equilibrate = false;
    return decide_rank(DenseMatrix{{1.0, 0.0, 0.0}, {0.0, last_kept, 0.0}, {0.0, 0.0, first_dropped}},
                       options);
  };
  EXPECT_EQ(diagonal(1e-9, 1e-11).rank, 2);
  EXPECT_TRUE(diagonal(1e-9, 1e-11).is_unclear);
  EXPECT_NEAR(diagonal(1e-9, 1e-11).gap_ratio, 100.0, 1e-6);
  EXPECT_FALSE(diagonal(1e-9, 1e-14).is_unclear);
  EXPECT_FALSE(diagonal(0.5, 1e-11).is_unclear);
  EXPECT_EQ(diagonal(0.5, 1e-11).rank, 2);
  // A single value below the tolerance, compared with the size of the matrix.
  EXPECT_EQ(diagonal(1e-11, 0.0).rank, 1);
  EXPECT_NEAR(diagonal(0.5, 0.25).condition, 4.0, 1e-12);
}

TEST(Equilibration, ScalesArePowersOfTwoAndEntriesComparable) {
  const DenseMatrix a = {{3e-200, 5e100}, {0.0, 0.0}, {7.0, 1e-30}};
  const Equilibration scale = equilibrate(a);
  for (const double s : scale.row_scale) {
    EXPECT_EQ(std::log2(s), std::round(std::log2(s)));
  }
  EXPECT_EQ(scale.row_scale[1], 1.0);
  const DenseMatrix scaled = scale.apply(a);
  for (const Index j : {0, 1}) {
    double largest = 0.0;
    for (const double entry : scaled.column(j)) {
      largest = std::max(largest, std::abs(entry));
    }
    EXPECT_GT(largest, 0.25);
    EXPECT_LT(largest, 4.0);
  }
}

TEST(Equilibration, SharedFactors) {
  const DenseMatrix a = {{1e8, 1.0, 1e16}, {1.0, 1e-8, 1e8}};
  const std::vector<std::vector<Index>> labels = {{0, 1, 0}, {0, 0, 1}};
  const Equilibration scale = equilibrate(a, labels);
  const DenseMatrix scaled = scale.apply(a);
  for (const double entry : scaled.entries()) {
    EXPECT_GT(entry, 1e-3);  // of a spread of 1e24 before
    EXPECT_LT(entry, 8.0);
  }
}

}  // namespace
}  // namespace saltus::linalg
