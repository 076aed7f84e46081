/// Slab programs: straight-line code whose instructions work on ranges of registers.
///
/// Notation     a *slab* is the range of registers one instruction writes; element k of an operand lies at
///              base + k·stride. Stride 0 is a value shared by the whole slab, stride 1 an array.
/// Contract     immutable after compilation and shared by threads; all memory is given by the caller
/// (Memory). The
///              destination of an instruction has stride 1 and does not overlap an operand. Programs contain
///              no pointers and no branches: every back end (double, W points at once, intervals, later
///              native code and GPU) reads the same arrays.
/// Choices      operands name one of four memory spaces, so that states are read and derivatives are written
/// in the
///              caller's own arrays without a copy, and what depends on parameters alone is shared by
///              evaluators.
/// Checked by   tests/unit/program/slab_compiler_test.cpp
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "expr/graph.hpp"

namespace saltus::program {

enum class Space : std::uint8_t {
  registers,  ///< time, bound inputs, then intermediate values
  states,     ///< the caller's x
  outputs,    ///< the caller's results of the running part
  frozen,     ///< parameters, constants, and what the prologue computes from them
};
inline constexpr int kSpaces = 4;

/// Long slabs of the registers begin at multiples of this many doubles: a cache line of 64 bytes.
inline constexpr std::uint32_t kSlabAlignment = 8;

/// A register of one of the spaces in 32 bits.
class Location {
 public:
  static constexpr std::uint32_t kMaxOffset = (1U << 30U) - 1U;

  constexpr Location() = default;
  constexpr Location(Space space, std::uint32_t offset)
      : code_((static_cast<std::uint32_t>(space) << 30U) | offset) {}

  [[nodiscard]] constexpr Space space() const { return static_cast<Space>(code_ >> 30U); }
  [[nodiscard]] constexpr std::size_t space_index() const { return code_ >> 30U; }
  [[nodiscard]] constexpr std::uint32_t offset() const { return code_ & kMaxOffset; }
  [[nodiscard]] constexpr std::uint32_t code() const { return code_; }
  friend constexpr bool operator==(Location, Location) = default;

 private:
  std::uint32_t code_ = 0;
};

// The operations of a program: those of the graph (named alike, see expr/operation.hpp), special cases that
// are worth a loop of their own, and moves of data.
#define SALTUS_SLAB_UNARY(X) \
  X(negate)                  \
  X(sqrt)                    \
  X(exp)                     \
  X(log)                     \
  X(log10)                   \
  X(sin)                     \
  X(cos)                     \
  X(tan)                     \
  X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(abs) X(sign) X(floor) X(ceil) X(truncate) X(logical_not)
#define SALTUS_SLAB_BINARY(X) \
  X(add)                      \
  X(subtract)                 \
  X(multiply)                 \
  X(divide)                   \
  X(power)                    \
  X(atan2) X(minimum) X(maximum) X(less) X(less_equal) X(equal) X(not_equal) X(logical_and) X(logical_or)

enum class SlabOp : std::uint8_t {
#define SALTUS_SLAB_ENUMERATOR(name) name,
  SALTUS_SLAB_UNARY(SALTUS_SLAB_ENUMERATOR) SALTUS_SLAB_BINARY(SALTUS_SLAB_ENUMERATOR)
#undef SALTUS_SLAB_ENUMERATOR
      square,     ///< a·a, the value of a^2
  cube,           ///< a·(a·a), the value of a^3 by repeated squaring
  power_integer,  ///< a^n; operands[1] holds the bits of n
  select,
  copy,
  gather,  ///< element k is operands[0] + indices[operands[1] + k]
};

[[nodiscard]] constexpr int n_operands(SlabOp op) {
  if (op <= SlabOp::logical_not || (op >= SlabOp::square && op != SlabOp::select)) {
    return 1;
  }
  return op == SlabOp::select ? 3 : 2;
}

/// Operations whose value is not smooth in their operands; truths of truths and choices follow them. Equality is none: derivatives of powers
/// ask for it, and it holds at no more than single points.
[[nodiscard]] constexpr bool is_kink(SlabOp op) {
  return (op >= SlabOp::abs && op <= SlabOp::truncate) || (op >= SlabOp::minimum && op <= SlabOp::less_equal);
}

/// Which loop an instruction needs; a consequence of its strides, found once.
enum class Form : std::uint8_t {
  scalar,           ///< length 1
  contiguous,       ///< every stride 1
  left_broadcast,   ///< strides 0, 1
  right_broadcast,  ///< strides 1, 0
  strided,          ///< any strides, negative ones too
};
inline constexpr int kForms = 5;

/// Operation and form in one number: which kernel of the interpreter runs an instruction.
[[nodiscard]] constexpr std::uint16_t kernel_number(SlabOp op, Form form) {
  return static_cast<std::uint16_t>(static_cast<unsigned>(op) * kForms + static_cast<unsigned>(form));
}

struct Instruction {
  SlabOp op = SlabOp::copy;
  Form form = Form::scalar;
  std::uint16_t kernel = kernel_number(SlabOp::copy, Form::scalar);  ///< of op and form: choose()
  std::uint32_t length = 1;
  Location destination = {};
  Location operands[3] = {};
  std::int32_t strides[3] = {0, 0, 0};

  void choose(Form chosen) {
    form = chosen;
    kernel = kernel_number(op, chosen);
  }
};

[[nodiscard]] constexpr Location operand_from_bits(std::uint32_t bits) {
  return Location{static_cast<Space>(bits >> 30U), bits & Location::kMaxOffset};
}

/// A range of instructions that is run as one piece and writes one vector of outputs.
struct Part {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t n_outputs = 0;
};

struct SlabProgram {
  std::uint32_t n_states = 0;
  std::uint32_t n_inputs = 0;      ///< registers 0 (time) to n_inputs-1 are written by the caller
  std::uint32_t n_registers = 0;   ///< inputs included
  std::uint32_t n_parameters = 0;  ///< frozen registers 0 to n_parameters-1 are written by the caller
  std::uint32_t n_frozen = 0;      ///< parameters included

  struct Constant {
    std::uint32_t offset = 0;  ///< in the frozen space
    double value = 0.0;
  };
  std::vector<Constant> constants;
  std::vector<Instruction> prologue;  ///< run once for a set of parameters; writes the frozen space
  /// Run whenever held inputs have changed; writes registers that parts only read.
  std::vector<Instruction> held_code;
  std::vector<Instruction> code;
  std::vector<Part> parts;             ///< in the order in which they must run
  std::vector<std::uint32_t> indices;  ///< of gather instructions
};

}  // namespace saltus::program
