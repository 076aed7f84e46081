/// Expressions as text in the syntax of the model language.
///
/// Contract   reading the text gives the same operations in the same order: parentheses stand exactly where the
///            grammar needs them (sums and products are not reassociated), numbers are shortest round-trip forms.
/// Choices    a node used twice is written twice, so the text may be much longer than the graph: it ends with "..." at
///            the length limit.
/// Checked by tests/unit/expr/print_test.cpp
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "expr/graph.hpp"

namespace saltus::expr {

/// The text of a leaf (not asked for constants and time).
using LeafName = std::function<std::string(const Node&)>;

/// x0, der(x0), der(x0, 2), p0, c0, pre(x0): for tests and debugging.
[[nodiscard]] std::string default_leaf_name(const Node& leaf);

inline constexpr std::size_t kDefaultPrintLimit = 4000;

[[nodiscard]] std::string print(const Graph& graph, NodeId node, const LeafName& name = default_leaf_name,
                                std::size_t limit = kDefaultPrintLimit);

}  // namespace saltus::expr
