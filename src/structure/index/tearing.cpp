#include "structure/index/tearing.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "expr/sparsity.hpp"
#include "expr/substitute.hpp"
#include "structure/index/elimination.hpp"
#include "structure/match/blocks.hpp"
#include "structure/match/slots.hpp"

namespace saltus::structure {
namespace {

using expr::Op;

bool is_sum(Op op) {
  return op == Op::negate || op == Op::add || op == Op::subtract;
}

class Tearing {
 public:
  explicit Tearing(flat::Model& model)
      : model_(model), graph_(model.graph), find_(model.graph), substitution_(model.graph, {}) {}

  void tear(Block block, std::vector<Block>& blocks) {
    if (block.kind == Block::Kind::explicit_formula || block.unknowns.size() < 2) {
      blocks.push_back(std::move(block));
      return;
    }
    set_leaves(block);
    std::vector<Block> torn = block.kind == Block::Kind::linear ? tear_linear(block) : tear_nonlinear(block);
    std::move(torn.begin(), torn.end(), std::back_inserter(blocks));
  }

 private:
  void set_leaves(const Block& block) {
    for (const NodeId leaf : leaves_) {
      column_of_node_[leaf.index()] = kNone;
    }
    leaves_.clear();
    for (const Unknown& unknown : block.unknowns) {
      leaves_.push_back(graph_.variable(unknown.variable, unknown.order));
    }
    column_of_node_.resize(graph_.size(), kNone);
    for (std::uint32_t column = 0; column < leaves_.size(); ++column) {
      column_of_node_[leaves_[column].index()] = column;
    }
  }
  [[nodiscard]] std::uint32_t column_of(NodeId leaf) const {
    return leaf.index() < column_of_node_.size() ? column_of_node_[leaf.index()] : kNone;
  }
  [[nodiscard]] double unit_of(NodeId coefficient) const {
    return graph_.is_constant(coefficient, 1.0) ? 1.0 : graph_.is_constant(coefficient, -1.0) ? -1.0 : 0.0;
  }
  [[nodiscard]] NodeId signed_node(double sign, NodeId node) {
    return sign > 0.0 ? node : graph_.negate(node);
  }

  [[nodiscard]] std::vector<std::uint8_t> may_go(const Block& block) const {
    std::vector<std::uint8_t> result;
    for (const Unknown& unknown : block.unknowns) {
      const bool has_guess =
          block.kind == Block::Kind::nonlinear && model_[unknown.variable].start.has_value();
      result.push_back(unknown.order == 0 && !has_guess ? 1 : 0);
    }
    return result;
  }

  std::vector<Block> tear_linear(const Block& block) {
    std::vector<std::vector<EliminationEntry>> written(block.unknowns.size());
    for (const MatrixEntry& entry : block.matrix) {
      written[static_cast<std::size_t>(entry.row)].push_back(
          {static_cast<std::uint32_t>(entry.column), unit_of(entry.value), entry.value});
    }
    std::vector<NodeId> right = block.right_side;
    Elimination elimination(written, may_go(block));
    elimination.run([&](std::uint32_t target, const EliminationEntry& coefficient, std::uint32_t row,
                        const EliminationEntry& pivot, std::vector<EliminationEntry>& gained) {
      const NodeId factor = signed_node(-pivot.unit, coefficient.value);
      for (EliminationEntry& entry : gained) {
        entry.value = graph_.multiply(factor, entry.value);
      }
      right[target] = graph_.add(right[target], graph_.multiply(factor, right[row]));
    });
    const auto formula = [&](std::uint32_t row, const EliminationEntry& pivot) {
      NodeId rest = block.right_side[row];
      for (const EliminationEntry& entry : written[row]) {
        if (entry.column != pivot.column) {
          rest = graph_.subtract(rest, graph_.multiply(entry.value, leaves_[entry.column]));
        }
      }
      return signed_node(pivot.unit, rest);
    };
    const auto fill = [&](Block& left, std::span<const std::uint32_t> rows,
                          std::span<const std::uint32_t> place) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        for (const EliminationEntry& entry : elimination.row(rows[i])) {
          left.matrix.push_back({static_cast<int>(i), static_cast<int>(place[entry.column]), entry.value});
        }
        left.right_side.push_back(right[rows[i]]);
      }
    };
    return assemble(block, elimination, written, formula, fill);
  }

  std::vector<Block> tear_nonlinear(const Block& block) {
    std::vector<std::vector<EliminationEntry>> written;
    for (const NodeId residual : block.residual) {
      written.push_back(entries_of(residual));
    }
    Elimination elimination(written, may_go(block));
    elimination.run([](const auto&...) {});
    const auto formula = [&](std::uint32_t row, const EliminationEntry& pivot) {
      const NodeId rest = signed_node(-pivot.unit, without(block.residual[row], leaves_[pivot.column]));
      substitution_.define(leaves_[pivot.column], substitution_(rest));
      return rest;
    };
    const auto fill = [&](Block& left, std::span<const std::uint32_t> rows,
                          std::span<const std::uint32_t> place) {
      std::vector<NodeId> left_leaves;
      for (std::size_t column = 0; column < place.size(); ++column) {
        if (place[column] != kNone) {
          left_leaves.push_back(leaves_[column]);
        }
      }
      for (const std::uint32_t row : rows) {
        left.residual.push_back(substitution_(block.residual[row]));
      }
      left.matrix = jacobian_entries(graph_, left.residual, left_leaves);
    };
    return assemble(block, elimination, written, formula, fill);
  }

  // The unknowns in the terms of the sum that a residual is, and which of them are a term and nowhere else.
  std::vector<EliminationEntry> entries_of(NodeId residual) {
    std::vector<std::pair<NodeId, double>> stack{{residual, 1.0}};
    std::vector<std::pair<NodeId, double>> alone;
    std::vector<NodeId> others;
    std::unordered_set<NodeId>
        sums;  // a part met twice is not gone through again: its unknowns are in several terms
    while (!stack.empty()) {
      const auto [node, sign] = stack.back();
      stack.pop_back();
      const expr::Node& content = graph_[node];
      if (is_sum(content.op) && !sums.insert(node).second) {
        others.push_back(node);
      } else if (content.op == Op::negate) {
        stack.emplace_back(NodeId(content.first), -sign);
      } else if (content.op == Op::add || content.op == Op::subtract) {
        stack.emplace_back(NodeId(content.first), sign);
        stack.emplace_back(NodeId(content.second), content.op == Op::add ? sign : -sign);
      } else if (content.op == Op::variable) {
        alone.emplace_back(node, sign);
      } else {
        others.push_back(node);
      }
    }
    std::vector<EliminationEntry> entries;
    for (const NodeId leaf : find_(others, expr::Occurrence::any)) {
      if (const std::uint32_t column = column_of(leaf); column != kNone) {
        entries.push_back({column, 0.0, {}});
      }
    }
    for (const auto& [leaf, sign] : alone) {
      if (const std::uint32_t column = column_of(leaf); column != kNone) {
        entries.push_back({column, sign, {}});
      }
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const auto& a, const auto& b) { return a.column < b.column; });
    // Of an unknown in several terms one entry, without a coefficient.
    std::vector<EliminationEntry> result;
    for (const EliminationEntry& entry : entries) {
      if (!result.empty() && result.back().column == entry.column) {
        result.back().unit = 0.0;
      } else {
        result.push_back(entry);
      }
    }
    return result;
  }

  // A sum without one of its terms, which is in it once: rebuilt along the way to it.
  NodeId without(NodeId sum, NodeId term) {
    std::vector<NodeId> way;
    std::vector<std::pair<NodeId, std::size_t>> stack{{sum, 0}};
    std::unordered_set<NodeId> sums;
    while (way.empty() || way.back() != term) {
      const auto [node, depth] = stack.back();
      stack.pop_back();
      way.resize(depth);
      way.push_back(node);
      const Op op = graph_[node].op;
      if (is_sum(op) && sums.insert(node).second) {
        for (int i = 0; i < expr::n_operands(op); ++i) {
          stack.emplace_back(NodeId(graph_[node].operand(i)), depth + 1);
        }
      }
    }
    NodeId image = graph_.constant(0.0);
    for (std::size_t k = way.size() - 1; k-- > 0;) {
      const expr::Node content = graph_[way[k]];
      const bool is_first = NodeId(content.first) == way[k + 1];
      image = expr::rebuild_with(graph_, way[k], is_first ? image : NodeId(content.first),
                                 is_first ? NodeId(content.second) : image, {});
    }
    return image;
  }

  // What is left, then the formulas, each after those it needs.
  template <class Formula, class Fill>
  std::vector<Block> assemble(const Block& block, const Elimination& elimination,
                              const std::vector<std::vector<EliminationEntry>>& written,
                              const Formula& formula, const Fill& fill) {
    const std::vector<std::uint32_t> given = elimination.order_of_formulas(written);
    if (given.empty()) {
      return {block};
    }
    std::vector<Block> result(1);
    for (const std::uint32_t column : given) {
      const std::uint32_t row = elimination.giver(column);
      Block& one = result.emplace_back();
      one.unknowns = {block.unknowns[column]};
      one.equations = {block.equations[row]};
      one.formula = formula(row, entry_of(written[row], column));
    }
    Block& left = result.front();
    left.kind = block.kind;
    left.n_formulas = given.size();
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> place(block.unknowns.size(), kNone);
    for (std::uint32_t i = 0; i < block.unknowns.size(); ++i) {
      if (elimination.giver(i) == Elimination::kKept) {
        place[i] = static_cast<std::uint32_t>(left.unknowns.size());
        left.unknowns.push_back(block.unknowns[i]);
      }
      if (elimination.is_left(i)) {
        rows.push_back(i);
        left.equations.push_back(block.equations[i]);
      }
    }
    fill(left, rows, place);
    return result;
  }

  flat::Model& model_;
  expr::Graph& graph_;
  expr::IncidenceFinder find_;
  expr::Substitution substitution_;  // of unknowns of nonlinear blocks by their formulas
  std::vector<NodeId> leaves_;       // of the unknowns of the block
  std::vector<std::uint32_t> column_of_node_;
};

}  // namespace

std::vector<Block> tear_blocks(flat::Model& model, std::vector<Block> blocks) {
  Tearing tearing(model);
  std::vector<Block> result;
  result.reserve(blocks.size());
  for (Block& block : blocks) {
    if (block.is_singular) {
      result.push_back(std::move(block));
    } else {
      tearing.tear(std::move(block), result);
    }
  }
  return result;
}

}  // namespace saltus::structure
