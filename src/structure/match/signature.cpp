#include "structure/match/signature.hpp"

#include <algorithm>
#include <utility>

#include "base/work_watch.hpp"
#include "expr/dependency.hpp"

namespace saltus::structure {
namespace {

// In units of base/work_watch.hpp.
constexpr std::int64_t kWorkOfAnOperation = 5;

class SignatureWalker {
 public:
  SignatureWalker(const expr::Graph& graph, std::span<const std::uint32_t> column_of_variable)
      : graph_(graph),
        column_of_variable_(column_of_variable),
        relevant_(graph.size(), 0),
        seen_(graph.size(), 0),
        shift_(graph.size(), 0) {
    for (std::size_t id = 0; id < graph.size(); ++id) {
      const expr::Node& node = graph[NodeId(id)];
      relevant_[id] = column_of(node) != kNone;
      for (int i = 0; i < expr::n_references(node.op); ++i) {
        if (expr::influences_derivative(node.op, i)) {
          relevant_[id] |= relevant_[node.operand(i)];
        }
      }
    }
  }

  void append_row(const flat::Equation& equation, Signature& signature) {
    found_.clear();
    ++stamp_;
    visit(equation.left, 0);
    visit(equation.right, 0);
    while (!stack_.empty()) {
      const auto [id, shift] = stack_.back();
      const expr::Node& node = graph_[id];
      stack_.pop_back();
      if (node.op == expr::Op::variable) {
        found_.emplace_back(column_of(node), static_cast<int>(node.second) - shift);
        continue;
      }
      for (int i = 0; i < expr::n_references(node.op); ++i) {
        if (expr::influences_derivative(node.op, i)) {
          const bool is_slope = node.op == expr::Op::rated && i == 1;
          visit(NodeId(node.operand(i)), is_slope ? shift + 1 : shift);
        }
      }
    }
    std::sort(found_.begin(), found_.end());
    for (std::size_t k = 0; k < found_.size(); ++k) {
      // Sorted by order within a column: the last one is the highest.
      if (k + 1 == found_.size() || found_[k + 1].first != found_[k].first) {
        signature.columns.push_back(found_[k].first);
        signature.orders.push_back(found_[k].second);
      }
    }
    signature.row_starts.push_back(static_cast<std::uint32_t>(signature.columns.size()));
  }

 private:
  std::uint32_t column_of(const expr::Node& node) const {
    return node.op == expr::Op::variable ? column_of_variable_[node.first] : kNone;
  }

  // What the slope of a rated node contains, its first derivative contains: of one order less than the node itself.
  void visit(NodeId node, int shift) {
    if (relevant_[node.index()] != 0 && (seen_[node.index()] != stamp_ || shift < shift_[node.index()])) {
      seen_[node.index()] = stamp_;
      shift_[node.index()] = shift;
      stack_.emplace_back(node, shift);
      count_work(kWorkOfAnOperation);
    }
  }

  const expr::Graph& graph_;
  std::span<const std::uint32_t> column_of_variable_;
  std::vector<std::uint8_t> relevant_;
  std::vector<std::uint32_t> seen_;
  std::vector<int> shift_;  // with which a node was seen last
  std::uint32_t stamp_ = 0;
  std::vector<std::pair<NodeId, int>> stack_;
  std::vector<std::pair<std::uint32_t, int>> found_;
};

}  // namespace

Signature find_signature(const expr::Graph& graph, std::span<const flat::Equation> equations,
                         std::span<const std::uint32_t> column_of_variable, std::uint32_t n_columns) {
  Signature signature;
  signature.n_columns = n_columns;
  signature.row_starts.reserve(equations.size() + 1);
  SignatureWalker walker(graph, column_of_variable);
  for (const flat::Equation& equation : equations) {
    walker.append_row(equation, signature);
  }
  return signature;
}

Incidence any_order(const Signature& signature) {
  Incidence incidence;
  incidence.n_columns = signature.n_columns;
  incidence.row_starts = signature.row_starts;
  incidence.columns = signature.columns;
  incidence.sides.assign(signature.columns.size(), Incidence::kLeftSide);
  return incidence;
}

}  // namespace saltus::structure
