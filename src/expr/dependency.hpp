/// What an expression depends on.
///
/// Contract   dependence is structural: a leaf that occurs counts, whatever its factor.
/// `influences_derivative` tells
///            the operands through which derivatives flow (not the condition of a select, relations, floor,
///            …).
/// Cost       proportional to the nodes needed
/// Checked by tests/unit/expr/dependency_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expr/graph.hpp"

namespace saltus::expr {

/// A set of kinds of leaves, as bits.
enum class Kinds : std::uint8_t {
  none = 0,
  parameter = 1,
  time = 2,
  condition = 4,
  previous = 8,
  variable = 16,    ///< of derivative order 0
  derivative = 32,  ///< of a variable, order 1 or higher
};
[[nodiscard]] constexpr Kinds operator|(Kinds a, Kinds b) {
  return static_cast<Kinds>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
[[nodiscard]] constexpr bool has(Kinds set, Kinds any_of) {
  return (static_cast<std::uint8_t>(set) & static_cast<std::uint8_t>(any_of)) != 0;
}

/// The kind of a leaf; none for constants and operations.
[[nodiscard]] Kinds kind_of(const Node& leaf);
/// Kinds of leaves below every node of the graph, by id.
[[nodiscard]] std::vector<Kinds> dependency_kinds(const Graph& graph);
/// Kinds of leaves below one node.
[[nodiscard]] Kinds dependency_kinds(const Graph& graph, NodeId node);

/// All leaves below the roots except constants, ascending ids.
[[nodiscard]] std::vector<NodeId> leaves_of(const Graph& graph, std::span<const NodeId> roots);
/// Whether `node` contains `part` (a leaf or any other node; a node contains itself).
[[nodiscard]] bool depends_on(const Graph& graph, NodeId node, NodeId part);

/// Whether the derivative of an operation can be non-zero through operand i.
[[nodiscard]] bool influences_derivative(Op op, int i);

}  // namespace saltus::expr
