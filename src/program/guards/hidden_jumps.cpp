#include "program/guards/hidden_jumps.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "expr/substitute.hpp"
#include "expr/traversal.hpp"
#include "flat/angles.hpp"
#include "flat/canonical_guard.hpp"
#include "flat/equation_sides.hpp"
#include "flat/expression_printer.hpp"
#include "flat/variability.hpp"
#include "program/guards/guard_continuity.hpp"

namespace saltus::program {
namespace {

using expr::Op;

bool compares_values(Op op) {
  return op == Op::less || op == Op::less_equal;
}
bool rounds_to_whole(Op op) {
  return op == Op::floor || op == Op::ceil || op == Op::truncate;
}

bool jumps_without_guard(const expr::Graph& graph, const expr::Node& node) {
  return rounds_to_whole(node.op) || (node.op == Op::atan2 && flat::meets_cut(graph, NodeId(node.second)));
}

// What equations are made of, ascending; an atan2 that has its events is no part of it, its arguments are.
std::vector<NodeId> nodes_of_equations(const flat::Model& model) {
  std::vector<NodeId> nodes = expr::needed_nodes(model.graph, flat::equation_sides(model));
  const auto is_atan2 = [&model](NodeId id) { return model.graph[id].op == Op::atan2; };
  if (std::none_of(nodes.begin(), nodes.end(), is_atan2)) {
    return nodes;
  }
  expr::Graph scratch = model.graph;
  flat::GuardCanonicalizer canonicalizer(scratch);
  std::vector<bool> is_needed(scratch.size(), false);
  for (const NodeId side : flat::equation_sides(model)) {
    is_needed[side.index()] = true;
  }
  for (auto id = nodes.rbegin(); id != nodes.rend(); ++id) {
    if (!is_needed[id->index()]) {
      continue;
    }
    if (const std::optional<flat::Angle> angle = flat::find_angle(model, scratch, canonicalizer, *id)) {
      is_needed[angle->y.index()] = is_needed[angle->x.index()] = true;
      continue;
    }
    for (int k = 0; k < expr::n_references(model.graph[*id].op); ++k) {
      is_needed[model.graph[*id].operand(k)] = true;
    }
  }
  nodes.erase(std::remove_if(nodes.begin(), nodes.end(), [&](NodeId id) { return !is_needed[id.index()]; }),
              nodes.end());
  return nodes;
}

std::vector<NodeId> hidden_nodes(const flat::Model& model) {
  flat::VariabilityOfNodes variability(model);
  std::vector<NodeId> hidden;
  for (const NodeId id : nodes_of_equations(model)) {
    const expr::Node& node = model.graph[id];
    if ((compares_values(node.op) || node.op == Op::sign || jumps_without_guard(model.graph, node)) &&
        variability.of(id) == flat::NodeVariability::continuous) {
      hidden.push_back(id);
    }
  }
  return hidden;
}

std::string readable_text(const flat::Model& model, NodeId node) {
  flat::ExpressionPrinter printer(model, flat::ExpressionPrinter::Form::readable);
  std::string text;
  printer.write(node, printer.is_boolean(node), text);
  return text;
}

// The model in which hidden relations are conditions.
class Declared {
 public:
  Declared(const flat::Model& model, const std::vector<NodeId>& hidden)
      : model_(model), canonicalizer_(model_.graph) {
    std::vector<expr::Replacement> replacements;
    for (const NodeId id : hidden) {
      const expr::Node node = model_.graph[id];
      if (jumps_without_guard(model_.graph, node)) {
        continue;
      }
      const NodeId left(node.first);
      const NodeId right = compares_values(node.op) ? NodeId(node.second) : model_.graph.constant(0.0);
      const NodeId truth = condition(left, right);
      guards_.emplace_back(id, model_.conditions.back().guard);
      replacements.push_back(
          {id, compares_values(node.op)
                   ? truth
                   : model_.graph.select(truth, model_.graph.constant(-1.0), model_.graph.constant(1.0))});
    }
    sides_ = expr::substitute(model_.graph, flat::equation_sides(model_), replacements);
  }

  // Nodes of the model given, with their guards in the copy.
  [[nodiscard]] const std::vector<std::pair<NodeId, GuardId>>& guards() const { return guards_; }

  [[nodiscard]] bool jumps_across(GuardId guard) {
    JumpOrders orders(model_);
    for (std::size_t i = 0; i + 1 < sides_.size(); i += 2) {
      const NodeId residual = model_.graph.binary(Op::subtract, sides_[i], sides_[i + 1]);
      if (orders.jump_order(residual, guard).order <= 0.0) {
        return true;
      }
    }
    return false;
  }

 private:
  NodeId condition(NodeId left, NodeId right) {
    const GuardId guard(model_.guards.size());
    model_.guards.push_back({canonicalizer_.canonical(left, right).expression});
    flat::Condition condition;
    condition.kind = flat::Condition::Kind::less;
    condition.guard = guard;
    model_.conditions.push_back(condition);
    return model_.graph.condition(ConditionId(model_.conditions.size() - 1));
  }

  flat::Model model_;
  flat::GuardCanonicalizer canonicalizer_;
  std::vector<std::pair<NodeId, GuardId>> guards_;
  std::vector<NodeId> sides_;
};

}  // namespace

std::vector<std::string> hidden_jumps(const flat::Model& model) {
  const std::vector<NodeId> hidden = hidden_nodes(model);
  if (hidden.empty()) {
    return {};
  }
  Declared declared(model, hidden);
  std::vector<std::string> texts;
  for (const NodeId id : hidden) {
    const auto known = std::find_if(declared.guards().begin(), declared.guards().end(),
                                    [id](const auto& guard) { return guard.first == id; });
    if (known == declared.guards().end() || declared.jumps_across(known->second)) {
      texts.push_back(readable_text(model, id));
    }
  }
  return texts;
}

}  // namespace saltus::program
