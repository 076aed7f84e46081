/// What the ranks of one derivative array say: how many of its conditions are algebraic, differential and redundant.
///
/// Problem      for the Jacobian of (F, Ḟ, …, F⁽ˡ⁾) at a point: numbers a, d₁, …, d_k and the combinations of rows behind them
/// Method       [KM06] 3.2, [Wun08] Theorem 2.41, Hypotheses 2.37 and 3.26, for any order k ([Wun08] Remark 3.24):
///              W₀ = left null space of all columns but those of x; a = rank W₀ᵀ∂F_l/∂x, T its kernel;
///              for i = 1 … k - 1: W_i = left null space of the columns of order > i, d_i = rank W_iᵀ∂F_l/∂x⁽ⁱ⁾·T, T ← T·kernel;
///              d_k = rank ∂F/∂x⁽ᵏ⁾·T with the rows of F alone
/// Notation     Z₂ = algebraic, Z₃ = redundant, Z₁ = differential rows, T₂ = kernel of the algebraic conditions
/// Contract     Matrices are equilibrated; ranks are measured by the size 1 of their entries. Empty blocks are legal.
/// Choices      d_i over the whole of W_i: its part that has no columns of order i adds nothing to the rank.
/// Cost         k + 2 decompositions of matrices with the rows of the array
/// Checked by   tests/unit/reduce/characteristic_values_test.cpp
#pragma once

#include <vector>

#include "linalg/dense_matrix.hpp"
#include "linalg/rank_decision.hpp"

namespace saltus::reduce {

/// Columns of an array in groups, all rows and columns scaled; those of by_order and top have the same scales by variable.
struct ArrayBlocks {
  std::vector<linalg::DenseMatrix> by_order;  ///< ∂F_l/∂x⁽ⁱ⁾, i = 0 … k - 1, one column for each variable
  linalg::DenseMatrix leading;                ///< all columns of order ≥ k
  linalg::DenseMatrix top;                    ///< ∂F/∂x⁽ᵏ⁾ of the equations as written
};

/// Rows that are small beside other columns count as well, unless they are zero up to rounding: each is divided by its largest entry, and so is its
/// scale.
void normalise_rows(linalg::DenseMatrix& matrix, std::vector<double>& scale);

struct RankAnalysis {
  Index algebraic = 0;              ///< a
  std::vector<Index> differential;  ///< d₁ … d_k
  Index redundant = 0;              ///< rows of the array that follow from others: ṽ_l

  linalg::DenseMatrix z2;                     ///< rows of the array × a
  linalg::DenseMatrix z3;                     ///< rows of the array × redundant
  std::vector<linalg::DenseMatrix> z_middle;  ///< rows of the array × d_i, i = 1 … k - 1
  /// Beside each of z_middle: combinations with the same derivatives at most that follow from conditions of lower order.
  std::vector<linalg::DenseMatrix> implied;
  linalg::DenseMatrix z1;    ///< rows of F × d_k
  linalg::DenseMatrix t2;    ///< variables × (variables - a)
  linalg::DenseMatrix free;  ///< variables × u: directions that no equation sees

  bool is_unclear = false;    ///< one of the decisions was
  double smallest_gap = 0.0;  ///< of all decisions
  double largest_dropped = 0.0;
  double largest_condition = 1.0;
};

[[nodiscard]] RankAnalysis analyse_ranks(const ArrayBlocks& blocks, const linalg::RankOptions& options);

/// Columns that a person can read: each has an entry 1 in a row where all others have 0 (Gauss-Jordan), so that combinations
/// contain no more rows than they need. The span of all columns stays, and that of the first `n_first`, which are treated
/// first; so do the later ones up to multiples of those. Of comparable pivots the last row is taken: conditions then come from
/// rows that are differentiated less. Independent columns.
[[nodiscard]] linalg::DenseMatrix echelon_columns(linalg::DenseMatrix z, Index n_first = 0);

/// Local characteristic values of a pair (E, A) at a point ([Wun08] Theorem 2.34).
struct LocalValues {
  Index rank = 0;          ///< r
  Index algebraic = 0;     ///< a
  Index strangeness = 0;   ///< s; zero: strangeness-free here
  Index differential = 0;  ///< d = r - s
  Index undetermined = 0;  ///< u = n - r - a
  Index vanishing = 0;     ///< v = m - r - a - s
};
[[nodiscard]] LocalValues local_values(const linalg::DenseMatrix& e, const linalg::DenseMatrix& a);

}  // namespace saltus::reduce
