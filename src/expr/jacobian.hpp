/// Sparse Jacobians of many nodes with respect to many leaves, as nodes of the graph.
///
/// Method     one reverse sweep per row, or one forward pass in which every node carries the sparse list of
/// its
///            tangents; whichever touches fewer (node, derivative) pairs. Both are counted first, the forward
///            count is given up when it exceeds the reverse one [GW08, ch. 7 on the pattern].
/// Choices    reverse unless forward is cheaper by kForwardAdvantage: reverse gives isomorphic rows
/// isomorphic
///            entries whatever their columns, which compiles to fewer instructions.
/// Contract   an entry whose derivative is zero by structure or by simplification is not stored; columns
/// ascend
///            within a row.
/// Cost       proportional to the smaller count: linear in the nonzeros for sparse systems
/// Checked by tests/unit/expr/jacobian_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expr/graph.hpp"

namespace saltus::expr {

/// Compressed rows: entries row_start[i] … row_start[i+1]-1 belong to row i.
struct SparseJacobian {
  std::vector<std::size_t> row_start;
  std::vector<std::uint32_t> column;  ///< index into the leaves
  std::vector<NodeId> value;
};

enum class Accumulation { cheaper, forward, reverse };

/// leaves are distinct nodes.
[[nodiscard]] SparseJacobian jacobian(Graph& graph, std::span<const NodeId> rows,
                                      std::span<const NodeId> leaves,
                                      Accumulation accumulation = Accumulation::cheaper);

}  // namespace saltus::expr
