/// The equations of a mode together with the relations over their unknowns: what is solved for values and truths at once
/// (reduce/consistent/mixed_step.hpp).
#pragma once

#include <memory>
#include <vector>

#include "base/ids.hpp"
#include "system/equation_set.hpp"

namespace saltus::system {

struct MixedEquations {
  /// Rows: the equations as written with every choice open, as in derivative_array(0), then the guards of relations that such a row or guard
  /// contains and that depend on slots. Slots as in derivative_array(0).
  std::shared_ptr<const EquationSet> rows;
  Index n_equations = 0;
  std::vector<Index> guards;   ///< of the rows behind the equations
  bool is_coupled = false;     ///< some of them depend on more than states
  std::vector<double> starts;  ///< by slot: start values of the variables, 0 for derivatives
};

}  // namespace saltus::system
