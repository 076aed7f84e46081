/// Linear equations of order k with varying coefficients, reduced at a point to equations in which nothing is hidden.
///
/// Problem      C_k·x⁽ᵏ⁾ + … + C_0·x = f, any shape: the index μ, how many conditions are of order k, …, 1 and algebraic, and these conditions in
///              the unknowns as they stand
/// Method       derivative arrays of level l = 0, 1, … (order_array.hpp) and their ranks (ranks/rank_analysis.hpp); μ is the first l with
///              a + d₁ + … + d_k + v = m ([Wun08] 3.1.2, Theorems 3.21 and 3.22, Remark 3.24). For k = 2 this gives (3.31):
///                  Z₀ᵀ(M·ẍ + C·ẋ + K·x) = Z₀ᵀf   (d₂)      Z₁ᵀZ₂ᵀ(L·ẋ + N·x) = Z₁ᵀZ₂ᵀg   (d₁)      Z₃ᵀN·x = Z₃ᵀg   (a)
/// Notation     g = (f, ḟ, …, f⁽ᵘ⁾), u = μ; Z₀ = top, Z₂Z₁ = middle[0], Z₃ = algebraic, Z₄ = redundant rows, T₃ = kernel
/// Contract     Finite coefficients with as many derivatives as are not zero. Every decision is told apart as in linalg/pencil/kronecker.hpp: clear if
///              its gap is wide and the numbers exactly as they stand have the same ranks, or if what was dropped is rounding of results
///              of calculations (is_rounded). The first level that is not clear ends the search without a result.
/// Choices      Conditions are made of as few derivatives of f as possible (ranks/data_orders.hpp). That the counts stand still from one level to
///              the next says nothing: [Wun08] Example 3.23 has (1, 0, 2) twice and μ = 2. The theorems of the source cover μ ≤ 2; that the
///              test on the sum holds beyond is what the tests show for prescribed structures up to μ = 4.
/// Fails when   a rank is not clear, or no level up to the largest one satisfies the test: ranks that change at the point
/// Cost         dense, (μ·n)³ for each level, and the same modulo two primes
/// Checked by   tests/unit/reduce/order_reduction_test.cpp
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "linalg/dense_matrix.hpp"
#include "reduce/linear/order_array.hpp"
#include "reduce/linear/rank_algebra.hpp"

namespace saltus::reduce {

/// What the array of one level says.
struct LevelNumbers {
  Index algebraic = 0;
  std::vector<Index> differential;  ///< d₁ … d_k
  Index redundant = 0;              ///< rows of the array that follow from others

  friend bool operator==(const LevelNumbers&, const LevelNumbers&) = default;
};

struct LevelDecision {
  int level = 0;
  LevelNumbers numbers;
  std::optional<LevelNumbers> exact;  ///< of the numbers as they stand
  RankDoubts doubts;
  bool is_clear = false;
};

struct ReducedOrder {
  int level = 0;          ///< μ
  Index n_equations = 0;  ///< m
  Index n_unknowns = 0;   ///< n
  LevelNumbers numbers;
  Index undetermined = 0;                   ///< u
  Index vanishing = 0;                      ///< v
  linalg::DenseMatrix top;                  ///< m × d_k
  std::vector<linalg::DenseMatrix> middle;  ///< rows of the array × d_i, i = 1 … k - 1
  linalg::DenseMatrix algebraic;            ///< rows of the array × a
  linalg::DenseMatrix redundant;            ///< rows of the array × (redundant ones of all levels)
  linalg::DenseMatrix kernel;               ///< n × (n - a), orthonormal
  /// Σ coefficients[i]·x⁽ⁱ⁾ = combine·g, m rows: of order k, …, of order 1, algebraic, and v rows of zeros.
  std::vector<linalg::DenseMatrix> coefficients;
  linalg::DenseMatrix combine;   ///< m × (μ + 1)·m
  std::vector<int> data_orders;  ///< by equation: the highest derivative of its f in these equations

  [[nodiscard]] int order() const { return static_cast<int>(coefficients.size()) - 1; }
  [[nodiscard]] Index d(int order) const { return numbers.differential[static_cast<std::size_t>(order) - 1]; }
};

struct OrderReduction {
  std::optional<ReducedOrder> reduced;  ///< none: see the last decision
  std::vector<LevelDecision> decisions;
};

struct ReductionOptions {
  bool is_rounded = false;  ///< entries are results of calculations
  int max_level = 10;       ///< beyond it a regular equation would have to be of an index that no model has
};

[[nodiscard]] OrderReduction reduce_order(const Coefficients& coefficients,
                                          const ReductionOptions& options = {});

}  // namespace saltus::reduce
