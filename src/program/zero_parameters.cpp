#include "program/zero_parameters.hpp"

#include <vector>

#include "expr/substitute.hpp"

namespace saltus::program {

void put_in_zeros(flat::Model& model, std::span<const double> values) {
  std::vector<expr::Replacement> replacements;
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    if (values[i] == 0.0 && model.parameters[i].type == flat::Type::real) {
      replacements.push_back(
          {.from = model.graph.parameter(ParameterId(i)), .to = model.graph.constant(0.0)});
    }
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
