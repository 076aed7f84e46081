#include "linalg/pencil/kronecker.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "linalg/equilibration.hpp"
#include "support/random_pencil.hpp"

namespace saltus::linalg {
namespace {

using test::PencilGenerator;
using test::RandomPencil;

bool has_structure(const KroneckerBlocks& blocks, const RandomPencil& pencil) {
  return blocks.infinite == pencil.infinite && blocks.right == pencil.right && blocks.left == pencil.left &&
         blocks.eigenvalues.size() == pencil.eigenvalues.size();
}

// The largest coordinate Q·D·x of infinite and left blocks, which vanish for consistent x, beside its terms.
double largest_inconsistent_part(const DenseMatrix& basis, const RandomPencil& pencil) {
  double largest = 0.0;
  for (Index k = 0; k < basis.columns(); ++k) {
    double size = 0.0;
    for (std::size_t j = 0; j < pencil.q.size(); ++j) {
      size = std::max(size, std::abs(pencil.column_scale[j] * basis(static_cast<Index>(j), k)));
    }
    for (std::size_t i = 0; i < pencil.q.size(); ++i) {
      double sum = 0.0;
      double row = 0.0;
      for (std::size_t j = 0; pencil.is_consistent[i] == 0 && j < pencil.q.size(); ++j) {
        const auto entry = static_cast<double>(pencil.q[i][j]);
        sum += entry * pencil.column_scale[j] * basis(static_cast<Index>(j), k);
        row += std::abs(entry);
      }
      largest = std::max(largest, row > 0.0 ? std::abs(sum) / (row * size) : 0.0);
    }
  }
  return largest;
}

// The largest distance of a prescribed eigenvalue from the nearest found, in units of 1 + |λ|.
double eigenvalue_error(const KroneckerBlocks& blocks, const RandomPencil& pencil) {
  double largest = 0.0;
  for (const std::complex<double>& expected : pencil.eigenvalues) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const std::complex<double>& found : blocks.eigenvalues) {
      nearest = std::min(nearest, std::abs(found / pencil.time - expected));
    }
    largest = std::max(largest, nearest / (1.0 + std::abs(expected)));
  }
  return largest;
}

TEST(Kronecker, OfCanonicalBlocks) {
  // L₁ beside an infinite block of size 2 and the finite eigenvalue 3.
  const DenseMatrix e{{1, 0, 0, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}};
  const DenseMatrix a{{0, 1, 0, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 3}};
  const KroneckerStructure found = kronecker_structure(e, a);
  ASSERT_TRUE(found.blocks);
  EXPECT_EQ(found.blocks->right, (std::vector<int>{1}));
  EXPECT_EQ(found.blocks->left, std::vector<int>());
  EXPECT_EQ(found.blocks->infinite, (std::vector<int>{2}));
  EXPECT_FALSE(found.blocks->is_regular());
  EXPECT_FALSE(found.blocks->projector);
  ASSERT_EQ(found.blocks->eigenvalues.size(), 1U);
  EXPECT_NEAR(found.blocks->eigenvalues[0].real(), 3.0, 1e-14);
  EXPECT_EQ(found.blocks->consistent.columns(), 3);
  const KroneckerStructure other = kronecker_structure(e.transposed(), a.transposed());
  ASSERT_TRUE(other.blocks);
  EXPECT_EQ(other.blocks->left, (std::vector<int>{1}));
  EXPECT_EQ(other.blocks->right, std::vector<int>());
  EXPECT_EQ(other.blocks->consistent.columns(), 1);
}

TEST(Kronecker, EmptyPencils) {
  for (const auto& [m, n] : std::vector<std::pair<Index, Index>>{{0, 0}, {0, 3}, {2, 0}, {2, 3}}) {
    const KroneckerStructure found = kronecker_structure(DenseMatrix(m, n), DenseMatrix(m, n));
    ASSERT_TRUE(found.blocks) << m << " x " << n;
    EXPECT_EQ(found.blocks->right, std::vector<int>(static_cast<std::size_t>(n), 0));
    EXPECT_EQ(found.blocks->left, std::vector<int>(static_cast<std::size_t>(m), 0));
    EXPECT_EQ(found.blocks->consistent.columns(), n);
  }
}

// A projector along the infinite part: Π² = Π, and A·Π maps into range E·Π.
TEST(Kronecker, ProjectorOfARegularPencil) {
  // x₁' = x₂, x₂' = x₃, 0 = x₁ - x₄, x₄' = -x₄: index 3, one free value.
  const DenseMatrix e{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 1}};
  const DenseMatrix a{{0, 1, 0, 0}, {0, 0, 1, 0}, {1, 0, 0, -1}, {0, 0, 0, -1}};
  const KroneckerStructure found = kronecker_structure(e, a);
  ASSERT_TRUE(found.blocks && found.blocks->projector);
  EXPECT_EQ(found.blocks->index(), 3);
  EXPECT_EQ(found.blocks->infinite, (std::vector<int>{3}));
  const DenseMatrix& p = *found.blocks->projector;
  EXPECT_LT((p * p - p).largest_entry(), 1e-13);
  // x = (1, -1, 1, 1)·c·e⁻ᵗ, whatever x₁, x₂, x₃ were given.
  for (Index j = 0; j < 3; ++j) {
    for (Index i = 0; i < 4; ++i) {
      EXPECT_NEAR(p(i, j), 0.0, 1e-13);
    }
  }
  const std::vector<double> expected{1.0, -1.0, 1.0, 1.0};
  for (Index i = 0; i < 4; ++i) {
    EXPECT_NEAR(p(i, 3), expected[static_cast<std::size_t>(i)], 1e-13);
  }
}

struct Tally {
  int right = 0;
  int unclear = 0;
  int wrong = 0;
  double subspace = 0.0;
  double eigenvalue = 0.0;
};

Tally try_pencils(std::uint32_t seed, int count, int size, int mixing, int scales) {
  PencilGenerator generator(seed);
  Tally tally;
  for (int i = 0; i < count; ++i) {
    const RandomPencil pencil = generator.make(generator.draw(1, size), mixing, scales);
    EXPECT_TRUE(pencil.is_exact);
    const KroneckerStructure found = kronecker_structure(pencil.e, pencil.a);
    if (!found.blocks) {
      ++tally.unclear;
      EXPECT_FALSE(found.decisions.back().is_clear);
      continue;
    }
    ++(has_structure(*found.blocks, pencil) ? tally.right : tally.wrong);
    tally.subspace = std::max(tally.subspace, largest_inconsistent_part(found.blocks->consistent, pencil));
    if (pencil.is_simple) {
      tally.eigenvalue = std::max(tally.eigenvalue, eigenvalue_error(*found.blocks, pencil));
    }
  }
  return tally;
}

TEST(Kronecker, PrescribedStructuresAreFound) {
  const Tally plain = try_pencils(1, 400, 12, 1, 0);
  EXPECT_EQ(plain.wrong, 0);
  EXPECT_EQ(plain.unclear, 0);
  EXPECT_LT(plain.subspace, 1e-12);
  EXPECT_LT(plain.eigenvalue, 1e-8);
  std::printf("plain: subspace %.1e, eigenvalue %.1e\n", plain.subspace, plain.eigenvalue);
}

TEST(Kronecker, BadScalesAndConditionsAreRightOrUnclear) {
  const Tally scaled = try_pencils(2, 400, 12, 1, 20);
  EXPECT_EQ(scaled.wrong, 0);
  EXPECT_LT(scaled.unclear, 40);
  // Orthonormal in x itself: beside a column scaled by 2^20 one by 2^-20 has few digits.
  EXPECT_LT(scaled.subspace, std::ldexp(1.0, 40) * std::numeric_limits<double>::epsilon());
  const Tally mixed = try_pencils(3, 400, 14, 3, 20);
  EXPECT_EQ(mixed.wrong, 0);
  EXPECT_GT(mixed.right, 100);
  EXPECT_GT(mixed.unclear, 0);
  std::printf(
      "scaled: %d right, %d unclear; mixed: %d right, %d unclear; subspace %.1e %.1e, eigenvalue %.1e, "
      "%.1e\n",
      scaled.right, scaled.unclear, mixed.right, mixed.unclear, scaled.subspace, mixed.subspace,
      scaled.eigenvalue, mixed.eigenvalue);
}

// Ranks modulo a prime of its own, by definitions that are not the staircase's: dim ker of
//     R_k = (-A; E -A; …; E), k + 2 block rows, is Σ (k - ε + 1)⁺;   N_k = (E; -A E; …), k block rows, is k·#ε + Σ min(s, k).
class ExactCounts {
 public:
  ExactCounts(const DenseMatrix& e, const DenseMatrix& a) : e_(e), a_(a) {}

  [[nodiscard]] Index chains(Index k) const {  // dim ker R_k
    return kernel(k + 2, k + 1, 1, 0);
  }
  [[nodiscard]] Index at_infinity(Index k) const {  // dim ker N_k
    return kernel(k, k, 0, 1);
  }
  [[nodiscard]] std::vector<int> right() const {
    std::vector<int> found;
    for (Index k = 0; k <= e_.columns(); ++k) {
      const Index count = chains(k) - 2 * (k > 0 ? chains(k - 1) : 0) + (k > 1 ? chains(k - 2) : 0);
      found.insert(found.end(), static_cast<std::size_t>(count), static_cast<int>(k));
    }
    return found;
  }
  [[nodiscard]] std::vector<int> infinite(Index n_right) const {
    std::vector<int> found;
    for (Index k = 1; k <= e_.columns(); ++k) {
      const Index now = at_infinity(k) - at_infinity(k - 1) - n_right;
      const Index next = at_infinity(k + 1) - at_infinity(k) - n_right;
      found.insert(found.end(), static_cast<std::size_t>(now - next), static_cast<int>(k));
    }
    return found;
  }

 private:
  static constexpr std::uint64_t kPrime = 2147483549;

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

  // E stands in block (j + `of_e`, j), -A in (j + `of_a`, j).
  [[nodiscard]] Index kernel(Index block_rows, Index block_columns, Index of_e, Index of_a) const {
    const Index m = e_.rows();
    const Index n = e_.columns();
    std::vector<std::vector<std::uint64_t>> rows(
        static_cast<std::size_t>(block_rows * m),
        std::vector<std::uint64_t>(static_cast<std::size_t>(block_columns * n), 0));
    for (Index block = 0; block < block_columns; ++block) {
      for (Index i = 0; i < m; ++i) {
        for (Index j = 0; j < n; ++j) {
          const auto column = static_cast<std::size_t>(block * n + j);
          if (block + of_e < block_rows) {
            rows[static_cast<std::size_t>((block + of_e) * m + i)][column] = residue(e_(i, j));
          }
          if (block + of_a < block_rows) {
            rows[static_cast<std::size_t>((block + of_a) * m + i)][column] = residue(-a_(i, j));
          }
        }
      }
    }
    std::size_t rank = 0;
    const auto n_columns = static_cast<std::size_t>(block_columns * n);
    for (std::size_t j = 0; j < n_columns && rank < rows.size(); ++j) {
      std::size_t pivot = rank;
      while (pivot < rows.size() && rows[pivot][j] == 0) {
        ++pivot;
      }
      if (pivot == rows.size()) {
        continue;
      }
      std::swap(rows[pivot], rows[rank]);
      const std::uint64_t inverse = power(rows[rank][j], kPrime - 2);
      for (std::size_t i = rank + 1; i < rows.size(); ++i) {
        const std::uint64_t factor = rows[i][j] * inverse % kPrime;
        for (std::size_t k = j; factor != 0 && k < n_columns; ++k) {
          rows[i][k] = (rows[i][k] + (kPrime - factor) * rows[rank][k]) % kPrime;
        }
      }
      ++rank;
    }
    return static_cast<Index>(n_columns - rank);
  }

  const DenseMatrix& e_;
  const DenseMatrix& a_;
};

// Structures broken by one small number: what the numbers as they stand have, or unclear.
TEST(Kronecker, SmallNumbersAreNeverTakenForZeros) {
  PencilGenerator generator(4);
  int right = 0;
  int unclear = 0;
  for (int i = 0; i < 300; ++i) {
    RandomPencil pencil = generator.make(generator.draw(2, 5), 1, 0);
    if (pencil.e.rows() == 0 || pencil.e.columns() == 0 || pencil.e.columns() > 6 || pencil.e.rows() > 6) {
      continue;
    }
    DenseMatrix& matrix = generator.draw(0, 1) == 0 ? pencil.e : pencil.a;
    matrix(generator.draw(0, static_cast<int>(matrix.rows()) - 1),
           generator.draw(0, static_cast<int>(matrix.columns()) - 1)) +=
        std::ldexp(1.0, -generator.draw(5, 48));
    const KroneckerStructure found = kronecker_structure(pencil.e, pencil.a);
    if (!found.blocks) {
      ++unclear;
      continue;
    }
    const std::vector<int> true_right = ExactCounts(pencil.e, pencil.a).right();
    const DenseMatrix e_transposed = pencil.e.transposed();
    const DenseMatrix a_transposed = pencil.a.transposed();
    EXPECT_EQ(found.blocks->right, true_right) << i;
    EXPECT_EQ(found.blocks->left, ExactCounts(e_transposed, a_transposed).right()) << i;
    EXPECT_EQ(found.blocks->infinite,
              ExactCounts(pencil.e, pencil.a).infinite(static_cast<Index>(true_right.size())))
        << i;
    ++right;
  }
  EXPECT_GT(right, 60);
  EXPECT_GT(unclear, 20);
  std::printf("broken: %d right, %d unclear\n", right, unclear);
}

TEST(Kronecker, AnUnclearDecisionNamesTheTolerances) {
  const DenseMatrix a{{1.0, 1.0}, {1.0, 2.0}};
  const KroneckerStructure unclear = kronecker_structure(DenseMatrix{{1.0, 1.0}, {1.0, 1.0 + 1e-12}}, a);
  EXPECT_FALSE(unclear.blocks);
  ASSERT_FALSE(unclear.decisions.empty());
  const StairDecision& last = unclear.decisions.back();
  EXPECT_FALSE(last.is_clear);
  EXPECT_EQ(last.decision.rank, 1);
  EXPECT_EQ(last.exact_rank, Index{2});
  EXPECT_NEAR(last.decision.largest_dropped, 2.5e-13, 1e-13);
  const KroneckerStructure as_zero =
      kronecker_structure(DenseMatrix{{1.0, 1.0}, {1.0, 1.0 + 1e-12}}, a, {.tolerance = 1e-10});
  ASSERT_TRUE(as_zero.blocks);
  EXPECT_EQ(as_zero.blocks->infinite, (std::vector<int>{1}));
  const KroneckerStructure as_number =
      kronecker_structure(DenseMatrix{{1.0, 1.0}, {1.0, 1.0 + 1e-12}}, a, {.tolerance = 1e-15});
  ASSERT_TRUE(as_number.blocks);
  EXPECT_EQ(as_number.blocks->infinite, std::vector<int>());
  // A row in another unit has no small numbers.
  const KroneckerStructure units =
      kronecker_structure({{1.0, 0.0}, {0.0, 1e-12}}, {{1.0, 1.0}, {1e-12, 2e-12}});
  ASSERT_TRUE(units.blocks);
  EXPECT_EQ(units.blocks->eigenvalues.size(), 2U);
}

}  // namespace
}  // namespace saltus::linalg
