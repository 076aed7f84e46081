#include "expr/sparsity.hpp"

#include <algorithm>
#include <utility>

#include "base/work_watch.hpp"
#include "expr/dependency.hpp"

namespace saltus::expr {

void IncidenceFinder::visit(std::uint32_t id) {
  if (stamp_[id] != row_) {
    stamp_[id] = row_;
    pending_.emplace_back(id);
  }
}

// In units of base/work_watch.hpp.
static constexpr std::int64_t kWorkOfAVisit = 5;

std::span<const NodeId> IncidenceFinder::operator()(std::span<const NodeId> roots, Occurrence occurrence) {
  stamp_.resize(graph_.size(), 0);
  ++row_;
  found_.clear();
  for (const NodeId root : roots) {
    visit(root.value());
  }
  while (!pending_.empty()) {
    const NodeId id = pending_.back();
    pending_.pop_back();
    count_work(kWorkOfAVisit);
    const Node& node = graph_[id];
    if (node.op == leaf_) {
      found_.push_back(id);
    }
    for (int i = 0; i < n_operands(node.op); ++i) {
      if (occurrence == Occurrence::any || influences_derivative(node.op, i)) {
        visit(node.operand(i));
      }
    }
  }
  std::sort(found_.begin(), found_.end(), [&](NodeId a, NodeId b) {
    return std::pair(graph_[a].first, graph_[a].second) < std::pair(graph_[b].first, graph_[b].second);
  });
  return found_;
}

}  // namespace saltus::expr
