/// The way back over a sequence of blocks at the point where a runner has just been run: the transpose of sequence_tangent.hpp.
///
/// Problem      s = Σ weightᵢ·outputᵢ: ∂s/∂t, ∂s/∂x, ∂s/∂(held inputs), and the share of the parameters
/// Method       forwards over all parts with the solutions z of the runner, then backwards (vm/program_pullback.hpp). Back over an implicit
///              block with z̄ = ∂s/∂z: Aᵀ·w = z̄ for A·z = b gives b̄ = w and Āᵢⱼ = -wᵢ·zⱼ; Jᵀ·w = z̄ for r(z) = 0 gives r̄ = -w. These
///              are the cotangents of what the part of the block computes while z rests.
/// Contract     z is the solution of the runner: nothing is iterated, so the branch is its own. What was found is there until the next run.
///              No allocation after construction.
/// Choices      a block whose z̄ is zero is not factorised: it passes nothing on, even where its matrix is singular.
///              z̄ that is not finite gives cotangents that are NaN, and what depends on them is not finite.
/// Fails when   the matrix of a block that is asked for is singular: singular_block with the block of the request
/// Checked by   tests/unit/program/sequence_pullback_test.cpp
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "program/blocks/block_sequence.hpp"
#include "program/vm/program_pullback.hpp"

namespace saltus::program {

class SequencePullback {
 public:
  /// `zeros` as SystemCode::zeros. The sequence must outlive the object.
  SequencePullback(const BlockSequence& sequence, std::span<const ParameterId> zeros);

  /// `runner` was run at (t, x). Weights by output.
  [[nodiscard]] system::Evaluation run(const SequenceRunner& runner, double t, const double* x,
                                       std::span<const double> weights);

  /// Computed anew on the way forwards.
  [[nodiscard]] std::span<const double> outputs() const { return outputs_; }
  [[nodiscard]] double time() { return program_.input_cotangents()[0]; }
  [[nodiscard]] std::span<const double> held() {
    return program_.input_cotangents().subspan(1, sequence_.n_held());
  }
  [[nodiscard]] std::span<const double> states() const { return program_.state_cotangents(); }
  /// Its share, and how it is read.
  [[nodiscard]] const ProgramPullback& program() const { return program_; }
  void to_parameters(std::span<const double> share, std::span<double> parameters) {
    program_.to_parameters(share, parameters);
  }

 private:
  struct Block {
    LinearBlockSolver solver;
    std::vector<double> work;             // outputs of its part …
    std::vector<double> work_cotangents;  // … and theirs
    std::vector<double> right_side;
    std::vector<double> solution;
  };
  void run_block(const SequenceRunner& runner, std::size_t index, const double* x);
  [[nodiscard]] system::Evaluation pull_block(const SequenceRunner& runner, std::size_t index,
                                              const double* x);
  void weigh_part(const BlockSequence::Implicit& implicit, std::span<const double> z, Block& block) const;

  const BlockSequence& sequence_;
  ProgramPullback program_;
  bool is_broken_off_ = false;
  std::vector<Block> blocks_;
  std::vector<double> outputs_;
  std::vector<double> output_cotangents_;
};

}  // namespace saltus::program
