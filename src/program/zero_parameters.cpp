#include "program/zero_parameters.hpp"

#include <vector>

#include "expr/dependency.hpp"
#include "expr/substitute.hpp"
#include "flat/equation_sides.hpp"

namespace saltus::program {

std::vector<char> parameters_of_equations(const flat::Model& model) {
  std::vector<char> occurs(model.parameters.size(), 0);
  for (const NodeId leaf : expr::leaves_of(model.graph, flat::equation_sides(model))) {
    const expr::Node& node = model.graph[leaf];
    if (node.op == expr::Op::parameter && model.parameters[node.first].type == flat::Type::real) {
      occurs[node.first] = 1;
    }
  }
  return occurs;
}

void put_in_zeros(flat::Model& model, std::span<const ParameterId> zeros) {
  std::vector<expr::Replacement> replacements;
  for (const ParameterId zero : zeros) {
    replacements.push_back({.from = model.graph.parameter(zero), .to = model.graph.constant(0.0)});
  }
  if (replacements.empty()) {
    return;
  }
  expr::Substitution substitution(model.graph, replacements);
  const auto put_into = [&](std::vector<flat::Equation>& equations) {
    for (flat::Equation& equation : equations) {
      equation.left = substitution(equation.left);
      equation.right = substitution(equation.right);
    }
  };
  put_into(model.equations);
  for (flat::Mode& mode : model.modes) {
    put_into(mode.equations);
  }
}

}  // namespace saltus::program
