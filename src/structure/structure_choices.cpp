#include "structure/structure_choices.hpp"

#include <algorithm>
#include <numeric>

#include "expr/dependency.hpp"
#include "expr/substitute.hpp"
#include "structure/choice_ranks.hpp"
#include "structure/match/incidence.hpp"
#include "structure/match/matching.hpp"
#include "structure/match/slots.hpp"

namespace saltus::structure {
namespace {

using expr::Op;

std::vector<Unknown> unknowns_of(const Causalized& causalized) {
  if (causalized.needs_ranks) {
    return causalized.derivatives;
  }
  std::vector<Unknown> unknowns;
  for (const Block& block : causalized.blocks) {
    unknowns.insert(unknowns.end(), block.unknowns.begin(), block.unknowns.end());
  }
  return unknowns;
}

std::vector<std::uint32_t> all_rows(const Incidence& incidence) {
  std::vector<std::uint32_t> rows(incidence.n_rows());
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

// An Integer or Boolean, by its value or its value before.
bool is_discrete(const flat::Model& model, const expr::Node& node) {
  const bool is_value = node.op == Op::previous || (node.op == Op::variable && node.second == 0);
  return is_value && model.variables[node.first].type != flat::Type::real &&
         model.variables[node.first].variability == flat::Variability::discrete;
}

// By node: whether it contains something that may choose.
std::vector<std::uint8_t> nodes_with_choice(const flat::Model& model) {
  const expr::Graph& graph = model.graph;
  std::vector<std::uint8_t> has(graph.size(), 0);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const expr::Node& node = graph[NodeId(i)];
    has[i] = node.op == Op::condition || is_discrete(model, node) ? 1 : 0;
    for (int k = 0; k < expr::n_operands(node.op); ++k) {
      has[i] |= has[node.operand(k)];
    }
  }
  return has;
}

// Finds the occurrences that no choice can take away.
class SureOccurrences {
 public:
  SureOccurrences(const flat::Model& model, const SlotTable& slots)
      : graph_(model.graph),
        slots_(slots),
        has_choice_(nodes_with_choice(model)),
        is_sure_(graph_.size(), 0),
        seen_(graph_.size(), 0) {}

  [[nodiscard]] bool has_choice(NodeId node) const { return has_choice_[node.index()] != 0; }
  [[nodiscard]] bool has_choice(const flat::Equation& equation) const {
    return has_choice(equation.left) || has_choice(equation.right);
  }

  /// Sure columns of one equation, ascending.
  [[nodiscard]] std::vector<std::uint32_t> of(const flat::Equation& equation) {
    ++row_;
    columns_.clear();
    visit(equation.left, true);
    visit(equation.right, true);
    while (!stack_.empty()) {
      const NodeId node = stack_.back();
      stack_.pop_back();
      const bool is_sure = is_sure_[node.index()] == row_;
      const std::uint32_t slot = slots_.slot_of(node);
      if (slot != kNone) {
        if (is_sure) {
          columns_.push_back(slot);
        }
        continue;
      }
      follow(graph_[node], is_sure);
    }
    std::sort(columns_.begin(), columns_.end());
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
    return columns_;
  }

 private:
  void follow(const expr::Node& node, bool is_sure) {
    const int n = expr::n_operands(node.op);
    const bool is_factor = node.op == Op::multiply || node.op == Op::divide || node.op == Op::power;
    for (int i = 0; i < n; ++i) {
      const NodeId operand(node.operand(i));
      const bool may_vanish = node.op == Op::select || node.op == Op::minimum || node.op == Op::maximum ||
                              (is_factor && has_choice(NodeId(node.operand(1 - i))));
      visit(operand, is_sure && !may_vanish);
    }
  }

  // Nodes seen below a choice are seen again where they occur without one.
  void visit(NodeId node, bool is_sure) {
    const std::size_t i = node.index();
    if (is_sure ? is_sure_[i] == row_ : seen_[i] == row_) {
      return;
    }
    seen_[i] = row_;
    if (is_sure) {
      is_sure_[i] = row_;
    }
    stack_.push_back(node);
  }

  const expr::Graph& graph_;
  const SlotTable& slots_;
  std::vector<std::uint8_t> has_choice_;
  std::vector<std::uint32_t> is_sure_;
  std::vector<std::uint32_t> seen_;
  std::uint32_t row_ = 0;
  std::vector<NodeId> stack_;
  std::vector<std::uint32_t> columns_;
};

Incidence sure_incidence(SureOccurrences& sure, std::span<const flat::Equation> equations,
                         const Incidence& all) {
  Incidence incidence;
  incidence.n_columns = all.n_columns;
  for (std::uint32_t row = 0; row < all.n_rows(); ++row) {
    const flat::Equation& equation = equations[row];
    if (sure.has_choice(equation)) {
      for (const std::uint32_t column : sure.of(equation)) {
        if (column < all.n_columns) {
          incidence.columns.push_back(column);
        }
      }
    } else {
      const auto columns = all.row(row);
      incidence.columns.insert(incidence.columns.end(), columns.begin(), columns.end());
    }
    incidence.row_starts.push_back(static_cast<std::uint32_t>(incidence.columns.size()));
  }
  incidence.sides.assign(incidence.columns.size(), Incidence::kLeftSide);
  return incidence;
}

bool contains(const Incidence& incidence, std::uint32_t row, std::uint32_t column) {
  const auto columns = incidence.row(row);
  return std::binary_search(columns.begin(), columns.end(), column);
}

}  // namespace

StructuralChoices structural_choices(flat::Model& model, const Causalized& causalized) {
  const SlotTable slots(model.graph, unknowns_of(causalized), {});
  SureOccurrences sure(model, slots);
  if (std::none_of(causalized.equations.begin(), causalized.equations.end(),
                   [&sure](const flat::Equation& equation) { return sure.has_choice(equation); })) {
    return {};
  }
  const Incidence all = find_incidence(model.graph, causalized.equations, slots, slots.n_unknowns());
  const Incidence certain = sure_incidence(sure, causalized.equations, all);
  Matching matching = empty_matching(all);
  extend_matching(certain, all_rows(all), all.n_columns, matching);
  extend_matching(all, all_rows(all), all.n_columns, matching);
  std::vector<NodeId> roots;
  for (std::uint32_t row = 0; row < all.n_rows(); ++row) {
    const std::uint32_t column = matching.column_of_row[row];
    const bool is_open = causalized.needs_ranks ? certain.row(row).size() != all.row(row).size()
                                                : column == kNone || !contains(certain, row, column);
    if (is_open) {
      roots.push_back(causalized.equations[row].left);
      roots.push_back(causalized.equations[row].right);
    }
  }
  StructuralChoices choices;
  for (const NodeId leaf : expr::leaves_of(model.graph, roots)) {
    const expr::Node& node = model.graph[leaf];
    if (node.op == Op::condition) {
      choices.conditions.emplace_back(node.first);
    } else if (is_discrete(model, node)) {
      choices.discrete.emplace_back(node.first);
    }
  }
  const StructuralChoices by_rank = rank_choices(model, causalized);
  choices.conditions.insert(choices.conditions.end(), by_rank.conditions.begin(), by_rank.conditions.end());
  choices.discrete.insert(choices.discrete.end(), by_rank.discrete.begin(), by_rank.discrete.end());
  const auto make_unique = [](auto& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  make_unique(choices.conditions);
  make_unique(choices.discrete);
  return choices;
}

std::vector<expr::Replacement> replacements_of(expr::Graph& graph, const LockedChoices& locked) {
  std::vector<expr::Replacement> replacements;
  for (const auto& [condition, value] : locked.conditions) {
    replacements.push_back({.from = graph.condition(condition), .to = graph.constant(value)});
  }
  for (const auto& [variable, value] : locked.discrete) {
    replacements.push_back({.from = graph.variable(variable), .to = graph.constant(value)});
    replacements.push_back({.from = graph.previous(variable), .to = graph.constant(value)});
  }
  return replacements;
}

std::vector<flat::Equation> locked_equations(expr::Graph& graph, std::span<const flat::Equation> equations,
                                             const LockedChoices& locked) {
  std::vector<NodeId> sides;
  for (const flat::Equation& equation : equations) {
    sides.push_back(equation.left);
    sides.push_back(equation.right);
  }
  sides = expr::substitute(graph, sides, replacements_of(graph, locked));
  std::vector<flat::Equation> result(equations.begin(), equations.end());
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].left = sides[2 * i];
    result[i].right = sides[2 * i + 1];
  }
  return result;
}

bool structure_holds(expr::Graph& graph, const Causalized& causalized, const LockedChoices& locked) {
  if (causalized.needs_ranks) {
    return false;
  }
  const std::vector<flat::Equation> equations = locked_equations(graph, causalized.equations, locked);
  const SlotTable slots(graph, unknowns_of(causalized), {});
  const Incidence incidence = find_incidence(graph, equations, slots, slots.n_unknowns());
  Matching matching = empty_matching(incidence);
  return extend_matching(incidence, all_rows(incidence), incidence.n_columns, matching) ==
             incidence.n_rows() &&
         ranks_hold(graph, causalized, locked);
}

}  // namespace saltus::structure
