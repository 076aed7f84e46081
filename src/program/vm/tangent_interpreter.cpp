#include "program/vm/tangent_interpreter.hpp"

#include <algorithm>
#include <bit>

#include "base/work_watch.hpp"
#include "expr/operation.hpp"
#include "program/vm/operation_slopes.hpp"
#include "program/vm/vector_loops.hpp"
#include "saltus/contract.hpp"

namespace saltus::program {
namespace {

using expr::Op;

// Value and partial derivatives of one element.
struct Slope {
  double value;
  double first;
};
struct ValueAndSlopes {
  double value;
  Slopes slopes;
};

// Where all spaces begin, values and tangents beside each other.
struct Spaces {
  double* values[kSpaces];
  double* tangents[kSpaces];
  std::size_t n_directions;
};

// One operand or the destination of an instruction, element by element.
struct Cursor {
  double* value;
  double* tangent;
  std::ptrdiff_t step;
  std::ptrdiff_t tangent_step;

  SALTUS_KERNEL Cursor(const Spaces& spaces, Location location, std::int32_t stride)
      : value(spaces.values[location.space_index()] + location.offset()),
        tangent(spaces.tangents[location.space_index()] +
                std::size_t{location.offset()} * spaces.n_directions),
        step(stride),
        tangent_step(stride * static_cast<std::ptrdiff_t>(spaces.n_directions)) {}
  SALTUS_KERNEL void advance() {
    value += step;
    tangent += tangent_step;
  }
};

// The product is formed in any case: no branch, so the loop becomes one of vector instructions.
SALTUS_KERNEL double moved(double slope, double tangent) {
  const double product = slope * tangent;
  return tangent == 0.0 ? 0.0 : product;
}

template <class F>
SALTUS_KERNEL void unary(const Instruction& i, const Spaces& spaces, F f) {
  Cursor out(spaces, i.destination, 1);
  Cursor a(spaces, i.operands[0], i.strides[0]);
  const std::size_t n = spaces.n_directions;
  for (std::uint32_t e = 0; e < i.length; ++e, out.advance(), a.advance()) {
    const Slope slope = f(*a.value);
    *out.value = slope.value;
    SALTUS_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < n; ++k) {
      out.tangent[k] = moved(slope.first, a.tangent[k]);
    }
  }
}

template <class F>
SALTUS_KERNEL void binary(const Instruction& i, const Spaces& spaces, F f) {
  Cursor out(spaces, i.destination, 1);
  Cursor a(spaces, i.operands[0], i.strides[0]);
  Cursor b(spaces, i.operands[1], i.strides[1]);
  const std::size_t n = spaces.n_directions;
  for (std::uint32_t e = 0; e < i.length; ++e, out.advance(), a.advance(), b.advance()) {
    const auto [value, slopes] = f(*a.value, *b.value);
    *out.value = value;
    SALTUS_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < n; ++k) {
      out.tangent[k] = moved(slopes.first, a.tangent[k]) + moved(slopes.second, b.tangent[k]);
    }
  }
}

// Sums and differences: no product.
template <class F>
SALTUS_KERNEL void sum(const Instruction& i, const Spaces& spaces, F f) {
  Cursor out(spaces, i.destination, 1);
  Cursor a(spaces, i.operands[0], i.strides[0]);
  Cursor b(spaces, i.operands[1], i.strides[1]);
  const std::size_t n = spaces.n_directions;
  for (std::uint32_t e = 0; e < i.length; ++e, out.advance(), a.advance(), b.advance()) {
    *out.value = f(*a.value, *b.value);
    SALTUS_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < n; ++k) {
      out.tangent[k] = f(a.tangent[k], b.tangent[k]);
    }
  }
}

// Values that rest wherever they do not jump.
template <class F>
SALTUS_KERNEL void resting(const Instruction& i, const Spaces& spaces, F f) {
  Cursor out(spaces, i.destination, 1);
  Cursor a(spaces, i.operands[0], i.strides[0]);
  // An operation with one operand gets it twice.
  Cursor b(spaces, n_operands(i.op) == 2 ? i.operands[1] : i.operands[0],
           n_operands(i.op) == 2 ? i.strides[1] : i.strides[0]);
  std::fill_n(out.tangent, i.length * spaces.n_directions, 0.0);
  for (std::uint32_t e = 0; e < i.length; ++e, out.advance(), a.advance(), b.advance()) {
    *out.value = f(*a.value, *b.value);
  }
}

SALTUS_KERNEL void run_copy(const Instruction& i, const Spaces& spaces) {
  Cursor out(spaces, i.destination, 1);
  Cursor a(spaces, i.operands[0], i.strides[0]);
  for (std::uint32_t e = 0; e < i.length; ++e, out.advance(), a.advance()) {
    *out.value = *a.value;
    std::copy_n(a.tangent, spaces.n_directions, out.tangent);
  }
}

SALTUS_KERNEL void run_gather(const Instruction& i, const Spaces& spaces, const std::uint32_t* indices) {
  Cursor out(spaces, i.destination, 1);
  const Cursor a(spaces, i.operands[0], 0);
  const std::uint32_t* index = indices + i.operands[1].code();
  for (std::uint32_t e = 0; e < i.length; ++e, out.advance()) {
    *out.value = a.value[index[e]];
    std::copy_n(a.tangent + index[e] * spaces.n_directions, spaces.n_directions, out.tangent);
  }
}

template <class TakesFirst>
SALTUS_KERNEL void run_extreme(const Instruction& i, const Spaces& spaces, TakesFirst takes_first) {
  Cursor out(spaces, i.destination, 1);
  Cursor a(spaces, i.operands[0], i.strides[0]);
  Cursor b(spaces, i.operands[1], i.strides[1]);
  for (std::uint32_t e = 0; e < i.length; ++e, out.advance(), a.advance(), b.advance()) {
    const Cursor& taken = takes_first(*a.value, *b.value) ? a : b;
    *out.value = *taken.value;
    std::copy_n(taken.tangent, spaces.n_directions, out.tangent);
  }
}

// The side that is not taken is not looked at. A weight between the sides is a number.
SALTUS_KERNEL void run_select(const Instruction& i, const Spaces& spaces) {
  Cursor out(spaces, i.destination, 1);
  Cursor c(spaces, i.operands[0], i.strides[0]);
  Cursor a(spaces, i.operands[1], i.strides[1]);
  Cursor b(spaces, i.operands[2], i.strides[2]);
  const std::size_t n = spaces.n_directions;
  for (std::uint32_t e = 0; e < i.length; ++e, out.advance(), c.advance(), a.advance(), b.advance()) {
    const double weight = *c.value;
    *out.value = expr::apply<Op::select>(weight, *a.value, *b.value);
    SALTUS_INDEPENDENT_LOOP
    for (std::size_t k = 0; k < n; ++k) {
      out.tangent[k] = expr::choose(weight, a.tangent[k], b.tangent[k]);
    }
  }
}

SALTUS_KERNEL bool rests(const double* tangents, std::size_t n) {
  return std::all_of(tangents, tangents + n, [](double tangent) { return tangent == 0.0; });
}

// Most exponents rest, and for them there is no logarithm to be computed.
SALTUS_KERNEL void run_power(const Instruction& i, const Spaces& spaces) {
  Cursor out(spaces, i.destination, 1);
  Cursor a(spaces, i.operands[0], i.strides[0]);
  Cursor b(spaces, i.operands[1], i.strides[1]);
  const std::size_t n = spaces.n_directions;
  for (std::uint32_t e = 0; e < i.length; ++e, out.advance(), a.advance(), b.advance()) {
    const double value = expr::apply<Op::power>(*a.value, *b.value);
    const double first = rests(a.tangent, n) ? 0.0 : slope_of_base(*a.value, *b.value, value);
    const double second = rests(b.tangent, n) ? 0.0 : slope_of_exponent(*a.value, *b.value, value);
    *out.value = value;
    for (std::size_t k = 0; k < n; ++k) {
      out.tangent[k] = moved(first, a.tangent[k]) + moved(second, b.tangent[k]);
    }
  }
}

// NOLINTNEXTLINE(readability-function-size): a table of operations
SALTUS_KERNEL void run(std::span<const Instruction> code, const std::uint32_t* indices,
                       const Spaces& spaces) {
  for (const Instruction& i : code) {
    switch (i.op) {
#define SALTUS_SLOPE(name, slope)                    \
  case SlabOp::name:                                 \
    unary(i, spaces, [](double a) {                  \
      const double value = expr::apply<Op::name>(a); \
      return Slope{value, slope};                    \
    });                                              \
    break;
      SALTUS_SLOPES(SALTUS_SLOPE)
#undef SALTUS_SLOPE
      case SlabOp::square: unary(i, spaces, [](double a) { return Slope{a * a, slope_of_square(a)}; }); break;
      case SlabOp::cube:
        unary(i, spaces, [](double a) { return Slope{a * (a * a), slope_of_cube(a)}; });
        break;
      case SlabOp::power_integer:
        unary(i, spaces, [n = std::bit_cast<std::int32_t>(i.operands[1].code())](double a) {
          return Slope{expr::power_integer(a, n), slope_of_integer_power(a, n)};
        });
        break;
      case SlabOp::add: sum(i, spaces, [](double a, double b) { return expr::apply<Op::add>(a, b); }); break;
      case SlabOp::subtract:
        sum(i, spaces, [](double a, double b) { return expr::apply<Op::subtract>(a, b); });
        break;
      case SlabOp::multiply:
        binary(i, spaces, [](double a, double b) {
          return ValueAndSlopes{expr::apply<Op::multiply>(a, b), slopes_of_product(a, b)};
        });
        break;
      case SlabOp::divide:
        binary(i, spaces, [](double a, double b) {
          const double value = expr::apply<Op::divide>(a, b);
          return ValueAndSlopes{value, slopes_of_quotient(b, value)};
        });
        break;
      case SlabOp::power: run_power(i, spaces); break;
      case SlabOp::atan2:
        binary(i, spaces, [](double a, double b) {
          return ValueAndSlopes{expr::apply<Op::atan2>(a, b), slopes_of_atan2(a, b)};
        });
        break;
      case SlabOp::minimum: run_extreme(i, spaces, minimum_is_first); break;
      case SlabOp::maximum: run_extreme(i, spaces, maximum_is_first); break;
#define SALTUS_REST(name)                                                               \
  case SlabOp::name:                                                                    \
    resting(i, spaces, [](double a, double b) { return expr::apply<Op::name>(a, b); }); \
    break;
        SALTUS_RESTING(SALTUS_REST)
#undef SALTUS_REST
      case SlabOp::copy: run_copy(i, spaces); break;
      case SlabOp::gather: run_gather(i, spaces, indices); break;
      case SlabOp::select: run_select(i, spaces); break;
    }
  }
}

SALTUS_WIDEST_VECTORS void run_with_tangents(std::span<const Instruction> code, const std::uint32_t* indices,
                                             const Spaces& spaces) {
  run(code, indices, spaces);
}

// In units of base/work_watch.hpp: of an instruction at one point, and for each direction.
constexpr std::int64_t kWorkOfAnInstruction = 50;

}  // namespace

void run_code_tangents(std::span<const Instruction> code, const std::uint32_t* indices,
                       const TangentMemory& memory) {
  if (code.empty()) {
    return;
  }
  count_work(kWorkOfAnInstruction * static_cast<std::int64_t>(code.size() * (1 + memory.n_directions)));
  // The code of a part writes registers and outputs only (slab_emitter.cpp), so the casts open nothing.
  const auto writable = [](const double* space) { return const_cast<double*>(space); };
  const Memory& v = memory.values;
  const Memory& d = memory.tangents;
  run_with_tangents(code, indices,
                    {{v.registers, writable(v.states), v.outputs, writable(v.frozen)},
                     {d.registers, writable(d.states), d.outputs, writable(d.frozen)},
                     memory.n_directions});
}

void run_part_tangents(const SlabProgram& program, std::size_t part, const TangentMemory& memory) {
  run_code_tangents(code_of(program, part), program.indices.data(), memory);
}

std::vector<double> freeze_tangents(const SlabProgram& program, std::span<const double> frozen,
                                    std::span<const double> parameter_tangents, std::size_t n_directions) {
  SALTUS_EXPECT(
      frozen.size() == program.n_frozen && parameter_tangents.size() == program.n_parameters * n_directions,
      "wrong number of parameters");
  std::vector<double> tangents(program.n_frozen * n_directions, 0.0);
  std::copy(parameter_tangents.begin(), parameter_tangents.end(), tangents.begin());
  // The prologue is run anew, from what stood there before it.
  std::vector<double> values(program.n_frozen, 0.0);
  std::copy_n(frozen.begin(), program.n_parameters, values.begin());
  for (const SlabProgram::Constant& constant : program.constants) {
    values[constant.offset] = constant.value;
  }
  run_with_tangents(program.prologue, program.indices.data(),
                    {{nullptr, nullptr, nullptr, values.data()},
                     {nullptr, nullptr, nullptr, tangents.data()},
                     n_directions});
  return tangents;
}

}  // namespace saltus::program
