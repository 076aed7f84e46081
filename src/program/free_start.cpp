#include "program/free_start.hpp"

#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "expr/dependency.hpp"
#include "expr/substitute.hpp"
#include "program/equations/late_graph.hpp"

namespace saltus::program {
namespace {

using flat::Condition;
using structure::Block;
using structure::Unknown;

class FreeBlocks {
 public:
  FreeBlocks(const SystemCode& data, expr::Graph& graph)
      : data_(data), graph_(graph), blocks_(data.initialization.blocks) {
    expr::Substitution without_previous(graph, data.initialization.previous);
    for (const ConditionInputs::Guard& guard : data.conditions.guards()) {
      guards_.push_back(without_previous(guard.expression));
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      for (const Unknown& unknown : blocks_[b].unknowns) {
        given_by_.emplace(unknown, b);
      }
    }
    for (std::size_t i = 0; i < guards_.size(); ++i) {
      needs_.push_back(last_needed(guards_[i]));
    }
  }

  std::vector<Block> run() {
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      Block& block = blocks_[b];
      const bool is_formula = block.kind == Block::Kind::explicit_formula;
      // A torn block and the formulas taken out of it are one; a formula must not need itself.
      expr::Substitution free = relations_known(is_formula ? b : b + 1 + block.n_formulas);
      if (is_formula) {
        block.formula = free(block.formula);
      } else {
        release(block, free);
      }
    }
    return std::move(blocks_);
  }

 private:
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  // The last of the blocks whose unknowns an expression contains; 0 where it contains none.
  [[nodiscard]] std::size_t last_needed(NodeId expression) const {
    std::size_t last = 0;
    for (const NodeId leaf : expr::leaves_of(graph_, std::span(&expression, 1))) {
      const expr::Node& node = graph_[leaf];
      if (node.op != expr::Op::variable) {
        continue;
      }
      const auto found =
          given_by_.find({.variable = VariableId(node.first), .order = static_cast<int>(node.second)});
      last = std::max(last, found == given_by_.end() ? kNever : found->second);
    }
    return last;
  }

  // Conditions whose guards need no block from `end` on.
  [[nodiscard]] expr::Substitution relations_known(std::size_t end) {
    std::vector<expr::Replacement> known;
    for (std::size_t i = 0; i < guards_.size(); ++i) {
      for (const ConditionInputs::Use& use : data_.conditions.of_guard(i)) {
        if (needs_[i] < end && is_relation(use.kind)) {
          known.push_back(
              {graph_.condition(ConditionId(use.condition)), relation_of(graph_, use.kind, guards_[i])});
        }
      }
    }
    return {graph_, known};
  }
  void release(Block& block, expr::Substitution& free) {
    bool has_changed = false;
    const auto replace = [&](NodeId& node) {
      const NodeId image = free(node);
      has_changed = has_changed || image != node;
      node = image;
    };
    for (structure::MatrixEntry& entry : block.matrix) {
      replace(entry.value);
    }
    for (NodeId& node : block.residual) {
      replace(node);
    }
    for (NodeId& node : block.right_side) {
      replace(node);
    }
    if (block.kind != Block::Kind::linear || !has_changed) {
      return;
    }
    block.kind = Block::Kind::nonlinear;
    for (const NodeId node : block.right_side) {
      block.residual.push_back(graph_.negate(node));
    }
    for (const structure::MatrixEntry& entry : block.matrix) {
      const Unknown& unknown = block.unknowns[static_cast<std::size_t>(entry.column)];
      NodeId& row = block.residual[static_cast<std::size_t>(entry.row)];
      row = graph_.add(row, graph_.multiply(entry.value, graph_.variable(unknown.variable, unknown.order)));
    }
    block.right_side.clear();
  }

  const SystemCode& data_;
  expr::Graph& graph_;
  std::vector<Block> blocks_;
  std::vector<NodeId> guards_;
  std::vector<std::size_t> needs_;  // by guard: the last block that it needs
  std::map<Unknown, std::size_t> given_by_;
};

}  // namespace

NodeId relation_of(expr::Graph& graph, Condition::Kind kind, NodeId guard) {
  const NodeId zero = graph.constant(0.0);
  switch (kind) {
    case Condition::Kind::greater: return graph.binary(expr::Op::less, zero, guard);
    case Condition::Kind::greater_equal: return graph.binary(expr::Op::less_equal, zero, guard);
    case Condition::Kind::less: return graph.binary(expr::Op::less, guard, zero);
    default: return graph.binary(expr::Op::less_equal, guard, zero);
  }
}

const std::shared_ptr<const SequenceCode>& compile_free_start(const SystemCode& code) {
  return code.free_start.get([&code] {
    LateGraph::Access graph = code.late_graph->open();
    const std::vector<Block> blocks = FreeBlocks(code, *graph).run();
    return std::make_shared<const SequenceCode>(*graph, start_request(code, blocks));
  });
}

}  // namespace saltus::program
