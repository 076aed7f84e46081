#include "flat/read_derivatives.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "expr/dependency.hpp"

namespace saltus::flat {
namespace {

using Derivative = std::pair<std::uint32_t, std::uint32_t>;  // variable, order

std::set<Derivative> derivatives_in(const Model& model, const std::vector<NodeId>& roots) {
  std::set<Derivative> found;
  for (const NodeId leaf : expr::leaves_of(model.graph, roots)) {
    const expr::Node& node = model.graph[leaf];
    if (node.op == expr::Op::variable && node.second > 0) {
      found.emplace(node.first, node.second);
    }
  }
  return found;
}

void add_equations(const std::vector<Equation>& equations, std::vector<NodeId>& roots) {
  for (const Equation& equation : equations) {
    roots.push_back(equation.left);
    roots.push_back(equation.right);
  }
}

void add_body(const Body& body, std::vector<NodeId>& roots) {
  for (const auto* list : {&body.assignments, &body.reinits}) {
    for (const Body::Assignment& assignment : *list) {
      roots.push_back(assignment.value);
    }
  }
}

// What conditions and bodies are made of.
std::vector<NodeId> readers(const Model& model) {
  std::vector<NodeId> roots;
  for (const Guard& guard : model.guards) {
    roots.push_back(guard.expression);
  }
  for (const Condition& condition : model.conditions) {
    if (condition.argument.valid()) {
      roots.push_back(condition.argument);
    }
  }
  for (const WhenClause& clause : model.when_clauses) {
    for (const WhenBranch& branch : clause.branches) {
      add_body(branch.body, roots);
    }
  }
  for (const Mode& mode : model.modes) {
    for (const Transition& transition : mode.transitions) {
      add_body(transition.body, roots);
    }
  }
  return roots;
}

std::string name_of(const Model& model, const Derivative& derivative) {
  std::string name = model.variables[derivative.first].name;
  for (std::uint32_t k = 0; k < derivative.second; ++k) {
    name = "der(" + name + ")";
  }
  return name;
}

}  // namespace

void give_read_derivatives(Model& model) {
  const std::set<Derivative> read = derivatives_in(model, readers(model));
  if (read.empty()) {
    return;
  }
  std::vector<NodeId> roots;
  add_equations(model.equations, roots);
  for (const Mode& mode : model.modes) {
    add_equations(mode.equations, roots);
  }
  const std::set<Derivative> given = derivatives_in(model, roots);
  for (const Derivative& derivative : read) {
    const Variable& of = model.variables[derivative.first];
    if (given.contains(derivative) || of.mode.valid() || of.variability != Variability::continuous) {
      continue;
    }
    Variable variable;
    variable.name = name_of(model, derivative);
    variable.description = "read by a condition or a body";
    variable.span = of.span;
    model.variables.push_back(std::move(variable));
    const NodeId value = model.graph.variable(VariableId(model.variables.size() - 1), 0);
    const NodeId rate =
        model.graph.variable(VariableId(derivative.first), static_cast<int>(derivative.second));
    model.equations.push_back({value, rate, model.variables.back().span});
  }
}

}  // namespace saltus::flat
