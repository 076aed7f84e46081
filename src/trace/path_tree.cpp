#include "trace/path_tree.hpp"

#include <algorithm>

namespace saltus::trace {

bool PathTree::add(const Recording& recording) {
  if (nodes_.empty()) {
    nodes_.emplace_back();
  }
  std::size_t at = 0;
  bool is_new = nodes_.size() == 1 && !nodes_[0].decision.valid() && nodes_[0].leaf == kNothing;
  for (const Decision& step : recording.path) {
    if (is_new) {
      nodes_[at].decision = step.less;
    } else if (!(nodes_[at].decision == step.less)) {
      return false;
    }
    const std::int32_t next = nodes_[at].next[step.holds ? 1 : 0];
    is_new = next == kNothing;
    if (is_new) {
      nodes_[at].next[step.holds ? 1 : 0] = static_cast<std::int32_t>(nodes_.size());
      at = nodes_.size();
      nodes_.emplace_back();
    } else {
      at = static_cast<std::size_t>(next);
    }
  }
  const std::string failure = recording.failure ? recording.failure->message : std::string();
  if (!is_new) {
    const std::int32_t leaf = nodes_[at].leaf;
    return leaf != kNothing && leaves_[static_cast<std::size_t>(leaf)].has_failed() == !failure.empty() &&
           (!failure.empty() || leaves_[static_cast<std::size_t>(leaf)].residual == recording.residual);
  }
  nodes_[at].leaf = static_cast<std::int32_t>(leaves_.size());
  leaves_.push_back({recording.residual, failure});
  return true;
}

bool PathTree::has(const std::vector<Decision>& prefix) const {
  std::int32_t at = nodes_.empty() ? kNothing : 0;
  for (std::size_t i = 0; i < prefix.size() && at != kNothing; ++i) {
    at = nodes_[static_cast<std::size_t>(at)].next[prefix[i].holds ? 1 : 0];
  }
  return at != kNothing;
}

bool PathTree::is_complete() const {
  return std::all_of(nodes_.begin(), nodes_.end(), [](const Node& node) {
    return !node.decision.valid() || (node.next[0] != kNothing && node.next[1] != kNothing);
  });
}

}  // namespace saltus::trace
