/// All equations of a model as expressions: left, right, left, … of those that hold in every mode, then of each mode.
#pragma once

#include <vector>

#include "flat/model.hpp"

namespace saltus::flat {

[[nodiscard]] inline std::vector<NodeId> equation_sides(const Model& model) {
  std::vector<NodeId> sides;
  const auto add = [&sides](const std::vector<Equation>& equations) {
    for (const Equation& equation : equations) {
      sides.push_back(equation.left);
      sides.push_back(equation.right);
    }
  };
  add(model.equations);
  for (const Mode& mode : model.modes) {
    add(mode.equations);
  }
  return sides;
}

}  // namespace saltus::flat
