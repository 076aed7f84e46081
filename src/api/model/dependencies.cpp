#include "api/model/dependencies.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "expr/dependency.hpp"
#include "flat/discrete_definitions.hpp"
#include "structure/causalize.hpp"

namespace saltus::api {
namespace {

std::string name_of_quantity(const flat::Model& model, const structure::Unknown& quantity) {
  std::string name = model[quantity.variable].name;
  for (int order = 0; order < quantity.order; ++order) {
    name = fmt::format("der({})", name);
  }
  return name;
}

}  // namespace

void ModeDependencies::add_known(const std::string& name, const structure::Unknown* quantity) {
  if (quantity != nullptr) {
    Set own(knowns_.size() + 1);
    own.back() = true;
    sets_[*quantity] = std::move(own);
  }
  knowns_.push_back(name);
}

// Sets may be shorter than there are knowns.
void ModeDependencies::add(NodeId root, const flat::Model& model, Set& set) const {
  for (const NodeId leaf : expr::leaves_of(model.graph, std::span(&root, 1))) {
    const expr::Node& node = model.graph[leaf];
    if (node.op == expr::Op::time) {
      set[kTime] = true;
    } else if (node.op == expr::Op::condition) {
      if (const auto place = outside_.find(node.first); place != outside_.end()) {
        set[place->second] = true;
      }
    } else if (node.op == expr::Op::variable) {
      const auto known = sets_.find({VariableId(node.first), static_cast<int>(node.second)});
      for (std::size_t k = 0; known != sets_.end() && k < known->second.size(); ++k) {
        set[k] = set[k] || known->second[k];
      }
    }
  }
}

std::optional<ModeDependencies> ModeDependencies::find(const flat::Model& given, ModeId mode) {
  flat::Model model = given;
  flat::put_in_definitions(model);
  const auto causalized = structure::causalize(model, mode);
  if (!causalized || causalized->needs_ranks) {
    return std::nullopt;
  }
  ModeDependencies result;
  result.add_known("time", nullptr);
  for (const structure::Unknown& state : causalized->states) {
    result.add_known(name_of_quantity(model, state), &state);
  }
  for (std::size_t c = 0; c < model.conditions.size(); ++c) {
    if (model.conditions[c].kind == flat::Condition::Kind::external) {
      result.outside_.emplace(static_cast<std::uint32_t>(c), result.knowns_.size());
      result.add_known(model.conditions[c].text, nullptr);
    }
  }
  for (std::size_t i = 0; i < model.variables.size(); ++i) {
    const flat::Variable& variable = model.variables[i];
    const structure::Unknown quantity{VariableId(i), 0};
    if (variable.variability == flat::Variability::discrete &&
        (!variable.mode.valid() || variable.mode == mode)) {
      result.add_known(variable.name, &quantity);
    }
  }
  for (const structure::Block& block : causalized->blocks) {
    Set set(result.knowns_.size());
    if (block.kind == structure::Block::Kind::explicit_formula) {
      result.add(block.formula, model, set);
    }
    for (const structure::MatrixEntry& entry : block.matrix) {
      result.add(entry.value, model, set);
    }
    for (const auto* const list : {&block.right_side, &block.residual}) {
      for (const NodeId node : *list) {
        result.add(node, model, set);
      }
    }
    for (const structure::Unknown& unknown : block.unknowns) {
      result.sets_[unknown] = set;
    }
  }
  for (const structure::SlotAlias& alias : causalized->aliases) {
    if (const auto target = result.sets_.find(alias.target); target != result.sets_.end()) {
      const Set set = target->second;
      result.sets_[alias.quantity] = set;
    }
  }
  for (const auto& [quantity, set] : result.sets_) {
    result.names_.emplace(name_of_quantity(model, quantity), quantity);
  }
  return result;
}

std::optional<std::vector<std::string>> ModeDependencies::of(std::string_view unknown) const {
  const auto found = names_.find(unknown);
  if (found == names_.end()) {
    return std::nullopt;
  }
  const Set& set = sets_.at(found->second);
  std::vector<std::string> names;
  for (std::size_t k = 0; k < set.size(); ++k) {
    if (set[k]) {
      names.push_back(knowns_[k]);
    }
  }
  return names;
}

}  // namespace saltus::api
