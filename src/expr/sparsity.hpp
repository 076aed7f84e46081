/// Which variables and derivatives occur in an equation.
///
/// Contract   `any`: the leaf occurs. `differentiable`: it occurs where a derivative flows, i.e. not only in the
///            condition of a select, in relations, or inside floor, sign, …: what matching and solving may rely on.
/// Cost       proportional to the nodes below each row; the tables are kept between rows
/// Checked by tests/unit/expr/dependency_test.cpp
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expr/graph.hpp"

namespace saltus::expr {

enum class Occurrence { any, differentiable };

/// Finds the leaves of one kind, variables unless told otherwise, below rows, one row after the other. The graph must outlive it and may grow.
class IncidenceFinder {
 public:
  explicit IncidenceFinder(const Graph& graph, Op leaf = Op::variable) : graph_(graph), leaf_(leaf) {}
  /// Leaves below the roots of one row (e.g. both sides of an equation), sorted by variable, then order.
  /// Valid until the next call.
  [[nodiscard]] std::span<const NodeId> operator()(std::span<const NodeId> roots, Occurrence occurrence);

 private:
  void visit(std::uint32_t id);
  const Graph& graph_;
  Op leaf_;
  std::vector<std::uint32_t> stamp_;
  std::uint32_t row_ = 0;
  std::vector<NodeId> pending_;
  std::vector<NodeId> found_;
};

}  // namespace saltus::expr
