#include "expr/taylor.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "expr/dependency.hpp"
#include "expr/taylor_rules.hpp"
#include "saltus/contract.hpp"

namespace saltus::expr {
namespace {

double factorial(int k) {
  double result = 1.0;
  for (int i = 2; i <= k; ++i) {
    result *= i;
  }
  return result;
}

}  // namespace

NodeId SeriesTable::at(NodeId id, int k) const {
  const Series& series = (*this)[id];
  if (series.rests) {
    return k == 0 ? id : NodeId();
  }
  SALTUS_ASSERT(static_cast<std::size_t>(k) < series.coefficients.size());
  return series.coefficients[static_cast<std::size_t>(k)];
}

void SeriesTable::add(NodeId id, Series series) {
  slot_.resize(std::max(slot_.size(), id.index() + 1), 0);
  series_.push_back(std::move(series));
  slot_[id.index()] = static_cast<std::uint32_t>(series_.size());
}

TaylorExpansion::TaylorExpansion(Graph& graph, TaylorLeaves leaves)
    : graph_(graph), leaves_(std::move(leaves)) {}

// Operands are registered before.
void TaylorExpansion::register_node(NodeId id) {
  const Node node = graph_[id];
  SeriesTable::Series series;
  switch (node.op) {
    case Op::time: break;
    case Op::variable: series.rests = leaves_.rests && leaves_.rests(node); break;
    case Op::rated:
      series.rests = table_[NodeId(node.third)].rests || graph_.is_constant(NodeId(node.second), 0.0);
      series.rests = series.rests && (node.value == 1.0 || table_[NodeId(node.first)].rests);
      break;
    default:
      series.rests = true;
      for (int i = 0; i < n_operands(node.op); ++i) {
        if (influences_derivative(node.op, i) && !table_[NodeId(node.operand(i))].rests) {
          series.rests = false;
        }
      }
  }
  series.coefficients.push_back(id);
  if (!series.rests && n_operands(node.op) > 0) {
    const bool exponent_rests = node.op != Op::power || table_[NodeId(node.second)].rests;
    series.auxiliary = taylor_auxiliary(graph_, id, exponent_rests);
  }
  table_.add(id, std::move(series));
}

// All nodes that the series of the root needs. Depth first without recursion: a node is taken down when everything it
// needs at the same order has been; what it needs at lower orders only is a member too, but not before it.
void TaylorExpansion::collect(NodeId root) {
  ++collection_;
  members_.clear();
  n_same_order_ = 0;
  std::vector<NodeId> later = {root};
  std::vector<std::pair<NodeId, bool>> stack;  // node, everything below it is done
  const auto visit = [&](NodeId id) {
    stamp_.resize(std::max(stamp_.size(), id.index() + 1), 0);
    if (id.valid() && stamp_[id.index()] != collection_) {
      stack.emplace_back(id, false);
    }
  };
  while (!later.empty()) {
    visit(later.back());
    later.pop_back();
    while (!stack.empty()) {
      const auto [id, done] = stack.back();
      if (done || stamp_[id.index()] == collection_) {
        stack.pop_back();
        if (done) {
          members_.push_back(id);
        }
        continue;
      }
      const Node node = graph_[id];
      const std::size_t before = stack.size();
      for (int i = 0; i < n_references(node.op); ++i) {
        visit(NodeId(node.operand(i)));
      }
      if (stack.size() > before) {
        continue;  // operands first: whether they rest decides what is needed here
      }
      if (!table_.knows(id)) {
        register_node(id);
      }
      const TaylorAuxiliary auxiliary = table_[id].auxiliary;
      if (auxiliary.lower_order.valid()) {
        later.push_back(auxiliary.lower_order);
      }
      stamp_.resize(std::max(stamp_.size(), graph_.size()), 0);
      stamp_[id.index()] = collection_;
      stack.back().second = true;
      if (auxiliary.same_order.valid()) {
        visit(auxiliary.same_order);
      }
    }
    if (n_same_order_ == 0) {
      n_same_order_ = members_.size();
    }
  }
}

NodeId TaylorExpansion::leaf_coefficient(NodeId id, int order) {
  const Node leaf = graph_[id];
  if (leaf.op == Op::time) {
    return order == 1 ? graph_.constant(1.0) : NodeId();
  }
  if (leaves_.coefficient) {
    return leaves_.coefficient(leaf, order);
  }
  const NodeId higher = graph_.variable(VariableId(leaf.first), static_cast<int>(leaf.second) + order);
  return graph_.divide(higher, graph_.constant(factorial(order)));
}

NodeId TaylorExpansion::coefficient(NodeId node, int order) {
  SALTUS_EXPECT(order >= 0, "the order of a Taylor coefficient is not negative");
  if (order == 0) {
    return node;
  }
  const bool known = table_.knows(node) && (table_[node].rests || table_[node].coefficients.size() >
                                                                      static_cast<std::size_t>(order));
  if (!known) {
    collect(node);
    for (int k = 1; k <= order; ++k) {
      // What only lower orders need is not expanded to the last one.
      const std::size_t n_members = k < order ? members_.size() : n_same_order_;
      for (std::size_t m = 0; m < n_members; ++m) {
        const NodeId id = members_[m];
        if (table_[id].rests || table_[id].coefficients.size() > static_cast<std::size_t>(k)) {
          continue;
        }
        const bool leaf = n_operands(graph_[id].op) == 0;
        const NodeId found = leaf ? leaf_coefficient(id, k) : taylor_coefficient(graph_, table_, id, k);
        const bool zero = found.valid() && graph_.is_constant(found, 0.0);
        table_[id].coefficients.push_back(zero ? NodeId() : found);
      }
    }
  }
  const NodeId result = table_.at(node, order);
  return result.valid() ? result : graph_.constant(0.0);
}

NodeId TaylorExpansion::total_derivative(NodeId node, int order) {
  const Node leaf = graph_[node];
  if (leaf.op == Op::variable && !leaves_.coefficient && !(leaves_.rests && leaves_.rests(leaf))) {
    return graph_.variable(VariableId(leaf.first), static_cast<int>(leaf.second) + order);
  }
  return graph_.multiply(graph_.constant(factorial(order)), coefficient(node, order));
}

}  // namespace saltus::expr
