#include "program/rated_angles.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "expr/substitute.hpp"
#include "expr/traversal.hpp"
#include "flat/angles.hpp"

namespace saltus::program {
namespace {

std::vector<expr::Replacement> plain_angles(flat::Model& model, flat::GuardCanonicalizer& canonicalizer,
                                            const flat::Equation& equation) {
  std::vector<expr::Replacement> replacements;
  const std::array<NodeId, 2> sides{equation.left, equation.right};
  for (const NodeId node : expr::needed_nodes(model.graph, sides)) {
    if (const auto angle = flat::find_angle(model, model.graph, canonicalizer, node)) {
      replacements.push_back({node, model.graph.binary(expr::Op::atan2, angle->y, angle->x)});
    }
  }
  return replacements;
}

}  // namespace

bool take_events_from_rated_angles(flat::Model& model, ModeId mode, const structure::Causalized& causalized) {
  flat::GuardCanonicalizer canonicalizer(model.graph);
  bool has_changed = false;
  for (std::size_t i = 0; i < causalized.differentiations.size(); ++i) {
    if (causalized.differentiations[i] <= 0) {
      continue;
    }
    const flat::Equation& written = causalized.written[i];
    const std::vector<expr::Replacement> replacements = plain_angles(model, canonicalizer, written);
    if (replacements.empty()) {
      continue;
    }
    const auto change = [&](std::vector<flat::Equation>& equations) {
      for (flat::Equation& equation : equations) {
        if (equation.left == written.left && equation.right == written.right) {
          equation.left = expr::substitute(model.graph, equation.left, replacements);
          equation.right = expr::substitute(model.graph, equation.right, replacements);
          has_changed = true;
        }
      }
    };
    change(model.equations);
    if (mode.valid()) {
      change(model.modes[mode.index()].equations);
    }
  }
  return has_changed;
}

}  // namespace saltus::program
