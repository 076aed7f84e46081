#include "structure/choice_ranks.hpp"

#include <algorithm>
#include <utility>

#include "expr/dependency.hpp"
#include "expr/substitute.hpp"
#include "structure/index/generic_rank.hpp"

namespace saltus::structure {
namespace {

// Combinations of choices times n³: about a tenth of a second.
constexpr double kMostWork = 1e7;

std::vector<NodeId> entries_of(const Block& block) {
  std::vector<NodeId> nodes;
  for (const MatrixEntry& entry : block.matrix) {
    nodes.push_back(entry.value);
  }
  return nodes;
}

// Conditions and Booleans in the matrix of a block.
StructuralChoices choices_of(const flat::Model& model, const Block& block) {
  StructuralChoices choices;
  for (const NodeId leaf : expr::leaves_of(model.graph, entries_of(block))) {
    const expr::Node& node = model.graph[leaf];
    if (node.op == expr::Op::condition) {
      choices.conditions.emplace_back(node.first);
    } else if (node.op == expr::Op::variable && node.second == 0 &&
               model.variables[node.first].type == flat::Type::boolean &&
               model.variables[node.first].variability == flat::Variability::discrete) {
      choices.discrete.emplace_back(node.first);
    }
  }
  return choices;
}

LockedChoices combination(const StructuralChoices& choices, std::size_t pattern) {
  LockedChoices locked;
  std::size_t bit = 0;
  for (const ConditionId condition : choices.conditions) {
    locked.conditions.emplace_back(condition, static_cast<double>(pattern >> bit++ & 1U));
  }
  for (const VariableId variable : choices.discrete) {
    locked.discrete.emplace_back(variable, static_cast<double>(pattern >> bit++ & 1U));
  }
  return locked;
}

bool may_be_asked(const Block& block) {
  const std::size_t n = block.unknowns.size();
  return block.kind != Block::Kind::explicit_formula && n > 1 && n <= kLargestDecided && !block.is_singular;
}

bool is_regular(expr::Graph& graph, Block block, std::span<const double> nominal,
                std::span<const expr::Replacement> replacements) {
  const std::vector<NodeId> before = entries_of(block);
  const std::vector<NodeId> locked = expr::substitute(graph, before, replacements);
  if (locked == before) {
    return true;
  }
  for (std::size_t i = 0; i < locked.size(); ++i) {
    block.matrix[i].value = locked[i];
  }
  return singular_blocks(graph, {&block, 1}, nominal).empty();
}

bool can_be_singular(flat::Model& model, const Block& block, std::span<const double> nominal,
                     const StructuralChoices& choices) {
  const std::size_t n_choices = choices.conditions.size() + choices.discrete.size();
  const auto n = static_cast<double>(block.unknowns.size());
  double work = n * n * n;
  for (std::size_t k = 0; k < n_choices; ++k) {
    work *= 2.0;
    if (work > kMostWork) {
      return true;
    }
  }
  for (std::size_t pattern = 0; pattern < std::size_t{1} << n_choices; ++pattern) {
    if (!is_regular(model.graph, block, nominal,
                    replacements_of(model.graph, combination(choices, pattern)))) {
      return true;
    }
  }
  return false;
}

}  // namespace

StructuralChoices rank_choices(flat::Model& model, const Causalized& causalized) {
  StructuralChoices found;
  for (const Block& block : causalized.blocks) {
    if (!may_be_asked(block)) {
      continue;
    }
    const StructuralChoices choices = choices_of(model, block);
    if (!choices.empty() && can_be_singular(model, block, causalized.nominal, choices)) {
      found.conditions.insert(found.conditions.end(), choices.conditions.begin(), choices.conditions.end());
      found.discrete.insert(found.discrete.end(), choices.discrete.begin(), choices.discrete.end());
    }
  }
  return found;
}

bool ranks_hold(expr::Graph& graph, const Causalized& causalized, const LockedChoices& locked) {
  const std::vector<expr::Replacement> replacements = replacements_of(graph, locked);
  return std::all_of(causalized.blocks.begin(), causalized.blocks.end(), [&](const Block& block) {
    return !may_be_asked(block) || is_regular(graph, block, causalized.nominal, replacements);
  });
}

}  // namespace saltus::structure
