// Linear equations with constant coefficients, E·ẋ = A·x + b(t), by what their matrices say.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "saltus/result.hpp"

namespace saltus {

/// Row by row, all of one length. Errors of the functions below: rows of different lengths, sizes that do not fit, entries that are not finite
/// (`wrong-matrix`).
using Matrix = std::vector<std::vector<double>>;

/// A⁺, the inverse that solves A·x = b with least squares and least norm; ranks are decided as everywhere (one tolerance, docs/math/ranks.md).
[[nodiscard]] Result<Matrix> moore_penrose_inverse(const Matrix& a);

/// A^D with A·A^D = A^D·A, A^D·A·A^D = A^D, A^D·A^(ν+1) = A^ν.
struct DrazinInverse {
  Matrix inverse;
  Matrix projector;  ///< A^D·A, onto the part on which A is nonsingular, along its generalised null space
  int index = 0;     ///< ν; 0: A is nonsingular
};
[[nodiscard]] Result<DrazinInverse> drazin_inverse(const Matrix& a);

/// What the pair says of E·ẋ = A·x + b at once, without derivatives of the equations: local characteristic values.
struct PairValues {
  int rank = 0;          ///< r of E
  int algebraic = 0;     ///< a
  int strangeness = 0;   ///< s; 0: nothing is hidden
  int differential = 0;  ///< d = r - s
  int undetermined = 0;  ///< u = n - r - a
  int vanishing = 0;     ///< v = m - r - a - s
  /// Of nilpotency (Kronecker), 0: E is nonsingular; none: the pair is not square, or λE - A is singular for every λ.
  std::optional<int> index;
};
/// Any shape; both matrices have the same.
[[nodiscard]] Result<PairValues> pair_values(const Matrix& e, const Matrix& a);

/// A rank that was decided on the way to the structure of a pencil. Numbers are singular values in units of the largest entry after scaling.
struct PencilRank {
  std::string
      of;  ///< "E", "A on the kernel of E", "E transposed", "A transposed on the kernel of E transposed"
  int step = 1;
  int rows = 0;
  int columns = 0;
  int rank = 0;
  double smallest_kept = 0.0;  ///< infinite for rank 0
  double largest_dropped =
      0.0;  ///< with tolerances from here up to less than the number above the rank is the same
  std::optional<int>
      exact_rank;  ///< of the numbers exactly as they stand; none after a step that differs from the exact one
  bool is_clear =
      false;  ///< the gap is wide, and the exact rank is the same (or the difference rounding, see below)
};

/// What Kronecker's canonical form of λE - A says of E·ẋ = A·x; sizes ascend.
struct PencilBlocks {
  bool is_regular = false;   ///< square, and det(λE - A) is not zero for all λ
  std::optional<int> index;  ///< of a regular pencil: the largest infinite block, 0 without one
  std::vector<std::complex<double>> eigenvalues;  ///< finite ones, with their multiplicities
  std::vector<int> infinite;     ///< sizes of the infinite blocks: constraints, hidden ones too
  std::vector<int> right;        ///< right minimal indices: each is one unknown that nothing determines
  std::vector<int> left;         ///< left ones: each is one equation too many
  int consistent_dimension = 0;  ///< of the x through which E·ẋ = A·x has a solution
  Matrix consistent;             ///< orthogonal projector onto them
  /// Of a regular pencil: the projector onto them along the directions that are zero in every solution; none where rounding hides it.
  std::optional<Matrix> spectral;
};

/// None of `blocks`: a decision is not clear, and nothing is guessed. `doubt` says then which, and which tolerances would decide it.
struct PencilStructure {
  std::optional<PencilBlocks> blocks;
  std::string doubt;
  std::vector<PencilRank> ranks;  ///< in order; the last one is the unclear one where there are no blocks
  double tolerance = 0.0;         ///< singular values up to this count as zero
};
struct PencilOptions {
  /// Decides every rank, whether gaps are wide or not; 0 ≤ tolerance < 1.
  std::optional<double> tolerance{};
  /// Entries are results of calculations: what rounding errors of theirs explain counts as zero. Otherwise they are taken for exact, and a
  /// number as small as that leaves the structure open.
  bool is_rounded = false;
};
/// Any shape; both matrices have the same. The error also: no such tolerance (`wrong-option-value`).
[[nodiscard]] Result<PencilStructure> pencil_structure(const Matrix& e, const Matrix& a,
                                                       const PencilOptions& options = {});

/// The solution in closed form, by Drazin inverses: a reference to compare runs with. Each value takes matrix exponentials at all points of a
/// quadrature.
class LinearSolution {
 public:
  /// b(i, t): the i-th derivative of b at t, for i below the index.
  using Forcing = std::function<std::vector<double>(int derivative, double t)>;
  /// The error also: the pair is singular or not square (`singular-pair`).
  [[nodiscard]] static Result<LinearSolution> of(const Matrix& e, const Matrix& a, Forcing b, double start);

  [[nodiscard]] int index() const;
  /// x(t) of the solution that begins at the part of w that may be chosen freely.
  [[nodiscard]] std::vector<double> at(double t, const std::vector<double>& w) const;

 private:
  struct Data;
  explicit LinearSolution(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

}  // namespace saltus
