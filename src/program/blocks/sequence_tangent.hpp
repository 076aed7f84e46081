/// Tangents of a sequence of blocks at the point where a runner has just been run.
///
/// Problem      d(outputs) when time, states, held inputs and parameters move, each in K directions
/// Method       parts with tangents (vm/tangent_interpreter.hpp) in the order of the blocks; through an implicit block by the implicit
///              function theorem. Linear, A·z = b: A·dz = db - dA·z. Nonlinear, r(z) = 0: the part with z resting gives dr and the
///              entries of J = ∂r/∂z, and J·dz = -dr. One factorisation serves all directions.
/// Contract     z is the solution of the runner: nothing is iterated, so the branch is its own. No allocation after construction.
/// Choices      a block that nothing moves is not factorised: its unknowns rest even where its matrix is singular.
///              A right side that is not finite gives unknowns whose tangents are NaN, and what depends on them is not finite.
/// Fails when   the matrix of a block that moves is singular: singular_block with the block of the request
/// Checked by   tests/unit/program/sequence_tangent_test.cpp
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "program/blocks/block_sequence.hpp"
#include "program/vm/tangent_interpreter.hpp"

namespace saltus::program {

class SequenceTangents {
 public:
  /// `frozen_tangents`: of the frozen inputs of the sequence, [input][direction]. The sequence must outlive the object.
  SequenceTangents(const BlockSequence& sequence, std::span<const double> frozen_tangents,
                   std::size_t n_directions);

  /// Of held input i, counted from 0, by direction; zero until then.
  void set_held(std::size_t i, std::span<const double> tangents);

  /// How time and states move.
  struct Motion {
    std::span<const double> time;  ///< by direction
    const double* x = nullptr;     ///< [state][direction]
  };
  /// `runner` was run at (t, x). Outputs are computed anew; tangents are [output][direction].
  [[nodiscard]] system::Evaluation run(const SequenceRunner& runner, double t, const double* x,
                                       const Motion& motion, double* outputs, double* tangents);

 private:
  struct Block {
    LinearBlockSolver solver;
    std::vector<double> work;           // outputs of its part …
    std::vector<double> work_tangents;  // … [output][direction]
    std::vector<double> right_sides;    // [row][direction]
  };
  void take_held(const SequenceRunner& runner);
  [[nodiscard]] system::Evaluation pass_block(const SequenceRunner& runner, std::size_t index,
                                              TangentMemory memory);
  void find_right_sides(const BlockSequence::Implicit& implicit, std::span<const double> z,
                        Block& block) const;

  const BlockSequence& sequence_;
  std::size_t n_directions_;
  std::vector<double> frozen_tangents_;
  AlignedBuffer registers_;
  AlignedBuffer tangents_;
  bool held_changed_ = true;
  std::vector<Block> blocks_;
};

}  // namespace saltus::program
