// The Taylor recurrence of every operation; see taylor.hpp.
#pragma once

#include "expr/taylor.hpp"

namespace saltus::expr {

/// Nodes whose series the recurrence of `id` uses besides its operands (built if they do not exist).
[[nodiscard]] TaylorAuxiliary taylor_auxiliary(Graph& graph, NodeId id, bool exponent_rests);

/// Coefficient k >= 1 of an operation; operands and `same_order` are known up to k, the node and `lower_order` up to
/// k - 1. Invalid for a structural zero.
[[nodiscard]] NodeId taylor_coefficient(Graph& graph, const SeriesTable& table, NodeId id, int k);

}  // namespace saltus::expr
