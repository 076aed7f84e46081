/// --columns: which columns rows of output have.
///
/// Contract   A row as it is computed has all variables, then the extra values that were asked for (derivatives, guards); `order` says which of
///            these are written. A column that several items name stands once, where it is named first.
/// Checked by tests/unit/api/columns_test.cpp
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "saltus/model.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::api {

struct Columns {
  std::size_t n_variables = 0;
  std::vector<system::Quantity> derivatives;  ///< of order ≥ 1
  std::vector<Index> guards;
  std::vector<std::size_t> order;   ///< places in a row as it is computed
  std::vector<VariableInfo> infos;  ///< by column

  [[nodiscard]] std::size_t n_extra() const { return derivatives.size() + guards.size(); }
  [[nodiscard]] std::size_t n_computed() const { return n_variables + n_extra(); }
  /// Rows are written as they are computed.
  [[nodiscard]] bool is_plain() const { return is_plain_; }

  /// All variables.
  static Columns all(const std::vector<VariableInfo>& variables);

 private:
  friend class ColumnChoice;
  bool is_plain_ = true;
};

/// What is wrong with the names, as far as the variables tell; whether a derivative is known only choose_columns() can say.
[[nodiscard]] Diagnostics check_columns(const std::vector<std::string>& items,
                                        const std::vector<VariableInfo>& variables);

/// `items`: names, patterns, der(…) of these, `guards`, `all`; none: all variables.
[[nodiscard]] Result<Columns> choose_columns(const std::vector<std::string>& items,
                                             const std::vector<VariableInfo>& variables,
                                             const system::HybridSystem& system);

}  // namespace saltus::api
