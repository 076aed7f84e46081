#include "program/mode_compiler.hpp"
#include "program/equations/missing_values.hpp"

#include <algorithm>

#include "program/guards/guard_effects.hpp"
#include "structure/match/names.hpp"

namespace saltus::program {
namespace {

std::uint32_t n_held_in_run(const SystemCode& data) {
  return static_cast<std::uint32_t>(data.n_conditions() + data.discrete.size());
}

std::vector<NodeId> leaves_of(expr::Graph& graph, std::span<const structure::Unknown> unknowns) {
  std::vector<NodeId> leaves;
  for (const structure::Unknown& unknown : unknowns) {
    leaves.push_back(graph.variable(unknown.variable, unknown.order));
  }
  return leaves;
}

std::vector<NodeId> leaves_of_columns(expr::Graph& graph, const ModeCode& mode) {
  std::vector<NodeId> leaves;
  for (const VariableId variable : mode.variable_of_column) {
    leaves.push_back(variable.valid() ? graph.variable(variable) : graph.constant(0.0));
  }
  return leaves;
}

void bind_conditions(const SystemCode& data, LeafBindings& bindings) {
  const auto n_parameters = static_cast<std::uint32_t>(data.model.parameters.size());
  for (std::uint32_t i = 0; i < data.n_conditions(); ++i) {
    const bool is_constant = data.conditions.is_constant(ConditionId(i));
    bindings.bind_condition(ConditionId(i), is_constant ? Binding{Binding::Kind::parameter, n_parameters + i}
                                                        : Binding{Binding::Kind::input, 1 + i});
  }
}

}  // namespace

SequenceRequest run_request(const SystemCode& data, const structure::Causalized& causalized,
                            std::span<const NodeId> outputs) {
  return {.blocks = causalized.blocks,
          .states = causalized.states,
          .outputs = outputs,
          .n_frozen_inputs = data.n_frozen_inputs(),
          .bindings = run_bindings(data),
          .n_held = n_held_in_run(data)};
}

LeafBindings condition_bindings(const SystemCode& data) {
  LeafBindings bindings;
  bind_conditions(data, bindings);
  return bindings;
}

LeafBindings run_bindings(const SystemCode& data) {
  LeafBindings bindings = condition_bindings(data);
  for (std::size_t i = 0; i < data.model.variables.size(); ++i) {
    const Index place = data.discrete_of_column[static_cast<std::size_t>(data.column_of_variable[i])];
    if (place >= 0) {
      const Binding binding{Binding::Kind::input, static_cast<std::uint32_t>(1 + data.n_conditions()) +
                                                      static_cast<std::uint32_t>(place)};
      bindings.bind_variable(VariableId(i), 0, binding);
      bindings.bind_previous(VariableId(i), binding);
    }
  }
  return bindings;
}

LeafBindings start_bindings(const SystemCode& data) {
  LeafBindings bindings = condition_bindings(data);
  for (std::size_t i = 0; i < data.model.variables.size(); ++i) {
    bindings.bind_previous(
        VariableId(i), {Binding::Kind::input, static_cast<std::uint32_t>(1 + data.n_conditions()) +
                                                  static_cast<std::uint32_t>(data.column_of_variable[i])});
  }
  return bindings;
}

void make_guard_sets(SystemCode& data) {
  std::vector<NodeId> guards;
  for (const ConditionInputs::Guard& guard : data.conditions.guards()) {
    guards.push_back(guard.expression);
  }
  std::vector<Index> guard_of_held;
  for (std::size_t c = 0; c < data.conditions.n_conditions(); ++c) {
    guard_of_held.push_back(data.conditions.guard_of(ConditionId(c)));
  }
  for (ModeCode& mode : data.modes) {
    const std::vector<NodeId> effects =
        find_guard_effects(data.model.graph, data.conditions, mode.causalized);
    const GuardSetRequest request{.guards = guards,
                                  .blocks = mode.causalized.blocks,
                                  .states = mode.causalized.states,
                                  .derivatives = mode.causalized.derivatives,
                                  .n_frozen_inputs = data.n_frozen_inputs(),
                                  .bindings = run_bindings(data),
                                  .n_held = n_held_in_run(data),
                                  .effects = effects,
                                  .guard_of_held = guard_of_held};
    mode.guards = std::make_shared<const GuardCode>(data.model.graph, request);
  }
}

void compile_modes(SystemCode& data) {
  expr::Graph& graph = data.model.graph;
  for (ModeCode& mode : data.modes) {
    const structure::Causalized& causalized = mode.causalized;
    const std::vector<NodeId> derivatives = leaves_of(graph, causalized.derivatives);
    const std::vector<NodeId> values = leaves_of_columns(graph, mode);
    mode.derivatives =
        std::make_shared<const SequenceCode>(graph, run_request(data, causalized, derivatives));
    mode.values = std::make_shared<const SequenceCode>(graph, run_request(data, causalized, values));
    mode.values_may_be_missing = values_may_be_missing(graph, causalized);
    if (data.has_rounds) {
      mode.round.sequence = std::make_shared<const SequenceCode>(
          graph, SequenceRequest{.blocks = mode.round.blocks,
                                 .states = {},
                                 .outputs = mode.round.outputs,
                                 .n_frozen_inputs = data.n_frozen_inputs(),
                                 .bindings = mode.round.bindings,
                                 .n_held = mode.round.n_held});
    }
    const auto is_written = [&causalized](const structure::Unknown& unknown) {
      return unknown.order < causalized.written_orders[unknown.variable.index()];
    };
    const auto quantity_of = [&data](const structure::Unknown& unknown) {
      return system::Quantity{data.column_of_variable[unknown.variable.index()], unknown.order};
    };
    for (const structure::Unknown& state : causalized.states) {
      mode.states.push_back({.name = structure::name_of(data.model, state),
                             .is_written = is_written(state),
                             .quantity = quantity_of(state)});
    }
    for (const structure::SlotAlias& alias : causalized.aliases) {
      const auto place = std::lower_bound(causalized.states.begin(), causalized.states.end(), alias.target);
      if (place != causalized.states.end() && *place == alias.target) {
        system::StateInfo& state = mode.states[static_cast<std::size_t>(place - causalized.states.begin())];
        state.aliases.push_back({structure::name_of(data.model, alias.quantity), alias.negative ? -1.0 : 1.0,
                                 quantity_of(alias.quantity)});
        state.is_written = state.is_written || is_written(alias.quantity);
      }
    }
  }
}

void compile_start(SystemCode& data) {
  if (data.start_problem) {
    return;  // there are no blocks to be compiled: it is solved as a whole
  }
  expr::Graph& graph = data.model.graph;
  const ModeCode& mode = data.modes[data.initial_mode];
  std::vector<NodeId>& outputs = data.initial_outputs;
  outputs = leaves_of(graph, mode.causalized.states);
  const auto append = [&outputs](const std::vector<NodeId>& more) {
    outputs.insert(outputs.end(), more.begin(), more.end());
  };
  append(leaves_of_columns(graph, mode));
  expr::Substitution without_previous(graph, data.initialization.previous);
  for (std::size_t i = 0; i < data.conditions.guards().size(); ++i) {
    outputs.push_back(mode.guards->can_evaluate(static_cast<Index>(i))
                          ? without_previous(data.conditions.guards()[i].expression)
                          : graph.constant(0.0));
  }
  for (const Index column : data.discrete) {
    const VariableId variable = mode.variable_of_column[static_cast<std::size_t>(column)];
    outputs.push_back(variable.valid() ? without_previous(graph.previous(variable)) : graph.constant(0.0));
  }
  for (const EquationId check : data.initialization.checks) {
    const flat::Equation& equation = data.initialization.equations[check.index()];
    append({equation.left, equation.right});
  }
  for (const structure::Block& block : mode.causalized.blocks) {
    if (block.kind != structure::Block::Kind::explicit_formula) {
      append(leaves_of(graph, block.unknowns));
    }
  }
  data.start = std::make_shared<const SequenceCode>(graph, start_request(data, data.initialization.blocks));
}

SequenceRequest start_request(const SystemCode& data, std::span<const structure::Block> blocks) {
  return {.blocks = blocks,
          .states = {},
          .outputs = data.initial_outputs,
          .n_frozen_inputs = data.n_frozen_inputs(),
          .bindings = start_bindings(data),
          .n_held = static_cast<std::uint32_t>(data.n_conditions() + data.columns.size())};
}

}  // namespace saltus::program
