#include "program/equations/missing_values.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "expr/dependency.hpp"

namespace saltus::program {
namespace {

using expr::Op;
using structure::Block;

class MissingValues {
 public:
  MissingValues(const expr::Graph& graph, const structure::Causalized& causalized)
      : graph_(graph),
        causalized_(causalized),
        kinds_(expr::dependency_kinds(graph)),
        is_seen_(graph.size(), 0) {}

  bool run() {
    for (const structure::Unknown& rate : causalized_.derivatives) {
      needed_.insert(key(rate));
    }
    // Formulas that were taken out of a block stand behind it and are needed by it: another pass finds them.
    std::vector<std::uint8_t> is_needed(causalized_.blocks.size(), 0);
    for (bool has_grown = true; has_grown;) {
      has_grown = false;
      for (std::size_t b = causalized_.blocks.size(); b-- > 0;) {
        const Block& block = causalized_.blocks[b];
        if (is_needed[b] == 0 && gives_needed(block)) {
          is_needed[b] = 1;
          has_grown = true;
          need_all_of(block);
        }
      }
    }
    for (std::size_t b = 0; b < causalized_.blocks.size(); ++b) {
      if (is_needed[b] == 0 && may_fail(causalized_.blocks[b])) {
        return true;
      }
    }
    return false;
  }

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;

  [[nodiscard]] static Key key(const structure::Unknown& unknown) {
    return {static_cast<std::uint32_t>(unknown.variable.index()), static_cast<std::uint32_t>(unknown.order)};
  }

  [[nodiscard]] bool gives_needed(const Block& block) const {
    return std::any_of(
        block.unknowns.begin(), block.unknowns.end(),
        [this](const structure::Unknown& unknown) { return needed_.count(key(unknown)) != 0; });
  }

  [[nodiscard]] static std::vector<NodeId> nodes_of(const Block& block) {
    std::vector<NodeId> nodes;
    if (block.kind == Block::Kind::explicit_formula) {
      nodes.push_back(block.formula);
    }
    for (const structure::MatrixEntry& entry : block.matrix) {
      nodes.push_back(entry.value);
    }
    nodes.insert(nodes.end(), block.right_side.begin(), block.right_side.end());
    nodes.insert(nodes.end(), block.residual.begin(), block.residual.end());
    return nodes;
  }

  void need_all_of(const Block& block) {
    for (const NodeId leaf : expr::leaves_of(graph_, nodes_of(block))) {
      if (graph_[leaf].op == Op::variable) {
        needed_.insert({graph_[leaf].first, graph_[leaf].second});
      }
    }
  }

  [[nodiscard]] bool varies(NodeId node) const {
    using expr::Kinds;
    return has(kinds_[node.index()], Kinds::time | Kinds::variable | Kinds::derivative);
  }

  [[nodiscard]] bool may_fail(const Block& block) {
    if (block.kind == Block::Kind::nonlinear || block.is_singular) {
      return true;
    }
    const bool has_varying_matrix =
        std::any_of(block.matrix.begin(), block.matrix.end(),
                    [this](const structure::MatrixEntry& entry) { return varies(entry.value); });
    const std::vector<NodeId> nodes = nodes_of(block);
    return has_varying_matrix ||
           std::any_of(nodes.begin(), nodes.end(), [this](NodeId node) { return contains_partial(node); });
  }

  // Whether an operation below the node, itself included, is not defined for all values of what varies.
  [[nodiscard]] bool contains_partial(NodeId root) {
    std::vector<NodeId> open{root};
    while (!open.empty()) {
      const NodeId node = open.back();
      open.pop_back();
      if (is_seen_[node.index()] != 0) {
        continue;
      }
      is_seen_[node.index()] = 1;
      const expr::Node& at = graph_[node];
      if (is_partial(at)) {
        return true;
      }
      for (int i = 0; i < expr::n_operands(at.op); ++i) {
        open.push_back(NodeId(at.operand(i)));
      }
    }
    return false;
  }

  [[nodiscard]] bool is_partial(const expr::Node& node) const {
    switch (node.op) {
      case Op::sqrt:
      case Op::log:
      case Op::log10:
      case Op::asin:
      case Op::acos: return varies(NodeId(node.first));
      case Op::divide: return varies(NodeId(node.second));
      case Op::power: return varies(NodeId(node.first)) || varies(NodeId(node.second));
      case Op::power_integer: return varies(NodeId(node.first)) && graph_[NodeId(node.second)].value < 0.0;
      default: return false;
    }
  }

  const expr::Graph& graph_;
  const structure::Causalized& causalized_;
  std::vector<expr::Kinds> kinds_;  // by node
  std::set<Key> needed_;
  std::vector<std::uint8_t> is_seen_;  // by node: nothing partial is below it
};

}  // namespace

bool values_may_be_missing(const expr::Graph& graph, const structure::Causalized& causalized) {
  return MissingValues(graph, causalized).run();
}

}  // namespace saltus::program
