#include "structure/match/classify.hpp"

#include <algorithm>

namespace saltus::structure {
namespace {

// Highest order in which each variable occurs in the equations.
std::vector<int> highest_orders(const flat::Model& model, std::span<const flat::Equation> equations) {
  const expr::Graph& graph = model.graph;
  std::vector<std::uint8_t> needed(graph.size(), 0);
  for (const flat::Equation& equation : equations) {
    needed[equation.left.index()] = 1;
    needed[equation.right.index()] = 1;
  }
  std::vector<int> orders(model.variables.size(), 0);
  for (std::size_t id = graph.size(); id-- > 0;) {
    if (needed[id] == 0) {
      continue;
    }
    const expr::Node& node = graph[NodeId(id)];
    if (node.op == expr::Op::variable) {
      orders[node.first] = std::max(orders[node.first], static_cast<int>(node.second));
    }
    for (int i = 0; i < expr::n_references(node.op); ++i) {
      needed[node.operand(i)] = 1;
    }
  }
  return orders;
}

void mark_assigned(const flat::Body& body, std::vector<std::uint8_t>& assigned) {
  for (const flat::Body::Assignment& assignment : body.assignments) {
    assigned[assignment.variable.index()] = 1;
  }
}

// Variables that a when clause or a transition sets.
std::vector<std::uint8_t> assigned_at_events(const flat::Model& model) {
  std::vector<std::uint8_t> assigned(model.variables.size(), 0);
  for (const flat::WhenClause& clause : model.when_clauses) {
    for (const flat::WhenBranch& branch : clause.branches) {
      mark_assigned(branch.body, assigned);
    }
  }
  for (const flat::Mode& mode : model.modes) {
    for (const flat::Transition& transition : mode.transitions) {
      mark_assigned(transition.body, assigned);
    }
  }
  return assigned;
}

// Discrete variables that an own equation of the mode gives, `v = …`, whatever bodies of other modes do with them.
std::vector<std::uint8_t> given_in_mode(const flat::Model& model, ModeId mode) {
  std::vector<std::uint8_t> given(model.variables.size(), 0);
  if (mode.valid()) {
    for (const flat::Equation& equation : model.modes[mode.index()].equations) {
      const expr::Node& left = model.graph[equation.left];
      if (left.op == expr::Op::variable && left.second == 0) {
        given[left.first] = 1;
      }
    }
  }
  return given;
}

}  // namespace

Classification classify(const flat::Model& model, std::span<const flat::Equation> equations, ModeId mode) {
  Classification result;
  result.highest_order = highest_orders(model, equations);
  const std::vector<std::uint8_t> assigned = assigned_at_events(model);
  const std::vector<std::uint8_t> given = given_in_mode(model, mode);
  for (std::size_t i = 0; i < model.variables.size(); ++i) {
    const VariableId variable(i);
    const flat::Variable& declared = model.variables[i];
    const int order = result.highest_order[i];
    if (declared.mode.valid() && declared.mode != mode) {
      continue;
    }
    if (declared.variability == flat::Variability::discrete) {
      if (assigned[i] != 0 && given[i] == 0) {
        result.held.push_back(variable);
      } else {
        result.discrete.push_back({.variable = variable, .order = 0});
      }
      continue;
    }
    if (declared.causality == flat::Causality::input && order == 0) {
      result.inputs.push_back({.variable = variable, .order = 0});
      continue;
    }
    for (int k = 0; k < order; ++k) {
      result.states.push_back({.variable = variable, .order = k});
      result.derivatives.push_back({.variable = variable, .order = k + 1});
    }
    result.unknowns.push_back({.variable = variable, .order = order});
  }
  return result;
}

}  // namespace saltus::structure
