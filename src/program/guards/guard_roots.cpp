#include "program/guards/guard_roots.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "expr/dependency.hpp"
#include "expr/substitute.hpp"
#include "expr/traversal.hpp"
#include "flat/canonical_guard.hpp"
#include "program/guards/condition_inputs.hpp"
#include "program/guards/guard_continuity.hpp"

namespace saltus::program {
namespace {

using expr::Op;
using Kind = flat::Condition::Kind;

class RootTamer {
 public:
  explicit RootTamer(flat::Model& model) : model_(model), graph_(model.graph), canonicalizer_(model.graph) {}

  // Guards that equations ask for; what clauses alone ask for has nothing to do with the motion.
  void note_conditions(const flat::Equation& equation) {
    const NodeId sides[] = {equation.left, equation.right};
    for (const NodeId leaf : expr::leaves_of(graph_, sides)) {
      const expr::Node& node = graph_[leaf];
      if (node.op != Op::condition) {
        continue;
      }
      const flat::Condition& condition = model_.conditions[node.first];
      if (condition.guard.valid() && is_relation(condition.kind)) {
        guards_.emplace(model_[condition.guard].expression.value(), condition.guard);
        conditions_[key(condition.guard, condition.kind)] = ConditionId(node.first);
      }
    }
  }

  [[nodiscard]] bool has_guards() const { return !guards_.empty(); }

  [[nodiscard]] NodeId tamed(NodeId root) {
    for (const NodeId id : expr::needed_nodes(graph_, std::span(&root, 1))) {
      grow();
      if (!image_[id.index()].valid()) {
        const NodeId image = replaced(rebuilt(id));
        grow();
        image_[id.index()] = image;
      }
    }
    return image_[root.index()];
  }

 private:
  void grow() { image_.resize(std::max(image_.size(), graph_.size())); }

  [[nodiscard]] static std::uint64_t key(GuardId guard, Kind kind) {
    return std::uint64_t{guard.value()} * 16U + static_cast<std::uint64_t>(kind);
  }

  [[nodiscard]] NodeId rebuilt(NodeId id) {
    const expr::Node node = graph_[id];
    std::array<NodeId, 3> operands{};
    bool changed = false;
    for (int k = 0; k < expr::n_operands(node.op); ++k) {
      operands[static_cast<std::size_t>(k)] = image_[node.operand(k)];
      changed = changed || image_[node.operand(k)].value() != node.operand(k);
    }
    return changed ? expr::rebuild_with(graph_, id, operands[0], operands[1], operands[2]) : id;
  }

  [[nodiscard]] bool is_root(const expr::Node& node) const {
    if (node.op != Op::power) {
      return node.op == Op::sqrt;
    }
    const expr::Node& exponent = graph_[NodeId(node.second)];
    return exponent.op == Op::constant && exponent.value > 0.0 && exponent.value < 1.0;
  }

  [[nodiscard]] NodeId replaced(NodeId id) {
    const expr::Node node = graph_[id];
    if (!is_root(node)) {
      return id;
    }
    const NodeId argument(node.first);
    const GuardId guard = vanishes_with(argument, 0);
    if (!guard.valid()) {
      return id;
    }
    const NodeId stays_zero =
        graph_.subtract(condition(guard, Kind::greater_equal), condition(guard, Kind::greater));
    return graph_.select(stays_zero, argument, id);
  }

  // A guard on whose surface the expression is zero; invalid: none is found.
  [[nodiscard]] GuardId vanishes_with(NodeId id, int depth) {
    const expr::Node node = graph_[id];
    if (depth > kSearchDepth || node.op == Op::constant) {
      return {};
    }
    const auto of = [&](int k) { return vanishes_with(NodeId(node.operand(k)), depth + 1); };
    switch (node.op) {
      case Op::negate:
      case Op::divide: return of(0);
      case Op::multiply: {
        const GuardId first = of(0);
        return first.valid() ? first : of(1);
      }
      case Op::power_integer: return graph_[NodeId(node.second)].value > 0.0 ? of(0) : GuardId();
      case Op::select: {
        const bool is_zero[] = {graph_.is_constant(NodeId(node.second), 0.0),
                                graph_.is_constant(NodeId(node.third), 0.0)};
        const GuardId a = is_zero[0] ? GuardId() : of(1);
        const GuardId b = is_zero[1] ? GuardId() : of(2);
        return is_zero[0] || a == b ? b : is_zero[1] ? a : GuardId();
      }
      default: {
        const auto found =
            guards_.find(canonicalizer_.canonical(id, graph_.constant(0.0)).expression.value());
        return found == guards_.end() ? GuardId() : found->second;
      }
    }
  }

  [[nodiscard]] NodeId condition(GuardId guard, Kind kind) {
    if (const auto known = conditions_.find(key(guard, kind)); known != conditions_.end()) {
      return graph_.condition(known->second);
    }
    constexpr std::array kRelations{Kind::greater, Kind::greater_equal, Kind::less, Kind::less_equal};
    const auto other = std::find_if(kRelations.begin(), kRelations.end(),
                                    [&](Kind known) { return conditions_.contains(key(guard, known)); });
    flat::Condition added = model_[conditions_.at(key(guard, *other))];
    added.kind = kind;
    model_.conditions.push_back(std::move(added));
    const ConditionId id(model_.conditions.size() - 1);
    conditions_[key(guard, kind)] = id;
    return graph_.condition(id);
  }

  flat::Model& model_;
  expr::Graph& graph_;
  flat::GuardCanonicalizer canonicalizer_;
  std::unordered_map<std::uint32_t, GuardId> guards_;  // by expression
  std::unordered_map<std::uint64_t, ConditionId> conditions_;
  std::vector<NodeId> image_;
};

}  // namespace

void tame_roots_of_guards(flat::Model& model) {
  RootTamer tamer(model);
  const auto each_equation = [&model](const auto& action) {
    std::for_each(model.equations.begin(), model.equations.end(), action);
    for (flat::Mode& mode : model.modes) {
      std::for_each(mode.equations.begin(), mode.equations.end(), action);
    }
  };
  each_equation([&tamer](const flat::Equation& equation) { tamer.note_conditions(equation); });
  if (!tamer.has_guards()) {
    return;
  }
  each_equation([&tamer](flat::Equation& equation) {
    equation.left = tamer.tamed(equation.left);
    equation.right = tamer.tamed(equation.right);
  });
}

}  // namespace saltus::program
