#include "program/guards/guard_blend.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "expr/substitute.hpp"
#include "expr/traversal.hpp"

namespace saltus::program {
namespace {

using expr::Op;
using Kind = flat::Condition::Kind;

enum class Region : std::uint8_t { positive, zero, negative };

double truth_in(Kind kind, Region region) {
  switch (kind) {
    case Kind::greater: return region == Region::positive ? 1.0 : 0.0;
    case Kind::greater_equal: return region == Region::negative ? 0.0 : 1.0;
    case Kind::less: return region == Region::negative ? 1.0 : 0.0;
    default: return region == Region::positive ? 0.0 : 1.0;
  }
}

class ChoiceNormalizer {
 public:
  explicit ChoiceNormalizer(flat::Model& model)
      : model_(model), graph_(model.graph), by_guard_(model.guards.size()) {
    for (std::size_t i = 0; i < model.conditions.size(); ++i) {
      enter(ConditionId(i));
    }
  }

  [[nodiscard]] NodeId normalized(NodeId root, int depth = 0) {
    for (const NodeId node : expr::needed_nodes(graph_, std::span(&root, 1))) {
      grow();
      if (!image_[node.index()].valid()) {
        image_[node.index()] = resolved(rebuilt(node), depth);
      }
    }
    return image_[root.index()];
  }

 private:
  void enter(ConditionId id) {
    const flat::Condition& condition = model_[id];
    if (condition.guard.valid()) {
      by_guard_[condition.guard.index()][static_cast<std::size_t>(condition.kind)] = id;
    }
  }
  void grow() {
    if (image_.size() < graph_.size()) {
      image_.resize(graph_.size());
    }
  }

  // The guard of a leaf that is a relation; invalid for every other node.
  [[nodiscard]] GuardId guard_of(const expr::Node& node) const {
    return node.op == Op::condition ? model_.conditions[node.first].guard : GuardId();
  }

  // Guards below a node as a set of 64 classes: no common class, no common guard.
  [[nodiscard]] std::uint64_t classes(NodeId root) {
    classes_.resize(graph_.size(), 0);
    has_classes_.resize(graph_.size(), 0);
    if (has_classes_[root.index()] != 0) {
      return classes_[root.index()];
    }
    for (const NodeId id : expr::needed_nodes(graph_, std::span(&root, 1))) {
      if (has_classes_[id.index()] != 0) {
        continue;
      }
      const expr::Node& node = graph_[id];
      std::uint64_t set = 0;
      if (const GuardId guard = guard_of(node); guard.valid()) {
        set = std::uint64_t{1} << (guard.index() % 64U);
      }
      for (int k = 0; k < expr::n_operands(node.op); ++k) {
        set |= classes_[node.operand(k)];
      }
      classes_[id.index()] = set;
      has_classes_[id.index()] = 1;
    }
    return classes_[root.index()];
  }

  [[nodiscard]] bool contains(NodeId root, GuardId guard) {
    if ((classes(root) >> (guard.index() % 64U) & 1U) == 0) {
      return false;
    }
    const std::vector<NodeId> below = expr::needed_nodes(graph_, std::span(&root, 1));
    return std::any_of(below.begin(), below.end(), [&](NodeId id) { return guard_of(graph_[id]) == guard; });
  }

  // Guards of a proposition, each as often as it is written.
  void collect(NodeId proposition, std::vector<GuardId>& guards) const {
    constexpr std::size_t kMostWritten = 64;
    const expr::Node& node = graph_[proposition];
    if (const GuardId guard = guard_of(node); guard.valid()) {
      guards.push_back(guard);
    }
    for (int k = 0; k < expr::n_operands(node.op) && guards.size() < kMostWritten; ++k) {
      collect(NodeId(node.operand(k)), guards);
    }
  }

  // A guard that a choice asks more than once.
  [[nodiscard]] GuardId repeated_guard(const expr::Node& choice) {
    std::vector<GuardId> guards;
    collect(NodeId(choice.first), guards);
    for (std::size_t i = 0; i < guards.size(); ++i) {
      const bool again = std::find(guards.begin(), guards.begin() + static_cast<std::ptrdiff_t>(i),
                                   guards[i]) != guards.begin() + static_cast<std::ptrdiff_t>(i);
      if (again || contains(NodeId(choice.second), guards[i]) || contains(NodeId(choice.third), guards[i])) {
        return guards[i];
      }
    }
    return {};
  }

  [[nodiscard]] NodeId condition(GuardId guard, Kind kind) {
    std::array<ConditionId, 4>& known = by_guard_[guard.index()];
    ConditionId& id = known[static_cast<std::size_t>(kind)];
    if (!id.valid()) {
      const auto other = std::find_if(known.begin(), known.end(), [](ConditionId c) { return c.valid(); });
      flat::Condition added = model_[*other];
      added.kind = kind;
      model_.conditions.push_back(std::move(added));
      id = ConditionId(model_.conditions.size() - 1);
    }
    return graph_.condition(id);
  }

  [[nodiscard]] NodeId locked(NodeId node, GuardId guard, Region region) {
    std::vector<expr::Replacement> replacements;
    for (std::size_t kind = 0; kind < by_guard_[guard.index()].size(); ++kind) {
      if (const ConditionId id = by_guard_[guard.index()][kind]; id.valid()) {
        replacements.push_back(
            {.from = graph_.condition(id), .to = graph_.constant(truth_in(static_cast<Kind>(kind), region))});
      }
    }
    return expr::substitute(graph_, node, replacements);
  }

  [[nodiscard]] NodeId expanded(NodeId node, GuardId guard, int depth) {
    const NodeId positive = normalized(locked(node, guard, Region::positive), depth + 1);
    const NodeId zero = normalized(locked(node, guard, Region::zero), depth + 1);
    const NodeId negative = normalized(locked(node, guard, Region::negative), depth + 1);
    if (zero == positive) {
      return graph_.select(condition(guard, Kind::greater_equal), positive, negative);
    }
    const NodeId is_positive = condition(guard, Kind::greater);
    if (zero == negative) {
      return graph_.select(is_positive, positive, negative);
    }
    const NodeId stays_zero = graph_.subtract(condition(guard, Kind::greater_equal), is_positive);
    return graph_.select(is_positive, positive, graph_.select(stays_zero, zero, negative));
  }

  [[nodiscard]] NodeId rebuilt(NodeId id) {
    const expr::Node node = graph_[id];
    const int n = expr::n_operands(node.op);
    std::array<NodeId, 3> operands{};
    bool changed = false;
    for (int k = 0; k < n; ++k) {
      operands[static_cast<std::size_t>(k)] = image_[node.operand(k)];
      changed = changed || image_[node.operand(k)].value() != node.operand(k);
    }
    return changed ? expr::rebuild_with(graph_, id, operands[0], operands[1], operands[2]) : id;
  }

  [[nodiscard]] NodeId resolved(NodeId id, int depth) {
    const expr::Node node = graph_[id];
    if (node.op != Op::select || depth >= kMostExpansions) {
      return id;
    }
    const GuardId guard = repeated_guard(node);
    const NodeId result = guard.valid() ? expanded(id, guard, depth) : id;
    grow();
    return result;
  }

  flat::Model& model_;
  expr::Graph& graph_;
  std::vector<std::array<ConditionId, 4>> by_guard_;  // by kind of relation
  std::vector<NodeId> image_;
  std::vector<std::uint64_t> classes_;
  std::vector<char> has_classes_;
};

}  // namespace

void normalize_same_guard_choices(flat::Model& model) {
  if (model.guards.empty()) {
    return;
  }
  ChoiceNormalizer normalizer(model);
  const auto rewrite = [&normalizer](std::vector<flat::Equation>& equations) {
    for (flat::Equation& equation : equations) {
      equation.left = normalizer.normalized(equation.left);
      equation.right = normalizer.normalized(equation.right);
    }
  };
  rewrite(model.equations);
  for (flat::Mode& mode : model.modes) {
    rewrite(mode.equations);
  }
}

}  // namespace saltus::program
