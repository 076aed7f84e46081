#include "reduce/linear/local_triple.hpp"

#include <gtest/gtest.h>

#include <random>

namespace saltus::reduce {
namespace {

using linalg::DenseMatrix;

TripleValues of(const DenseMatrix& m, const DenseMatrix& c, const DenseMatrix& k) {
  const LocalTriple found = local_triple(m, c, k);
  EXPECT_TRUE(found.is_clear);
  return found.values;
}

// [Wun08] Example 3.1: x₁'' + x₁' + x₂ = f₁, x₁ = f₂.
TEST(LocalTriple, Example3_1) {
  const TripleValues values = of({{1, 0}, {0, 0}}, {{1, 0}, {0, 0}}, {{0, 1}, {1, 0}});
  EXPECT_EQ(values, (TripleValues{.rank = 1, .strangeness_mk = 1, .undetermined = 1}));
  EXPECT_FALSE(values.is_strangeness_free());
}

// [Wun08] Example 3.2: numbers near rounding are numbers; in other units they are as clear as any.
TEST(LocalTriple, Example3_2) {
  const double small = 1e-16;
  EXPECT_EQ(of({{small}}, {{2 * small}}, {{3 * small}}), (TripleValues{.rank = 1, .second_order = 1}));
  EXPECT_EQ(of({{0}}, {{small}}, {{3}}), (TripleValues{.first_order = 1}));
}

// [Wun08] Example 3.3: two positions and a multiplier.
TEST(LocalTriple, Example3_3) {
  EXPECT_EQ(of({{2, 0, 0}, {0, 3, 0}, {0, 0, 0}}, DenseMatrix(3, 3), {{1, 0, 1}, {0, 2, 1}, {1, 1, 0}}),
            (TripleValues{.rank = 2, .strangeness_mk = 1, .second_order = 1, .undetermined = 1}));
}

// [Wun08] Example 3.14 at t: d₂ falls to 1 in steps.
TEST(LocalTriple, Example3_14) {
  const double t = 7.0 / 3.0;
  EXPECT_EQ(of({{1, 0, 0, 0}, {0, t, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}},
               {{0, 0, 0, t}, {t, 0, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 0}},
               {{0, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 1, 0}}),
            (TripleValues{.rank = 2, .strangeness_ck = 1, .second_order = 2, .undetermined = 1}));
}

TEST(LocalTriple, EmptyMatrices) {
  EXPECT_EQ(of(DenseMatrix(0, 2), DenseMatrix(0, 2), DenseMatrix(0, 2)), (TripleValues{.undetermined = 2}));
  EXPECT_EQ(of(DenseMatrix(3, 0), DenseMatrix(3, 0), DenseMatrix(3, 0)), (TripleValues{.vanishing = 3}));
}

// The condensed form behind [Wun08] Lemma 3.6 with drawn sizes, after P·(M·Q, C·Q + 2M·A, K·Q + C·A + M·B): the local equivalence (3.9).
class CondensedTriples {
 public:
  explicit CondensedTriples(unsigned seed) : random_(seed) {}

  TripleValues draw() {
    const auto count = [this] { return static_cast<Index>(number(0, 2)); };
    TripleValues values;
    const Index mck = values.strangeness_mck = count();
    const Index mc = values.strangeness_mc = count();
    const Index mk = values.strangeness_mk = count();
    const Index ck = values.strangeness_ck = count();
    const Index d2 = values.second_order = count();
    const Index d1 = values.first_order = count();
    values.algebraic = count();
    values.undetermined = count();
    values.vanishing = count();
    values.rank = mck + mc + mk + d2;
    const Index n = values.rank + ck + d1 + values.algebraic + values.undetermined;
    const Index rows = values.rank + 2 * ck + d1 + 2 * mck + mc + values.algebraic + mk + values.vanishing;
    m = c = k = DenseMatrix(rows, n);
    Index row = 0;
    const auto put = [&row](DenseMatrix& into, Index column, Index size) {
      for (Index i = 0; i < size; ++i) {
        into(row++, column + i) = 1.0;
      }
    };
    const Index algebraic = values.rank + ck + d1;
    put(m, 0, values.rank);
    put(c, values.rank, ck + d1);
    put(c, 0, mck + mc);
    put(k, algebraic, values.algebraic);
    put(k, 0, mck);
    put(k, mck + mc, mk);
    put(k, values.rank, ck);
    const DenseMatrix p = unimodular(rows);
    const DenseMatrix q = unimodular(n);
    const DenseMatrix a = integers(n);
    const DenseMatrix b = integers(n);
    k = p * (k * q + c * a + m * b);
    c = p * (c * q + 2.0 * (m * a));
    m = p * m * q;
    return values;
  }

  DenseMatrix m;
  DenseMatrix c;
  DenseMatrix k;

 private:
  int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  DenseMatrix integers(Index n) {
    DenseMatrix result(n, n);
    for (double& entry : result.entries()) {
      entry = number(-1, 1);
    }
    return result;
  }
  DenseMatrix unimodular(Index n) {
    DenseMatrix result = DenseMatrix::identity(n);
    for (Index step = 0; n > 1 && step < n; ++step) {
      const Index to = number(0, static_cast<int>(n) - 1);
      const Index from = number(0, static_cast<int>(n) - 1);
      const double factor = number(0, 1) == 0 ? 1.0 : -1.0;
      for (Index j = 0; to != from && j < n; ++j) {
        result(to, j) += factor * result(from, j);
      }
    }
    return result;
  }

  std::mt19937 random_;
};

TEST(LocalTriple, PrescribedValuesAreFound) {
  CondensedTriples triples(11);
  for (int i = 0; i < 400; ++i) {
    const TripleValues expected = triples.draw();
    EXPECT_EQ(of(triples.m, triples.c, triples.k), expected) << i;
  }
}

TEST(LocalTriple, ASmallNumberIsNotAZero) {
  const DenseMatrix none(2, 2);
  const LocalTriple open = local_triple({{1, 1}, {1, 1 + 1e-12}}, {{1, 0}, {0, 1}}, none);
  EXPECT_FALSE(open.is_clear);
  ASSERT_TRUE(open.exact);
  EXPECT_EQ(open.exact->second_order, 2);
  EXPECT_TRUE(local_triple({{1, 1}, {1, 1 + 1e-16}}, {{1, 0}, {0, 1}}, none, true).is_clear);
}

}  // namespace
}  // namespace saltus::reduce
