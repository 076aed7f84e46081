/// Runs slab programs in double precision, at one point or at kLanes points at once.
///
/// Method       one dispatch per instruction on (operation, form), then a loop without branches that the
/// compiler
///              turns into vector instructions.
/// Contract     at W points, element e of point l lies at [e·W + l] in every space, so lane l computes what
/// the run at
///              one point computes, bit for bit: the operations of IEEE 754 are the same in vector registers,
///              contraction is off, and functions of the mathematics library are called lane by lane. No
///              allocation.
/// Checked by   tests/unit/program/interpreter_test.cpp
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "program/vm/slab_program.hpp"

namespace saltus::program {

/// Points that the wide interpreter evaluates at once: a 64-byte cache line of doubles.
inline constexpr std::size_t kLanes = 8;

/// Memory of a run. `outputs` may not overlap `states`.
struct Memory {
  double* registers = nullptr;
  const double* states = nullptr;
  double* outputs = nullptr;
  const double* frozen = nullptr;
};

/// The frozen space for a set of parameters: parameters, constants and what the prologue computes.
[[nodiscard]] std::vector<double> freeze(const SlabProgram& program, std::span<const double> parameters);
/// Every element `lanes` times.
[[nodiscard]] std::vector<double> replicate(std::span<const double> values, std::size_t lanes);

[[nodiscard]] std::span<const Instruction> code_of(const SlabProgram& program, std::size_t part);
/// Runs instructions of a part; `indices` are those of its program.
void run_code(std::span<const Instruction> code, const std::uint32_t* indices, const Memory& memory);
void run_part(const SlabProgram& program, std::size_t part, const Memory& memory);
/// Of an instruction that overwrites nothing that must be kept.
inline constexpr std::uint32_t kNotSaved = UINT32_MAX;
/// The same, after what instruction k is about to overwrite was copied to the stack, to places[k].
void run_code_saving(std::span<const Instruction> code, const std::uint32_t* indices, const Memory& memory,
                     const std::uint32_t* places, double* stack);
/// The same at kLanes points.
void run_code_wide(std::span<const Instruction> code, const std::uint32_t* indices, const Memory& memory);
void run_part_wide(const SlabProgram& program, std::size_t part, const Memory& memory);

}  // namespace saltus::program
