/// Which weights hold where some lie between -1 and 1, others, together, in the unit ball, and others are not negative.
///
/// Problem      s ∈ K, K a product of intervals [-1, 1], unit balls and half-lines [0, ∞), with F(s) = M·s + q in the normal cone of K at s: F = 0 inside,
///              F outwards on the boundary (F_B = c·s_B, c ≥ 0, on that of a ball B). For intervals it is the problem of
///              decision.hpp; for balls it is Coulomb's law with a disc: v = 0 while the force lies in the ball, else v̇ along the
///              direction s in which it leaves
/// Method       semismooth Newton on the natural map Φ(s) = s - P(s + γF(s)), P the projection onto K [FP03] 1.5.8, 7.5, with steps of
///              least norm where its matrix is singular; where that does not come nearer, extragradient steps [FP03] 12.1.2
/// Notation     γ: one for each set, 1/(largest row sum of |M| in its rows), so that units do not matter; P' of a ball at |z| > 1:
///              (I - zzᵀ/|z|²)/|z|
/// Contract     solve() begins at s and leaves the answer there. Nothing allocates once a problem as large was solved.
/// Fails when   Φ does not vanish within the limits of work: false. With -M positive semidefinite (friction) extragradient steps converge.
/// Checked by   tests/unit/slide/ball_problem_test.cpp
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linalg/minimum_norm.hpp"

namespace saltus::slide {

class BallProblem {
 public:
  enum class Kind : std::uint8_t { interval, ball, half_line };
  /// Consecutive unknowns that lie in one ball, or one unknown.
  struct Set {
    std::size_t first = 0;
    std::size_t size = 1;
    Kind kind = Kind::interval;
  };

  /// Every unknown is in one of the sets. `matrix` by rows.
  [[nodiscard]] bool solve(std::span<const double> matrix, std::span<const double> vector,
                           std::span<const Set> sets, std::span<double> s);
  /// The γ of a problem, as solve() has them.
  void set_scales(std::span<const double> matrix, std::span<const double> vector, std::span<const Set> sets);
  /// ‖Φ(s)‖∞ for the F given, with the γ of the last solve() or set_scales().
  [[nodiscard]] double violation(std::span<const Set> sets, std::span<const double> s,
                                 std::span<const double> forces);

 private:
  void forces_at(std::span<const double> matrix, std::span<const double> vector, std::span<const double> s);
  [[nodiscard]] bool newton_step(std::span<const double> matrix, std::span<const double> vector,
                                 std::span<const Set> sets, std::span<double> s);
  void extragradient(std::span<const double> matrix, std::span<const double> vector,
                     std::span<const Set> sets, std::span<double> s);

  std::vector<double> scale_;   // γ by unknown
  std::vector<double> forces_;  // F
  std::vector<double> shifted_;
  std::vector<double> projected_;
  std::vector<double> residual_;
  std::vector<double> step_;
  std::vector<double> tried_;
  linalg::MinimumNorm solver_;
};

}  // namespace saltus::slide
