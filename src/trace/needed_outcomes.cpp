#include "trace/needed_outcomes.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "expr/traversal.hpp"

namespace saltus::trace {
namespace {

using expr::Op;
using Outcomes = std::unordered_map<std::uint32_t, bool>;

// The places in the tree at which a decision is asked, each with the outcomes before it.
std::vector<std::vector<Decision>> places_of(const PathTree& tree, NodeId decision) {
  std::vector<std::pair<std::int32_t, bool>> parents(tree.nodes().size(), {PathTree::kNothing, false});
  std::vector<std::vector<Decision>> places;
  for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
    const PathTree::Node& node = tree.nodes()[i];
    for (std::size_t k = 0; k < 2; ++k) {
      if (node.next[k] != PathTree::kNothing) {
        parents[static_cast<std::size_t>(node.next[k])] = {static_cast<std::int32_t>(i), k == 1};
      }
    }
    if (node.decision.valid() && node.decision == decision) {
      std::vector<Decision>& before = places.emplace_back();
      for (auto [at, holds] = parents[i]; at != PathTree::kNothing;
           std::tie(at, holds) = parents[static_cast<std::size_t>(at)]) {
        before.push_back({tree.nodes()[static_cast<std::size_t>(at)].decision, holds});
      }
      std::reverse(before.begin(), before.end());
    }
  }
  return places;
}

// Whether a traced path from the root agrees with the outcomes wherever it asks them, but for `other`, and does not ask the decision.
bool has_path_without(const PathTree& tree, NodeId decision, const Outcomes& outcomes,
                      const Decision& other) {
  std::vector<std::int32_t> open{0};
  while (!open.empty()) {
    const PathTree::Node& node = tree.nodes()[static_cast<std::size_t>(open.back())];
    open.pop_back();
    if (node.leaf != PathTree::kNothing) {
      if (!tree.leaves()[static_cast<std::size_t>(node.leaf)].has_failed()) {
        return true;
      }
      continue;
    }
    if (decision.valid() && node.decision == decision) {
      continue;
    }
    const auto given = outcomes.find(node.decision.value());
    for (std::size_t k = 0; k < 2; ++k) {
      const bool is_wanted = node.decision == other.less ? (k == 1) != other.holds
                             : given == outcomes.end()   ? true
                                                         : (k == 1) == given->second;
      if (is_wanted && node.next[k] != PathTree::kNothing) {
        open.push_back(node.next[k]);
      }
    }
  }
  return false;
}

// Whether a traced path that has not failed agrees with the outcomes wherever it asks them.
bool has_good_path(const PathTree& tree, const std::vector<Decision>& outcomes) {
  Outcomes set;
  for (const Decision& item : outcomes) {
    set.emplace(item.less.value(), item.holds);
  }
  return has_path_without(tree, NodeId(), set, {});
}

}  // namespace

bool is_partial(const expr::Graph& graph, NodeId node) {
  const std::vector<NodeId> needed = expr::needed_nodes(graph, std::span(&node, 1));
  return std::any_of(needed.begin(), needed.end(), [&graph](NodeId id) {
    const expr::Node& part = graph[id];
    switch (part.op) {
      case Op::sqrt:
      case Op::log:
      case Op::log10:
      case Op::asin:
      case Op::acos:
      case Op::tan: return true;
      case Op::divide:
      case Op::power: {
        const expr::Node& second = graph[NodeId(part.second)];
        const bool is_safe = second.op == Op::constant && second.value > 0.0;
        return !is_safe;
      }
      default: return false;
    }
  });
}

std::vector<Decision> needed_outcomes(const PathTree& tree, NodeId decision) {
  const std::vector<std::vector<Decision>> places = places_of(tree, decision);
  std::vector<Decision> needed;
  if (places.empty()) {
    return needed;
  }
  std::vector<Outcomes> sets;
  for (const std::vector<Decision>& before : places) {
    Outcomes& set = sets.emplace_back();
    for (const Decision& item : before) {
      set.emplace(item.less.value(), item.holds);
    }
  }
  for (const Decision& item : places.front()) {
    const bool is_common = std::all_of(sets.begin(), sets.end(), [&item](const Outcomes& set) {
      const auto found = set.find(item.less.value());
      return found != set.end() && found->second == item.holds;
    });
    if (is_common && std::any_of(sets.begin(), sets.end(), [&](const Outcomes& set) {
          return has_path_without(tree, decision, set, item);
        })) {
      needed.push_back(item);
    }
  }
  return needed;
}

std::vector<Decision> failing_outcomes(const PathTree& tree, std::vector<Decision> path) {
  for (std::size_t i = 0; tree.is_complete() && i < path.size();) {
    std::vector<Decision> fewer = path;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (has_good_path(tree, fewer)) {
      ++i;
    } else {
      path = std::move(fewer);
    }
  }
  return path;
}

}  // namespace saltus::trace
