/// From a flat model to the data of a system: parameters evaluated, modes analysed, programs compiled.
///
/// Checked by   tests/unit/program/compiled_system_test.cpp
#pragma once

#include <cstddef>
#include <limits>
#include <memory>

#include "flat/model.hpp"
#include "program/compiled_system.hpp"
#include "program/equations/system_data.hpp"

namespace saltus::program {

/// What is locked in the equations of one mode, because its structure depends on it (structure/structure_choices.hpp).
struct LockedStructure {
  std::size_t mode = std::numeric_limits<std::size_t>::max();  ///< none
  structure::LockedChoices choices = {};

  [[nodiscard]] structure::StructuralChoices names() const {
    structure::StructuralChoices names;
    for (const auto& [condition, value] : choices.conditions) {
      names.conditions.push_back(condition);
    }
    for (const auto& [variable, value] : choices.discrete) {
      names.discrete.push_back(variable);
    }
    return names;
  }
};

/// Guards, actions, columns and discrete variables have the same numbers whatever is locked.
[[nodiscard]] Result<std::shared_ptr<const SystemData>> build_data(
    const std::shared_ptr<const flat::Model>& model, const ParameterOverrides& overrides,
    const BuildOptions& options, const LockedStructure& locked = {});

}  // namespace saltus::program
