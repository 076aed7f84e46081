/// A nonlinear block from a guess at which its matrix is singular, or from which Newton's method does not arrive.
///
/// Problem      r(z) = 0 from z₀, at the start of a run: nobody has solved it before
/// Method       nonlinear/homotopy_path.hpp with M = ∂r/∂z at points beside z₀; bordered systems of order n + 1 by LU; the end of the path by
///              the damped Newton method of block_solver.hpp
/// Notation     size of an unknown: max(|z₀|, nominal).  w = z / size: lengths are measured in w and λ
/// Contract     A solution solves the equations as block_solver.hpp says; failure leaves z as it was. The same block gives the same bits.
///              Allocates: for the start, not for steps.
/// Choices      M is taken in turn at z₀ ± one size, ± 1/10 and ± 10 of it, in kMostDirections scattered directions; in the first one the first
///              unknown grows (of two solutions that lie symmetric, x² = 4 from 0, it is the positive one)
/// Fails when   no path arrives, M is singular at all of these points, or all paths together have kMostStepsOfPaths steps
/// Cost         two to five LU of order n + 1 for each step
/// Checked by   tests/unit/program/block_homotopy_test.cpp, tests/events/singular_guess_test.cpp
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "program/blocks/block_solver.hpp"

namespace saltus::program {

class BlockHomotopy {
 public:
  /// All outlive this object. `newton` is that of the block.
  BlockHomotopy(const BlockPattern& pattern, std::span<const double> nominals, NewtonBlockSolver& newton,
                ResidualFunction& function);

  /// z: the guess on entry.
  [[nodiscard]] bool solve(std::span<double> z);

 private:
  struct Path;  // nonlinear/homotopy_path.hpp
  [[nodiscard]] bool follow_from(std::span<const double> beside);

  const BlockPattern& pattern_;
  BlockPattern bordered_;
  NewtonBlockSolver& newton_;
  ResidualFunction& function_;
  std::vector<double> nominals_;
  std::vector<double> size_;
  std::vector<double> begin_;     // z₀
  std::vector<double> easy_;      // entries of M
  std::vector<double> residual_;  // r at the trial
  std::vector<double> entries_;   // its matrix
  std::vector<double> solution_;
  int n_steps_ = 0;
};

}  // namespace saltus::program
