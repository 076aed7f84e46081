#include "flat/columns.hpp"

#include <string_view>
#include <unordered_map>

namespace saltus::flat {

std::vector<std::size_t> columns_of_variables(const Model& model) {
  std::vector<std::size_t> columns;
  std::unordered_map<std::string_view, std::size_t> column_of_own_name;
  std::size_t n_columns = 0;
  for (const Variable& variable : model.variables) {
    const std::size_t column = variable.mode.valid()
                                   ? column_of_own_name.emplace(variable.name, n_columns).first->second
                                   : n_columns;
    n_columns += column == n_columns ? 1 : 0;
    columns.push_back(column);
  }
  return columns;
}

}  // namespace saltus::flat
