#include "program/vm/interpreter.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/work_watch.hpp"
#include "expr/operation.hpp"
#include "program/vm/vector_loops.hpp"
#include "saltus/contract.hpp"

namespace saltus::program {
namespace {

using expr::Op;

// Where the spaces begin. Writable for all, since the prologue writes the frozen space; states are never
// written.
struct Bases {
  double* base[kSpaces];

  template <std::size_t W>
  [[nodiscard]] double* at(Location location) const {
    return base[location.space_index()] + std::size_t{location.offset()} * W;
  }
};

template <std::size_t W, class F>
SALTUS_KERNEL void unary_contiguous(const Instruction& i, const Bases& bases, F f) {
  double* out = bases.at<W>(i.destination);
  const double* a = bases.at<W>(i.operands[0]);
  const std::size_t n = i.length * W;
  SALTUS_INDEPENDENT_LOOP
  for (std::size_t k = 0; k < n; ++k) {
    out[k] = f(a[k]);
  }
}

template <std::size_t W, class F>
SALTUS_KERNEL void unary_strided(const Instruction& i, const Bases& bases, F f) {
  double* out = bases.at<W>(i.destination);
  const double* a = bases.at<W>(i.operands[0]);
  const std::ptrdiff_t step = i.strides[0] * static_cast<std::ptrdiff_t>(W);
  for (std::uint32_t k = 0; k < i.length; ++k, out += W, a += step) {
    SALTUS_INDEPENDENT_LOOP
    for (std::size_t lane = 0; lane < W; ++lane) {
      out[lane] = f(a[lane]);
    }
  }
}

// Results wait in a local array: then the compiler sees, of a loop this short, that no lane reads another's result.
template <std::size_t W, class F>
SALTUS_KERNEL void scalar_unary(const Instruction& i, const Bases& bases, F f) {
  double* out = bases.at<W>(i.destination);
  const double* a = bases.at<W>(i.operands[0]);
  double result[W];
  for (std::size_t lane = 0; lane < W; ++lane) {
    result[lane] = f(a[lane]);
  }
  std::copy_n(result, W, out);
}

template <std::size_t W, class F>
SALTUS_KERNEL void binary_contiguous(const Instruction& i, const Bases& bases, F f) {
  double* out = bases.at<W>(i.destination);
  const double* a = bases.at<W>(i.operands[0]);
  const double* b = bases.at<W>(i.operands[1]);
  const std::size_t n = i.length * W;
  SALTUS_INDEPENDENT_LOOP
  for (std::size_t k = 0; k < n; ++k) {
    out[k] = f(a[k], b[k]);
  }
}

template <std::size_t W, class F>
SALTUS_KERNEL void binary_left_broadcast(const Instruction& i, const Bases& bases, F f) {
  double* out = bases.at<W>(i.destination);
  const double* a = bases.at<W>(i.operands[0]);
  const double* b = bases.at<W>(i.operands[1]);
  if constexpr (W == 1) {
    const double left = *a;
    SALTUS_INDEPENDENT_LOOP
    for (std::uint32_t k = 0; k < i.length; ++k) {
      out[k] = f(left, b[k]);
    }
  } else {
    for (std::uint32_t k = 0; k < i.length; ++k, out += W, b += W) {
      SALTUS_INDEPENDENT_LOOP
      for (std::size_t lane = 0; lane < W; ++lane) {
        out[lane] = f(a[lane], b[lane]);
      }
    }
  }
}

template <std::size_t W, class F>
SALTUS_KERNEL void binary_strided(const Instruction& i, const Bases& bases, F f) {
  double* out = bases.at<W>(i.destination);
  const double* a = bases.at<W>(i.operands[0]);
  const double* b = bases.at<W>(i.operands[1]);
  const std::ptrdiff_t step_a = i.strides[0] * static_cast<std::ptrdiff_t>(W);
  const std::ptrdiff_t step_b = i.strides[1] * static_cast<std::ptrdiff_t>(W);
  for (std::uint32_t k = 0; k < i.length; ++k, out += W, a += step_a, b += step_b) {
    SALTUS_INDEPENDENT_LOOP
    for (std::size_t lane = 0; lane < W; ++lane) {
      out[lane] = f(a[lane], b[lane]);
    }
  }
}

template <std::size_t W, class F>
SALTUS_KERNEL void binary_right_broadcast(const Instruction& i, const Bases& bases, F f) {
  Instruction mirrored = i;
  mirrored.operands[0] = i.operands[1];
  mirrored.operands[1] = i.operands[0];
  binary_left_broadcast<W>(mirrored, bases, [f](double b, double a) { return f(a, b); });
}

template <std::size_t W, class F>
SALTUS_KERNEL void scalar_binary(const Instruction& i, const Bases& bases, F f) {
  double* out = bases.at<W>(i.destination);
  const double* a = bases.at<W>(i.operands[0]);
  const double* b = bases.at<W>(i.operands[1]);
  double result[W];
  for (std::size_t lane = 0; lane < W; ++lane) {
    result[lane] = f(a[lane], b[lane]);
  }
  std::copy_n(result, W, out);
}

// Reads both sides and keeps one by its bits: no branch, and a NaN of the other side stays where it is.
template <std::size_t W>
SALTUS_KERNEL void run_select(const Instruction& i, const Bases& bases) {
  double* out = bases.at<W>(i.destination);
  const double* c = bases.at<W>(i.operands[0]);
  const double* a = bases.at<W>(i.operands[1]);
  const double* b = bases.at<W>(i.operands[2]);
  if (i.form == Form::contiguous) {
    const std::size_t n = i.length * W;
    SALTUS_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < n; ++k) {
      out[k] = expr::apply<Op::select>(c[k], a[k], b[k]);
    }
    return;
  }
  const auto width = static_cast<std::ptrdiff_t>(W);
  for (std::uint32_t k = 0; k < i.length; ++k) {
    SALTUS_INDEPENDENT_LOOP
    for (std::size_t lane = 0; lane < W; ++lane) {
      out[lane] = expr::apply<Op::select>(c[lane], a[lane], b[lane]);
    }
    out += W;
    c += i.strides[0] * width;
    a += i.strides[1] * width;
    b += i.strides[2] * width;
  }
}

template <std::size_t W>
SALTUS_KERNEL void run_gather(const Instruction& i, const Bases& bases, const std::uint32_t* indices) {
  double* out = bases.at<W>(i.destination);
  const double* a = bases.at<W>(i.operands[0]);
  const std::uint32_t* index = indices + i.operands[1].code();
  for (std::uint32_t k = 0; k < i.length; ++k) {
    for (std::size_t lane = 0; lane < W; ++lane) {
      out[k * W + lane] = a[index[k] * W + lane];
    }
  }
}

// `before` is told of every instruction before it is run.
// NOLINTNEXTLINE(readability-function-size): a table of kernels, one line per operation after expansion
template <std::size_t W, class Before>
SALTUS_KERNEL void run(std::span<const Instruction> code, const std::uint32_t* indices, const Bases& bases,
                       Before before) {
  for (const Instruction& i : code) {
    before(i);
    switch (i.kernel) {
#define SALTUS_UNARY_CASES(name, function)                                                            \
  case kernel_number(SlabOp::name, Form::scalar): scalar_unary<W>(i, bases, function); break;         \
  case kernel_number(SlabOp::name, Form::contiguous): unary_contiguous<W>(i, bases, function); break; \
  case kernel_number(SlabOp::name, Form::strided):                                                    \
    unary_strided<W>(i, bases, function);                                                             \
    break;
#define SALTUS_UNARY(name) SALTUS_UNARY_CASES(name, [](double a) { return expr::apply<Op::name>(a); })
#define SALTUS_BINARY_CASES(name, function)                                                             \
  case kernel_number(SlabOp::name, Form::scalar): scalar_binary<W>(i, bases, function); break;          \
  case kernel_number(SlabOp::name, Form::contiguous): binary_contiguous<W>(i, bases, function); break;  \
  case kernel_number(SlabOp::name, Form::left_broadcast): binary_left_broadcast<W>(i, bases, function); \
      break;                                                                                            \
  case kernel_number(SlabOp::name, Form::right_broadcast):                                              \
    binary_right_broadcast<W>(i, bases, function);                                                      \
    break;                                                                                              \
  case kernel_number(SlabOp::name, Form::strided):                                                      \
    binary_strided<W>(i, bases, function);                                                              \
    break;
#define SALTUS_BINARY(name) \
  SALTUS_BINARY_CASES(name, [](double a, double b) { return expr::apply<Op::name>(a, b); })
      SALTUS_SLAB_UNARY(SALTUS_UNARY)
      SALTUS_SLAB_BINARY(SALTUS_BINARY)
      SALTUS_UNARY_CASES(square, [](double a) { return a * a; })
      SALTUS_UNARY_CASES(cube, [](double a) { return a * (a * a); })
      SALTUS_UNARY_CASES(copy, [](double a) { return a; })
      SALTUS_UNARY_CASES(power_integer, ([n = std::bit_cast<std::int32_t>(i.operands[1].code())](double a) {
                           return expr::power_integer(a, n);
                         }))
#undef SALTUS_BINARY
#undef SALTUS_BINARY_CASES
#undef SALTUS_UNARY
#undef SALTUS_UNARY_CASES
      case kernel_number(SlabOp::gather, Form::strided): run_gather<W>(i, bases, indices); break;
      default: run_select<W>(i, bases);
    }
  }
}

SALTUS_WIDEST_VECTORS void run_at_one_point(std::span<const Instruction> code, const std::uint32_t* indices,
                                            const Bases& bases) {
  run<1>(code, indices, bases, [](const Instruction&) {});
}

SALTUS_WIDEST_VECTORS void run_at_all_lanes(std::span<const Instruction> code, const std::uint32_t* indices,
                                            const Bases& bases) {
  run<kLanes>(code, indices, bases, [](const Instruction&) {});
}

SALTUS_WIDEST_VECTORS void run_and_save(std::span<const Instruction> code, const std::uint32_t* indices,
                                        const Bases& bases, const std::uint32_t* places, double* stack) {
  run<1>(code, indices, bases, [&bases, stack, place = places](const Instruction& i) mutable {
    if (*place != kNotSaved) {
      std::copy_n(bases.at<1>(i.destination), i.length, stack + *place);
    }
    ++place;
  });
}

Bases bases_of(const Memory& memory) {
  // The code of a part writes registers and outputs only (slab_emitter.cpp), so the casts open nothing.
  return {{memory.registers, const_cast<double*>(memory.states), memory.outputs,
           const_cast<double*>(memory.frozen)}};
}

// In units of base/work_watch.hpp, of one with many elements.
constexpr std::int64_t kWorkOfAnInstruction = 50;

// Up to here a select does not need wide vectors.
constexpr std::uint32_t kFewElements = 4;

// Its loops need more registers than all else: apart, so that what is commoner need not save them.
[[gnu::noinline]] void run_small_select(const Instruction& i, const Bases& bases) {
  run_select<1>(i, bases);
}

// Runs the small instructions at the beginning, as far as they are of the commonest kinds, and says how many there were:
// small models have no others, and the function for all kinds costs more to enter than they do.
std::size_t run_first_small(std::span<const Instruction> code, const Bases& bases) {
  for (std::size_t k = 0; k < code.size(); ++k) {
    const Instruction& i = code[k];
    double* const out = bases.at<1>(i.destination);
    const double* const a = bases.at<1>(i.operands[0]);
    const auto b = [&] { return *bases.at<1>(i.operands[1]); };
    switch (i.kernel) {
      case kernel_number(SlabOp::copy, Form::scalar): *out = *a; break;
      case kernel_number(SlabOp::copy, Form::contiguous): std::copy_n(a, i.length, out); break;
      case kernel_number(SlabOp::negate, Form::scalar): *out = expr::apply<Op::negate>(*a); break;
      case kernel_number(SlabOp::add, Form::scalar): *out = expr::apply<Op::add>(*a, b()); break;
      case kernel_number(SlabOp::subtract, Form::scalar): *out = expr::apply<Op::subtract>(*a, b()); break;
      case kernel_number(SlabOp::multiply, Form::scalar): *out = expr::apply<Op::multiply>(*a, b()); break;
      default:
        if (i.op != SlabOp::select || i.length > kFewElements) {
          return k;
        }
        run_small_select(i, bases);
    }
  }
  return code.size();
}

}  // namespace

std::span<const Instruction> code_of(const SlabProgram& program, std::size_t part) {
  SALTUS_ASSERT(part < program.parts.size());
  const Part& range = program.parts[part];
  return std::span(program.code).subspan(range.begin, range.end - range.begin);
}

void run_code(std::span<const Instruction> code, const std::uint32_t* indices, const Memory& memory) {
  const Bases bases = bases_of(memory);
  const std::size_t n_done = run_first_small(code, bases);
  if (n_done < code.size()) {
    count_work(kWorkOfAnInstruction * static_cast<std::int64_t>(code.size()));
    run_at_one_point(code.subspan(n_done), indices, bases);
  }
}

void run_code_saving(std::span<const Instruction> code, const std::uint32_t* indices, const Memory& memory,
                     const std::uint32_t* places, double* stack) {
  if (code.empty()) {
    return;
  }
  count_work(kWorkOfAnInstruction * static_cast<std::int64_t>(code.size()));
  run_and_save(code, indices, bases_of(memory), places, stack);
}

std::vector<double> freeze(const SlabProgram& program, std::span<const double> parameters) {
  SALTUS_EXPECT(parameters.size() == program.n_parameters, "wrong number of parameters");
  std::vector<double> frozen(program.n_frozen);
  std::copy(parameters.begin(), parameters.end(), frozen.begin());
  for (const SlabProgram::Constant& constant : program.constants) {
    frozen[constant.offset] = constant.value;
  }
  run_at_one_point(program.prologue, program.indices.data(),
                   Bases{{nullptr, nullptr, nullptr, frozen.data()}});
  return frozen;
}

std::vector<double> replicate(std::span<const double> values, std::size_t lanes) {
  std::vector<double> result;
  result.reserve(values.size() * lanes);
  for (const double value : values) {
    result.insert(result.end(), lanes, value);
  }
  return result;
}

void run_part(const SlabProgram& program, std::size_t part, const Memory& memory) {
  run_code(code_of(program, part), program.indices.data(), memory);
}

void run_code_wide(std::span<const Instruction> code, const std::uint32_t* indices, const Memory& memory) {
  count_work(kLanes * kWorkOfAnInstruction * static_cast<std::int64_t>(code.size()));
  run_at_all_lanes(code, indices, bases_of(memory));
}

void run_part_wide(const SlabProgram& program, std::size_t part, const Memory& memory) {
  run_code_wide(code_of(program, part), program.indices.data(), memory);
}

}  // namespace saltus::program
