/// The structure of a pencil λE - A: what Kronecker's canonical form says, without forming it.
///
/// Problem      λE - A, any shape: which parts determine nothing (right minimal indices ε: L_ε is ε × (ε + 1)), which are redundant or
///              contradict (left ones η), which are algebraic (infinite blocks of size j; the largest is the index), and which are
///              differential (finite eigenvalues)
/// Method       staircase by orthogonal transformations ([Van79] algorithms 4.1 and 4.5). One step on (E, A): with ω = dim ker E and
///              ρ = rank A·ker E,
///                  λE - A ~ ( -A₁₁  λE₁₂ - A₁₂ ; 0  λE' - A' ),   A₁₁ of ρ rows, full rank, and ω columns;
///              on (E', A') the next one, until ω = 0. ω_j - ρ_j is the number of right indices j - 1, ρ_j - ω_(j+1) that of infinite blocks of
///              size j. First on (Eᵀ, Aᵀ): left indices and infinite blocks are split off, and the columns of what is left span the
///              consistent subspace. Then on the rest: right indices. What is left then is square with a nonsingular E: its
///              eigenvalues by QZ (pencil_eigenvalues.hpp).
/// Contract     Rows and columns of E and A together, and λ, are scaled by powers of 2 (equilibration.hpp). Numbers of decisions are in units of
///              the scaled pencil. A decision is clear if the gap between the singular values around its cut is (rank_decision.hpp)
///              and the numbers exactly as they stand have this rank (modular_staircase.hpp); where the entries are rounded ones, also if what
///              counts as zero is rounding of theirs. The first that is not clear ends the analysis without a structure, unless a tolerance is
///              given: then that decides.
/// Choices      The exact ranks are asked because a gap alone does not tell a small number from a zero: (1, 10⁻¹²) has a clear gap.
/// Fails when   steps contradict each other, which only a given tolerance brings about: no structure either
/// Cost         O(n³) for each step, O(n⁴) at worst
/// Checked by   tests/unit/linalg/kronecker_test.cpp
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "linalg/dense_matrix.hpp"
#include "linalg/rank_decision.hpp"

namespace saltus::linalg {

/// A rank that the staircase decided.
struct StairDecision {
  bool is_transposed = false;  ///< on (Eᵀ, Aᵀ)
  int step = 1;
  bool of_image = false;  ///< of A on the kernel of E; otherwise of E itself
  Index rows = 0;
  Index columns = 0;
  RankDecision decision;
  std::optional<Index>
      exact_rank;  ///< of the numbers as they stand; none after steps that differ from the exact ones
  bool is_clear = false;
};

/// Sizes and indices in ascending order.
struct KroneckerBlocks {
  std::vector<std::complex<double>> eigenvalues;  ///< finite ones
  std::vector<int> infinite;                      ///< sizes of the infinite blocks
  std::vector<int> right;                         ///< minimal indices
  std::vector<int> left;
  DenseMatrix consistent;  ///< orthonormal basis of the x through which E·ẋ = A·x has a solution
  /// For regular pencils: onto them along the directions that are zero in every solution.
  std::optional<DenseMatrix> projector;

  [[nodiscard]] bool is_regular() const { return right.empty() && left.empty(); }
  [[nodiscard]] int index() const { return infinite.empty() ? 0 : infinite.back(); }
};

struct KroneckerStructure {
  std::optional<KroneckerBlocks>
      blocks;  ///< none: a decision, the last one, is not clear, or steps contradict
  std::vector<StairDecision> decisions;
  double tolerance = kRankTolerance;
};

struct KroneckerOptions {
  /// Singular values up to this part of the largest entry count as zero whatever the exact ranks are.
  std::optional<double> tolerance;
  /// The entries are results of calculations, as those of derivatives at a point that was found by iteration.
  bool is_rounded = false;
};

[[nodiscard]] KroneckerStructure kronecker_structure(const DenseMatrix& e, const DenseMatrix& a,
                                                     const KroneckerOptions& options = {});

}  // namespace saltus::linalg
