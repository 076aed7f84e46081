#include "structure/discrete_equations.hpp"

#include <algorithm>
#include <numeric>

#include "structure/matching.hpp"

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
  const SlotTable slots(model.graph, std::move(columns), {});
  const Incidence incidence = find_incidence(model.graph, equations, slots, slots.n_unknowns());
  Matching matching = empty_matching(incidence);
  match_lone_variables(equations, slots, first_discrete, end_discrete, matching);
  std::vector<std::uint32_t> rows(equations.size());
  std::iota(rows.begin(), rows.end(), 0U);
  extend_matching(incidence, rows, end_discrete, matching);
  extend_matching(incidence, rows, incidence.n_columns, matching);
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

}  // namespace saltus::structure
