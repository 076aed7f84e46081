/// From a flat model to the code of a system: modes analysed, programs compiled.
///
/// Checked by   tests/unit/program/compiled_system_test.cpp
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "flat/model.hpp"
#include "program/compiled_system.hpp"
#include "program/equations/system_code.hpp"

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

/// What of the values of parameters and start values is compiled into the code, and nothing else of them may be.
struct Signature {
  std::vector<ParameterId> zeros;  ///< ascending: Reals in equations that are zero (zero_parameters.hpp)
  std::vector<VariableId> starts;  ///< ascending: variables whose start value is given from outside
  std::size_t initial_mode = 0;

  friend bool operator==(const Signature&, const Signature&) = default;
};

/// Guards, actions, columns and discrete variables have the same numbers whatever is locked. Start values that are given from
/// outside are parameters behind those of the model, in the order of the signature.
[[nodiscard]] Result<std::shared_ptr<const SystemCode>> build_code(
    const std::shared_ptr<const flat::Model>& model, const Signature& signature, const BuildOptions& options,
    const LockedStructure& locked = {});

}  // namespace saltus::program
