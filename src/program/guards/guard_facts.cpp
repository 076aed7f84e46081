#include "program/guards/guard_facts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <queue>
#include <unordered_map>

#include "expr/dependency.hpp"
#include "expr/traversal.hpp"
#include "program/guards/guard_continuity.hpp"

namespace saltus::program {
namespace {

using expr::Op;
using structure::Block;

std::vector<NodeId> nodes_of(const Block& block) {
  if (block.kind == Block::Kind::explicit_formula) {
    return {block.formula};
  }
  std::vector<NodeId> nodes = block.kind == Block::Kind::linear ? block.right_side : block.residual;
  for (const structure::MatrixEntry& entry : block.matrix) {
    nodes.push_back(entry.value);
  }
  return nodes;
}

/// How a value depends on the weight s of a guard.
enum class InWeight : std::uint8_t { free, affine, other };

/// Follows the weight of one guard through the blocks.
class WeightAnalysis {
 public:
  WeightAnalysis(flat::Model& model, std::span<const Block> blocks)
      : model_(model), graph_(model.graph), blocks_(blocks) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      for (const NodeId leaf : expr::leaves_of(graph_, nodes_of(blocks[i]))) {
        users_[leaf.value()].push_back(i);
      }
    }
  }

  [[nodiscard]] bool is_affine(GuardId guard, std::span<const NodeId> conditions) {
    leaf_status_.clear();
    for (const NodeId condition : conditions) {
      set_leaf(condition, InWeight::affine);
    }
    guard_ = guard;
    while (!queue_.empty()) {
      const std::size_t block = queue_.top();
      queue_.pop();
      if (!visit(blocks_[block])) {
        queue_ = {};
        return false;
      }
      while (!queue_.empty() && queue_.top() == block) {
        queue_.pop();
      }
    }
    return true;
  }

 private:
  void set_leaf(NodeId leaf, InWeight status) {
    leaf_status_[leaf.value()] = status;
    if (const auto users = users_.find(leaf.value()); users != users_.end()) {
      for (const std::size_t block : users->second) {
        queue_.push(block);
      }
    }
  }

  // False where an unknown is neither free nor affine.
  [[nodiscard]] bool visit(const Block& block) {
    InWeight status = InWeight::free;
    if (block.kind == Block::Kind::explicit_formula) {
      status = status_of(block.formula);
    } else if (block.kind == Block::Kind::linear) {
      for (const structure::MatrixEntry& entry : block.matrix) {
        if (status_of(entry.value) != InWeight::free) {
          return false;
        }
      }
      for (const NodeId side : block.right_side) {
        status = std::max(status, status_of(side));
      }
    } else {
      for (const NodeId residual : block.residual) {
        if (status_of(residual) != InWeight::free) {
          return false;
        }
      }
    }
    if (status == InWeight::affine) {
      for (const structure::Unknown& unknown : block.unknowns) {
        set_leaf(graph_.variable(unknown.variable, unknown.order), status);
      }
    }
    return status != InWeight::other;
  }

  [[nodiscard]] InWeight status_of(NodeId root) {
    const std::vector<NodeId> nodes = expr::needed_nodes(graph_, std::span(&root, 1));
    status_.resize(std::max(status_.size(), graph_.size()));
    for (const NodeId id : nodes) {
      status_[id.index()] = status_of(graph_[id], id);
    }
    return status_[root.index()];
  }

  [[nodiscard]] InWeight status_of(const expr::Node& node, NodeId id) const {
    const int n = expr::n_operands(node.op);
    if (n == 0) {
      const auto known = leaf_status_.find(id.value());
      return known == leaf_status_.end() ? InWeight::free : known->second;
    }
    const auto of = [&](int k) { return status_[node.operand(k)]; };
    if (node.op == Op::select && is_held_direction(node)) {
      return of(1);
    }
    InWeight worst = InWeight::free;
    for (int k = 0; k < n; ++k) {
      worst = std::max(worst, of(k));
    }
    if (worst != InWeight::affine) {
      return worst;
    }
    switch (node.op) {
      case Op::negate:
      case Op::add:
      case Op::subtract:
      case Op::logical_not: return worst;
      case Op::multiply:
      case Op::logical_and:
      case Op::logical_or:
        return of(0) == InWeight::free || of(1) == InWeight::free ? worst : InWeight::other;
      case Op::divide: return of(1) == InWeight::free ? worst : InWeight::other;
      case Op::select:
        if (of(0) == InWeight::free) {
          return worst;
        }
        return of(1) == InWeight::free && (of(2) == InWeight::free || is_zero_region(node)) ? InWeight::affine
                                                                                            : InWeight::other;
      default: return InWeight::other;
    }
  }

  // Components are weights only while v is held at zero: then this choice is its first side.
  [[nodiscard]] bool is_held_direction(const expr::Node& choice) const {
    const expr::Node& held = graph_[NodeId(choice.first)];
    return held.op == Op::condition && model_.conditions[held.first].kind == flat::Condition::Kind::norm;
  }

  // A choice by (g ≥ 0) - (g > 0) within a choice by g > 0 (guard_blend.hpp): the difference is 0 for every weight, so
  // the inner choice is its last side.
  [[nodiscard]] bool is_zero_region(const expr::Node& outer) const {
    const expr::Node& inner = graph_[NodeId(outer.third)];
    return inner.op == Op::select && graph_[NodeId(inner.first)].op == Op::subtract &&
           is_difference_of_conditions(graph_[NodeId(inner.first)]) && status_[inner.third] == InWeight::free;
  }
  [[nodiscard]] bool is_difference_of_conditions(const expr::Node& difference) const {
    const auto is_own = [&](std::uint32_t id) {
      const expr::Node& leaf = graph_[NodeId(id)];
      return leaf.op == Op::condition && model_.conditions[leaf.first].guard == guard_;
    };
    return is_own(difference.first) && is_own(difference.second);
  }

  flat::Model& model_;
  expr::Graph& graph_;
  std::span<const Block> blocks_;
  GuardId guard_;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> users_;  // blocks by leaf
  std::unordered_map<std::uint32_t, InWeight> leaf_status_;
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> queue_;
  std::vector<InWeight> status_;  // by node
};

// Discrete variables take values as written and are never blended.
bool is_real_equation(const flat::Model& model, const flat::Equation& equation) {
  const auto is_discrete = [&](NodeId side) {
    const expr::Node& node = model.graph[side];
    return node.op == Op::variable &&
           (model.variables[node.first].type != flat::Type::real ||
            model.variables[node.first].variability == flat::Variability::discrete);
  };
  return !is_discrete(equation.left) && !is_discrete(equation.right);
}

struct Uses {
  std::vector<std::size_t> equations;
  std::vector<NodeId> conditions;
};

std::vector<Uses> find_uses(const flat::Model& model, std::span<const flat::Equation> equations) {
  std::vector<Uses> uses(model.guards.size());
  for (std::size_t i = 0; i < equations.size(); ++i) {
    const NodeId sides[] = {equations[i].left, equations[i].right};
    for (const NodeId leaf : expr::leaves_of(model.graph, sides)) {
      const expr::Node& node = model.graph[leaf];
      if (node.op != Op::condition || !model.conditions[node.first].guard.valid()) {
        continue;
      }
      Uses& of_guard = uses[model.conditions[node.first].guard.index()];
      if (of_guard.equations.empty() || of_guard.equations.back() != i) {
        of_guard.equations.push_back(i);
      }
      of_guard.conditions.push_back(leaf);
    }
  }
  for (Uses& of_guard : uses) {
    std::sort(of_guard.conditions.begin(), of_guard.conditions.end());
    of_guard.conditions.erase(std::unique(of_guard.conditions.begin(), of_guard.conditions.end()),
                              of_guard.conditions.end());
  }
  return uses;
}

}  // namespace

std::vector<GuardFacts> find_guard_facts(flat::Model& model, std::span<const flat::Equation> equations,
                                         std::span<const structure::Block> blocks,
                                         std::span<const int> differentiated) {
  std::vector<GuardFacts> facts(model.guards.size());
  const std::vector<Uses> uses = find_uses(model, equations);
  JumpOrders orders(model);
  WeightAnalysis weights(model, blocks);
  for (std::size_t g = 0; g < facts.size(); ++g) {
    if (uses[g].equations.empty()) {
      continue;
    }
    GuardFacts& fact = facts[g];
    fact.in_equations = true;
    fact.is_kink = std::all_of(uses[g].conditions.begin(), uses[g].conditions.end(),
                               [&](NodeId leaf) { return model.conditions[model.graph[leaf].first].kink; });
    bool in_real_equation = false;
    for (const std::size_t i : uses[g].equations) {
      const bool is_real = is_real_equation(model, equations[i]);
      in_real_equation = in_real_equation || is_real;
      for (const NodeId side : {equations[i].left, equations[i].right}) {
        const JumpOrders::Jump jump =
            is_real ? orders.jump_order(side, GuardId(g), differentiated) : JumpOrders::Jump{0.0, 0.0};
        // O(g^½) and O(g) are continuous, and their derivatives are not.
        const double whole = std::min(std::ceil(jump.order), GuardFacts::kAll + 1.0);
        fact.continuity = std::min(fact.continuity, static_cast<int>(whole) - 1);
        fact.has_root = fact.has_root || (jump.shown > 0.0 && jump.shown < 1.0);
      }
    }
    // A kink that jumps does so where it is differentiated: the state jumps with it, there is nothing to slide on.
    fact.can_slide = fact.continuity < 0 && in_real_equation && !fact.is_kink;
    fact.is_affine_in_weight = weights.is_affine(GuardId(g), uses[g].conditions);
  }
  return facts;
}

std::vector<std::uint8_t> find_affine_components(flat::Model& model,
                                                 std::span<const structure::Block> blocks) {
  std::vector<std::uint8_t> is_affine(model.conditions.size(), 1);
  std::optional<WeightAnalysis> weights;
  for (std::size_t i = 0; i < is_affine.size(); ++i) {
    if (model.conditions[i].kind != flat::Condition::Kind::component) {
      continue;
    }
    if (!weights) {
      weights.emplace(model, blocks);
    }
    const NodeId leaf = model.graph.condition(ConditionId(i));
    is_affine[i] = weights->is_affine(GuardId(), {&leaf, 1}) ? 1 : 0;
  }
  return is_affine;
}

GuardFacts combine(const GuardFacts& a, const GuardFacts& b) {
  if (!a.in_equations || !b.in_equations) {
    return a.in_equations ? a : b;
  }
  return {.in_equations = true,
          .is_kink = a.is_kink && b.is_kink,
          .continuity = std::min(a.continuity, b.continuity),
          .has_root = a.has_root || b.has_root,
          .can_slide = a.can_slide || b.can_slide,
          .is_affine_in_weight = a.is_affine_in_weight && b.is_affine_in_weight};
}

}  // namespace saltus::program
