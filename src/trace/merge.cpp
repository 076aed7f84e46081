#include "trace/merge.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <utility>

#include "base/work_watch.hpp"
#include "expr/traversal.hpp"

namespace saltus::trace {
namespace {

using expr::Node;
using expr::Op;

constexpr std::int64_t kWorkOfAPair = 50;

// Decisions that all paths of a side have decided alike.
using Decided = std::unordered_map<std::uint32_t, bool>;

// Joins the two sides of one decision.
class Join {
 public:
  Join(expr::Graph& graph, NodeId decision, const Decided& if_holds, const Decided& if_not)
      : graph_(graph), decision_(decision), if_holds_(if_holds), if_not_(if_not) {}

  NodeId operator()(NodeId a, NodeId b) {
    push(a, b);
    while (!stack_.empty()) {
      const Plan plan = stack_.back();
      if (stack_.back().next < plan.n) {
        const auto [first, second] = plan.pairs[static_cast<std::size_t>(stack_.back().next++)];
        push(first, second);
        continue;
      }
      stack_.pop_back();
      done_.emplace(key(plan.a, plan.b), combined(plan));
    }
    return done_.at(key(a, b)).node;
  }

 private:
  enum class How : std::uint8_t { keep, choose, operands, both_choices, first_choice, second_choice };
  struct Plan {
    NodeId a;
    NodeId b;
    How how = How::keep;
    bool holds = false;  // of the decision of a choice that one side has decided
    std::array<std::pair<NodeId, NodeId>, 3> pairs = {};
    int n = 0;
    int next = 0;
  };
  struct Joined {
    NodeId node;
    bool is_chosen = false;  // by this decision, somewhere in it
  };

  static std::uint64_t key(NodeId a, NodeId b) {
    return (static_cast<std::uint64_t>(a.value()) << 32U) | b.value();
  }

  void push(NodeId a, NodeId b) {
    if (done_.count(key(a, b)) == 0) {
      count_work(kWorkOfAPair);
      stack_.push_back(plan(a, b));
    }
  }

  Plan plan(NodeId a, NodeId b) const {
    Plan plan{.a = a, .b = b};
    if (a == b) {
      return plan;
    }
    const Node first = graph_[a];
    const Node second = graph_[b];
    const auto add = [&plan](std::uint32_t x, std::uint32_t y) {
      plan.pairs[static_cast<std::size_t>(plan.n++)] = {NodeId(x), NodeId(y)};
    };
    plan.how = How::choose;
    if (first.op == Op::select && second.op == Op::select && first.first == second.first) {
      plan.how = How::both_choices;
      add(first.second, second.second);
      add(first.third, second.third);
      return plan;
    }
    if (first.op == Op::select) {
      if (const auto found = if_not_.find(first.first); found != if_not_.end()) {
        plan.how = How::first_choice;
        plan.holds = found->second;
        add(plan.holds ? first.second : first.third, b.value());
        return plan;
      }
    }
    if (second.op == Op::select) {
      if (const auto found = if_holds_.find(second.first); found != if_holds_.end()) {
        plan.how = How::second_choice;
        plan.holds = found->second;
        add(a.value(), plan.holds ? second.second : second.third);
        return plan;
      }
    }
    if (first.op == second.op && first.op != Op::select && first.op != Op::less) {
      for (int k = 0; k < expr::n_operands(first.op); ++k) {
        plan.how = How::operands;
        add(first.operand(k), second.operand(k));
      }
    }
    return plan;
  }

  NodeId choice(std::uint32_t decision, NodeId if_true, NodeId if_false) {
    return if_true == if_false ? if_true
                               : graph_.intern({.op = Op::select,
                                                .first = decision,
                                                .second = if_true.value(),
                                                .third = if_false.value()});
  }
  Joined chosen(const Plan& plan) { return {choice(decision_.value(), plan.a, plan.b), true}; }

  // Whether an operation of which these operands are chosen is linear in what is chosen.
  static bool is_linear(Op op, bool first, bool second) {
    switch (op) {
      case Op::add:
      case Op::subtract:
      case Op::negate: return true;
      case Op::multiply: return !(first && second);
      case Op::divide: return !second;
      default: return !first && !second;
    }
  }

  Joined combined(const Plan& plan) {
    if (plan.how == How::keep) {
      return {plan.a, false};
    }
    if (plan.how == How::choose) {
      return chosen(plan);
    }
    std::array<Joined, 3> parts;
    for (std::size_t k = 0; k < static_cast<std::size_t>(plan.n); ++k) {
      parts[k] = done_.at(key(plan.pairs[k].first, plan.pairs[k].second));
    }
    const bool is_chosen = parts[0].is_chosen || parts[1].is_chosen || parts[2].is_chosen;
    const Node first = graph_[plan.a];
    const Node second = graph_[plan.b];
    switch (plan.how) {
      case How::both_choices:
        return parts[0].is_chosen && parts[1].is_chosen
                   ? chosen(plan)  // nothing in common: in the order in which they were asked
                   : Joined{choice(first.first, parts[0].node, parts[1].node), is_chosen};
      case How::first_choice:
        return {plan.holds ? choice(first.first, parts[0].node, NodeId(first.third))
                           : choice(first.first, NodeId(first.second), parts[0].node),
                is_chosen};
      case How::second_choice:
        return {plan.holds ? choice(second.first, parts[0].node, NodeId(second.third))
                           : choice(second.first, NodeId(second.second), parts[0].node),
                is_chosen};
      default: break;
    }
    if (!is_linear(first.op, parts[0].is_chosen, parts[1].is_chosen)) {
      return chosen(plan);
    }
    Node joined = first;
    joined.first = parts[0].node.value();
    joined.second = plan.n > 1 ? parts[1].node.value() : joined.second;
    return {graph_.intern(joined), is_chosen};
  }

  expr::Graph& graph_;
  NodeId decision_;
  const Decided& if_holds_;
  const Decided& if_not_;
  std::vector<Plan> stack_;
  std::unordered_map<std::uint64_t, Joined> done_;
};

// What is known of the part of the tree below a node.
struct Below {
  std::shared_ptr<const std::vector<NodeId>> residual;  // null: nothing
  Decided decided;
  // One of its paths, and every decision that one of its paths asks.
  std::shared_ptr<const std::vector<NodeId>> of_one_path;
  Decided outcomes_of_one;
  std::unordered_set<std::uint32_t> asked;
};

void decide_alone(Below& below, NodeId decision, bool holds) {
  below.decided.emplace(decision.value(), holds);
  below.outcomes_of_one.emplace(decision.value(), holds);
  below.asked.insert(decision.value());
}

// Whether all paths of one side have decided everything as the one path of the other side has: the residuals of that path are then what the other
// side's are under their outcomes.
bool follows(const Below& side, const Below& other) {
  return std::all_of(other.asked.begin(), other.asked.end(), [&](std::uint32_t decision) {
    const auto one = other.outcomes_of_one.find(decision);
    const auto all = side.decided.find(decision);
    return one != other.outcomes_of_one.end() && all != side.decided.end() && one->second == all->second;
  });
}

void join_sides(expr::Graph& graph, NodeId decision, const Below& if_not, const Below& if_holds,
                std::vector<NodeId>& residual) {
  Join join(graph, decision, if_holds.decided, if_not.decided);
  const bool not_follows = follows(if_not, if_holds);
  const bool holds_follows = follows(if_holds, if_not);
  for (std::size_t i = 0; i < if_not.residual->size(); ++i) {
    const NodeId a = (*if_holds.residual)[i];
    const NodeId b = (*if_not.residual)[i];
    if (not_follows && (*if_holds.of_one_path)[i] == b) {
      residual.push_back(a);  // nothing that this decision changes
    } else if (holds_follows && (*if_not.of_one_path)[i] == a) {
      residual.push_back(b);
    } else {
      residual.push_back(join(a, b));
    }
  }
}

Below both_sides(expr::Graph& graph, NodeId decision, Below if_not, Below if_holds) {
  auto residual = std::make_shared<std::vector<NodeId>>();
  join_sides(graph, decision, if_not, if_holds, *residual);
  // The larger side goes on, with what the other one knows.
  const bool keeps_holds = if_holds.asked.size() >= if_not.asked.size();
  Below kept = std::move(keeps_holds ? if_holds : if_not);
  const Below& other = keeps_holds ? if_not : if_holds;
  kept.residual = std::move(residual);
  std::erase_if(kept.decided, [&other](const auto& item) {
    const auto found = other.decided.find(item.first);
    return found == other.decided.end() || found->second != item.second;
  });
  kept.outcomes_of_one.emplace(decision.value(), keeps_holds);
  kept.asked.insert(decision.value());
  kept.asked.insert(other.asked.begin(), other.asked.end());
  return kept;
}

}  // namespace

std::vector<NodeId> merged(TraceGraph& graph, const PathTree& tree) {
  std::vector<Below> below(tree.nodes().size());
  for (std::size_t i = tree.nodes().size(); i-- > 0;) {
    const PathTree::Node& node = tree.nodes()[i];
    if (node.leaf != PathTree::kNothing) {
      const PathTree::Leaf& leaf = tree.leaves()[static_cast<std::size_t>(node.leaf)];
      if (!leaf.has_failed()) {
        below[i].residual = std::make_shared<const std::vector<NodeId>>(leaf.residual);
        below[i].of_one_path = below[i].residual;
      }
      continue;
    }
    std::array<Below, 2> sides;
    for (std::size_t k = 0; k < 2; ++k) {
      if (node.next[k] != PathTree::kNothing) {
        sides[k] = std::move(below[static_cast<std::size_t>(node.next[k])]);
      }
    }
    if (sides[0].residual != nullptr && sides[1].residual != nullptr) {
      below[i] = both_sides(graph.graph, node.decision, std::move(sides[0]), std::move(sides[1]));
    } else {
      const bool holds = sides[1].residual != nullptr;
      below[i] = std::move(sides[holds ? 1 : 0]);
      if (below[i].residual != nullptr) {
        decide_alone(below[i], node.decision, holds);
      }
    }
  }
  return *below[0].residual;
}

std::vector<NodeId> restricted(TraceGraph& graph, const std::vector<NodeId>& residual,
                               const std::unordered_map<std::uint32_t, bool>& outcomes) {
  const std::vector<NodeId> needed = expr::needed_nodes(graph.graph, residual);
  expr::NodeTable<std::uint32_t> image(graph.graph.size());
  for (const NodeId id : needed) {
    Node node = graph.graph[id];
    if (node.op == Op::less) {
      image[id] = id.value();  // a decision is the comparison of the path on which it was asked
      continue;
    }
    if (const auto found = outcomes.find(node.first); node.op == Op::select && found != outcomes.end()) {
      image[id] = image[found->second ? node.second : node.third];
      continue;
    }
    const int n = expr::n_operands(node.op);
    if (n > 0) {
      node.first = image[node.first];
      node.second = n > 1 ? image[node.second] : node.second;
      node.third = n > 2 ? image[node.third] : node.third;
    }
    image[id] = graph.graph.intern(node).value();
  }
  std::vector<NodeId> result;
  for (const NodeId id : residual) {
    result.emplace_back(image[id]);
  }
  return result;
}

}  // namespace saltus::trace
