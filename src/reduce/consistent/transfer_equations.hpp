/// Constraints of a configuration and jump equations of the bodies that fired, as one equation set (graded_transfer.hpp).
///
/// Contract     Slots: those of the constraints, then those that only the jump equations have; slots of the same name are one. Rows:
///              the constraints, the equations of the mode that the jump equations bring along, the jump equations chosen.
///              set_configuration() is for the constraints; the jump equations keep the configuration given here. Jump
///              equations that were not chosen may have no value.
/// Checked by   tests/unit/reduce/graded_transfer_test.cpp
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "system/configuration.hpp"
#include "system/equation_set.hpp"

namespace saltus::reduce {

struct TransferParts {
  std::shared_ptr<const system::EquationSet> constraints;  ///< null: none
  std::shared_ptr<const system::EquationSet> jumps;        ///< null: none
  Index n_jump_rows = 0;      ///< of `jumps`, the first ones; the others are equations of the mode
  std::vector<Index> chosen;  ///< of these rows
  system::Configuration configuration_of_jumps;
};

struct TransferEquations {
  std::shared_ptr<const system::EquationSet> equations;
  std::vector<Index> slot_of_jump_slot;
  Index n_constraints = 0;  ///< rows
  Index n_of_mode = 0;      ///< rows
};

[[nodiscard]] TransferEquations join_for_transfer(TransferParts parts);

}  // namespace saltus::reduce
