/// Rows Σ a·s = b with given numbers, as an equation set: what a transfer takes as jump equations.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "system/equation_set.hpp"

namespace saltus::reduce {

struct LinearRow {
  std::map<Index, double> terms;  ///< by slot
  double right = 0.0;
  system::RowInfo info = {};
};

[[nodiscard]] std::shared_ptr<const system::EquationSet> make_linear_rows(std::vector<system::SlotInfo> slots,
                                                                          const std::vector<LinearRow>& rows);

}  // namespace saltus::reduce
