/// Bindings of a mode, to which total derivatives of formulas are added as guards ask for them.
///
/// Contract     the graph grows. Input registers are numbered as those of BlockSequence (blocks/block_sequence.hpp).
/// Checked by   tests/unit/program/guard_set_test.cpp
#pragma once

#include <cstdint>
#include <vector>

#include "expr/taylor.hpp"
#include "program/guards/guard_set.hpp"

namespace saltus::program {

class DerivativeBindings {
 public:
  DerivativeBindings(expr::Graph& graph, const GuardSetRequest& request)
      : graph_(graph),
        n_held_(request.n_held),
        bindings_(request.bindings),
        taylor_(graph, {.coefficient = {}, .rests = [this](const expr::Node& leaf) { return rests(leaf); }}) {
    for (std::size_t i = 0; i < request.states.size(); ++i) {
      const structure::Unknown& state = request.states[i];
      bindings_.bind_variable(state.variable, state.order,
                              {Binding::Kind::state, static_cast<std::uint32_t>(i)});
    }
    n_inputs_ = 1 + request.n_held;
    for (const structure::Block& block : request.blocks) {
      const std::uint32_t first = n_inputs_;
      for (const structure::Unknown& unknown : block.unknowns) {
        const bool is_formula = block.kind == structure::Block::Kind::explicit_formula;
        bindings_.bind_variable(unknown.variable, unknown.order,
                                is_formula ? Binding{Binding::Kind::node, block.formula.value()}
                                           : Binding{Binding::Kind::input, n_inputs_});
        if (!is_formula) {
          ++n_inputs_;
          solved_.push_back(unknown);
          giving_.push_back({&block, first});
        }
      }
    }
  }

  [[nodiscard]] const LeafBindings& bindings() const { return bindings_; }
  [[nodiscard]] std::uint32_t n_inputs() const { return n_inputs_; }
  /// The unknown that an input register is.
  [[nodiscard]] const structure::Unknown& solved(std::uint32_t input) const {
    return solved_[input - n_held_ - 1];
  }
  struct Giving {
    const structure::Block* block;
    std::uint32_t first_input;  ///< of the block's unknowns
  };
  /// … and what gives it.
  [[nodiscard]] const Giving& giving(std::uint32_t input) const { return giving_[input - n_held_ - 1]; }
  [[nodiscard]] NodeId total_derivative(NodeId node, int order) {
    return taylor_.total_derivative(node, order);
  }

  /// Gives a leaf a meaning: the total derivative of the formula of a lower derivative. False if there is none.
  bool bind_derivative(NodeId leaf_id) {
    const expr::Node leaf = graph_[leaf_id];
    if (leaf.op != expr::Op::variable) {
      return false;
    }
    const VariableId variable(leaf.first);
    for (std::uint32_t order = leaf.second; order-- > 0;) {
      const Binding lower = bindings_.of({.op = expr::Op::variable, .first = leaf.first, .second = order});
      if (lower.kind == Binding::Kind::none) {
        continue;
      }
      if (lower.kind != Binding::Kind::node) {
        return false;
      }
      const NodeId node =
          taylor_.total_derivative(NodeId(lower.value), static_cast<int>(leaf.second - order));
      bindings_.bind_variable(variable, static_cast<int>(leaf.second), {Binding::Kind::node, node.value()});
      return true;
    }
    return false;
  }

 private:
  // Discrete values rest between events.
  [[nodiscard]] bool rests(const expr::Node& leaf) const {
    const Binding binding = bindings_.of({.op = expr::Op::variable, .first = leaf.first, .second = 0});
    return binding.kind == Binding::Kind::parameter ||
           (binding.kind == Binding::Kind::input && binding.value <= n_held_);
  }

  expr::Graph& graph_;
  std::uint32_t n_held_;
  LeafBindings bindings_;
  std::uint32_t n_inputs_ = 1;
  std::vector<structure::Unknown> solved_;
  std::vector<Giving> giving_;  // by place in solved_
  expr::TaylorExpansion taylor_;
};

}  // namespace saltus::program
