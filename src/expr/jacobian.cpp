#include "expr/jacobian.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "expr/chain_rule.hpp"
#include "expr/dependency.hpp"
#include "expr/derivative.hpp"
#include "expr/traversal.hpp"

namespace saltus::expr {
namespace {

// A forward list costs about this many times a reverse step per element (merging of lists).
constexpr std::size_t kForwardAdvantage = 2;

struct Tangent {
  std::uint32_t column;
  NodeId value;
};
constexpr std::uint32_t kNoColumn = 0xffffffffU;

// Where a node stands: in the order of computation and among the leaves. Written for the nodes of the order.
struct Place {
  std::uint32_t position;
  std::uint32_t column;
};

// Number of (node, column) pairs of the forward pass, or more than `budget` as soon as that is certain.
std::size_t forward_cost(const Graph& graph, std::span<const NodeId> order, const NodeTable<Place>& places,
                         std::size_t budget) {
  std::vector<std::vector<std::uint32_t>> columns(order.size());
  std::size_t total = 0;
  for (std::size_t k = 0; k < order.size() && total <= budget; ++k) {
    std::vector<std::uint32_t>& mine = columns[k];
    const Node& node = graph[order[k]];
    if (places[order[k]].column != kNoColumn) {
      mine.push_back(places[order[k]].column);
    } else {
      for (int i = 0; i < n_operands(node.op); ++i) {
        if (influences_derivative(node.op, i)) {
          const std::vector<std::uint32_t>& theirs = columns[places[node.operand(i)].position];
          mine.insert(mine.end(), theirs.begin(), theirs.end());
        }
      }
      std::sort(mine.begin(), mine.end());
      mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    }
    total += mine.size();
  }
  return total;
}

// Tangents of a node by column, from those of its operands.
std::vector<Tangent> merge_tangents(Graph& graph, NodeId id, const NodeTable<Place>& places,
                                    const std::vector<std::vector<Tangent>>& tangents) {
  const Node node = graph[id];
  std::array<std::span<const Tangent>, 3> rest;
  for (int i = 0; i < n_operands(node.op); ++i) {
    if (influences_derivative(node.op, i)) {
      rest[static_cast<std::size_t>(i)] = tangents[places[node.operand(i)].position];
    }
  }
  std::vector<Tangent> result;
  for (;;) {
    std::uint32_t column = kNoColumn;
    for (const std::span<const Tangent> list : rest) {
      column = std::min(column, list.empty() ? kNoColumn : list.front().column);
    }
    if (column == kNoColumn) {
      return result;
    }
    std::array<NodeId, 3> parts;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (!rest[i].empty() && rest[i].front().column == column) {
        parts[i] = rest[i].front().value;
        rest[i] = rest[i].subspan(1);
      }
    }
    const NodeId value = tangent_of(graph, id, parts[0], parts[1], parts[2]);
    if (value.valid() && !graph.is_constant(value, 0.0)) {
      result.push_back({.column = column, .value = value});
    }
  }
}

SparseJacobian by_forward(Graph& graph, std::span<const NodeId> rows, std::span<const NodeId> order,
                          const NodeTable<Place>& places) {
  std::vector<std::vector<Tangent>> tangents(order.size());
  const NodeId one = graph.constant(1.0);
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (places[order[k]].column != kNoColumn) {
      tangents[k].push_back({.column = places[order[k]].column, .value = one});
    } else if (n_operands(graph[order[k]].op) > 0) {
      tangents[k] = merge_tangents(graph, order[k], places, tangents);
    }
  }
  SparseJacobian result{.row_start = {0}, .column = {}, .value = {}};
  for (const NodeId row : rows) {
    for (const Tangent& tangent : tangents[places[row].position]) {
      result.column.push_back(tangent.column);
      result.value.push_back(tangent.value);
    }
    result.row_start.push_back(result.column.size());
  }
  return result;
}

SparseJacobian by_reverse(Graph& graph, std::span<const NodeId> rows, ReverseSweep& sweep,
                          const NodeTable<Place>& places) {
  SparseJacobian result{.row_start = {0}, .column = {}, .value = {}};
  std::vector<Tangent> entries;
  for (const NodeId row : rows) {
    entries.clear();
    for (const ReverseSweep::Entry& entry : sweep(row)) {
      if (!graph.is_constant(entry.value, 0.0)) {
        entries.push_back({.column = places[entry.leaf].column, .value = entry.value});
      }
    }
    std::sort(entries.begin(), entries.end(),
              [](const Tangent& a, const Tangent& b) { return a.column < b.column; });
    for (const Tangent& entry : entries) {
      result.column.push_back(entry.column);
      result.value.push_back(entry.value);
    }
    result.row_start.push_back(result.column.size());
  }
  return result;
}

}  // namespace

SparseJacobian jacobian(Graph& graph, std::span<const NodeId> rows, std::span<const NodeId> leaves,
                        Accumulation accumulation) {
  const std::vector<NodeId> order = needed_nodes(graph, rows);
  NodeTable<Place> places(graph.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    places[order[k]] = {.position = static_cast<std::uint32_t>(k), .column = kNoColumn};
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    places[leaves[i]].column = static_cast<std::uint32_t>(i);  // of a leaf outside the order: never read
  }
  ReverseSweep sweep(graph, rows, leaves);
  bool forward = accumulation == Accumulation::forward;
  if (accumulation == Accumulation::cheaper) {
    std::size_t reverse_cost = 0;
    for (const NodeId row : rows) {
      reverse_cost += sweep.cone_size(row);
    }
    // Each node of the order has at least one pair or none: fewer reverse steps than that leave nothing to
    // gain.
    const std::size_t budget = reverse_cost / kForwardAdvantage;
    forward = forward_cost(graph, order, places, budget) < budget;
  }
  return forward ? by_forward(graph, rows, order, places) : by_reverse(graph, rows, sweep, places);
}

}  // namespace saltus::expr
