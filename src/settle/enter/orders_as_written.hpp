/// What the equations of a mode, as the model has them, integrate.
///
/// Problem      variables that become one state in another structure have values of their own before it. Those that are integrated have
///              something to keep; what an equation gives (a sensor that reads a state) follows.
/// Method       a variable, or a derivative of one, is integrated if a higher derivative of it stands in the equations
/// Contract     where the equations do not exist in this form (callbacks) nothing counts as integrated
/// Checked by   tests/events/impulses_test.cpp
#pragma once

#include <algorithm>
#include <unordered_map>

#include "system/locked_dae.hpp"

namespace saltus::settle {

class OrdersAsWritten {
 public:
  explicit OrdersAsWritten(const system::LockedEquations& mode) {
    if (const auto equations = mode.written_equations()) {
      for (const system::WrittenEquations::Slot& slot : equations->slots()) {
        int& highest = highest_.try_emplace(slot.quantity.variable, 0).first->second;
        highest = std::max(highest, static_cast<int>(slot.quantity.order));
      }
    }
  }

  [[nodiscard]] bool is_integrated(const system::Quantity& quantity) const {
    const auto found = highest_.find(quantity.variable);
    return found != highest_.end() && quantity.order < found->second;
  }

 private:
  std::unordered_map<Index, int> highest_;  // order, by variable
};

}  // namespace saltus::settle
