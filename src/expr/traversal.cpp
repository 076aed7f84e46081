#include "expr/traversal.hpp"

#include <algorithm>

#include "base/work_watch.hpp"

namespace saltus::expr {
namespace {

// A heap beats a table of marks while it holds fewer nodes than this part of the table (measured: about
// 1/30).
constexpr std::size_t kSparsePart = 32;
constexpr std::size_t kAlwaysSparse = 64;
constexpr std::int64_t kWorkOfAHeap = 20;  // base/work_watch.hpp: a node leaves it, its operands enter

std::vector<NodeId> by_marks(const Graph& graph, std::span<const NodeId> roots, std::size_t limit) {
  std::vector<char> marked(limit, 0);
  for (const NodeId root : roots) {
    if (root.valid()) {
      marked[root.index()] = 1;
    }
  }
  count_work(static_cast<std::int64_t>(limit));
  std::size_t count = 0;
  for (std::size_t id = limit; id-- > 0;) {
    if (marked[id] == 0) {
      continue;
    }
    ++count;
    const Node& node = graph[NodeId(id)];
    for (int i = 0; i < n_operands(node.op); ++i) {
      marked[node.operand(i)] = 1;
    }
  }
  std::vector<NodeId> result;
  result.reserve(count);
  for (std::size_t id = 0; id < limit; ++id) {
    if (marked[id] != 0) {
      result.emplace_back(id);
    }
  }
  return result;
}

}  // namespace

std::vector<NodeId> needed_nodes(const Graph& graph, std::span<const NodeId> roots) {
  std::vector<NodeId> heap;
  std::size_t limit = 0;
  for (const NodeId root : roots) {
    if (root.valid()) {
      heap.push_back(root);
      limit = std::max(limit, root.index() + 1);
    }
  }
  const std::size_t sparse = std::max(kAlwaysSparse, limit / kSparsePart);
  if (heap.size() > sparse) {
    return by_marks(graph, roots, limit);
  }
  std::make_heap(heap.begin(), heap.end());
  std::vector<NodeId> result;
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    const NodeId id = heap.back();
    heap.pop_back();
    if (!result.empty() && result.back() == id) {
      continue;  // equal ids leave the heap one after the other
    }
    if (result.size() >= sparse) {
      return by_marks(graph, roots, limit);
    }
    result.push_back(id);
    count_work(kWorkOfAHeap);
    const Node& node = graph[id];
    for (int i = 0; i < n_operands(node.op); ++i) {
      heap.emplace_back(node.operand(i));
      std::push_heap(heap.begin(), heap.end());
    }
  }
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace saltus::expr
