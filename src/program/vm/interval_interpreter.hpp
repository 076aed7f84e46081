/// Runs slab programs over intervals (interval.hpp): enclosures of the outputs over boxes of inputs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "program/vm/interval.hpp"
#include "program/vm/slab_program.hpp"

namespace saltus::program {

struct IntervalMemory {
  Interval* registers = nullptr;
  const Interval* states = nullptr;
  Interval* outputs = nullptr;
  const Interval* frozen = nullptr;
};

/// The frozen space: exact parameters and constants, and enclosures of what the prologue computes from them.
[[nodiscard]] std::vector<Interval> freeze_intervals(const SlabProgram& program,
                                                     std::span<const double> parameters);

void run_stage_intervals(const SlabProgram& program, std::size_t stage, const IntervalMemory& memory);

}  // namespace saltus::program
