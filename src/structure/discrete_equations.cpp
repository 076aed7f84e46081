#include "structure/discrete_equations.hpp"

#include <algorithm>
#include <numeric>

#include "expr/dependency.hpp"
#include "structure/match/matching.hpp"

namespace saltus::structure {
namespace {

// Matches `v = …` and `… = v` to v while both are free; columns from first_discrete to end_discrete are discrete.
void match_lone_variables(std::span<const flat::Equation> equations, const SlotTable& slots,
                          std::uint32_t first_discrete, std::uint32_t end_discrete, Matching& matching) {
  for (NodeId flat::Equation::*const side : {&flat::Equation::left, &flat::Equation::right}) {
    for (std::uint32_t row = 0; row < equations.size(); ++row) {
      const std::uint32_t column = slots.slot_of(equations[row].*side);
      if (column != kNone && column >= first_discrete && column < end_discrete &&
          matching.row_of_column[column] == kNone && matching.column_of_row[row] == kNone) {
        matching.row_of_column[column] = row;
        matching.column_of_row[row] = column;
      }
    }
  }
}

// Whether every equation found a column.
bool match_all(const expr::Graph& graph, std::span<const flat::Equation> equations, const SlotTable& slots,
               std::uint32_t first_discrete, std::uint32_t end_discrete, Matching& matching) {
  const Incidence incidence = find_incidence(graph, equations, slots, slots.n_unknowns());
  matching = empty_matching(incidence);
  match_lone_variables(equations, slots, first_discrete, end_discrete, matching);
  std::vector<std::uint32_t> rows(equations.size());
  std::iota(rows.begin(), rows.end(), 0U);
  extend_matching(incidence, rows, end_discrete, matching);
  return extend_matching(incidence, rows, incidence.n_columns, matching) == rows.size();
}

}  // namespace

DiscreteSplit split_discrete(flat::Model& model, std::span<const flat::Equation> equations,
                             const Classification& classification) {
  DiscreteSplit split;
  if (classification.discrete.empty()) {
    split.continuous.assign(equations.begin(), equations.end());
    return split;
  }
  std::vector<Unknown> columns = classification.unknowns;
  const auto first_discrete = static_cast<std::uint32_t>(columns.size());
  columns.insert(columns.end(), classification.discrete.begin(), classification.discrete.end());
  const auto end_discrete = static_cast<std::uint32_t>(columns.size());
  columns.insert(columns.end(), classification.inputs.begin(), classification.inputs.end());
  const auto end_columns = static_cast<std::uint32_t>(columns.size());
  SlotTable slots(model.graph, std::move(columns), classification.states);
  Matching matching;
  if (!match_all(model.graph, equations, slots, first_discrete, end_discrete, matching)) {
    // Equations that constrain states are no equations of discrete variables: let every order of a variable count.
    std::vector<std::uint32_t> column_of_variable(model.variables.size(), kNone);
    for (std::uint32_t column = 0; column < end_columns; ++column) {
      column_of_variable[slots[column].variable.index()] = column;
    }
    for (std::uint32_t slot = end_columns; slot < slots.n_slots(); ++slot) {
      slots.set_representative(slot, {.slot = column_of_variable[slots[slot].variable.index()]});
    }
    match_all(model.graph, equations, slots, first_discrete, end_discrete, matching);
  }
  for (std::uint32_t row = 0; row < equations.size(); ++row) {
    const std::uint32_t column = matching.column_of_row[row];
    if (column != kNone && column >= first_discrete && column < end_discrete) {
      split.discrete.push_back({.variable = slots[column].variable, .equation = equations[row]});
    } else {
      split.continuous.push_back(equations[row]);
    }
  }
  for (std::uint32_t column = first_discrete; column < end_discrete; ++column) {
    if (matching.row_of_column[column] == kNone) {
      split.without_equation.push_back(slots[column].variable);
    }
  }
  return split;
}

const flat::Equation* jump_equation_with(flat::Model& model, VariableId variable) {
  const NodeId leaf = model.graph.variable(variable);
  const auto find_in = [&](const flat::Body& body) -> const flat::Equation* {
    for (const flat::Equation& equation : body.jump_equations) {
      if (expr::depends_on(model.graph, equation.left, leaf) ||
          expr::depends_on(model.graph, equation.right, leaf)) {
        return &equation;
      }
    }
    return nullptr;
  };
  for (const flat::WhenClause& clause : model.when_clauses) {
    for (const flat::WhenBranch& branch : clause.branches) {
      if (const flat::Equation* const found = find_in(branch.body)) {
        return found;
      }
    }
  }
  for (const flat::Mode& mode : model.modes) {
    for (const flat::Transition& transition : mode.transitions) {
      if (const flat::Equation* const found = find_in(transition.body)) {
        return found;
      }
    }
  }
  return nullptr;
}

}  // namespace saltus::structure
