#include "program/equations/written_coefficients.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "expr/dependency.hpp"
#include "expr/jacobian.hpp"

namespace saltus::program {

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
  return result;
}

}  // namespace saltus::program
