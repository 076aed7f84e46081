#include "reduce/linear/order_reduction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "reduce/ranks/data_orders.hpp"
#include "support/random_triple.hpp"

namespace saltus::reduce {
namespace {

using linalg::DenseMatrix;
using test::RandomTriple;
using test::TripleGenerator;

constexpr double kTime = 7.0 / 3.0;

ReducedOrder reduced(const Coefficients& coefficients) {
  const OrderReduction found = reduce_order(coefficients);
  EXPECT_TRUE(found.reduced);
  return found.reduced.value_or(ReducedOrder{});
}

// Whether two sets of rows span the same space.
bool same_span(const DenseMatrix& a, const DenseMatrix& b) {
  const auto rank = [](const DenseMatrix& rows) {
    return linalg::decide_rank(rows.transposed(), {.equilibrate = false}).rank;
  };
  return rank(a) == rank(b) && rank(beside(a.transposed(), b.transposed()).transposed()) == rank(a);
}

// Rows of order `from` to `to` (exclusive) of (coefficients of x⁽ᵏ⁾, …, x, right side).
DenseMatrix conditions(const ReducedOrder& reduced, Index first, Index count) {
  DenseMatrix all(reduced.n_equations, 0);
  for (std::size_t i = reduced.coefficients.size(); i-- > 0;) {
    all = beside(all, reduced.coefficients[i]);
  }
  return beside(all, reduced.combine).transposed().middle_columns(first, count).transposed();
}

Coefficients example_3_1() {
  return {{DenseMatrix{{0, 1}, {1, 0}}}, {DenseMatrix{{1, 0}, {0, 0}}}, {DenseMatrix{{1, 0}, {0, 0}}}};
}

Coefficients example_3_14() {
  const double t = kTime;
  DenseMatrix c1(4, 4);
  c1(0, 3) = c1(1, 0) = 1;
  DenseMatrix m1(4, 4);
  m1(1, 1) = 1;
  return {{DenseMatrix{{0, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 1, 0}}},
          {DenseMatrix{{0, 0, 0, t}, {t, 0, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 0}}, c1},
          {DenseMatrix{{1, 0, 0, 0}, {0, t, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}, m1}};
}

Coefficients example_3_23() {
  const double t = kTime;
  return {{DenseMatrix{{1, 0, 0}, {0, 1, 0}, {0, 1 + t, 1}}, DenseMatrix{{0, 0, 0}, {0, 0, 0}, {0, 1, 0}}},
          {DenseMatrix{{1, 0, 0}, {0, 0, 0}, {0, 0, 0}}},
          {DenseMatrix{{t, 0, 0}, {0, 1, 1}, {0, t, t}}, DenseMatrix{{1, 0, 0}, {0, 0, 0}, {0, 1, 1}}}};
}

TEST(OrderReduction, Example3_1) {
  const ReducedOrder found = reduced(example_3_1());
  EXPECT_EQ(found.level, 2);
  EXPECT_EQ(found.numbers.algebraic, 2);
  EXPECT_EQ(found.numbers.differential, (std::vector<Index>{0, 0}));
  // x₁ = f₂ and x₂ = f₁ - f₂' - f₂''.
  EXPECT_EQ(found.data_orders, (std::vector<int>{0, 2}));
  EXPECT_TRUE(same_span(conditions(found, 0, 2),
                        {{0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 1, 1, 0, 0, -1, 0, -1}}));
  const ReducedOrder companion = reduced(companion_form(example_3_1()));
  EXPECT_EQ(companion.level, 3);
  EXPECT_EQ(companion.n_unknowns, 4);
  EXPECT_EQ(companion.data_orders[0], 1);
  EXPECT_EQ(companion.data_orders[1], 3);
}

// Printed: t·x₄' = f₁ - f₃'' + f₄''', t·x₂'' + t·x₁' = f₂, x₁ = f₃ - f₄', x₃ = f₄.
TEST(OrderReduction, Example3_14) {
  const ReducedOrder found = reduced(example_3_14());
  EXPECT_EQ(found.level, 3);
  EXPECT_EQ(found.d(2), 1);
  EXPECT_EQ(found.d(1), 1);
  EXPECT_EQ(found.numbers.algebraic, 2);
  EXPECT_EQ(found.vanishing, 0);
  EXPECT_EQ(found.data_orders, (std::vector<int>{0, 0, 2, 3}));
  const double t = kTime;
  const DenseMatrix top = conditions(found, 0, 1);
  EXPECT_TRUE(
      same_span(top, {{0, t, 0, 0, t, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}));
  EXPECT_TRUE(same_span(conditions(found, 1, 1), {{0, 0, 0, 0, 0, 0, 0, t, 0,  0, 0, 0, 1, 0,
                                                   0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1}}));
  EXPECT_TRUE(
      same_span(conditions(found, 2, 2),
                {{0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0},
                 {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}}));
}

// Printed: t·x₁'' + x₁' + x₁ = f₁, -x₂ = -f₂ - 2f₂' - t·f₂'' + f₃'', x₂ + x₃ = f₃ - t·f₂.
TEST(OrderReduction, Example3_23) {
  const OrderReduction all = reduce_order(example_3_23());
  // (1, 0, 2) at the levels 0 and 1 already: standing still is no test.
  ASSERT_EQ(all.decisions.size(), 3U);
  const ReducedOrder found = reduced(example_3_23());
  EXPECT_EQ(found.level, 2);
  EXPECT_EQ(found.d(2), 1);
  EXPECT_EQ(found.d(1), 0);
  EXPECT_EQ(found.numbers.algebraic, 2);
  EXPECT_EQ(found.data_orders, (std::vector<int>{0, 2, 2}));
  const double t = kTime;
  EXPECT_TRUE(same_span(conditions(found, 0, 1), {{t, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}}));
  EXPECT_TRUE(same_span(conditions(found, 1, 2), {{0, 0, 0, 0, 0, 0, 0, -1, 0, 0, -1, 0, 0, -2, 0, 0, -t, 1},
                                                  {0, 0, 0, 0, 0, 0, 0, 1, 1, 0, -t, 1, 0, 0, 0, 0, 0, 0}}));
  // [Wun08] Example 3.33: the companion form needs f₃''' and f₂'''.
  const ReducedOrder companion = reduced(companion_form(example_3_23()));
  EXPECT_EQ(companion.level, 3);
  EXPECT_EQ(companion.n_unknowns, 6);
  EXPECT_EQ(companion.data_orders[1], 3);
  EXPECT_EQ(companion.data_orders[2], 3);
}

// x₁''' + x₂'' = f₁, x₁' + x₃ = f₂, x₂ = f₃: the first two hide x₃'' = f₂'' + f₃'' - f₁, so nothing of order three is left.
TEST(OrderReduction, OfThirdOrder) {
  const Coefficients third{{DenseMatrix{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}}},
                           {DenseMatrix{{0, 0, 0}, {1, 0, 0}, {0, 0, 0}}},
                           {DenseMatrix{{0, 1, 0}, {0, 0, 0}, {0, 0, 0}}},
                           {DenseMatrix{{1, 0, 0}, {0, 0, 0}, {0, 0, 0}}}};
  const ReducedOrder plain = reduced(third);
  EXPECT_EQ(plain.order(), 3);
  EXPECT_EQ(plain.numbers.differential, (std::vector<Index>{1, 1, 0}));
  EXPECT_EQ(plain.numbers.algebraic, 1);
  EXPECT_EQ(plain.undetermined, 0);
  EXPECT_EQ(plain.level, 2);
  // The one of second order is x₃'' - x₂'' = f₂'' - f₁: x₂'' may stay in it.
  EXPECT_EQ(plain.data_orders, (std::vector<int>{0, 2, 0}));
  EXPECT_NEAR(std::abs(plain.coefficients[2](0, 2)), std::abs(plain.combine(0, 0)), 1e-12);
  EXPECT_NEAR(plain.coefficients[2](0, 0), 0.0, 1e-12);
  const ReducedOrder companion = reduced(companion_form(third));
  EXPECT_EQ(companion.n_unknowns, 9);
  EXPECT_GE(companion.level, plain.level);
}

TEST(OrderReduction, WithLowestOrdersUsesWhatFollows) {
  // Rows: f₁, f₂, f₁', f₂'. What follows: f₁' - f₂ = 0. The combination f₁ + f₂ - f₁' is f₁ alone.
  const double h = std::sqrt(0.5);
  const DenseMatrix found =
      with_lowest_orders(DenseMatrix{{1.0}, {1.0}, {-1.0}, {0.0}}, DenseMatrix{{0.0}, {-h}, {h}, {0.0}});
  EXPECT_NEAR(found(0, 0), 1.0, 1e-15);
  EXPECT_NEAR(found(1, 0), 0.0, 1e-15);
  EXPECT_EQ(found(2, 0), 0.0);
  std::vector<int> orders(2, 0);
  raise_data_orders(found, orders);
  EXPECT_EQ(orders, (std::vector<int>{0, 0}));
}

TEST(OrderReduction, OtherShapes) {
  // Two equations for one unknown, and one for two.
  const ReducedOrder over = reduced({{DenseMatrix{{0}, {1}}}, {DenseMatrix(2, 1)}, {DenseMatrix{{1}, {0}}}});
  EXPECT_EQ(over.level, 2);
  EXPECT_EQ(over.vanishing, 1);
  EXPECT_EQ(over.data_orders, (std::vector<int>{0, 0}));
  const ReducedOrder under = reduced({{DenseMatrix{{0, 1}}}, {DenseMatrix(1, 2)}, {DenseMatrix{{1, 0}}}});
  EXPECT_EQ(under.d(2), 1);
  EXPECT_EQ(under.undetermined, 1);
}

struct Tally {
  int right = 0;
  int unclear = 0;
  int wrong = 0;
  int of_high_level = 0;
};

bool is_as_prescribed(const ReducedOrder& found, const RandomTriple& triple) {
  return found.level == triple.level && found.numbers.algebraic == triple.algebraic &&
         found.d(1) == triple.differential[0] && found.d(2) == triple.differential[1] &&
         found.undetermined == triple.undetermined && found.vanishing == triple.vanishing;
}

Tally try_triples(std::uint32_t seed, int count, int size, int mixing, int scales) {
  TripleGenerator generator(seed);
  Tally tally;
  for (int i = 0; i < count; ++i) {
    const RandomTriple triple = generator.make(generator.draw(1, size), mixing, scales);
    const OrderReduction found =
        reduce_order({{triple.matrices[0]}, {triple.matrices[1]}, {triple.matrices[2]}});
    if (!found.reduced) {
      ++tally.unclear;
      EXPECT_FALSE(found.decisions.back().is_clear) << i;
      continue;
    }
    const bool is_right = is_as_prescribed(*found.reduced, triple);
    EXPECT_TRUE(is_right) << i;
    ++(is_right ? tally.right : tally.wrong);
    tally.of_high_level += triple.level >= 3 ? 1 : 0;
  }
  return tally;
}

TEST(OrderReduction, PrescribedValuesAreFound) {
  const Tally plain = try_triples(1, 300, 7, 1, 0);
  EXPECT_EQ(plain.wrong, 0);
  EXPECT_LT(plain.unclear, 3);
  EXPECT_GT(plain.of_high_level, 30);
  std::printf("plain: %d right, %d unclear, %d of index 3 and 4\n", plain.right, plain.unclear,
              plain.of_high_level);
}

TEST(OrderReduction, BadScalesAreRightOrUnclear) {
  const Tally scaled = try_triples(2, 400, 7, 1, 20);
  const Tally mixed = try_triples(3, 300, 7, 3, 20);
  EXPECT_EQ(scaled.wrong + mixed.wrong, 0);
  EXPECT_LT(scaled.unclear, 10);
  EXPECT_LT(mixed.unclear, 30);
  std::printf("scaled: %d right, %d unclear; mixed: %d right, %d unclear\n", scaled.right, scaled.unclear,
              mixed.right, mixed.unclear);
}

// Ranks modulo a prime of its own, by definitions without null spaces: with T = {y: N·y + (L, lead)·z = 0 for some z},
//     d₁ = dim T - dim {y ∈ T: L·y + lead·w = 0 for some w},   d₂ = dim of that - dim of its part with M·y = 0.
class ExactTriple {
 public:
  ExactTriple(const Coefficients& coefficients, int level) {
    const std::vector<DenseMatrix> array = order_array(coefficients, level);
    none_ = DenseMatrix(array[0].rows(), 0);
    lead_ = none_;
    for (std::size_t order = 2; order < array.size(); ++order) {
      lead_ = beside(lead_, array[order]);
    }
    const DenseMatrix& x = array[0];
    const DenseMatrix& first = array[1];
    const Index of_lead = rank(lead_);
    const Index of_rates = rank(beside(lead_, first));
    const Index all = rank(beside(beside(lead_, first), x));
    numbers.algebraic = all - of_rates;
    numbers.redundant = x.rows() - all;
    const DenseMatrix upper = beside(beside(x, beside(lead_, first)), zeros(lead_));
    const DenseMatrix middle = beside(beside(first, zeros(beside(lead_, first))), lead_);
    const DenseMatrix both = below(upper, middle);
    DenseMatrix mass(coefficients[2][0].rows(), both.columns());
    for (Index i = 0; i < mass.rows(); ++i) {
      for (Index j = 0; j < x.columns(); ++j) {
        mass(i, j) = coefficients[2][0](i, j);
      }
    }
    const Index of_both = rank(both);
    numbers.differential = {of_both - all - of_lead, rank(below(both, mass)) - of_both};
  }

  LevelNumbers numbers;

 private:
  static constexpr std::uint64_t kPrime = 2147483549;

  static DenseMatrix zeros(const DenseMatrix& a) { return {a.rows(), a.columns()}; }
  static DenseMatrix below(const DenseMatrix& a, const DenseMatrix& b) {
    return beside(a.transposed(), b.transposed()).transposed();
  }

  static std::uint64_t power(std::uint64_t x, std::uint64_t exponent) {
    std::uint64_t result = 1;
    for (; exponent > 0; exponent >>= 1U, x = x * x % kPrime) {
      result = (exponent & 1U) != 0 ? result * x % kPrime : result;
    }
    return result;
  }

  static std::uint64_t residue(double number) {
    int shift = 0;
    double value = number;
    while (value != std::floor(value)) {
      value *= 2.0;
      ++shift;
    }
    const auto whole = static_cast<std::uint64_t>(std::fmod(std::abs(value), static_cast<double>(kPrime)));
    const std::uint64_t size = whole * power((kPrime + 1) / 2, static_cast<std::uint64_t>(shift)) % kPrime;
    return value < 0.0 && size > 0 ? kPrime - size : size;
  }

  static Index rank(const DenseMatrix& a) {
    std::vector<std::vector<std::uint64_t>> rows(static_cast<std::size_t>(a.rows()));
    for (Index i = 0; i < a.rows(); ++i) {
      for (Index j = 0; j < a.columns(); ++j) {
        rows[static_cast<std::size_t>(i)].push_back(residue(a(i, j)));
      }
    }
    std::size_t found = 0;
    for (std::size_t j = 0; j < static_cast<std::size_t>(a.columns()); ++j) {
      std::size_t pivot = found;
      while (pivot < rows.size() && rows[pivot][j] == 0) {
        ++pivot;
      }
      if (pivot == rows.size()) {
        continue;
      }
      std::swap(rows[pivot], rows[found]);
      const std::uint64_t inverse = power(rows[found][j], kPrime - 2);
      for (std::size_t i = found + 1; i < rows.size(); ++i) {
        const std::uint64_t factor = rows[i][j] * inverse % kPrime;
        for (std::size_t k = j; factor != 0 && k < rows[i].size(); ++k) {
          rows[i][k] = (rows[i][k] + (kPrime - factor) * rows[found][k]) % kPrime;
        }
      }
      ++found;
    }
    return static_cast<Index>(found);
  }

  DenseMatrix none_;
  DenseMatrix lead_;
};

// Structures broken by one small number: what the numbers as they stand have, or unclear.
TEST(OrderReduction, SmallNumbersAreNeverTakenForZeros) {
  TripleGenerator generator(4);
  int right = 0;
  int unclear = 0;
  for (int i = 0; i < 150; ++i) {
    RandomTriple triple = generator.make(generator.draw(2, 4), 1, 0);
    DenseMatrix& matrix = triple.matrices[static_cast<std::size_t>(generator.draw(0, 2))];
    if (matrix.rows() == 0 || matrix.columns() == 0) {
      continue;
    }
    matrix(generator.draw(0, static_cast<int>(matrix.rows()) - 1),
           generator.draw(0, static_cast<int>(matrix.columns()) - 1)) +=
        std::ldexp(1.0, -generator.draw(5, 48));
    const Coefficients coefficients{{triple.matrices[0]}, {triple.matrices[1]}, {triple.matrices[2]}};
    const OrderReduction found = reduce_order(coefficients);
    for (const LevelDecision& decision : found.decisions) {
      if (decision.is_clear) {
        EXPECT_EQ(decision.numbers, ExactTriple(coefficients, decision.level).numbers) << i;
      }
    }
    ++(found.reduced ? right : unclear);
  }
  EXPECT_GT(right, 40);
  EXPECT_GT(unclear, 10);
  std::printf("broken: %d right, %d unclear\n", right, unclear);
}

}  // namespace
}  // namespace saltus::reduce
