/// Straight-line code of scalars for guards: each guard is a piece that is run on its own.
///
/// Problem      locating an event asks one guard of many, again and again, for numbers, intervals and derivatives. Slab
///              programs are made for computing everything at once.
/// Method       one register for every operation that any guard needs, shared by all pieces; a piece lists the operations
///              that lead to its roots, formulas of algebraic variables included. What depends on parameters alone is no part
///              of a piece: it is computed once for a set of parameters (TapeNumbers).
/// Notation     an operand ≥ 0 is a register, an operand < 0 is the state -1 - operand. Registers begin with the inputs:
///              time, held values, unknowns of implicit blocks (block_sequence.hpp).
/// Contract     a tape is immutable once built and has no number of a parameter in it; registers are given by the caller and
///              begin as copies of TapeNumbers::values or intervals.
/// Choices      numbers and intervals run the same code (expr/operation.hpp, interval.hpp), so an interval run at a
///              point bounds the rounding errors of the run in numbers.
/// Cost         linear in the operations of the piece; a guard that is a state costs nothing.
/// Checked by   tests/unit/program/guard_set_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "program/vm/interval.hpp"
#include "program/vm/interval_continuity.hpp"
#include "program/vm/leaf_bindings.hpp"

namespace saltus::program {

struct TapeInstruction {
  expr::Op op = expr::Op::add;
  std::int32_t result = 0;
  std::int32_t operands[3] = {0, 0, 0};
};

/// What is known of a value as a function of (t, x): its degree as a polynomial, or one of these.
inline constexpr int kNotPolynomial = -1;
inline constexpr int kMayJump = -2;  ///< relations, sign, floor, … of what changes with (t, x)
/// Bernstein coefficients of a higher degree cost more than enclosures by intervals give away.
inline constexpr int kLargestDegree = 8;

/// The code of some roots and what it reads.
struct TapePiece {
  std::uint32_t first = 0;  ///< into GuardTape::code
  std::uint32_t count = 0;
  std::vector<std::int32_t> roots;  ///< operands
  std::vector<Index> states;        ///< that it reads, ascending
  std::vector<std::uint32_t>
      solved_inputs;  ///< unknowns of implicit blocks that it reads, as input registers, ascending
  std::vector<std::uint32_t> held;  ///< held inputs that it reads, counted from 0, ascending
  bool is_complete = true;          ///< false: it needs a leaf that nothing gives, and has no code
};

struct GuardTape {
  std::vector<TapeInstruction> code;
  std::uint32_t n_inputs = 1;
  std::vector<int> degrees;  ///< of all registers
  struct Constant {
    std::uint32_t place = 0;  ///< register
    double value = 0.0;
  };
  std::vector<Constant> constants;
  struct FrozenInput {
    std::uint32_t place = 0;  ///< register
    std::uint32_t input = 0;  ///< number among the frozen inputs
  };
  std::vector<FrozenInput> frozen_inputs;
  std::vector<TapeInstruction> frozen_code;  ///< what depends on constants and frozen inputs alone

  [[nodiscard]] std::size_t n_registers() const { return degrees.size(); }
  [[nodiscard]] std::span<const TapeInstruction> code_of(const TapePiece& piece) const {
    return std::span(code).subspan(piece.first, piece.count);
  }
  [[nodiscard]] int degree_of(std::int32_t operand) const {
    return operand < 0 ? 1 : degrees[static_cast<std::size_t>(operand)];
  }
};

/// The registers of a tape for one set of parameters.
struct TapeNumbers {
  TapeNumbers(const GuardTape& tape, std::span<const double> frozen_inputs);

  std::vector<double> values;       ///< constants and what parameters give in their places, zero elsewhere
  std::vector<Interval> intervals;  ///< the same, with enclosures of what parameters give
};

class TapeBuilder {
 public:
  /// Inputs are time, then `n_held` held ones, then unknowns of implicit blocks. The graph and the bindings may grow
  /// between pieces and must outlive the builder.
  TapeBuilder(const expr::Graph& graph, const LeafBindings& bindings, std::uint32_t n_held,
              std::uint32_t n_inputs);

  [[nodiscard]] TapePiece add(std::span<const NodeId> roots);
  [[nodiscard]] GuardTape finish() { return std::move(tape_); }
  [[nodiscard]] const GuardTape& tape() const { return tape_; }
  /// Takes the code of the last piece away.
  void drop(const TapePiece& last) { tape_.code.resize(last.first); }
  /// The leaves that made the last piece incomplete.
  [[nodiscard]] const std::vector<NodeId>& missing() const { return missing_; }

 private:
  void visit(NodeId root, TapePiece& piece);
  void visit_leaf(NodeId leaf, TapePiece& piece);
  void visit_operation(NodeId node);
  [[nodiscard]] std::uint32_t new_register(int degree, bool is_frozen);
  [[nodiscard]] int degree_of(const expr::Node& node, const std::int32_t (&operands)[3]) const;
  [[nodiscard]] bool is_frozen(std::int32_t operand) const {
    return operand >= 0 && frozen_[static_cast<std::size_t>(operand)] != 0;
  }
  [[nodiscard]] bool is_done(NodeId node) const { return stamp_[node.index()] == piece_; }
  void grow();

  const expr::Graph& graph_;
  const LeafBindings& bindings_;
  std::uint32_t n_held_;
  GuardTape tape_;
  std::vector<char> frozen_;           // by register
  std::vector<std::uint32_t> stamp_;   // by node: the piece that has visited it
  std::vector<std::int32_t> operand_;  // by node, valid where visited by some piece
  std::vector<char> has_register_;     // by node
  std::vector<NodeId> stack_;
  std::uint32_t piece_ = 0;
  std::vector<NodeId> missing_;
};

/// Runs a piece. `registers` as in the tape with inputs filled in.
void run_tape(std::span<const TapeInstruction> code, double* registers, const double* x);
void run_tape(std::span<const TapeInstruction> code, Interval* registers, const Interval* x);

/// Values and tangents together: registers and `tangents` begin with those of the inputs; tangents of constants are 0. Of what
/// may jump the tangent is the whole line.
void run_tape_tangents(std::span<const TapeInstruction> code, Interval* registers, const Interval* x,
                       Interval* tangents, const Interval* xdot);
void run_tape_tangents(std::span<const TapeInstruction> code, double* registers, const double* x,
                       double* tangents, const double* xdot);
/// … and whether what is computed is defined and continuous over the operands; `levels` of inputs and constants are given.
void run_tape_tangents(std::span<const TapeInstruction> code, Interval* registers, const Interval* x,
                       Interval* tangents, const Interval* xdot, Continuity* levels);

/// After run_tape: adds ∂root/∂state to `gradient` and leaves ∂root/∂register in `adjoints`, which must be zero for the
/// registers of the piece (clear_adjoints).
void run_tape_adjoints(std::span<const TapeInstruction> code, std::int32_t root, const double* registers,
                       const double* x, double* adjoints, double* gradient);
void clear_adjoints(std::span<const TapeInstruction> code, double* adjoints);

/// After run_tape: ∂root/∂register and ∂root/∂state, through the `chosen` instructions alone. Clears the adjoints of what they read
/// first.
void run_tape_adjoints(std::span<const TapeInstruction> code, std::span<const std::uint32_t> chosen,
                       std::int32_t root, const Interval* registers, const Interval* x, Interval* adjoints,
                       Interval* gradient);
void run_tape_adjoints(std::span<const TapeInstruction> code, std::span<const std::uint32_t> chosen,
                       std::int32_t root, const double* registers, const double* x, double* adjoints,
                       double* gradient);

template <class T>
[[nodiscard]] inline const T& read_operand(std::int32_t operand, const T* registers, const T* x) {
  return operand >= 0 ? registers[operand] : x[-1 - operand];
}

}  // namespace saltus::program
