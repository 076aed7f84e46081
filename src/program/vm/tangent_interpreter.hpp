/// Runs slab programs on values with tangents: how they move, in several directions at once.
///
/// Method       forward accumulation [GW08, ch. 3]: for every element the partial derivatives of its operation once, then the chain rule
///              for all directions in one loop.
/// Notation     the tangent of element e in direction k lies at [e·K + k] in every space, K directions.
/// Contract     values are, bit for bit, those of the interpreter. A tangent that is zero stays zero, whatever the slope it meets: the
///              derivative of sqrt at 0 is infinite, 0 times it is 0. A tangent other than zero times a slope that is not finite is not
///              finite. No allocation.
/// Choices      at kinks and poles docs/math/tangents.md says which value is given.
/// Checked by   tests/unit/program/tangent_interpreter_test.cpp
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "program/vm/interpreter.hpp"

namespace saltus::program {

struct TangentMemory {
  Memory values;
  Memory tangents;
  std::size_t n_directions = 1;
};

/// The tangents of the frozen space when the parameters move; `frozen` is the frozen space itself.
[[nodiscard]] std::vector<double> freeze_tangents(const SlabProgram& program, std::span<const double> frozen,
                                                  std::span<const double> parameter_tangents,
                                                  std::size_t n_directions);

void run_code_tangents(std::span<const Instruction> code, const std::uint32_t* indices,
                       const TangentMemory& memory);
void run_part_tangents(const SlabProgram& program, std::size_t part, const TangentMemory& memory);

}  // namespace saltus::program
