// Tapes run over numbers and intervals: values, tangents, adjoints (guard_tape.hpp).
#include "expr/operation.hpp"
#include "program/guards/guard_partial.hpp"
#include "program/guards/guard_tape.hpp"
#include "program/vm/slab_program.hpp"

namespace saltus::program {

using expr::Op;

// clang-format off
#define SALTUS_UNARY(name) case Op::name: return name(a);
#define SALTUS_BINARY(name) case Op::name: return name(a, b);
// clang-format on

Interval apply_operation(Op op, const Interval& a, const Interval& b, const Interval& c) {
  switch (op) {
    SALTUS_SLAB_UNARY(SALTUS_UNARY)
    SALTUS_SLAB_BINARY(SALTUS_BINARY)
    case Op::power_integer: return power_integer(a, static_cast<int>(b.lower));
    case Op::select: return select(a, b, c);
    default: return entire_interval();
  }
}

#undef SALTUS_BINARY
#undef SALTUS_UNARY

namespace {

template <class T>
void run(std::span<const TapeInstruction> code, T* registers, const T* x) {
  for (const TapeInstruction& i : code) {
    registers[i.result] =
        apply_operation(i.op, read_operand(i.operands[0], registers, x),
                        read_operand(i.operands[1], registers, x), read_operand(i.operands[2], registers, x));
  }
}

bool is_zero(const Interval& a) {
  return a.lower == 0.0 && a.upper == 0.0;
}
bool is_zero(double a) {
  return a == 0.0;
}
double sum_of(double a, double b) {
  return a + b;
}
Interval sum_of(const Interval& a, const Interval& b) {
  return is_zero(a) ? b : is_zero(b) ? a : add(a, b);
}

// Σ ∂(operation)/∂(operand)·tangent
template <class T>
T tangent_of(const TapeInstruction& i, const T& value, const T& a, const T& b, const T* tangents,
             const T* xdot) {
  const Partial<T> partial(i.op, value, a, b);
  T sum{};
  for (int k = 0; k < expr::n_operands(i.op); ++k) {
    if (const T& tangent = read_operand(i.operands[k], tangents, xdot); !is_zero(tangent)) {
      sum = sum_of(sum, partial.times(k, tangent));
    }
  }
  return sum;
}

}  // namespace

void run_tape(std::span<const TapeInstruction> code, double* registers, const double* x) {
  run(code, registers, x);
}

void run_tape(std::span<const TapeInstruction> code, Interval* registers, const Interval* x) {
  run(code, registers, x);
}

void run_tape_tangents(std::span<const TapeInstruction> code, Interval* registers, const Interval* x,
                       Interval* tangents, const Interval* xdot) {
  for (const TapeInstruction& i : code) {
    const Interval a = read_operand(i.operands[0], registers, x);
    const Interval b = read_operand(i.operands[1], registers, x);
    const Interval value = apply_operation(i.op, a, b, read_operand(i.operands[2], registers, x));
    // The angle jumps where its derivative does not show it; poles are in the derivatives.
    const bool jumps = i.op == Op::atan2 && continuity_of(i.op, a, b, value) == Continuity::may_jump;
    tangents[i.result] = jumps ? entire_interval() : tangent_of(i, value, a, b, tangents, xdot);
    registers[i.result] = value;
  }
}

void run_tape_tangents(std::span<const TapeInstruction> code, double* registers, const double* x,
                       double* tangents, const double* xdot) {
  for (const TapeInstruction& i : code) {
    const double a = read_operand(i.operands[0], registers, x);
    const double b = read_operand(i.operands[1], registers, x);
    const double value = apply_operation(i.op, a, b, read_operand(i.operands[2], registers, x));
    tangents[i.result] = tangent_of(i, value, a, b, tangents, xdot);
    registers[i.result] = value;
  }
}

void run_tape_tangents(std::span<const TapeInstruction> code, Interval* registers, const Interval* x,
                       Interval* tangents, const Interval* xdot, Continuity* levels) {
  const auto level = [levels](std::int32_t operand) {
    return operand >= 0 ? levels[operand] : Continuity::continuous;
  };
  for (const TapeInstruction& i : code) {
    const Interval operands[3] = {read_operand(i.operands[0], registers, x),
                                  read_operand(i.operands[1], registers, x),
                                  read_operand(i.operands[2], registers, x)};
    const Continuity of_operands[3] = {level(i.operands[0]), level(i.operands[1]), level(i.operands[2])};
    const Interval value = apply_operation(i.op, operands[0], operands[1], operands[2]);
    tangents[i.result] = tangent_of(i, value, operands[0], operands[1], tangents, xdot);
    levels[i.result] = continuity_of(i.op, operands, of_operands, value);
    registers[i.result] = value;
  }
}

void clear_adjoints(std::span<const TapeInstruction> code, double* adjoints) {
  for (const TapeInstruction& i : code) {
    adjoints[i.result] = 0.0;
    for (const std::int32_t operand : i.operands) {
      if (operand >= 0) {
        adjoints[operand] = 0.0;
      }
    }
  }
}

void run_tape_adjoints(std::span<const TapeInstruction> code, std::int32_t root, const double* registers,
                       const double* x, double* adjoints, double* gradient) {
  const auto accumulate = [&](std::int32_t operand, double value) {
    (operand >= 0 ? adjoints[operand] : gradient[-1 - operand]) += value;
  };
  accumulate(root, 1.0);
  for (std::size_t n = code.size(); n-- > 0;) {
    const TapeInstruction& i = code[n];
    const double adjoint = adjoints[i.result];
    if (adjoint == 0.0) {
      continue;  // not below this root, or a side that is not chosen: nothing of it may leak
    }
    const double a = read_operand(i.operands[0], registers, x);
    const double b = read_operand(i.operands[1], registers, x);
    const Partial<double> partial(i.op, registers[i.result], a, b);
    for (int k = 0; k < expr::n_operands(i.op); ++k) {
      accumulate(i.operands[k], partial.times(k, adjoint));
    }
  }
}

namespace {

template <class T>
void run_chosen_adjoints(std::span<const TapeInstruction> code, std::span<const std::uint32_t> chosen,
                         std::int32_t root, const T& one, const T* registers, const T* x, T* adjoints,
                         T* gradient) {
  const auto at = [&](std::int32_t operand) -> T& {
    return operand >= 0 ? adjoints[operand] : gradient[-1 - operand];
  };
  for (const std::uint32_t place : chosen) {
    adjoints[code[place].result] = T{};
    for (int k = 0; k < expr::n_operands(code[place].op); ++k) {
      at(code[place].operands[k]) = T{};
    }
  }
  at(root) = one;
  for (std::size_t n = chosen.size(); n-- > 0;) {
    const TapeInstruction& i = code[chosen[n]];
    const T adjoint = adjoints[i.result];
    if (is_zero(adjoint)) {
      continue;
    }
    const T a = read_operand(i.operands[0], registers, x);
    const T b = read_operand(i.operands[1], registers, x);
    const Partial<T> partial(i.op, registers[i.result], a, b);
    for (int k = 0; k < expr::n_operands(i.op); ++k) {
      T& sum = at(i.operands[k]);
      sum = sum_of(sum, partial.times(k, adjoint));
    }
  }
}

}  // namespace

void run_tape_adjoints(std::span<const TapeInstruction> code, std::span<const std::uint32_t> chosen,
                       std::int32_t root, const Interval* registers, const Interval* x, Interval* adjoints,
                       Interval* gradient) {
  run_chosen_adjoints(code, chosen, root, Interval{1.0, 1.0}, registers, x, adjoints, gradient);
}

void run_tape_adjoints(std::span<const TapeInstruction> code, std::span<const std::uint32_t> chosen,
                       std::int32_t root, const double* registers, const double* x, double* adjoints,
                       double* gradient) {
  run_chosen_adjoints(code, chosen, root, 1.0, registers, x, adjoints, gradient);
}

}  // namespace saltus::program
