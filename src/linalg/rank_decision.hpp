/// The rank of a matrix, with how clear the decision is, and orthonormal bases of its four subspaces.
///
/// Problem      how many columns of A are independent when entries carry rounding errors, and bases of range A,
///              corange A = ker Aᵀ, cokernel A = range Aᵀ, kernel A
/// Method       singular values of D_r·A·D_c, or the diagonal of its column-pivoted QR ([GVL13] 2.5, 5.4.2, 5.5.8);
///              the bases are scaled back and made orthonormal again
/// Contract     The rank is the number of values larger than tolerance·max(largest value, reference). Empty matrices are
///              legal everywhere: rank 0, the kernel of a matrix without rows is the whole space. Entries are finite.
/// Choices      kRankTolerance lies half way (in digits) between rounding errors of some ten operations and the size
///              of numbers that a person means. There is no other tolerance for ranks.
///              A decision is unclear when the last value that counts is less than kClearGap times the first that does not
///              (rounding errors in place of an exact zero).
///              `reference` is for products with bases computed before: there noise must not be compared with itself.
/// Cost         O(m·n·min(m, n))
/// Checked by   tests/unit/linalg/rank_decision_test.cpp
#pragma once

#include <cstdint>

#include "base/machine.hpp"
#include "linalg/dense_matrix.hpp"

namespace saltus::linalg {

inline constexpr double kRankTolerance = 1e-10;
inline constexpr double kClearGap = 1e3;
/// Rounding errors of entries that stand in a singular value, for each row or column: some operations lie behind an entry that is a result of
/// calculations, and some behind a step of a chain of decisions.
inline constexpr double kRoundingOfEntries = 16.0 * kEpsilon;

enum class RankMethod : std::uint8_t { singular_values, pivoted_qr };

struct RankOptions {
  RankMethod method = RankMethod::singular_values;
  bool equilibrate = true;
  double tolerance = kRankTolerance;
  double reference = 0.0;  ///< a size that entries would have if they were not zero
};

struct RankDecision {
  Index rank = 0;
  double gap_ratio =
      0.0;  ///< last value that counts over the first that does not; infinite if there is no such pair
  bool is_unclear = false;
  double largest_dropped =
      0.0;                 ///< the first value that does not count, in units of what the tolerance belongs to
  double condition = 1.0;  ///< largest over smallest value that counts; 1 for rank 0
  /// The last value that counts, in the same units, infinite for rank 0: with any tolerance from largest_dropped up to less than this the
  /// rank is the same.
  double smallest_kept = 0.0;
};

struct RankBases {
  RankDecision decision;
  DenseMatrix range;     ///< m × rank
  DenseMatrix corange;   ///< m × (m - rank): Zᵀ·A = 0
  DenseMatrix cokernel;  ///< n × rank
  DenseMatrix kernel;    ///< n × (n - rank): A·T = 0
};

[[nodiscard]] RankDecision decide_rank(const DenseMatrix& a, const RankOptions& options = {});
[[nodiscard]] RankBases rank_bases(const DenseMatrix& a, const RankOptions& options = {});

/// Orthonormal columns with the same span as the columns of a matrix of full column rank.
[[nodiscard]] DenseMatrix orthonormal_columns(const DenseMatrix& a);

}  // namespace saltus::linalg
