#include "structure/match/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "expr/jacobian.hpp"
#include "expr/linearity.hpp"
#include "expr/substitute.hpp"
#include "structure/match/block_order.hpp"
#include "structure/match/diagnostic_codes.hpp"
#include "structure/match/names.hpp"

namespace saltus::structure {
namespace {

class BlockBuilder {
 public:
  BlockBuilder(flat::Model& model, const MatchedSystem& system, Diagnostics& diagnostics)
      : model_(model),
        graph_(model.graph),
        system_(system),
        diagnostics_(diagnostics),
        unknown_of_slot_(system.slots.n_slots(), kNone),
        splitter_(model.graph, [this](NodeId leaf) { return unknown_of(leaf); }) {}

  std::vector<Block> run() {
    const Components components = strong_components(system_.incidence, system_.matching);
    const std::vector<OrderedStep> steps = order_steps(system_, components);
    std::vector<Block> blocks;
    blocks.reserve(steps.size());
    for (const OrderedStep& step : steps) {
      if (step.alias != kNone) {
        blocks.push_back(alias_block(system_.aliases[step.alias]));
      } else {
        blocks.push_back(component_block(components[step.component]));
      }
    }
    return blocks;
  }

 private:
  Block alias_block(const Alias& alias) {
    Block block = explicit_block(alias.slot, alias.row);
    const SignedSlot target = system_.slots.representative(alias.slot);
    const NodeId leaf = system_.slots.leaf(target.slot);
    block.formula = target.negative ? graph_.negate(leaf) : leaf;
    return block;
  }

  Block explicit_block(std::uint32_t slot, std::uint32_t row) const {
    Block block;
    block.kind = Block::Kind::explicit_formula;
    block.unknowns = {system_.slots[slot]};
    block.equations = {EquationId(row)};
    return block;
  }

  Block component_block(std::span<const std::uint32_t> rows) {
    set_unknowns(rows);
    if (rows.size() == 1) {
      if (const NodeId formula = direct_formula(rows[0], columns_[0]); formula.valid()) {
        Block block = explicit_block(columns_[0], rows[0]);
        block.formula = formula;
        return block;
      }
    }
    Block block;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      block.unknowns.push_back(system_.slots[columns_[i]]);
      block.equations.emplace_back(rows[i]);
    }
    if (rows.size() == 1) {
      solve_single(rows[0], block);
    } else if (!fill_linear(rows, block)) {
      fill_nonlinear(rows, block);
    }
    check_discrete(block);
    return block;
  }

  // The unknowns of the block that is being built, numbered in the order of its rows.
  void set_unknowns(std::span<const std::uint32_t> rows) {
    for (const std::uint32_t column : columns_) {
      unknown_of_slot_[column] = kNone;
    }
    columns_.clear();
    for (const std::uint32_t row : rows) {
      const std::uint32_t column = system_.matching.column_of_row[row];
      unknown_of_slot_[column] = static_cast<std::uint32_t>(columns_.size());
      columns_.push_back(column);
    }
  }

  // The unknown that a leaf stands for, seen through its alias.
  expr::SignedUnknown unknown_of(NodeId leaf) const {
    const std::uint32_t slot = system_.slots.slot_of(leaf);
    if (slot == kNone) {
      return {};
    }
    const SignedSlot representative = system_.slots.representative(slot);
    return {.unknown = unknown_of_slot_[representative.slot], .negative = representative.negative};
  }

  // `x = f` or `f = x` with f free of x: f itself, so that the numbers are those the user wrote.
  NodeId direct_formula(std::uint32_t row, std::uint32_t column) {
    const flat::Equation& equation = system_.equations[row];
    const std::uint8_t sides = system_.incidence.sides_of(row, column);
    if (sides == (Incidence::kLeftSide | Incidence::kRightSide)) {
      return {};
    }
    const bool on_left = sides == Incidence::kLeftSide;
    const std::uint32_t slot = system_.slots.slot_of(on_left ? equation.left : equation.right);
    if (slot == kNone) {
      return {};
    }
    const NodeId other = on_left ? equation.right : equation.left;
    return system_.slots.representative(slot).negative ? graph_.negate(other) : other;
  }

  // a·u + b = c·u + d, as coefficient·u = right.
  struct LinearRow {
    std::vector<expr::AffineForm::Term> terms;
    NodeId right;  // invalid: zero
  };

  std::optional<LinearRow> linear_row(std::uint32_t row) {
    expr::AffineForm left = splitter_.split(system_.equations[row].left);
    expr::AffineForm right = splitter_.split(system_.equations[row].right);
    if (!left.is_affine || !right.is_affine) {
      return std::nullopt;
    }
    if (left.terms.empty()) {
      std::swap(left, right);  // b = c·u + d: no change of signs needed
    }
    return LinearRow{.terms = subtract(left.terms, right.terms),
                     .right = subtract(right.remainder, left.remainder)};
  }

  NodeId subtract(NodeId a, NodeId b) {
    if (!b.valid()) {
      return a;
    }
    return a.valid() ? graph_.subtract(a, b) : graph_.negate(b);
  }

  std::vector<expr::AffineForm::Term> subtract(const std::vector<expr::AffineForm::Term>& a,
                                               const std::vector<expr::AffineForm::Term>& b) {
    std::vector<expr::AffineForm::Term> result;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() || j < b.size()) {
      const std::uint32_t unknown =
          std::min(i < a.size() ? a[i].unknown : kNone, j < b.size() ? b[j].unknown : kNone);
      const NodeId first = i < a.size() && a[i].unknown == unknown ? a[i++].coefficient : NodeId();
      const NodeId second = j < b.size() && b[j].unknown == unknown ? b[j++].coefficient : NodeId();
      const NodeId coefficient = subtract(first, second);
      if (!graph_.is_constant(coefficient, 0.0)) {
        result.push_back({.unknown = unknown, .coefficient = coefficient});
      }
    }
    return result;
  }

  void solve_single(std::uint32_t row, Block& block) {
    const auto linear = linear_row(row);
    if (!linear) {
      fill_nonlinear(std::span(&row, 1), block);
      return;
    }
    if (linear->terms.empty()) {
      const std::string name = name_of(model_, block.unknowns[0]);
      diagnostics_.error(kUnknownCancels,
                         fmt::format("{} cancels in the only equation that is left to determine it", name),
                         system_.equations[row].span, fmt::format("add an equation that contains {}", name));
      block.formula = graph_.constant(0.0);
      return;
    }
    const NodeId right = linear->right.valid() ? linear->right : graph_.constant(0.0);
    const NodeId coefficient = linear->terms[0].coefficient;
    if (graph_.is_constant(coefficient, 1.0)) {
      block.formula = right;
    } else if (graph_.is_constant(coefficient, -1.0)) {
      block.formula = graph_.negate(right);
    } else {
      block.formula = graph_.divide(right, coefficient);
    }
  }

  bool fill_linear(std::span<const std::uint32_t> rows, Block& block) {
    std::vector<LinearRow> linear;
    linear.reserve(rows.size());
    for (const std::uint32_t row : rows) {
      auto one = linear_row(row);
      if (!one) {
        return false;
      }
      linear.push_back(std::move(*one));
    }
    block.kind = Block::Kind::linear;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (const expr::AffineForm::Term& term : linear[i].terms) {
        block.matrix.push_back({.row = static_cast<int>(i),
                                .column = static_cast<int>(term.unknown),
                                .value = term.coefficient});
      }
      block.right_side.push_back(linear[i].right.valid() ? linear[i].right : graph_.constant(0.0));
    }
    return true;
  }

  void fill_nonlinear(std::span<const std::uint32_t> rows, Block& block) {
    block.kind = Block::Kind::nonlinear;
    std::vector<NodeId> leaves;
    for (const std::uint32_t column : columns_) {
      leaves.push_back(system_.slots.leaf(column));
    }
    for (const std::uint32_t row : rows) {
      const flat::Equation& equation = system_.equations[row];
      block.residual.push_back(without_aliases(graph_.subtract(equation.left, equation.right)));
    }
    block.matrix = jacobian_entries(graph_, block.residual, leaves);
  }

  // A nonlinear block knows its unknowns by their own leaves only.
  NodeId without_aliases(NodeId node) {
    if (system_.aliases.empty()) {
      return node;
    }
    if (!substitution_) {
      std::vector<expr::Replacement> replacements;
      for (const Alias& alias : system_.aliases) {
        const SignedSlot target = system_.slots.representative(alias.slot);
        const NodeId leaf = system_.slots.leaf(target.slot);
        replacements.push_back(
            {.from = system_.slots.leaf(alias.slot), .to = target.negative ? graph_.negate(leaf) : leaf});
      }
      substitution_.emplace(graph_, replacements);
    }
    return (*substitution_)(node);
  }

  // An Integer or a Boolean takes its value from a formula; it is never iterated for.
  void check_discrete(const Block& block) {
    if (block.kind == Block::Kind::explicit_formula) {
      return;
    }
    for (std::size_t i = 0; i < block.unknowns.size(); ++i) {
      const flat::Variable& variable = model_[block.unknowns[i].variable];
      if (variable.type == flat::Type::real) {
        continue;
      }
      Diagnostic& diagnostic =
          diagnostics_.error(kDiscreteLoop,
                             fmt::format("the discrete variable {} is part of a loop of equations: {}",
                                         variable.name, list_names(model_, block.unknowns)),
                             system_.equations[block.equations[i].index()].span,
                             fmt::format("give {} by an equation '{} = …' that does not depend on it",
                                         variable.name, variable.name));
      diagnostic.notes.push_back({.message = variable.name + " is declared here", .span = variable.span});
      return;
    }
  }

  flat::Model& model_;
  expr::Graph& graph_;
  const MatchedSystem& system_;
  Diagnostics& diagnostics_;
  std::vector<std::uint32_t> columns_;          // of the current block
  std::vector<std::uint32_t> unknown_of_slot_;  // place in columns_, kNone elsewhere
  expr::AffineSplitter splitter_;
  std::optional<expr::Substitution> substitution_;
};

}  // namespace

std::vector<MatrixEntry> jacobian_entries(expr::Graph& graph, std::span<const NodeId> residual,
                                          std::span<const NodeId> leaves) {
  const expr::SparseJacobian jacobian = expr::jacobian(graph, residual, leaves);
  std::vector<MatrixEntry> entries;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    for (std::size_t k = jacobian.row_start[i]; k < jacobian.row_start[i + 1]; ++k) {
      entries.push_back({.row = static_cast<int>(i),
                         .column = static_cast<int>(jacobian.column[k]),
                         .value = jacobian.value[k]});
    }
  }
  return entries;
}

std::vector<Block> build_blocks(flat::Model& model, const MatchedSystem& system, Diagnostics& diagnostics) {
  return BlockBuilder(model, system, diagnostics).run();
}

}  // namespace saltus::structure
