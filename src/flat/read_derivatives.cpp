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

// Those that some choice may take out of all roots. Of a choice both sides must contain a derivative, of everything else one operand.
std::vector<Derivative> not_always_in(const Model& model, const std::vector<NodeId>& roots,
                                      const std::vector<Derivative>& asked) {
  constexpr std::size_t kBits = 64;
  std::vector<Derivative> missing;
  std::vector<std::uint64_t> contains(model.graph.size());
  for (std::size_t first = 0; first < asked.size(); first += kBits) {
    const std::size_t n = std::min(kBits, asked.size() - first);
    for (std::size_t i = 0; i < contains.size(); ++i) {
      const expr::Node& node = model.graph[NodeId(i)];
      std::uint64_t bits = 0;
      if (node.op == expr::Op::variable) {
        for (std::size_t k = 0; k < n; ++k) {
          bits |= std::uint64_t{asked[first + k] == Derivative(node.first, node.second)} << k;
        }
      } else if (node.op == expr::Op::select) {
        bits = contains[node.first] | (contains[node.second] & contains[node.third]);
      } else {
        for (int k = 0; k < expr::n_operands(node.op); ++k) {
          bits |= contains[node.operand(k)];
        }
      }
      contains[i] = bits;
    }
    std::uint64_t in_roots = 0;
    for (const NodeId root : roots) {
      in_roots |= contains[root.index()];
    }
    for (std::size_t k = 0; k < n; ++k) {
      if ((in_roots >> k & 1U) == 0) {
        missing.push_back(asked[first + k]);
      }
    }
  }
  return missing;
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
  for (const Derivative& derivative : not_always_in(model, roots, {read.begin(), read.end()})) {
    const Variable& of = model.variables[derivative.first];
    if (of.mode.valid() || of.variability != Variability::continuous) {
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
