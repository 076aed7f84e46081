/// What a compiled system and its locked systems share. Immutable once built.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flat/model.hpp"
#include "program/block_sequence.hpp"
#include "structure/causalized.hpp"
#include "structure/initialization.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::program {

struct SystemData {
  flat::Model model;  ///< with the start values that were given; its graph contains what the analyses added
  structure::Causalized causalized;
  structure::InitializationProblem initialization;

  /// Wanted of the initial problem: states, held discrete variables, both sides of every check, and
  /// what the implicit blocks of the run determine.
  std::vector<NodeId> initial_outputs;

  /// Parameters, then conditions: the inputs of the frozen space.
  std::vector<double> frozen_inputs;
  std::vector<double> condition_values;
  std::vector<UnknownScale> scales;  ///< by variable

  std::vector<system::VariableInfo> variables;
  std::vector<system::StateInfo> states;
  std::optional<BlockSequence> derivatives;  ///< outputs: ẋ
  std::optional<BlockSequence> values;       ///< outputs: all variables
  std::optional<BlockSequence> start;        ///< of the initial problem; outputs: initial_outputs
};

/// Leaves that neither states nor blocks give: conditions.
[[nodiscard]] LeafBindings held_bindings(const SystemData& data);

[[nodiscard]] std::shared_ptr<const system::LockedDae> make_locked(std::shared_ptr<const SystemData> data);

[[nodiscard]] Result<system::InitialPoint> find_initial_point(const SystemData& data, double t);

}  // namespace saltus::program
