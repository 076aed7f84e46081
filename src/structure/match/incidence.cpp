#include "structure/match/incidence.hpp"

#include <algorithm>

#include "base/work_watch.hpp"

namespace saltus::structure {
namespace {

// In units of base/work_watch.hpp.
constexpr std::int64_t kWorkOfAVisit = 5;

// The column a node stands for by itself, kNone if it is not a leaf that counts.
std::uint32_t column_of(const SlotTable& slots, NodeId node, std::uint32_t n_columns) {
  const std::uint32_t slot = slots.slot_of(node);
  if (slot == kNone) {
    return kNone;
  }
  const std::uint32_t column = slots.representative(slot).slot;
  return column < n_columns ? column : kNone;
}

// Walks one side of an equation after the other and collects columns; subtrees without unknowns are not entered.
class Walker {
 public:
  Walker(const expr::Graph& graph, const SlotTable& slots, std::uint32_t n_columns)
      : graph_(graph),
        slots_(slots),
        n_columns_(n_columns),
        relevant_(graph.size(), 0),
        seen_(graph.size(), 0) {
    for (std::size_t id = 0; id < graph.size(); ++id) {
      const NodeId node(id);
      relevant_[id] = column_of(slots, node, n_columns) != kNone;
      const expr::Node& content = graph[node];
      for (int i = 0; i < expr::n_operands(content.op); ++i) {
        relevant_[id] |= relevant_[content.operand(i)];
      }
    }
  }

  // Appends the columns below `root`, each once.
  void collect(NodeId root, std::vector<std::uint32_t>& columns) {
    ++stamp_;
    const std::size_t first = columns.size();
    visit(root);
    while (!stack_.empty()) {
      const NodeId node = stack_.back();
      stack_.pop_back();
      const std::uint32_t column = column_of(slots_, node, n_columns_);
      if (column != kNone) {
        columns.push_back(column);
        continue;
      }
      const expr::Node& content = graph_[node];
      for (int i = 0; i < expr::n_operands(content.op); ++i) {
        visit(NodeId(content.operand(i)));
      }
    }
    const auto begin = columns.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, columns.end());
    columns.erase(std::unique(begin, columns.end()), columns.end());
  }

 private:
  void visit(NodeId node) {
    if (relevant_[node.index()] != 0 && seen_[node.index()] != stamp_) {
      seen_[node.index()] = stamp_;
      stack_.push_back(node);
      count_work(kWorkOfAVisit);
    }
  }

  const expr::Graph& graph_;
  const SlotTable& slots_;
  std::uint32_t n_columns_;
  std::vector<std::uint8_t> relevant_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t stamp_ = 0;
  std::vector<NodeId> stack_;
};

// Appends the union of two ascending lists as one row.
void append_row(Incidence& incidence, std::span<const std::uint32_t> left,
                std::span<const std::uint32_t> right) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < left.size() || j < right.size()) {
    const std::uint32_t column =
        std::min(i < left.size() ? left[i] : kNone, j < right.size() ? right[j] : kNone);
    std::uint8_t sides = 0;
    if (i < left.size() && left[i] == column) {
      sides |= Incidence::kLeftSide;
      ++i;
    }
    if (j < right.size() && right[j] == column) {
      sides |= Incidence::kRightSide;
      ++j;
    }
    incidence.columns.push_back(column);
    incidence.sides.push_back(sides);
  }
  incidence.row_starts.push_back(static_cast<std::uint32_t>(incidence.columns.size()));
}

}  // namespace

std::uint8_t Incidence::sides_of(std::uint32_t r, std::uint32_t c) const {
  const auto entries = row(r);
  const auto position = std::lower_bound(entries.begin(), entries.end(), c);
  if (position == entries.end() || *position != c) {
    return 0;
  }
  return sides[row_starts[r] + static_cast<std::size_t>(position - entries.begin())];
}

Incidence transpose(const Incidence& incidence) {
  Incidence result;
  result.n_columns = incidence.n_rows();
  result.row_starts.assign(incidence.n_columns + 1, 0);
  for (const std::uint32_t column : incidence.columns) {
    ++result.row_starts[column + 1];
  }
  for (std::size_t c = 0; c < incidence.n_columns; ++c) {
    result.row_starts[c + 1] += result.row_starts[c];
  }
  result.columns.resize(incidence.columns.size());
  std::vector<std::uint32_t> next(result.row_starts.begin(), result.row_starts.end() - 1);
  for (std::uint32_t r = 0; r < incidence.n_rows(); ++r) {
    for (const std::uint32_t column : incidence.row(r)) {
      result.columns[next[column]++] = r;
    }
  }
  return result;
}

Incidence find_incidence(const expr::Graph& graph, std::span<const flat::Equation> equations,
                         const SlotTable& slots, std::uint32_t n_columns) {
  Incidence incidence;
  incidence.n_columns = n_columns;
  incidence.row_starts.reserve(equations.size() + 1);
  Walker walker(graph, slots, n_columns);
  std::vector<std::uint32_t> left;
  std::vector<std::uint32_t> right;
  for (const flat::Equation& equation : equations) {
    left.clear();
    right.clear();
    walker.collect(equation.left, left);
    walker.collect(equation.right, right);
    append_row(incidence, left, right);
  }
  return incidence;
}

}  // namespace saltus::structure
