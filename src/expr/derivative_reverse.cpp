#include <algorithm>
#include <functional>
#include <unordered_set>
#include <utility>

#include "base/work_watch.hpp"
#include "expr/chain_rule.hpp"
#include "expr/dependency.hpp"
#include "expr/derivative.hpp"

namespace saltus::expr {
namespace {

// In units of base/work_watch.hpp.
constexpr std::int64_t kWorkOfAnAdjoint = 30;

NodeId conjunction(Graph& graph, NodeId mask, NodeId condition) {
  return mask.valid() ? graph.binary(Op::logical_and, mask, condition) : condition;
}

NodeId masked(Graph& graph, NodeId mask, NodeId value) {
  return mask.valid() ? graph.select(mask, value, graph.constant(0.0)) : value;
}

bool are_opposite(const Graph& graph, NodeId a, NodeId b) {
  return (graph[a].op == Op::logical_not && graph[a].first == b.value()) ||
         (graph[b].op == Op::logical_not && graph[b].first == a.value());
}

// A truth value that is 0 or 1 and never blended: made of relations alone.
bool is_sharp(const Graph& graph, NodeId truth) {
  std::vector<NodeId> stack{truth};
  std::unordered_set<NodeId> seen;  // masks share their parts
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    const Node& node = graph[id];
    if (node.op >= Op::logical_and && node.op <= Op::logical_not) {
      if (seen.insert(id).second) {
        stack.emplace_back(node.first);
        stack.emplace_back(node.op == Op::logical_not ? node.first : node.second);
      }
    } else if (node.op < Op::less || node.op > Op::not_equal) {
      return false;
    }
  }
  return true;
}

// The condition a or b, and with it how two masked values join. (m and c) or (m and not c) is m: without this
// rule the masks of nested selects would grow although their sides meet again. Otherwise the values are masked before
// they are added, and the new mask only says where there is nothing to count: it is 0 or 1 also where a and b are
// blended, because their weights are in the values already.
struct Joint {
  NodeId mask;      // invalid: always
  NodeId selector;  // valid: value is select(selector, of a, of b)
};
Joint join(Graph& graph, NodeId a, NodeId b) {
  if (!a.valid() || !b.valid()) {
    return {};
  }
  if (are_opposite(graph, a, b)) {
    return {.mask = NodeId(), .selector = a};
  }
  const Node x = graph[a];
  const Node y = graph[b];
  if (x.op == Op::logical_and && y.op == Op::logical_and) {
    for (const auto& [common, rest_a] : {std::pair(x.first, x.second), std::pair(x.second, x.first)}) {
      for (const auto& [common_b, rest_b] : {std::pair(y.first, y.second), std::pair(y.second, y.first)}) {
        if (common == common_b && are_opposite(graph, NodeId(rest_a), NodeId(rest_b))) {
          return {.mask = NodeId(common), .selector = NodeId(rest_a)};
        }
      }
    }
  }
  const NodeId either = graph.binary(Op::logical_or, a, b);
  return {.mask = is_sharp(graph, either) ? either : graph.binary(Op::not_equal, either, graph.constant(0.0)),
          .selector = NodeId()};
}

}  // namespace

ReverseSweep::ReverseSweep(Graph& graph, std::span<const NodeId> roots, std::span<const NodeId> leaves)
    : graph_(graph), place_(graph.size()) {
  const std::vector<NodeId> order = needed_nodes(graph, roots);
  for (const NodeId id : order) {
    place_[id] = {.active = 0, .is_leaf = 0, .stamp = 0, .position = 0};
  }
  for (const NodeId leaf : leaves) {
    place_[leaf] = {.active = 1, .is_leaf = 1, .stamp = 0, .position = 0};
  }
  for (const NodeId id : order) {
    const Node& node = graph[id];
    for (int i = 0; i < n_operands(node.op); ++i) {
      if (influences_derivative(node.op, i) && place_[node.operand(i)].active != 0) {
        place_[id].active = 1;
      }
    }
  }
}

// Active nodes below the root, descending ids.
void ReverseSweep::collect_cone(NodeId root) {
  ++sweep_;
  cone_.clear();
  if (place_[root].active == 0) {
    return;
  }
  cone_.push_back(root);
  place_[root].stamp = sweep_;
  for (std::size_t next = 0; next < cone_.size(); ++next) {
    if (place_[cone_[next]].is_leaf != 0) {
      continue;
    }
    const Node& node = graph_[cone_[next]];
    for (int i = 0; i < n_operands(node.op); ++i) {
      const std::uint32_t operand = node.operand(i);
      if (influences_derivative(node.op, i) && place_[operand].active != 0 &&
          place_[operand].stamp != sweep_) {
        place_[operand].stamp = sweep_;
        cone_.emplace_back(operand);
      }
    }
  }
  count_work(kWorkOfAnAdjoint * static_cast<std::int64_t>(cone_.size()));
  std::sort(cone_.begin(), cone_.end(), std::greater<>());
}

std::size_t ReverseSweep::cone_size(NodeId root) {
  collect_cone(root);
  return cone_.size();
}

void ReverseSweep::accumulate(NodeId id, NodeId value, NodeId mask) {
  if (!value.valid() || place_[id].active == 0) {
    return;
  }
  Adjoint& adjoint = adjoints_[place_[id].position];
  if (!adjoint.value.valid()) {
    adjoint = {.value = value, .mask = mask};
    return;
  }
  if (adjoint.mask == mask) {
    adjoint.value = graph_.add(adjoint.value, value);
    return;
  }
  const Joint joint = join(graph_, adjoint.mask, mask);
  adjoint.value = joint.selector.valid()
                      ? graph_.select(joint.selector, adjoint.value, value)
                      : graph_.add(masked(graph_, adjoint.mask, adjoint.value), masked(graph_, mask, value));
  adjoint.mask = joint.mask;
}

void ReverseSweep::push_down(NodeId id) {
  const Node node = graph_[id];
  const Adjoint adjoint = adjoints_[place_[id].position];
  if (!adjoint.value.valid()) {
    return;
  }
  if (is_choice(node.op)) {
    const Choice choice = chosen_operand(graph_, id);
    const auto operand = [&](int i) { return NodeId(node.operand(i)); };
    accumulate(operand(choice.if_true), adjoint.value, conjunction(graph_, adjoint.mask, choice.condition));
    accumulate(operand(choice.if_false), adjoint.value,
               conjunction(graph_, adjoint.mask, graph_.unary(Op::logical_not, choice.condition)));
    return;
  }
  for (int i = 0; i < n_operands(node.op); ++i) {
    const NodeId operand(node.operand(i));
    if (place_[operand].active != 0) {
      accumulate(operand, chain(graph_, id, i, adjoint.value), adjoint.mask);
    }
  }
}

const std::vector<ReverseSweep::Entry>& ReverseSweep::operator()(NodeId root) {
  entries_.clear();
  collect_cone(root);
  adjoints_.assign(cone_.size(), {});
  for (std::size_t i = 0; i < cone_.size(); ++i) {
    place_[cone_[i]].position = static_cast<std::uint32_t>(i);
  }
  if (!cone_.empty()) {
    adjoints_.front().value = graph_.constant(1.0);  // the root has the largest id
  }
  for (std::size_t i = 0; i < cone_.size(); ++i) {
    if (place_[cone_[i]].is_leaf == 0) {
      push_down(cone_[i]);
    } else if (adjoints_[i].value.valid()) {
      entries_.push_back({.leaf = cone_[i], .value = masked(graph_, adjoints_[i].mask, adjoints_[i].value)});
    }
  }
  std::reverse(entries_.begin(), entries_.end());
  return entries_;
}

std::vector<NodeId> gradient(Graph& graph, NodeId node, std::span<const NodeId> leaves) {
  ReverseSweep sweep(graph, std::span<const NodeId>(&node, 1), leaves);
  const std::vector<ReverseSweep::Entry>& entries = sweep(node);
  std::vector<NodeId> result;
  result.reserve(leaves.size());
  for (const NodeId leaf : leaves) {
    const auto found =
        std::lower_bound(entries.begin(), entries.end(), leaf,
                         [](const ReverseSweep::Entry& entry, NodeId wanted) { return entry.leaf < wanted; });
    const bool hit = found != entries.end() && found->leaf == leaf;
    result.push_back(hit ? found->value : graph.constant(0.0));
  }
  return result;
}

}  // namespace saltus::expr
