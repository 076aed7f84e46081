#include "program/vm/interval_interpreter.hpp"

#include <bit>
#include <cstdint>

#include "saltus/contract.hpp"

namespace saltus::program {
namespace {

// clang-format off
#define SALTUS_UNARY(name) case SlabOp::name: return name(a);
#define SALTUS_BINARY(name) case SlabOp::name: return name(a, b);
// clang-format on

Interval apply(const Instruction& i, const Interval& a, const Interval& b, const Interval& c) {
  switch (i.op) {
    SALTUS_SLAB_UNARY(SALTUS_UNARY)
    SALTUS_SLAB_BINARY(SALTUS_BINARY)
    case SlabOp::square: return power_integer(a, 2);
    case SlabOp::cube: return power_integer(a, 3);
    case SlabOp::power_integer: return power_integer(a, std::bit_cast<std::int32_t>(i.operands[1].code()));
    case SlabOp::select: return select(a, b, c);
    case SlabOp::copy:
    case SlabOp::gather: return a;
  }
  return a;
}

#undef SALTUS_BINARY
#undef SALTUS_UNARY

struct IntervalBases {
  Interval* base[kSpaces];
  [[nodiscard]] Interval* at(Location location) const {
    return base[location.space_index()] + location.offset();
  }
};

void run(std::span<const Instruction> code, const std::uint32_t* indices, const IntervalBases& bases) {
  for (const Instruction& i : code) {
    Interval* out = bases.at(i.destination);
    const int n = n_operands(i.op);
    const Interval* a = bases.at(i.operands[0]);
    const Interval* b = n > 1 ? bases.at(i.operands[1]) : a;
    const Interval* c = n > 2 ? bases.at(i.operands[2]) : a;
    for (std::uint32_t k = 0; k < i.length; ++k) {
      const std::ptrdiff_t step = k;
      out[k] = i.op == SlabOp::gather ? a[indices[i.operands[1].code() + k]]
                                      : apply(i, a[step * i.strides[0]], n > 1 ? b[step * i.strides[1]] : *b,
                                              n > 2 ? c[step * i.strides[2]] : *c);
    }
  }
}

}  // namespace

std::vector<Interval> freeze_intervals(const SlabProgram& program, std::span<const double> parameters) {
  SALTUS_EXPECT(parameters.size() == program.n_parameters, "wrong number of parameters");
  std::vector<Interval> frozen(program.n_frozen);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    frozen[i] = point_interval(parameters[i]);
  }
  for (const SlabProgram::Constant& constant : program.constants) {
    frozen[constant.offset] = point_interval(constant.value);
  }
  run(program.prologue, program.indices.data(), IntervalBases{{nullptr, nullptr, nullptr, frozen.data()}});
  return frozen;
}

void run_stage_intervals(const SlabProgram& program, std::size_t stage, const IntervalMemory& memory) {
  SALTUS_EXPECT(stage < program.stages.size(), "the program has no such stage");
  const Stage& range = program.stages[stage];
  // The code of a stage writes registers and outputs only (slab_emitter.cpp), so the casts open nothing.
  run(std::span(program.code).subspan(range.begin, range.end - range.begin), program.indices.data(),
      IntervalBases{{memory.registers, const_cast<Interval*>(memory.states), memory.outputs,
                     const_cast<Interval*>(memory.frozen)}});
}

}  // namespace saltus::program
