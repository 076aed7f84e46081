/// Solves the implicit blocks of a right-hand side.
///
/// Problem      linear: A·z = b.  Nonlinear: r(z) = 0 with J = ∂r/∂z.
/// Method       linear: LU, then one step of iterative refinement ([Hig02] 12). Nonlinear: damped Newton
///              (nonlinear/damped_newton.hpp) with ‖d̄‖ ≤ (1 - λ/2)‖d‖
/// Notation     ‖d‖ = max |dᵢ| / max(|zᵢ|, nominalᵢ)
/// Contract     no allocation. Success leaves a finite solution in z; failure leaves z as it was. Iterations end at the level
///              of rounding, not at a tolerance of the user: the result depends on the start (the last solution) only by
///              rounding errors, as long as it is the same root. A start from which the iteration fails is followed by
///              the guess of the constructor and that shifted by ± nominal (a guess may lie where J is singular), and
///              from where r is not finite by scattered parts of the nominal (nonlinear/scatter.hpp).
/// Fails when   the matrix is singular up to rounding (block_matrix.hpp), or refinement changes a linear solution by more
///              than kSingularCorrection, measured in the sizes of the unknowns: singular.
///              λ falls below kSmallestDamping or kMaxIterations are used up: no_convergence.
///              The simplified correction of a step that has come close enough is the last one: it costs no factorisation.
/// Cost         linear: one factorisation. Nonlinear, near the last solution: one or two.
/// Checked by   tests/unit/program/block_solver_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "program/blocks/block_matrix.hpp"

namespace saltus::program {

/// Of an iteration or a correction, for each unknown, in units of base/work_watch.hpp.
inline constexpr std::int64_t kWorkOfAnUnknown = 100;

enum class BlockStatus : std::uint8_t { ok, singular, no_convergence, not_finite };

/// A correction of this relative size by refinement means that no digit of the solution is certain.
inline constexpr double kSingularCorrection = 0.1;

class LinearBlockSolver {
 public:
  /// `sizes` as for BlockMatrix.
  explicit LinearBlockSolver(const BlockPattern& pattern, std::span<const double> sizes = {});

  [[nodiscard]] BlockStatus solve(std::span<const double> entries, std::span<const double> right_side,
                                  std::span<double> z);
  /// Aᵀ·w = c, likewise.
  [[nodiscard]] BlockStatus solve_transposed(std::span<const double> entries,
                                             std::span<const double> right_side, std::span<double> w);
  /// For several right sides at once, b and z [row][right side]. A right side of zeros has the solution zero whatever the matrix is; one that is
  /// not finite, or a matrix that is not, gives NaN. After reserve_rows() nothing allocates.
  [[nodiscard]] BlockStatus solve_rows(std::span<const double> entries, std::span<const double> b,
                                       std::span<double> z);
  void reserve_rows(std::size_t n_right);

  void fields(Archive& a) {
    // Not saved: kinds_, sizes_, corrections_.
    a(matrix_, solution_, correction_);
  }

 private:
  template <bool kTransposed>
  [[nodiscard]] BlockStatus solve_one(std::span<const double> entries, std::span<const double> right_side,
                                      std::span<double> z);
  [[nodiscard]] bool find_kinds(std::span<const double> b);

  const BlockPattern& pattern_;
  BlockMatrix matrix_;
  std::vector<double> solution_;
  std::vector<double> correction_;
  // Of solve_rows(): nothing of them outlives a call.
  enum class Kind : std::uint8_t { zero, plain, not_finite };
  std::vector<Kind> kinds_;  // by right side
  std::vector<double> sizes_;
  std::vector<double> corrections_;
};

/// r and the entries of J at z.
class ResidualFunction {
 public:
  ResidualFunction() = default;
  ResidualFunction(const ResidualFunction&) = delete;
  ResidualFunction& operator=(const ResidualFunction&) = delete;
  virtual ~ResidualFunction() = default;

  virtual void evaluate(std::span<const double> z, std::span<double> residual, std::span<double> entries) = 0;
};

inline constexpr int kMaxIterations = 100;
/// Below this the direction, not the length of the step, is to blame.
inline constexpr double kSmallestDamping = 1e-8;
/// Contraction that counts as quadratic convergence near the solution.
inline constexpr double kFastContraction = 0.1;
/// What a last correction may leave: below the rounding of the solution.
inline constexpr double kLeftBehind = 0x1p-54;
/// Corrections below this that no longer shrink are rounding noise (nonlinear/damped_newton.hpp).
inline constexpr double kIterationNoise = 1e-7;

class NewtonBlockSolver {
 public:
  NewtonBlockSolver(const BlockPattern& pattern, std::vector<double> guesses, std::vector<double> nominals);

  /// z: the last solution on entry.
  [[nodiscard]] BlockStatus solve(ResidualFunction& function, std::span<double> z);
  /// From z alone.
  [[nodiscard]] BlockStatus solve_from(ResidualFunction& function, std::span<double> z);
  /// Whether the last solution was found from z itself.
  [[nodiscard]] bool has_begun_at_guess() const { return has_begun_at_guess_; }

  void fields(Archive& a) {
    // Not saved: guesses_, nominals_.
    a(has_begun_at_guess_, matrix_, z_, trial_, kept_, residual_, entries_, direction_, simplified_);
  }

 private:
  struct Iteration;  // nonlinear/damped_newton.hpp
  [[nodiscard]] BlockStatus iterate(ResidualFunction& function);
  [[nodiscard]] double scaled_norm(std::span<const double> correction) const;

  std::vector<double> guesses_;
  std::vector<double> nominals_;
  bool has_begun_at_guess_ = true;
  BlockMatrix matrix_;
  std::vector<double> z_;
  std::vector<double> trial_;
  std::vector<double> kept_;
  std::vector<double> residual_;
  std::vector<double> entries_;
  std::vector<double> direction_;
  std::vector<double> simplified_;
};

}  // namespace saltus::program
