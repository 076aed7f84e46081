#include "program/equations/written_coefficients.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "expr/dependency.hpp"
#include "expr/jacobian.hpp"
#include "structure/match/matching.hpp"

namespace saltus::program {
namespace {

// Slots that count as one column: of a variable the highest that is written, or all of them.
structure::Incidence incidence_of(const system::RectangularPattern& pattern,
                                  std::span<const std::uint32_t> column_of_slot, std::size_t n_columns) {
  std::vector<std::vector<std::uint32_t>> columns_of(static_cast<std::size_t>(pattern.n_rows));
  for (std::size_t j = 0; j < column_of_slot.size(); ++j) {
    for (Index e = pattern.column_starts[j];
         column_of_slot[j] != structure::kNone && e < pattern.column_starts[j + 1]; ++e) {
      columns_of[static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(e)])].push_back(
          column_of_slot[j]);
    }
  }
  structure::Incidence incidence;
  incidence.n_columns = static_cast<std::uint32_t>(n_columns);
  for (std::vector<std::uint32_t>& row : columns_of) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    incidence.columns.insert(incidence.columns.end(), row.begin(), row.end());
    incidence.row_starts.push_back(static_cast<std::uint32_t>(incidence.columns.size()));
  }
  return incidence;
}

void assign(const EquationCode& set, system::WrittenCoefficients& result) {
  const system::RectangularPattern& pattern = set.pattern();
  const std::vector<system::SlotInfo>& slots = set.slots();
  std::map<Index, Index> highest;  // by variable: slot
  for (std::size_t j = 0; j < slots.size(); ++j) {
    if (pattern.column_starts[j] < pattern.column_starts[j + 1]) {
      Index& top = highest.emplace(slots[j].variable, static_cast<Index>(j)).first->second;
      top = slots[j].order > slots[static_cast<std::size_t>(top)].order ? static_cast<Index>(j) : top;
    }
  }
  std::vector<Index> columns;
  std::vector<std::uint32_t> of_any(slots.size(), structure::kNone);
  std::vector<std::uint32_t> of_highest(slots.size(), structure::kNone);
  for (const auto& [variable, top] : highest) {
    of_highest[static_cast<std::size_t>(top)] = static_cast<std::uint32_t>(columns.size());
    columns.push_back(top);
  }
  for (std::size_t j = 0; j < slots.size(); ++j) {
    const auto top = highest.find(slots[j].variable);
    of_any[j] = top == highest.end() ? structure::kNone : of_highest[static_cast<std::size_t>(top->second)];
  }
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(pattern.n_rows));
  std::iota(rows.begin(), rows.end(), 0U);
  const auto match = [&](const structure::Incidence& incidence) {
    structure::Matching matching = structure::empty_matching(incidence);
    structure::extend_matching(incidence, rows, incidence.n_columns, matching);
    return matching;
  };
  const auto slots_of = [&](const structure::Matching& matching) {
    std::vector<Index> found;
    for (const std::uint32_t column : matching.column_of_row) {
      found.push_back(column == structure::kNone ? -1 : columns[column]);
    }
    return found;
  };
  result.variable_of_row = slots_of(match(incidence_of(pattern, of_any, columns.size())));
  const structure::Incidence incidence = incidence_of(pattern, of_highest, columns.size());
  const structure::Matching matching = match(incidence);
  result.unknown_of_row = slots_of(matching);
  result.is_overdetermined.assign(rows.size(), 0);
  for (const std::uint32_t row : rows) {
    if (matching.column_of_row[row] == structure::kNone && result.is_overdetermined[row] == 0) {
      for (const std::uint32_t other : structure::overdetermined_part(incidence, matching, row).rows) {
        result.is_overdetermined[other] = 1;
      }
    }
  }
}

}  // namespace

std::shared_ptr<const system::WrittenCoefficients> find_coefficients(
    const SystemCode& data, std::span<const flat::Equation> equations, const EquationCode& set) {
  LateGraph::Access graph = data.late_graph->open();
  std::vector<NodeId> rows;
  for (const flat::Equation& equation : equations) {
    rows.push_back(graph->subtract(equation.left, equation.right));
  }
  std::map<Index, VariableId> variable_of_column;
  for (std::size_t v = 0; v < data.model.variables.size(); ++v) {
    variable_of_column.emplace(data.column_of_variable[v], VariableId(v));
  }
  std::vector<NodeId> leaves;
  std::map<NodeId, Index> slot_of_leaf;
  for (const system::SlotInfo& slot : set.slots()) {
    leaves.push_back(graph->variable(variable_of_column.at(slot.variable), slot.order));
    slot_of_leaf.emplace(leaves.back(), static_cast<Index>(leaves.size()) - 1);
  }
  const expr::SparseJacobian jacobian = expr::jacobian(*graph, rows, leaves);
  std::map<std::pair<Index, Index>, std::vector<Index>> contained;  // by column and row
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t e = jacobian.row_start[row]; e < jacobian.row_start[row + 1]; ++e) {
      std::vector<Index>& slots =
          contained[{static_cast<Index>(jacobian.column[e]), static_cast<Index>(row)}];
      for (const NodeId leaf : expr::leaves_of(*graph, std::span(&jacobian.value[e], 1))) {
        if (const auto place = slot_of_leaf.find(leaf); place != slot_of_leaf.end()) {
          slots.push_back(place->second);
        }
      }
      std::sort(slots.begin(), slots.end());
    }
  }
  auto result = std::make_shared<system::WrittenCoefficients>();
  const system::RectangularPattern& pattern = set.pattern();
  result->starts.push_back(0);
  for (Index column = 0; column < pattern.n_columns; ++column) {
    const auto j = static_cast<std::size_t>(column);
    for (Index e = pattern.column_starts[j]; e < pattern.column_starts[j + 1]; ++e) {
      const std::vector<Index>& slots = contained[{column, pattern.rows[static_cast<std::size_t>(e)]}];
      result->slots.insert(result->slots.end(), slots.begin(), slots.end());
      result->starts.push_back(static_cast<Index>(result->slots.size()));
    }
  }
  assign(set, *result);
  return result;
}

}  // namespace saltus::program
