#include "reduce/structured/structured_pair.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "linalg/generalized_inverse.hpp"
#include "linalg/pencil/kronecker.hpp"
#include "reduce/linear/order_reduction.hpp"
#include "reduce/ranks/rank_analysis.hpp"
#include "reduce/structured/symmetric_eigen.hpp"

namespace saltus::reduce {
namespace {

using linalg::DenseMatrix;

TEST(SymmetricEigen, GivesTheMatrixBack) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  for (const Index n : {0, 1, 2, 7, 20}) {
    DenseMatrix a(n, n);
    for (double& entry : a.entries()) {
      entry = number(random);
    }
    a = a + a.transposed();
    const SymmetricEigen found = symmetric_eigen(a);
    DenseMatrix diagonal(n, n);
    for (Index i = 0; i < n; ++i) {
      diagonal(i, i) = found.values[static_cast<std::size_t>(i)];
      EXPECT_TRUE(i == 0 || diagonal(i, i) >= diagonal(i - 1, i - 1));
    }
    EXPECT_LT((found.vectors * diagonal * found.vectors.transposed() - a).largest_entry(), 1e-13);
    EXPECT_LT((transpose_times(found.vectors, found.vectors) - DenseMatrix::identity(n)).largest_entry(),
              1e-13);
  }
  // Equal values and zeros.
  EXPECT_NEAR(symmetric_eigen({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}).values[2], 3.0, 1e-14);
}

// x with x, ẋ, ẍ drawn; b and ḃ are what makes it a solution.
struct Solution {
  DenseMatrix x, rate, b, b_rate;
};

class PairDrawer {
 public:
  explicit PairDrawer(unsigned seed) : random_(seed) {}

  int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  DenseMatrix matrix(Index m, Index n, double size = 1.0) {
    DenseMatrix result(m, n);
    for (double& entry : result.entries()) {
      entry = size * std::uniform_real_distribution<double>(-1.0, 1.0)(random_);
    }
    return result;
  }
  Solution solution(const PairData& pair) {
    const Index n = pair.e[0].rows();
    const DenseMatrix second = matrix(n, 1);
    Solution result{matrix(n, 1), matrix(n, 1), {}, {}};
    result.b = pair.e[0] * result.rate - pair.a[0] * result.x;
    result.b_rate =
        pair.e[1] * result.rate + pair.e[0] * second - pair.a[1] * result.x - pair.a[0] * result.rate;
    return result;
  }

 private:
  std::mt19937 random_;
};

void add(DenseMatrix& into, const DenseMatrix& block, Index row, Index column) {
  for (Index i = 0; i < block.rows(); ++i) {
    for (Index j = 0; j < block.columns(); ++j) {
      into(row + i, column + j) += block(i, j);
    }
  }
}

// A solution of E·ẋ = A·x + b is one of the form, with y and ẏ by the transformation.
void expect_solution(const StructuredForm& form, const Solution& solution, Index n) {
  const DenseMatrix inverse = *linalg::inverse(form.unknowns.middle_columns(0, n));
  DenseMatrix y(form.e.columns(), 1);
  DenseMatrix rate(form.e.columns(), 1);
  add(y, inverse * solution.x, 0, 0);
  add(rate, inverse * (solution.rate - form.unknowns_rate.middle_columns(0, n) * (inverse * solution.x)), 0,
      0);
  // Further unknowns are rates of the first ones.
  for (Index i = n; i < form.e.columns(); ++i) {
    y(i, 0) = rate(i - n, 0);
  }
  const DenseMatrix right = form.a * y + form.data * solution.b + form.data_rate * solution.b_rate;
  EXPECT_LT((form.e * rate - right).largest_entry(), 1e-9 * (1.0 + right.largest_entry()));
}

void expect_form(const StructuredForm& form, const PairData& pair, const Solution& solution, Index d, Index a,
                 Index u) {
  const LocalValues local = local_values(form.e, form.a);
  EXPECT_EQ(local.strangeness, 0);
  EXPECT_EQ(local.differential, d);
  EXPECT_EQ(local.algebraic, a);
  EXPECT_EQ(local.undetermined, u);
  expect_solution(form, solution, pair.e[0].rows());
}

// (4.23) with blocks s, d, a, s, u; A₁₁ and A₁₂ are not zero.
struct Canonical {
  Index s, d, a, u;
  DenseMatrix e;
  DenseMatrix matrix;
  [[nodiscard]] Index n() const { return 2 * s + d + a + u; }
};

Canonical canonical(PairDrawer& draw, StructureKind kind) {
  Canonical result{};
  const bool is_skew = kind == StructureKind::self_adjoint;
  result.s = is_skew ? 2 * draw.number(0, 1) : draw.number(0, 2);
  result.d = is_skew ? 2 * draw.number(0, 1) : draw.number(0, 2);
  result.a = draw.number(0, 2);
  result.u = draw.number(0, 1);
  const Index r = result.s + result.d;
  const Index n = result.n();
  result.e = result.matrix = DenseMatrix(n, n);
  const DenseMatrix of_e = draw.matrix(r, r, 0.2);
  add(result.e, is_skew ? of_e - of_e.transposed() : of_e + of_e.transposed(), 0, 0);
  for (Index i = 0; i < r; ++i) {
    if (!is_skew) {
      result.e(i, i) += i % 2 == 0 ? 2.0 : -2.0;
    } else if (i % 2 == 0) {
      result.e(i, i + 1) += 2.0;
      result.e(i + 1, i) -= 2.0;
    }
  }
  const DenseMatrix of_a = draw.matrix(r, r);
  add(result.matrix, of_a + of_a.transposed(), 0, 0);
  for (Index i = 0; i < result.a; ++i) {
    result.matrix(r + i, r + i) = i % 2 == 0 ? 1.5 : -1.0;
  }
  for (Index i = 0; i < result.s; ++i) {
    result.matrix(i, r + result.a + i) = result.matrix(r + result.a + i, i) = 1.0 + static_cast<double>(i);
  }
  return result;
}

// PᵀEP and PᵀAP - PᵀEṖ with P = P₀ + t·P₁ + t²·P₂ at t = 0, by Leibniz.
PairData congruent(const Canonical& pair, const DenseMatrix& p, const DenseMatrix& p1,
                   const DenseMatrix& p2) {
  const auto product = [](const DenseMatrix& a, const DenseMatrix& b, const DenseMatrix& c) {
    return transpose_times(a, b * c);
  };
  const DenseMatrix second = 2.0 * p2;
  const DenseMatrix& e = pair.e;
  return {{product(p, e, p), product(p1, e, p) + product(p, e, p1),
           product(second, e, p) + 2.0 * product(p1, e, p1) + product(p, e, second)},
          {product(p, pair.matrix, p) - product(p, e, p1), product(p1, pair.matrix, p) +
                                                               product(p, pair.matrix, p1) -
                                                               product(p1, e, p1) - product(p, e, second)}};
}

TEST(StructuredPair, SelfAdjointPairsThatTurn) {
  PairDrawer draw(31);
  int n_strange = 0;
  for (int i = 0; i < 200; ++i) {
    const Canonical given = canonical(draw, StructureKind::self_adjoint);
    const Index n = given.n();
    if (n == 0) {
      continue;
    }
    const DenseMatrix p = DenseMatrix::identity(n) + draw.matrix(n, n, 0.3);
    const PairData pair = congruent(given, p, draw.matrix(n, n, 0.5), draw.matrix(n, n, 0.5));
    const auto found = structured_pair(pair, StructureKind::self_adjoint, true);
    ASSERT_TRUE(found) << i;
    EXPECT_EQ(found->strangeness, given.s);
    EXPECT_EQ(found->differential, given.d);
    EXPECT_EQ(found->algebraic, given.a);
    EXPECT_EQ(found->undetermined, given.u);
    EXPECT_EQ(found->index, given.s > 0 ? 1 : 0) << found->reason;
    ASSERT_TRUE(found->strangeness_free) << i << found->reason;
    EXPECT_EQ(found->reason, "");
    const Solution solution = draw.solution(pair);
    expect_form(*found->strangeness_free, pair, solution, given.d, given.a + 2 * given.s, given.u);
    EXPECT_LT((found->strangeness_free->e + found->strangeness_free->e.transposed()).largest_entry(), 1e-9);
    ASSERT_EQ(found->extended.has_value(), given.s > 0);
    if (found->extended) {
      ++n_strange;
      EXPECT_EQ(found->extended->e.rows(), n + given.s);
      expect_form(*found->extended, pair, solution, given.d, given.a + 3 * given.s, given.u);
      EXPECT_LT((found->extended->e + found->extended->e.transposed()).largest_entry(), 1e-9);
    }
  }
  EXPECT_GT(n_strange, 60);
}

// Constant coefficients: both forms are symmetric, and their finite eigenvalues those of the pair.
TEST(StructuredPair, ConstantPairsKeepEigenvalues) {
  PairDrawer draw(32);
  for (const StructureKind kind : {StructureKind::symmetric, StructureKind::self_adjoint}) {
    for (int i = 0; i < 100; ++i) {
      Canonical given = canonical(draw, kind);
      const Index n = given.n();
      if (n == 0) {
        continue;
      }
      const DenseMatrix none(n, n);
      const PairData pair = congruent(given, DenseMatrix::identity(n) + draw.matrix(n, n, 0.3), none, none);
      const auto found = structured_pair(pair, kind, true);
      ASSERT_TRUE(found);
      ASSERT_TRUE(found->strangeness_free) << found->reason;
      const Solution solution = draw.solution(pair);
      const auto values = [](const DenseMatrix& e, const DenseMatrix& a) {
        const auto blocks = linalg::kronecker_structure(e, a, {.tolerance = 1e-9, .is_rounded = true}).blocks;
        return blocks ? blocks->eigenvalues : std::vector<std::complex<double>>{};
      };
      const auto expected = values(pair.e[0], pair.a[0]);
      for (const auto* form : {&found->strangeness_free, &found->extended}) {
        if (!*form) {
          continue;
        }
        const DenseMatrix& e = (*form)->e;
        const DenseMatrix& a = (*form)->a;
        EXPECT_LT((a - a.transposed()).largest_entry(), 1e-9);
        EXPECT_LT((e - (kind == StructureKind::symmetric ? 1.0 : -1.0) * e.transposed()).largest_entry(),
                  1e-9);
        expect_solution(**form, solution, n);
        const auto own = values(e, a);
        ASSERT_EQ(own.size(), expected.size()) << i;
        for (const std::complex<double>& value : expected) {
          double nearest = 1e300;
          for (const std::complex<double>& other : own) {
            nearest = std::min(nearest, std::abs(value - other));
          }
          EXPECT_LT(nearest, 1e-6 * (1.0 + std::abs(value))) << i;
        }
      }
      // (4.4): blocks that are zero, and diagonal ones.
      const Index r = given.s + given.d;
      const DenseMatrix& a = found->condensed_a;
      const double size = a.largest_entry();
      for (Index row = r; row < n; ++row) {
        for (Index column = 0; column < n; ++column) {
          EXPECT_LT(std::abs(found->condensed_e(row, column)),
                    1e-12 * (1.0 + found->condensed_e.largest_entry()));
          const bool is_sigma_a = row < r + given.a && column >= r;
          const bool is_below = row >= r + given.a;
          const bool is_sigma_s = is_below && row < r + given.a + given.s && column == row - r - given.a;
          if ((is_sigma_a && row != column) || (is_below && !is_sigma_s)) {
            EXPECT_LT(std::abs(a(row, column)), 1e-12 * (1.0 + size)) << row << " " << column;
          }
        }
      }
      EXPECT_LT((transpose_times(found->p, pair.a[0] * found->p) - a).largest_entry(), 1e-12 * (1.0 + size));
    }
  }
}

// [Wun08] Example 4.11 at t: printed are E = diag(0, t, 0), A = (1/t 0 t; 0 1 0; t 0 0), b₁ + b₃'/t and b₂, b₃.
TEST(StructuredPair, Example4_11) {
  const double t = 7.0 / 3.0;
  const PairData pair{
      {DenseMatrix{{1, 0, 0}, {0, t, 0}, {0, 0, 0}}, DenseMatrix{{0, 0, 0}, {0, 1, 0}, {0, 0, 0}}},
      {DenseMatrix{{0, 0, t}, {0, 1, 0}, {t, 0, 0}}, DenseMatrix{{0, 0, 1}, {0, 0, 0}, {1, 0, 0}}}};
  EXPECT_TRUE(has_structure({{-1.0 * pair.a[0], -1.0 * pair.a[1]}, pair.e}, StructureKind::symmetric));
  const auto found = structured_pair(pair, StructureKind::symmetric);
  ASSERT_TRUE(found && found->strangeness_free);
  EXPECT_EQ(found->rank, 2);
  EXPECT_EQ(found->strangeness, 1);
  EXPECT_EQ(found->algebraic, 0);
  EXPECT_EQ(found->differential, 1);
  EXPECT_EQ(found->index, 1);
  EXPECT_TRUE(found->is_semidefinite);
  const StructuredForm& form = *found->strangeness_free;
  // In x: rows of (Ê·Y⁻¹, Â·Y⁻¹, data, data_rate) span those printed, with 1/t·x₁ = -b₃/t².
  const DenseMatrix back = *linalg::inverse(form.unknowns);
  const DenseMatrix own =
      beside(beside(form.e * back, form.a * back), beside(form.data, form.data_rate)).transposed();
  const DenseMatrix printed = DenseMatrix{
      {0, 0, 0, 1 / t, 0, t, 1, 0, 0, 0, 0, 1 / t},
      {0, t, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0},
      {0, 0, 0, t, 0, 0, 0, 0, 1, 0, 0,
       0}}.transposed();
  const linalg::RankOptions plain{.equilibrate = false};
  EXPECT_EQ(linalg::decide_rank(own, plain).rank, 3);
  EXPECT_EQ(linalg::decide_rank(beside(own, printed), plain).rank, 3);
}

// [Wun08] Example 4.12: E₂₂ = 0, refused with the reason.
TEST(StructuredPair, Example4_12) {
  const double t = 7.0 / 3.0;
  DenseMatrix e(6, 6);
  DenseMatrix e1(6, 6);
  DenseMatrix a(6, 6);
  for (const Index i : {0, 1}) {
    e(i, 2 + i) = e(2 + i, i) = t;
    e1(i, 2 + i) = e1(2 + i, i) = 1.0;
    a(i, 4 + i) = a(4 + i, i) = 1.0;
  }
  a(2, 2) = 1.0;
  const auto found = structured_pair({{e, e1}, {a}}, StructureKind::symmetric);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 4);
  EXPECT_EQ(found->strangeness, 2);
  EXPECT_EQ(found->algebraic, 0);
  EXPECT_EQ(found->differential, 2);
  EXPECT_EQ(found->undetermined, 0);
  EXPECT_FALSE(found->index);
  EXPECT_FALSE(found->is_semidefinite);
  EXPECT_FALSE(found->strangeness_free || found->extended);
  EXPECT_NE(
      found->reason.find("E22 of 2 rows, which has to be nonsingular, is of rank 0: the index is above 1"),
      std::string::npos)
      << found->reason;
}

// [Wun08] Example 4.21: two positions, velocities and a multiplier; self-adjoint, and of index 2.
TEST(StructuredPair, Example4_21) {
  const DenseMatrix e{{0, 3, 2, 0, 0}, {-3, 0, 0, 5, 0}, {-2, 0, 0, 0, 0}, {0, -5, 0, 0, 0}, {0, 0, 0, 0, 0}};
  const DenseMatrix a{
      {-1, 0, 0, 0, 1}, {0, -2, 0, 0, 2}, {0, 0, -2, 0, 0}, {0, 0, 0, -5, 0}, {1, 2, 0, 0, 0}};
  EXPECT_TRUE(has_structure({{-1.0 * a}, {e}}, StructureKind::self_adjoint));
  const auto found = structured_pair({{e}, {a}}, StructureKind::self_adjoint);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 4);
  EXPECT_EQ(found->strangeness, 1);
  EXPECT_EQ(found->differential, 3);
  EXPECT_FALSE(found->index);
  EXPECT_FALSE(found->reason.empty());
  EXPECT_EQ(reduce_order({{-1.0 * a}, {e}}).reduced->level, 2);
}

// Positive semidefinite E: index at most 1 ([Wun08] Corollary 4.13), in 300 random pairs; indefinite ones reach more.
TEST(StructuredPair, SemidefiniteMeansIndexAtMostOne) {
  PairDrawer draw(33);
  int above = 0;
  for (int i = 0; i < 300; ++i) {
    const Index n = draw.number(1, 6);
    const Index r = draw.number(0, static_cast<int>(n));
    const bool is_semidefinite = i % 2 == 0;
    const auto integers = [&](Index m, Index k) {
      DenseMatrix result(m, k);
      for (double& entry : result.entries()) {
        entry = draw.number(-1, 1);
      }
      return result;
    };
    DenseMatrix signs = DenseMatrix::identity(r);
    for (Index k = 0; k < r; ++k) {
      signs(k, k) = is_semidefinite || k % 2 == 0 ? 1.0 : -1.0;
    }
    const DenseMatrix f = integers(n, r);
    const DenseMatrix e = f * signs * f.transposed();
    DenseMatrix a = integers(n, n);
    for (double& entry : a.entries()) {
      entry = draw.number(0, 2) == 0 ? entry : 0.0;
    }
    a = a + a.transposed();
    const auto found = structured_pair({{e}, {a}}, StructureKind::symmetric);
    ASSERT_TRUE(found) << i;
    const OrderReduction other = reduce_order({{-1.0 * a}, {e}});
    ASSERT_TRUE(other.reduced) << i;
    if (is_semidefinite) {
      EXPECT_TRUE(found->is_semidefinite);
      EXPECT_LE(other.reduced->level, 1);
    }
    above += other.reduced->level > 1 ? 1 : 0;
    if (!found->index && other.reduced->level <= 1) {
      // Index 1 with a singular E22: an unknown is free that no block of zeros shows.
      EXPECT_GT(other.reduced->undetermined, found->undetermined) << i;
    }
    if (found->index) {
      EXPECT_EQ(*found->index, other.reduced->level) << i;
      EXPECT_EQ(found->differential, other.reduced->d(1)) << i;
    }
  }
  EXPECT_GT(above, 0);
}

// A symmetric pair whose kernel turns loses its symmetry by every congruence (Assumption 4.8); self-adjoint ones do not.
TEST(StructuredPair, SymmetricPairsThatTurnAreRefused) {
  // E = v·vᵀ with v = (cos t, sin t) at t = 0.
  const PairData pair{
      {DenseMatrix{{1, 0}, {0, 0}}, DenseMatrix{{0, 1}, {1, 0}}, DenseMatrix{{-2, 0}, {0, 2}}},
      {DenseMatrix{{1, 0.5}, {0.5, 2}}, DenseMatrix(2, 2)}};
  const auto found = structured_pair(pair, StructureKind::symmetric);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->index, 0);
  EXPECT_FALSE(found->strangeness_free);
  EXPECT_NE(found->reason.find("Assumption 4.8"), std::string::npos);
}

TEST(StructuredPair, ChangingRanksAreSeen) {
  // E = diag(1, t) at t = 0.
  const PairData pair{{DenseMatrix{{1, 0}, {0, 0}}, DenseMatrix{{0, 0}, {0, 1}}},
                      {DenseMatrix{{1, 0}, {0, 1}}}};
  const auto found = structured_pair(pair, StructureKind::symmetric);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->index);
  EXPECT_EQ(found->reason, "ranks change at this point");
}

TEST(StructuredPair, UnitsOfUnknownsDoNotMatter) {
  PairDrawer draw(34);
  int n_unclear = 0;
  for (int i = 0; i < 100; ++i) {
    const Canonical given = canonical(draw, StructureKind::self_adjoint);
    const Index n = given.n();
    if (n == 0) {
      continue;
    }
    DenseMatrix p = DenseMatrix::identity(n) + draw.matrix(n, n, 0.3);
    for (Index j = 0; j < n; ++j) {
      const double unit = std::ldexp(1.0, draw.number(-20, 20));
      for (Index k = 0; k < n; ++k) {
        p(k, j) *= unit;
      }
    }
    const DenseMatrix none(n, n);
    const auto found = structured_pair(congruent(given, p, none, none), StructureKind::self_adjoint, true);
    if (!found) {
      ++n_unclear;
      continue;
    }
    EXPECT_EQ(found->strangeness, given.s) << i;
    EXPECT_EQ(found->algebraic, given.a) << i;
    EXPECT_EQ(found->index, given.s > 0 ? 1 : 0) << i;
  }
  EXPECT_LT(n_unclear, 10);
}

TEST(StructuredPair, ASmallNumberIsNotAZero) {
  EXPECT_FALSE(structured_pair({{DenseMatrix{{1, 1}, {1, 1 + 1e-13}}}, {DenseMatrix{{1, 0}, {0, 1}}}},
                               StructureKind::symmetric));
}

}  // namespace
}  // namespace saltus::reduce
