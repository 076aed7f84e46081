/// What is compiled of a model: everything but the numbers of parameters, start values and nominal values.
///
/// Contract     immutable once built and shared by threads and by all systems with the same signature (compiled_model.hpp); what is
///              made on demand is made once, behind locks. No number of a parameter may be kept here: SystemData has them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/late.hpp"
#include "flat/model.hpp"
#include "program/blocks/block_sequence.hpp"
#include "program/equations/actions.hpp"
#include "program/equations/equation_program.hpp"
#include "program/equations/late_graph.hpp"
#include "program/equations/round_system.hpp"
#include "program/equations/schedule.hpp"
#include "program/guards/condition_inputs.hpp"
#include "program/guards/guard_set.hpp"
#include "structure/initialization.hpp"
#include "structure/match/causalized.hpp"
#include "structure/start_problem.hpp"
#include "structure/structure_choices.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::program {

struct LateEquations;   // mode_equations.hpp
struct StructureCodes;  // structure_variants.hpp

/// The smooth system of one mode. Held inputs of its sequences: the conditions, then the discrete variables.
struct ModeCode {
  ModeId mode;  ///< of the flat model; invalid for a model without modes
  structure::Causalized causalized;
  structure::StructuralChoices choices;        ///< of the structure; of a locked one those that are locked
  std::vector<VariableId> variable_of_column;  ///< invalid where a column does not exist in this mode
  std::vector<system::StateInfo> states;       ///< without nominal values
  std::shared_ptr<const SequenceCode> derivatives;  ///< outputs: ẋ
  std::shared_ptr<const SequenceCode> values;       ///< outputs: all columns; 0 where one does not exist
  bool values_may_be_missing = false;               ///< where there are derivatives (missing_values.hpp)
  std::shared_ptr<const GuardCode> guards;          ///< all guards of the model, as functions in this mode
  std::vector<std::uint8_t> watches;                ///< by guard
  RoundSystem round;
  std::shared_ptr<const LateEquations> late;
};

struct SystemCode {
  flat::Model model;  ///< its graph contains what the analyses added
  ConditionInputs conditions;

  /// Columns of a trajectory. Own variables of modes that share a name share a column.
  std::vector<system::VariableInfo> columns;
  std::vector<Index> column_of_variable;
  std::vector<Index> discrete;            ///< columns of discrete variables
  std::vector<Index> discrete_of_column;  ///< place in `discrete`, -1 for the others

  std::vector<ModeCode> modes;
  std::vector<system::ModeInfo> mode_infos;
  std::size_t initial_mode = 0;
  std::vector<system::GuardInfo> guard_infos;
  ActionTable actions;
  ScheduleCode schedule;
  bool has_rounds = false;
  std::vector<ParameterId>
      zeros;  ///< constants of the equations, which know nothing of them (zero_parameters.hpp)
  Late<system::ModelParts> parts;  ///< model_parts.hpp

  /// The problem of the start, in the initial mode. Held inputs: the conditions, then pre(…) by column. Outputs:
  /// initial_outputs, in this order: states, columns, guards, pre(…) of discrete variables, both sides of every check, what the implicit blocks of
  /// the run determine.
  structure::InitializationProblem initialization;
  std::vector<NodeId> initial_outputs;
  std::shared_ptr<const SequenceCode> start;
  Late<SequenceCode> free_start;  ///< free_start.hpp
  /// Instead of `initialization` and `start`, where the initial mode has constraints or is reduced by ranks.
  std::optional<structure::StartProblem> start_problem;
  Late<EquationCode> start_equations;
  Late<EquationCode> free_start_equations;  ///< in which relations over slots follow these
  bool has_minimum_norm_start = false;      ///< BuildOptions

  Diagnostics warnings;

  std::size_t most_array_nodes = 0;
  /// For what is built on demand; it grows behind its lock.
  std::unique_ptr<LateGraph> late_graph;
  /// Of modes whose structure depends on choices.
  std::shared_ptr<const StructureCodes> structures;

  [[nodiscard]] std::size_t n_conditions() const { return conditions.n_conditions(); }
  /// Variables that tangents and pullbacks take for constants.
  [[nodiscard]] bool is_whole(Index column) const {
    const system::VariableInfo& variable = columns[static_cast<std::size_t>(column)];
    return variable.is_boolean || variable.is_integer;
  }
  /// Parameters, then the values of conditions that depend on parameters alone: the inputs of the frozen space.
  [[nodiscard]] std::size_t n_frozen_inputs() const { return model.parameters.size() + n_conditions(); }
};

/// A sequence of the blocks of a mode as they are used in a run; code and causalized must outlive the request.
[[nodiscard]] SequenceRequest run_request(const SystemCode& code, const structure::Causalized& causalized,
                                          std::span<const NodeId> outputs);

/// The same of blocks of the start, for SystemCode::initial_outputs.
[[nodiscard]] SequenceRequest start_request(const SystemCode& code, std::span<const structure::Block> blocks);

/// Conditions that depend on parameters alone are frozen, the others are held inputs from 0 on.
[[nodiscard]] LeafBindings condition_bindings(const SystemCode& code);
/// … and the discrete variables are held inputs behind them; pre(…) of one is its value.
[[nodiscard]] LeafBindings run_bindings(const SystemCode& code);
/// … and pre(…) of every column is a held input behind the conditions.
[[nodiscard]] LeafBindings start_bindings(const SystemCode& code);

}  // namespace saltus::program
