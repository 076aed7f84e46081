#include "program/vm/pullback_interpreter.hpp"

#include <algorithm>
#include <bit>

#include "base/work_watch.hpp"
#include "expr/operation.hpp"
#include "program/vm/operation_slopes.hpp"
#include "program/vm/vector_loops.hpp"

namespace saltus::program {
namespace {

// Where all spaces begin.
struct PulledSpaces {
  double* values[kSpaces];
  double* cotangents[kSpaces];

  [[nodiscard]] double* value(Location location) const {
    return values[location.space_index()] + location.offset();
  }
  [[nodiscard]] double* cotangent(Location location) const {
    return cotangents[location.space_index()] + location.offset();
  }
};

// The product is formed in any case: no branch, so the loop becomes one of vector instructions.
SALTUS_KERNEL double passed(double slope, double cotangent) {
  const double product = slope * cotangent;
  return cotangent == 0.0 || slope == 0.0 ? 0.0 : product;
}

// target[k·stride] += term(k). Elements of one operand that are not shared are different ones; those of two operands need not be, so every
// operand has a loop of its own.
template <class F>
SALTUS_KERNEL void add_terms(double* target, std::ptrdiff_t stride, std::uint32_t length, F term) {
  if (stride == 1) {
    SALTUS_INDEPENDENT_LOOP
    for (std::uint32_t k = 0; k < length; ++k) {
      target[k] += term(k);
    }
  } else if (stride == 0) {
    double sum = 0.0;
    for (std::uint32_t k = 0; k < length; ++k) {
      sum += term(k);
    }
    *target += sum;
  } else {
    for (std::uint32_t k = 0; k < length; ++k, target += stride) {
      *target += term(k);
    }
  }
}

// slope(a, value)
template <class F>
SALTUS_KERNEL void pull_unary(const Instruction& i, const PulledSpaces& spaces, F slope) {
  const double* const c = spaces.cotangent(i.destination);
  const double* const value = spaces.value(i.destination);
  const double* const a = spaces.value(i.operands[0]);
  const std::ptrdiff_t stride = i.strides[0];
  double* const target = spaces.cotangent(i.operands[0]);
  if (stride == 1) {
    add_terms(target, 1, i.length, [=](std::uint32_t k) { return passed(slope(a[k], value[k]), c[k]); });
    return;
  }
  add_terms(target, stride, i.length,
            [=](std::uint32_t k) { return passed(slope(a[k * stride], value[k]), c[k]); });
}

// To one of two operands: slope(a, b, value).
template <int kOperand, class F>
SALTUS_KERNEL void pull_operand(const Instruction& i, const PulledSpaces& spaces, F slope) {
  const double* const c = spaces.cotangent(i.destination);
  const double* const value = spaces.value(i.destination);
  const double* const a = spaces.value(i.operands[0]);
  const double* const b = spaces.value(i.operands[1]);
  const std::ptrdiff_t step_a = i.strides[0];
  const std::ptrdiff_t step_b = i.strides[1];
  const std::ptrdiff_t step = i.strides[kOperand];
  double* const target = spaces.cotangent(i.operands[kOperand]);
  if (step_a == 1 && step_b == 1) {
    add_terms(target, 1, i.length,
              [=](std::uint32_t k) { return passed(slope(a[k], b[k], value[k]), c[k]); });
  } else if (step_a == 0 && step_b == 1) {
    add_terms(target, step, i.length,
              [=](std::uint32_t k) { return passed(slope(*a, b[k], value[k]), c[k]); });
  } else if (step_a == 1 && step_b == 0) {
    add_terms(target, step, i.length,
              [=](std::uint32_t k) { return passed(slope(a[k], *b, value[k]), c[k]); });
  } else {
    add_terms(target, step, i.length,
              [=](std::uint32_t k) { return passed(slope(a[k * step_a], b[k * step_b], value[k]), c[k]); });
  }
}

// slopes(a, b, value)
template <class F>
SALTUS_KERNEL void pull_binary(const Instruction& i, const PulledSpaces& spaces, F slopes) {
  pull_operand<0>(i, spaces, [=](double a, double b, double value) { return slopes(a, b, value).first; });
  pull_operand<1>(i, spaces, [=](double a, double b, double value) { return slopes(a, b, value).second; });
}

// Sums, differences and copies: no product.
SALTUS_KERNEL void pull_sum(const Instruction& i, const PulledSpaces& spaces, int n_operands, double sign) {
  const double* const c = spaces.cotangent(i.destination);
  add_terms(spaces.cotangent(i.operands[0]), i.strides[0], i.length, [=](std::uint32_t k) { return c[k]; });
  if (n_operands == 2) {
    add_terms(spaces.cotangent(i.operands[1]), i.strides[1], i.length,
              [=](std::uint32_t k) { return sign * c[k]; });
  }
}

SALTUS_KERNEL void pull_gather(const Instruction& i, const PulledSpaces& spaces,
                               const std::uint32_t* indices) {
  const double* const c = spaces.cotangent(i.destination);
  double* const target = spaces.cotangent(i.operands[0]);
  const std::uint32_t* const index = indices + i.operands[1].code();
  for (std::uint32_t k = 0; k < i.length; ++k) {
    target[index[k]] += c[k];
  }
}

template <class IsFirst>
SALTUS_KERNEL void pull_extreme(const Instruction& i, const PulledSpaces& spaces, IsFirst is_first) {
  const double* const c = spaces.cotangent(i.destination);
  const double* const a = spaces.value(i.operands[0]);
  const double* const b = spaces.value(i.operands[1]);
  double* const targets[2] = {spaces.cotangent(i.operands[0]), spaces.cotangent(i.operands[1])};
  for (std::ptrdiff_t k = 0; k < i.length; ++k) {
    const int taken = is_first(a[k * i.strides[0]], b[k * i.strides[1]]) ? 0 : 1;
    targets[taken][k * i.strides[taken]] += c[k];
  }
}

// Nothing goes to the side that is not taken. A weight between the sides is a number.
SALTUS_KERNEL void pull_select(const Instruction& i, const PulledSpaces& spaces) {
  const double* const c = spaces.cotangent(i.destination);
  const double* const weights = spaces.value(i.operands[0]);
  double* const first = spaces.cotangent(i.operands[1]);
  double* const second = spaces.cotangent(i.operands[2]);
  for (std::ptrdiff_t k = 0; k < i.length; ++k) {
    const double weight = weights[k * i.strides[0]];
    first[k * i.strides[1]] += passed(weight, c[k]);
    second[k * i.strides[2]] += passed(1.0 - weight, c[k]);
  }
}

SALTUS_KERNEL void pull_power(const Instruction& i, const PulledSpaces& spaces) {
  pull_operand<0>(i, spaces, slope_of_base);
  // Most exponents are constants or parameters, and many cotangents zero: a logarithm is computed where somebody may want it.
  pull_operand<1>(i, spaces, slope_of_exponent);
}

// NOLINTNEXTLINE(readability-function-size): a table of operations
SALTUS_KERNEL void pull(const Instruction& i, const std::uint32_t* indices, const PulledSpaces& spaces) {
  switch (i.op) {
#define SALTUS_PULL(name, slope)                                                                           \
  case SlabOp::name:                                                                                       \
    pull_unary(i, spaces, []([[maybe_unused]] double a, [[maybe_unused]] double value) { return slope; }); \
    break;
    SALTUS_SLOPES(SALTUS_PULL)
    SALTUS_PULL(square, slope_of_square(a))
    SALTUS_PULL(cube, slope_of_cube(a))
#undef SALTUS_PULL
    case SlabOp::power_integer:
      pull_unary(i, spaces, [n = std::bit_cast<std::int32_t>(i.operands[1].code())](double a, double) {
        return slope_of_integer_power(a, n);
      });
      break;
    case SlabOp::add: pull_sum(i, spaces, 2, 1.0); break;
    case SlabOp::subtract: pull_sum(i, spaces, 2, -1.0); break;
    case SlabOp::copy: pull_sum(i, spaces, 1, 0.0); break;
    case SlabOp::multiply:
      pull_binary(i, spaces, [](double a, double b, double) { return slopes_of_product(a, b); });
      break;
    case SlabOp::divide:
      pull_binary(i, spaces, [](double, double b, double value) { return slopes_of_quotient(b, value); });
      break;
    case SlabOp::atan2:
      pull_binary(i, spaces, [](double a, double b, double) { return slopes_of_atan2(a, b); });
      break;
    case SlabOp::power: pull_power(i, spaces); break;
    case SlabOp::minimum: pull_extreme(i, spaces, minimum_is_first); break;
    case SlabOp::maximum: pull_extreme(i, spaces, maximum_is_first); break;
    case SlabOp::gather: pull_gather(i, spaces, indices); break;
    case SlabOp::select: pull_select(i, spaces); break;
#define SALTUS_REST(name) case SlabOp::name:
      SALTUS_RESTING(SALTUS_REST)
#undef SALTUS_REST
      break;
  }
}

SALTUS_KERNEL bool is_resting(const double* cotangents, std::uint32_t length) {
  return std::all_of(cotangents, cotangents + length, [](double cotangent) { return cotangent == 0.0; });
}

SALTUS_WIDEST_VECTORS void pull_all(std::span<const Instruction> code, const std::uint32_t* indices,
                                    const PulledSpaces& spaces, const std::uint32_t* places,
                                    const double* stack) {
  for (std::size_t k = code.size(); k-- > 0;) {
    const Instruction& i = code[k];
    double* const cotangents = spaces.cotangent(i.destination);
    if (!is_resting(cotangents, i.length)) {
      pull(i, indices, spaces);
      std::fill_n(cotangents, i.length, 0.0);
    }
    if (places != nullptr && places[k] != kNotSaved) {
      std::copy_n(stack + places[k], i.length, spaces.value(i.destination));
    }
  }
}

// In units of base/work_watch.hpp, of an instruction.
constexpr std::int64_t kWorkOfAWayBack = 100;

}  // namespace

SavePlan::SavePlan(const SlabProgram& program) {
  std::vector<char> is_written(program.n_registers, 0);
  const auto plan = [&](std::span<const Instruction> instructions, std::vector<std::uint32_t>& places) {
    for (const Instruction& i : instructions) {
      places.push_back(kNotSaved);
      if (i.destination.space() != Space::registers) {
        continue;  // written once
      }
      const auto first = is_written.begin() + i.destination.offset();
      const auto last = first + i.length;
      if (std::find(first, last, char{1}) != last) {
        places.back() = static_cast<std::uint32_t>(stack_size);
        stack_size += i.length;
      }
      std::fill(first, last, char{1});
    }
  };
  plan(program.held_code, held_code);
  plan(program.code, code);
}

void pull_code(std::span<const Instruction> code, const std::uint32_t* indices, const PullbackMemory& memory,
               const std::uint32_t* places, const double* stack) {
  if (code.empty()) {
    return;
  }
  count_work(kWorkOfAWayBack * static_cast<std::int64_t>(code.size()));
  const auto writable = [](const double* space) { return const_cast<double*>(space); };
  const Memory& v = memory.values;
  const Memory& c = memory.cotangents;
  pull_all(code, indices,
           {{v.registers, writable(v.states), v.outputs, writable(v.frozen)},
            {c.registers, writable(c.states), c.outputs, writable(c.frozen)}},
           places, stack);
}

}  // namespace saltus::program
