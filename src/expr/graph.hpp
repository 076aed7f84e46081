/// The expression graph: one arena of hash-consed nodes.
///
/// Contract   a node is immutable and its id never changes; equal nodes have equal ids; the operands of a
/// node
///            have smaller ids than the node, so a pass over the graph is a loop over ids. All values are
///            doubles: Booleans are 0 and 1, Integers are whole numbers.
/// Choices    building a node folds constants and applies the identities listed in simplify.hpp, which never
///            change a value where the operands are finite and state what happens where they are not.
/// Cost       one hash look-up per node built; 24 bytes per node and 16 to 32 bytes in the table.
/// Checked by tests/unit/expr/graph_test.cpp
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/ids.hpp"

namespace saltus::expr {

enum class Op : std::uint8_t {
  // Leaves. `first` and `second` hold ids, not operands.
  constant,   ///< value
  time,       ///< the independent variable
  variable,   ///< derivative of order `second` of variable `first`
  parameter,  ///< parameter `first`
  condition,  ///< current value of condition `first` of the flat model (truth 0/1, or a held whole number)
  previous,   ///< pre(variable `first`): the value before the round
  // Arithmetic
  negate,
  add,
  subtract,
  multiply,
  divide,
  power,          ///< a ^ b, real exponent
  power_integer,  ///< a ^ n; n is the constant operand `second`
  // Functions of one operand
  sqrt,
  exp,
  log,
  log10,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  abs,    ///< inside noEvent and of locked values; otherwise lowered to a select on a condition
  sign,   ///< likewise
  floor,  ///< likewise
  ceil,   ///< likewise
  truncate,
  // Functions of two operands
  atan2,
  minimum,  ///< likewise
  maximum,  ///< likewise
  // Truth values: 0 or 1, or between while blended (operation.hpp)
  less,
  less_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  logical_not,
  // Choice: first·second + (1 - first)·third; at 0 and 1 the side not chosen does not leak, even if it is not finite
  select,
  /// The value of `first`, whose rate of change is given: slope `second` times the rate of argument `third`, and the rate of
  /// `first` unless it begins the sum (`value` is 1). The last two are no operands of its value (n_references).
  rated,
};

/// Number of operands of an operation (0 for leaves).
[[nodiscard]] constexpr int n_operands(Op op) {
  if (op <= Op::previous) {
    return 0;
  }
  if (op == Op::select) {
    return 3;
  }
  const bool is_unary =
      op == Op::negate || (op >= Op::sqrt && op <= Op::truncate) || op == Op::logical_not || op == Op::rated;
  return is_unary ? 1 : 2;
}
/// Number of nodes that a node refers to: its operands, and what gives the rate of a rated one.
[[nodiscard]] constexpr int n_references(Op op) {
  return op == Op::rated ? 3 : n_operands(op);
}
/// Name for printing and diagnostics, e.g. "sin", "+", "select".
[[nodiscard]] std::string_view name_of(Op op);

struct Node {
  Op op = Op::constant;
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  std::uint32_t third = 0;
  double value = 0.0;  ///< of a constant

  [[nodiscard]] std::uint32_t operand(int i) const { return i == 0 ? first : i == 1 ? second : third; }
};

class Graph {
 public:
  Graph();

  // Leaves
  NodeId constant(double value);
  NodeId time();
  NodeId variable(VariableId variable, int derivative_order = 0);
  NodeId parameter(ParameterId parameter);
  NodeId condition(ConditionId condition);
  NodeId previous(VariableId variable);

  // Operations; each simplifies (simplify.hpp) before it interns.
  NodeId unary(Op op, NodeId a);
  NodeId binary(Op op, NodeId a, NodeId b);
  NodeId select(NodeId condition, NodeId if_true, NodeId if_false);
  /// `value`, whose total derivative is slope·d(argument)/dt; added to that of `value`, itself a rated node, unless it begins.
  NodeId rated(NodeId value, NodeId slope, NodeId argument, bool begins);

  NodeId add(NodeId a, NodeId b) { return binary(Op::add, a, b); }
  NodeId subtract(NodeId a, NodeId b) { return binary(Op::subtract, a, b); }
  NodeId multiply(NodeId a, NodeId b) { return binary(Op::multiply, a, b); }
  NodeId divide(NodeId a, NodeId b) { return binary(Op::divide, a, b); }
  NodeId negate(NodeId a) { return unary(Op::negate, a); }
  NodeId power(NodeId a, NodeId b) { return binary(Op::power, a, b); }

  /// The node as it stands, without simplification: for passes that rebuild what they have read.
  NodeId intern(const Node& node);

  [[nodiscard]] const Node& operator[](NodeId id) const { return nodes_[id.index()]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] bool is_constant(NodeId id) const { return (*this)[id].op == Op::constant; }
  [[nodiscard]] bool is_constant(NodeId id, double value) const;
  /// The operands of a node as ids.
  [[nodiscard]] std::array<NodeId, 3> operands(NodeId id) const;

 private:
  void grow();
  std::vector<Node> nodes_;
  // Open addressing, power-of-two size, at most half full. The hash beside the id saves most looks at the nodes.
  struct Slot {
    std::uint32_t entry = 0;  // id + 1; 0 is empty
    std::uint32_t hash = 0;
  };
  std::vector<Slot> table_;
};

}  // namespace saltus::expr
