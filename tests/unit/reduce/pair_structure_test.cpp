#include "reduce/structured/pair_structure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace saltus::reduce {
namespace {

using linalg::DenseMatrix;

TEST(PairStructure, OfFirstOrder) {
  const DenseMatrix symmetric{{1, 2}, {2, -3}};
  const DenseMatrix skew{{0, 2}, {-2, 0}};
  EXPECT_TRUE(has_structure({{symmetric}, {symmetric}}, StructureKind::symmetric));
  EXPECT_FALSE(has_structure({{symmetric}, {symmetric}}, StructureKind::self_adjoint));
  EXPECT_TRUE(has_structure({{symmetric}, {skew}}, StructureKind::self_adjoint));
  EXPECT_FALSE(has_structure({{skew}, {symmetric}}, StructureKind::symmetric));
  EXPECT_FALSE(has_structure({{DenseMatrix(2, 3)}, {DenseMatrix(2, 3)}}, StructureKind::symmetric));
  EXPECT_FALSE(has_structure({{symmetric}, {symmetric}}, StructureKind::none));
}

// E = -Eᵀ and A = (A + Ė)ᵀ: with C₀ = -A.
TEST(PairStructure, SelfAdjointPairsThatVary) {
  const DenseMatrix e{{0, 2}, {-2, 0}};
  const DenseMatrix rate{{0, 5}, {-5, 0}};
  const DenseMatrix a{{1, 4}, {4 + 5, 2}};  // A - Aᵀ = Ėᵀ
  EXPECT_TRUE(has_structure({{-1.0 * a}, {e, rate}}, StructureKind::self_adjoint));
  EXPECT_FALSE(has_structure({{-1.0 * a.transposed()}, {e, rate}}, StructureKind::self_adjoint));
  EXPECT_FALSE(has_structure({{-1.0 * a}, {e}}, StructureKind::self_adjoint));
  // A rate that is not skew-symmetric: at another time E is not.
  EXPECT_FALSE(
      has_structure({{-1.0 * a, DenseMatrix(2, 2)}, {e, DenseMatrix{{1, 5}, {-5, 0}}, DenseMatrix(2, 2)}},
                    StructureKind::self_adjoint));
}

// M = Mᵀ, C = 2Ṁ - Cᵀ, K = M̈ - Ċᵀ + Kᵀ.
TEST(PairStructure, TriplesThatVary) {
  const DenseMatrix m{{3, 1}, {1, 2}};
  const DenseMatrix m1{{1, 2}, {2, 0}};
  const DenseMatrix m2{{0, 4}, {4, 6}};
  const DenseMatrix skew{{0, 7}, {-7, 0}};
  const DenseMatrix c = m1 + skew;  // C + Cᵀ = 2Ṁ
  const DenseMatrix skew1{{0, 3}, {-3, 0}};
  const DenseMatrix c1 = m2 + skew1;
  // K - Kᵀ = M̈ - Ċᵀ, which is skew1.
  const DenseMatrix k{{5, 1.5}, {-1.5, 4}};
  EXPECT_TRUE(has_structure({{k}, {c, c1}, {m, m1, m2}}, StructureKind::self_adjoint));
  EXPECT_FALSE(has_structure({{k.transposed()}, {c, c1}, {m, m1, m2}}, StructureKind::self_adjoint));
  EXPECT_FALSE(has_structure({{k}, {2.0 * c, c1}, {m, m1, m2}}, StructureKind::self_adjoint));
  // Gyroscopic: constant.
  EXPECT_TRUE(has_structure({{m}, {skew}, {m1}}, StructureKind::self_adjoint));
  EXPECT_TRUE(has_structure({{m}, {m1}, {m2}}, StructureKind::symmetric));
}

TEST(PairStructure, TheOrderOfEquationsIsFound) {
  std::mt19937 random(3);
  const auto number = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int i = 0; i < 200; ++i) {
    const Index n = number(1, 9);
    const bool is_skew = i % 2 == 0;
    DenseMatrix e(n, n);
    DenseMatrix a(n, n);
    for (Index row = 0; row < n; ++row) {
      for (Index column = 0; column <= row; ++column) {
        const bool is_diagonal = row == column;
        e(row, column) = is_skew && is_diagonal ? 0.0 : number(-2, 2) * number(0, 1);
        e(column, row) = is_skew ? -e(row, column) : e(row, column);
        a(row, column) = a(column, row) = number(-3, 3) * number(0, 1);
      }
    }
    std::vector<Index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), Index{0});
    std::shuffle(order.begin(), order.end(), random);
    RowAssignment shuffled{order, {}};
    for (Index row = 0; row < n; ++row) {
      shuffled.sign.push_back(number(0, 1) == 0 ? 1.0 : -1.0);
    }
    const Coefficients mixed = with_rows({{-1.0 * a}, {e}}, shuffled);
    const StructureSearch found = find_structure(mixed);
    ASSERT_NE(found.kind, StructureKind::none) << i;
    EXPECT_TRUE(has_structure(with_rows(mixed, found.assignment), found.kind)) << i;
  }
}

TEST(PairStructure, WithoutAStructureThereIsNone) {
  const StructureSearch found = find_structure({{DenseMatrix{{0, -1}, {2, 1}}}, {DenseMatrix::identity(2)}});
  EXPECT_EQ(found.kind, StructureKind::none);
  EXPECT_TRUE(found.is_complete);
}

// Rounding of entries is allowed for, a difference of numbers is not.
TEST(PairStructure, ToleranceIsRounding) {
  EXPECT_TRUE(has_structure({{DenseMatrix{{0, 0.3}, {0.1 + 0.2, 0}}}, {DenseMatrix::identity(2)}},
                            StructureKind::symmetric));
  EXPECT_FALSE(has_structure({{DenseMatrix{{0, 0.3}, {0.3 + 1e-13, 0}}}, {DenseMatrix::identity(2)}},
                             StructureKind::symmetric));
}

TEST(PairStructure, AnEndlessSearchIsGivenUp) {
  // All rows look alike, and no order fits.
  const Index n = 14;
  DenseMatrix a(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      a(i, j) = i == j ? 0.0 : (i < j) == ((i + j) % 3 == 0) ? 1.0 : -1.0;
    }
  }
  const StructureSearch found = find_structure({{a}, {DenseMatrix(n, n)}});
  EXPECT_EQ(found.kind, StructureKind::none);
  EXPECT_FALSE(found.is_complete);
}

}  // namespace
}  // namespace saltus::reduce
