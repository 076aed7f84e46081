/// From a flat model to the data of a system: parameters evaluated, modes analysed, programs compiled.
///
/// Checked by   tests/unit/program/compiled_system_test.cpp
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "flat/model.hpp"
#include "program/compiled_system.hpp"
#include "program/system_data.hpp"

namespace saltus::program {

/// Conditions that are locked in the equations of one mode, because its structure depends on them
/// (structure/structure_choices.hpp).
struct LockedStructure {
  std::size_t mode = std::numeric_limits<std::size_t>::max();  ///< none
  std::vector<std::optional<double>> truths = {};              ///< by condition of the model

  [[nodiscard]] std::vector<ConditionId> conditions() const {
    std::vector<ConditionId> locked;
    for (std::size_t i = 0; i < truths.size(); ++i) {
      if (truths[i]) {
        locked.emplace_back(i);
      }
    }
    return locked;
  }
};

/// Guards, actions, columns and discrete variables have the same numbers whatever is locked.
[[nodiscard]] Result<std::shared_ptr<const SystemData>> build_data(
    const std::shared_ptr<const flat::Model>& model, const ParameterOverrides& overrides,
    const BuildOptions& options, const LockedStructure& locked = {});

}  // namespace saltus::program
