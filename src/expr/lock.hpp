/// Locking: conditions become the constants they hold, so that selects on them disappear.
///
/// Programs keep conditions as inputs and need no locking (DESIGN 2); it serves analyses of one configuration
/// (structure, linearity) and specialised programs.
/// Checked by tests/unit/expr/substitute_test.cpp
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "expr/graph.hpp"

namespace saltus::expr {

/// values[i] is what condition i holds; none, or beyond the span: the condition stays a leaf.
[[nodiscard]] std::vector<NodeId> lock_conditions(Graph& graph, std::span<const NodeId> nodes,
                                                  std::span<const std::optional<double>> values);

}  // namespace saltus::expr
