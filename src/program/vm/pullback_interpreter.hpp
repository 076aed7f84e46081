/// Runs slab programs backwards: how a weighted sum of what they compute moves with everything that they read.
///
/// Method       reverse accumulation [GW08, ch. 3]: from the last instruction to the first, the cotangents of the destination are taken away
///              and, times the slopes of the operation, added to those of the operands. Registers are used again and again, so the run
///              forwards keeps what it overwrites (interpreter.hpp, run_code_saving), and the way back restores it.
/// Notation     the cotangent of a number v is ∂s/∂v for the weighted sum s; it lies at the place of v.
/// Contract     slopes are those of the tangents (operation_slopes.hpp). A cotangent that is zero stays zero, whatever the slope it meets,
///              and a slope that is zero passes nothing on, whatever the cotangent: what rests for tangents rests here too.
///              Cotangents of registers that no instruction writes, of states and of the frozen space are added to; those of destinations
///              are zero afterwards. No allocation.
/// Choices      at kinks and poles docs/math/tangents.md says which value is given.
/// Checked by   tests/unit/program/pullback_interpreter_test.cpp
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "program/vm/interpreter.hpp"

namespace saltus::program {

/// Where a run of a whole program keeps what it overwrites: by instruction its place on a stack, or kNotSaved.
struct SavePlan {
  explicit SavePlan(const SlabProgram& program);

  std::vector<std::uint32_t> held_code;
  std::vector<std::uint32_t> code;
  std::size_t stack_size = 0;
};

struct PullbackMemory {
  Memory values;      ///< as code has left them
  Memory cotangents;  ///< all of them are written
};

/// Back over instructions that have just been run; `places` and `stack` as in run_code_saving(), null: nothing was saved.
void pull_code(std::span<const Instruction> code, const std::uint32_t* indices, const PullbackMemory& memory,
               const std::uint32_t* places, const double* stack);

}  // namespace saltus::program
