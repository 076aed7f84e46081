#include "program/system_builder.hpp"
#include "program/rated_angles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/machine.hpp"
#include "flat/columns.hpp"
#include "flat/discrete_definitions.hpp"
#include "program/equations/firing_order.hpp"
#include "program/equations/mode_equation_code.hpp"
#include "program/equations/rank_modes.hpp"
#include "program/guard_info.hpp"
#include "program/guards/diagnostic_codes.hpp"
#include "program/guards/guard_blend.hpp"
#include "program/guards/guard_roots.hpp"
#include "program/mode_compiler.hpp"
#include "program/shared_choices.hpp"
#include "program/structure_variants.hpp"
#include "program/unsupported.hpp"
#include "program/zero_parameters.hpp"
#include "structure/causalize.hpp"
#include "structure/structure_choices.hpp"

namespace saltus::program {
namespace {

// Start values from outside are leaves like parameters: their numbers come later.
void open_starts(flat::Model& model, std::span<const VariableId> starts) {
  for (const VariableId variable : starts) {
    flat::Parameter parameter;
    parameter.name = "start of " + model[variable].name;
    parameter.span = model[variable].span;
    model.parameters.push_back(std::move(parameter));
    model.variables[variable.index()].start = model.graph.parameter(ParameterId(model.parameters.size() - 1));
  }
}

// Own variables of modes that share a name share a column.
void describe_columns(SystemCode& data) {
  const std::vector<std::size_t> columns = flat::columns_of_variables(data.model);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const flat::Variable& variable = data.model.variables[i];
    const auto column = static_cast<Index>(columns[i]);
    data.column_of_variable.push_back(column);
    if (columns[i] < data.columns.size()) {
      continue;
    }
    const bool is_discrete = variable.variability == flat::Variability::discrete;
    data.discrete_of_column.push_back(is_discrete ? static_cast<Index>(data.discrete.size()) : -1);
    if (is_discrete) {
      data.discrete.push_back(column);
    }
    data.columns.push_back({.name = variable.name,
                            .is_discrete = is_discrete,
                            .is_boolean = variable.type == flat::Type::boolean,
                            .is_integer = variable.type == flat::Type::integer,
                            .unit = variable.unit,
                            .description = variable.description});
  }
}

void describe_mode(SystemCode& data, const ModeCode& mode) {
  system::ModeInfo info{.name = "main"};
  if (mode.mode.valid()) {
    const flat::Mode& declared = data.model.modes[mode.mode.index()];
    info.name = declared.name;
    info.sliding_between = declared.sliding_between;
    for (const VariableId variable : mode.variable_of_column) {
      info.has_variable.push_back(variable.valid() ? 1 : 0);
    }
  }
  for (const structure::Block& block : mode.causalized.blocks) {
    for (const structure::Unknown& unknown : block.unknowns) {
      info.n_algebraic += unknown.order == 0 ? 1 : 0;
    }
  }
  info.n_algebraic += std::ssize(mode.causalized.constraints);
  data.mode_infos.push_back(std::move(info));
}

bool is_by_ranks(const BuildOptions& options, std::size_t mode) {
  return std::find(options.by_ranks.begin(), options.by_ranks.end(), ModeId(mode)) != options.by_ranks.end();
}

// Causalises every mode; a model without modes has one.
void add_modes(SystemCode& data, const BuildOptions& options, const LockedStructure& locked,
               Diagnostics& diagnostics) {
  const std::size_t n_modes = std::max<std::size_t>(data.model.modes.size(), 1);
  for (std::size_t i = 0; i < n_modes; ++i) {
    ModeCode& mode = data.modes.emplace_back();
    mode.mode = data.model.modes.empty() ? ModeId() : ModeId(i);
    mode.variable_of_column.resize(data.columns.size());
    for (std::size_t v = 0; v < data.model.variables.size(); ++v) {
      const ModeId owner = data.model.variables[v].mode;
      if (!owner.valid() || owner == mode.mode) {
        mode.variable_of_column[static_cast<std::size_t>(data.column_of_variable[v])] = VariableId(v);
      }
    }
    structure::CausalizeOptions choices{.force_ranks = is_by_ranks(options, i)};
    if (locked.mode == i) {
      choices.locked = locked.choices;
    }
    auto causalized = structure::causalize(data.model, mode.mode, choices);
    if (causalized && take_events_from_rated_angles(data.model, mode.mode, *causalized)) {
      causalized = structure::causalize(data.model, mode.mode, choices);
    }
    if (!causalized) {
      diagnostics.append(std::move(causalized).error());
      continue;
    }
    mode.causalized = *std::move(causalized);
    if (mode.causalized.needs_ranks) {
      leave_rates_open(data.model.graph, mode.causalized);
    }
    if (locked.mode == i) {
      mode.choices = locked.names();
    } else if (!choices.force_ranks) {
      mode.choices = structure::structural_choices(data.model, mode.causalized);
    }
    data.warnings.append(mode.causalized.warnings);
    describe_mode(data, mode);
    data.has_rounds = data.has_rounds || !mode.causalized.discrete_equations.empty();
  }
}

void add_start_problem(SystemCode& data, Diagnostics& diagnostics) {
  auto problem = structure::start_problem(data.model, data.modes[data.initial_mode].causalized, 0,
                                          data.modes[data.initial_mode].mode);
  if (!problem) {
    diagnostics.append(std::move(problem).error());
    return;
  }
  data.start_problem = *std::move(problem);
}

void add_initialization(SystemCode& data, Diagnostics& diagnostics) {
  const structure::Causalized& initial = data.modes[data.initial_mode].causalized;
  if (initial.needs_ranks || !initial.constraints.empty() || data.has_minimum_norm_start) {
    add_start_problem(data, diagnostics);
    return;
  }
  auto problem = structure::initialization(data.model, initial, data.modes[data.initial_mode].mode);
  if (!problem) {
    diagnostics.append(std::move(problem).error());
    return;
  }
  data.initialization = *std::move(problem);
  data.warnings.append(data.initialization.warnings);
}

// The last analysis: it adds leaves to the graph that only the compiler knows (round_system.hpp).
void add_rounds(SystemCode& data, Diagnostics& diagnostics) {
  for (ModeCode& mode : data.modes) {
    if (data.has_rounds) {
      build_round(data, mode, diagnostics);
    }
  }
  if (data.has_rounds && !diagnostics.has_errors()) {
    find_firing_order(data, diagnostics);
  }
}

std::vector<ScheduledGuard> find_schedule(SystemCode& data) {
  return find_scheduled_guards(data.model, data.conditions,
                               data.modes.size() == 1
                                   ? std::span<const structure::Block>(data.modes[0].causalized.blocks)
                                   : std::span<const structure::Block>());
}

void add_events(SystemCode& data, std::span<const ScheduledGuard> scheduled, ParameterValues& parameters) {
  data.actions = collect_actions(data.model, data.conditions, parameters);
  data.has_rounds = data.has_rounds || !data.actions.infos.empty();
  const std::vector<GuardFacts> facts = find_guard_facts(data);
  make_guard_sets(data);
  describe_guards(data, scheduled, facts);
  find_scheduled_actions(data.model, data.conditions, data.guard_infos, data.actions);
}

}  // namespace

// What depends on parameters alone does so whatever their values are, and nothing else is asked of `parameters`: so all count as given.
Result<std::shared_ptr<const SystemCode>> build_code(const std::shared_ptr<const flat::Model>& model,
                                                     const Signature& signature, const BuildOptions& options,
                                                     const LockedStructure& locked) {
  auto data = std::make_shared<SystemCode>();
  data->model = *model;
  Diagnostics diagnostics(model->source);
  data->warnings.set_source(model->source);
  open_starts(data->model, signature.starts);
  flat::put_in_definitions(data->model);
  tame_roots_of_guards(data->model);
  share_out_choices(data->model);
  normalize_same_guard_choices(data->model);
  ParameterValues parameters(data->model, GivenParameters(data->model.parameters.size(), kNan));
  data->conditions = ConditionInputs(data->model, parameters);
  diagnostics.append(find_unsupported(data->model));
  if (diagnostics.has_errors()) {
    return Unexpected(std::move(diagnostics));
  }
  data->initial_mode = signature.initial_mode;
  data->zeros = signature.zeros;
  put_in_zeros(data->model, signature.zeros);
  describe_columns(*data);
  add_modes(*data, options, locked, diagnostics);
  if (diagnostics.has_errors()) {
    return Unexpected(std::move(diagnostics));
  }
  data->has_minimum_norm_start = options.has_minimum_norm_start;
  add_initialization(*data, diagnostics);
  if (diagnostics.has_errors()) {
    return Unexpected(std::move(diagnostics));
  }
  std::vector<ScheduledGuard> scheduled = find_schedule(*data);
  add_events(*data, scheduled, parameters);
  add_rounds(*data, diagnostics);
  diagnostics.append(find_open_rates(*data));
  diagnostics.append(find_rough_inputs(*data));
  if (diagnostics.has_errors()) {
    return Unexpected(std::move(diagnostics));
  }
  data->warnings.append(std::move(diagnostics));
  compile_modes(*data);
  compile_start(*data);
  data->schedule = ScheduleCode(data->model.graph, data->conditions, std::move(scheduled),
                                run_bindings(*data), data->n_frozen_inputs(), data->discrete.size());
  data->most_array_nodes = options.most_array_nodes;
  data->late_graph = std::make_unique<LateGraph>(data->model.graph);
  for (ModeCode& mode : data->modes) {
    mode.late = std::make_shared<const LateEquations>();
  }
  if (locked.mode == LockedStructure{}.mode) {
    data->structures = std::make_shared<const StructureCodes>(*data, model, signature, options);
  }
  return std::shared_ptr<const SystemCode>(std::move(data));
}

}  // namespace saltus::program
