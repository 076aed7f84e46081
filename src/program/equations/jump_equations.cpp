#include "program/equations/jump_equations.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_set>

namespace saltus::program {
namespace {

using expr::Op;
using structure::Unknown;

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

std::optional<Unknown> variable_of(const expr::Node& node) {
  if (node.op != Op::variable) {
    return std::nullopt;
  }
  return Unknown{.variable = VariableId(node.first), .order = static_cast<int>(node.second)};
}

// Calls `visit` for every leaf below a node, once.
template <class Visit>
void for_each_leaf(const expr::Graph& graph, NodeId root, Visit visit) {
  std::vector<NodeId> stack = {root};
  std::unordered_set<NodeId> seen = {root};
  while (!stack.empty()) {
    const expr::Node& node = graph[stack.back()];
    stack.pop_back();
    const int n = expr::n_operands(node.op);
    if (n == 0) {
      visit(node);
    }
    for (int k = 0; k < n; ++k) {
      if (seen.insert(NodeId(node.operand(k))).second) {
        stack.emplace_back(node.operand(k));
      }
    }
  }
}

class Assigner {
 public:
  Assigner(const expr::Graph& graph, std::span<const flat::Equation> equations,
           std::span<const Unknown> states)
      : graph_(graph),
        equations_(equations),
        states_(states),
        state_of_(equations.size(), kNone),
        equation_of_(states.size(), kNone),
        contained_(equations.size()) {
    result_.places.resize(equations.size());
  }

  JumpAssignment run() {
    take_lone_states();
    for (std::size_t j = 0; j < equations_.size(); ++j) {
      find_contained(j);
    }
    for (std::size_t j = 0; j < equations_.size(); ++j) {
      if (state_of_[j] == kNone) {
        visited_.assign(states_.size(), 0);
        augment(j);
      }
    }
    std::size_t free = 0;
    for (std::size_t j = 0; j < equations_.size(); ++j) {
      if (state_of_[j] == kNone) {
        while (free < states_.size() && equation_of_[free] != kNone) {
          ++free;
        }
        if (free == states_.size()) {
          result_.left_over.push_back(j);
          continue;
        }
        pair(j, free);
      }
      result_.places[j].state = state_of_[j];
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::size_t place_of(const expr::Node& node) const {
    const std::optional<Unknown> unknown = variable_of(node);
    if (!unknown) {
      return kNone;
    }
    const auto place = std::lower_bound(states_.begin(), states_.end(), *unknown);
    return place != states_.end() && *place == *unknown ? static_cast<std::size_t>(place - states_.begin())
                                                        : kNone;
  }

  void pair(std::size_t equation, std::size_t state) {
    state_of_[equation] = state;
    equation_of_[state] = equation;
  }

  void take_lone_states() {
    for (std::size_t j = 0; j < equations_.size(); ++j) {
      for (const bool on_left : {true, false}) {
        const NodeId side = on_left ? equations_[j].left : equations_[j].right;
        const std::size_t state = place_of(graph_[side]);
        if (state_of_[j] == kNone && state != kNone && equation_of_[state] == kNone) {
          pair(j, state);
          result_.places[j].value = on_left ? equations_[j].right : equations_[j].left;
        }
      }
    }
  }

  void find_contained(std::size_t j) {
    for (const NodeId side : {equations_[j].left, equations_[j].right}) {
      for_each_leaf(graph_, side, [&](const expr::Node& leaf) {
        if (const std::size_t state = place_of(leaf); state != kNone) {
          contained_[j].push_back(state);
        }
      });
    }
    std::sort(contained_[j].begin(), contained_[j].end());
  }

  // An augmenting path from equation j through states that equations contain. Bodies are short: recursion is bounded by
  // the number of their equations. Equations that took the state that stands alone in them keep it.
  bool augment(std::size_t j) {
    for (const std::size_t state : contained_[j]) {
      if (visited_[state] != 0) {
        continue;
      }
      visited_[state] = 1;
      const std::size_t owner = equation_of_[state];
      if (owner == kNone || (!result_.places[owner].value.valid() && augment(owner))) {
        pair(j, state);
        return true;
      }
    }
    return false;
  }

  const expr::Graph& graph_;
  std::span<const flat::Equation> equations_;
  std::span<const Unknown> states_;
  std::vector<std::size_t> state_of_;
  std::vector<std::size_t> equation_of_;
  std::vector<std::vector<std::size_t>> contained_;
  std::vector<char> visited_;
  JumpAssignment result_;
};

}  // namespace

std::vector<Unknown> jumping_states(const expr::Graph& graph, std::span<const flat::Equation> equations) {
  std::vector<Unknown> states;
  for (const flat::Equation& equation : equations) {
    for (const NodeId side : {equation.left, equation.right}) {
      if (const std::optional<Unknown> alone = variable_of(graph[side])) {
        states.push_back(*alone);
      }
      for_each_leaf(graph, side, [&states](const expr::Node& leaf) {
        if (leaf.op == Op::previous) {
          states.push_back({.variable = VariableId(leaf.first), .order = 0});
        }
      });
    }
  }
  std::sort(states.begin(), states.end());
  states.erase(std::unique(states.begin(), states.end()), states.end());
  return states;
}

JumpAssignment assign_jump_equations(const expr::Graph& graph, std::span<const flat::Equation> equations,
                                     std::span<const Unknown> states) {
  return Assigner(graph, equations, states).run();
}

}  // namespace saltus::program
