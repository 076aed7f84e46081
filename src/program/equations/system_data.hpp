/// What a compiled system and its locked systems share. Immutable once built.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "flat/model.hpp"
#include "program/blocks/block_sequence.hpp"
#include "program/equations/actions.hpp"
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

/// The smooth system of one mode. Held inputs of its sequences: the conditions, then the discrete variables.
struct ModeData {
  ModeId mode;  ///< of the flat model; invalid for a model without modes
  structure::Causalized causalized;
  structure::StructuralChoices choices;        ///< of the structure; of a locked one those that are locked
  std::vector<VariableId> variable_of_column;  ///< invalid where a column does not exist in this mode
  std::vector<system::StateInfo> states;
  std::vector<double> entry_states;
  std::optional<BlockSequence> derivatives;  ///< outputs: ẋ
  std::optional<BlockSequence> values;       ///< outputs: all columns; 0 where one does not exist
  bool values_may_be_missing = false;        ///< where there are derivatives (missing_values.hpp)
  std::optional<GuardSet> guards;            ///< all guards of the model, as functions in this mode
  std::vector<std::uint8_t> watches;         ///< by guard
  RoundSystem round;
};

struct SystemData {
  flat::Model model;  ///< with the start values that were given; its graph contains what the analyses added
  ConditionInputs conditions;
  /// Parameters, then the values of conditions that depend on parameters alone: the inputs of the frozen space.
  std::vector<double> frozen_inputs;
  std::vector<UnknownScale> scales;  ///< by variable

  /// Columns of a trajectory. Own variables of modes that share a name share a column.
  std::vector<system::VariableInfo> columns;
  std::vector<Index> column_of_variable;
  std::vector<Index> discrete;            ///< columns of discrete variables
  std::vector<Index> discrete_of_column;  ///< place in `discrete`, -1 for the others

  std::vector<ModeData> modes;
  std::vector<system::ModeInfo> mode_infos;
  std::size_t initial_mode = 0;
  std::vector<system::GuardInfo> guard_infos;
  ActionTable actions;
  std::optional<Scheduler> scheduler;
  bool has_rounds = false;

  /// The problem of the start, in the initial mode. Held inputs: the conditions, then pre(…) by column. Outputs:
  /// initial_outputs, in this order: states, columns, guards, pre(…) of discrete variables, both sides of every check, what the implicit blocks of
  /// the run determine.
  structure::InitializationProblem initialization;
  std::vector<NodeId> initial_outputs;
  std::optional<BlockSequence> start;
  std::vector<double> start_values;  ///< by column: what pre(…) is in the problem of the start
  /// Instead of `initialization` and `start`, where the initial mode has constraints or is reduced by ranks.
  std::optional<structure::StartProblem> start_problem;
  std::vector<double> start_guess;      ///< by slot of start_problem
  bool has_minimum_norm_start = false;  ///< BuildOptions

  Diagnostics warnings;

  std::size_t most_array_nodes = 0;
  /// For what is built on demand; it grows behind its lock.
  std::unique_ptr<LateGraph> late_graph;

  [[nodiscard]] std::size_t n_conditions() const { return conditions.n_conditions(); }
};

/// Where iterations for an unknown begin and how large it is.
struct ScaleOf {
  const SystemData& data;
  [[nodiscard]] UnknownScale operator()(const structure::Unknown& unknown) const;
};
/// A sequence of the blocks of a mode as they are used in a run; data and causalized must outlive the request.
[[nodiscard]] SequenceRequest run_request(const SystemData& data, const structure::Causalized& causalized,
                                          std::span<const NodeId> outputs);

/// The same of blocks of the start, for SystemData::initial_outputs.
[[nodiscard]] SequenceRequest start_request(const SystemData& data, std::span<const structure::Block> blocks);

/// Conditions that depend on parameters alone are frozen, the others are held inputs from 0 on.
[[nodiscard]] LeafBindings condition_bindings(const SystemData& data);
/// … and the discrete variables are held inputs behind them; pre(…) of one is its value.
[[nodiscard]] LeafBindings run_bindings(const SystemData& data);
/// … and pre(…) of every column is a held input behind the conditions.
[[nodiscard]] LeafBindings start_bindings(const SystemData& data);

[[nodiscard]] std::shared_ptr<const system::LockedDae> make_locked(std::shared_ptr<const SystemData> data,
                                                                   std::size_t mode);

/// `asked` (null: none): sides from which truth values are looked for; a guard that is zero keeps its side there.
[[nodiscard]] Result<system::InitialPoint> find_initial_point(const SystemData& data, double t,
                                                              const system::Configuration* asked);
/// All guards at the start values of variables: where the search for truth values begins.
[[nodiscard]] std::vector<double> guards_at_starts(const SystemData& data, double t);
/// SystemStarts::start_configuration().
[[nodiscard]] system::Configuration start_configuration(const SystemData& data, double t);
/// What guards with these values latch in the initial mode, as written; 0 for those that it cannot evaluate.
[[nodiscard]] std::vector<double> latched_of_values(const SystemData& data, std::span<const double> values);

/// The start of a system with start_problem: a point that is still to be found.
[[nodiscard]] Result<system::InitialPoint> begin_constrained_start(std::shared_ptr<const SystemData> data,
                                                                   double t,
                                                                   const system::Configuration* asked);
/// One or the other of these.
[[nodiscard]] Result<system::InitialPoint> initial_of(const std::shared_ptr<const SystemData>& data, double t,
                                                      const system::Configuration* asked = nullptr);
[[nodiscard]] std::unique_ptr<system::RoundSolver> make_round_solver(std::shared_ptr<const SystemData> data,
                                                                     std::size_t mode);

}  // namespace saltus::program
