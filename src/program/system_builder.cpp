#include "program/system_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "flat/columns.hpp"
#include "flat/discrete_definitions.hpp"
#include "program/equations/firing_order.hpp"
#include "program/equations/rank_modes.hpp"
#include "program/guard_info.hpp"
#include "program/guards/diagnostic_codes.hpp"
#include "program/guards/guard_blend.hpp"
#include "program/guards/guard_roots.hpp"
#include "program/mode_compiler.hpp"
#include "program/unsupported.hpp"
#include "program/zero_parameters.hpp"
#include "structure/causalize.hpp"
#include "structure/structure_choices.hpp"

namespace saltus::program {
namespace {

template <class Items>
std::unordered_map<std::string_view, std::size_t> index_by_name(const Items& items) {
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < items.size(); ++i) {
    index.emplace(items[i].name, i);
  }
  return index;
}

// Start values become constants of the system's own copy of the model; parameters are left to ParameterValues.
Diagnostics apply_starts(flat::Model& model, const ParameterOverrides& overrides) {
  Diagnostics diagnostics;
  if (overrides.empty()) {
    return diagnostics;
  }
  const auto parameters = index_by_name(model.parameters);
  const auto variables = index_by_name(model.variables);
  for (const auto& [name, value] : overrides) {
    if (const auto parameter = parameters.find(name); parameter != parameters.end()) {
      const flat::Parameter& target = model.parameters[parameter->second];
      if (target.is_constant || target.is_final || target.is_structural ||
          target.type == flat::Type::string) {
        diagnostics.error(kOverrideRefused,
                          fmt::format("the value of '{}' cannot be changed any more", name));
      }
    } else if (const auto variable = variables.find(name); variable != variables.end()) {
      model.variables[variable->second].start = model.graph.constant(value);
    } else {
      diagnostics.error(kUnknownOverride, fmt::format("the model has no parameter or variable '{}'", name));
    }
  }
  return diagnostics;
}

// Own variables of modes that share a name share a column.
void describe_columns(SystemData& data) {
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

// Start and nominal of every variable as numbers. A nominal of zero says nothing and counts as not given.
void find_scales(SystemData& data, ParameterValues& parameters) {
  for (const flat::Variable& variable : data.model.variables) {
    UnknownScale scale;
    if (variable.start) {
      scale.guess = parameters.of(*variable.start).value_or(0.0);
    }
    if (variable.nominal) {
      const double nominal = std::abs(parameters.of(*variable.nominal).value_or(1.0));
      scale.nominal = nominal > 0.0 && std::isfinite(nominal) ? nominal : 1.0;
    }
    data.scales.push_back(scale);
  }
}

// What pre(…) is in the problem of the start, and where modes that declare a state begin with it.
void find_starts(SystemData& data) {
  data.start_values.assign(data.columns.size(), 0.0);
  for (std::size_t i = data.model.variables.size(); i-- > 0;) {
    data.start_values[static_cast<std::size_t>(data.column_of_variable[i])] = data.scales[i].guess;
  }
  for (ModeData& mode : data.modes) {
    for (const structure::Unknown& state : mode.causalized.states) {
      const bool has_start = state.order == 0 && data.model[state.variable].start.has_value();
      mode.entry_states.push_back(has_start ? data.scales[state.variable.index()].guess
                                            : std::numeric_limits<double>::quiet_NaN());
    }
  }
}

void freeze_inputs(SystemData& data, ParameterValues& parameters, Diagnostics& diagnostics) {
  data.frozen_inputs = parameters.all(diagnostics);
  for (std::size_t i = 0; i < data.n_conditions(); ++i) {
    data.frozen_inputs.push_back(data.conditions.constant(ConditionId(i)).value_or(0.0));
  }
}

void describe_mode(SystemData& data, const ModeData& mode) {
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
void add_modes(SystemData& data, const BuildOptions& options, const LockedStructure& locked,
               Diagnostics& diagnostics) {
  const std::size_t n_modes = std::max<std::size_t>(data.model.modes.size(), 1);
  for (std::size_t i = 0; i < n_modes; ++i) {
    ModeData& mode = data.modes.emplace_back();
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

void choose_initial_mode(SystemData& data, ParameterValues& parameters, Diagnostics& diagnostics) {
  if (data.model.modes.empty()) {
    return;
  }
  const double value = parameters.of(data.model.initial_mode).value_or(-1.0);
  if (value >= 0.0 && value < static_cast<double>(data.model.modes.size())) {
    data.initial_mode = static_cast<std::size_t>(value);
  } else {
    diagnostics.error(kInitialModeUnknown, "the initial mode does not follow from the parameters",
                      data.model.modes.front().span);
  }
}

void add_start_problem(SystemData& data, ParameterValues& parameters, Diagnostics& diagnostics) {
  auto problem = structure::start_problem(data.model, data.modes[data.initial_mode].causalized, 0,
                                          data.modes[data.initial_mode].mode);
  if (!problem) {
    diagnostics.append(std::move(problem).error());
    return;
  }
  data.start_problem = *std::move(problem);
  for (const structure::StartSlot& slot : data.start_problem->slots) {
    data.start_guess.push_back(parameters.of(slot.guess).value_or(0.0));
  }
}

void add_initialization(SystemData& data, ParameterValues& parameters, Diagnostics& diagnostics) {
  const structure::Causalized& initial = data.modes[data.initial_mode].causalized;
  if (initial.needs_ranks || !initial.constraints.empty() || data.has_minimum_norm_start) {
    add_start_problem(data, parameters, diagnostics);
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
void add_rounds(SystemData& data, Diagnostics& diagnostics) {
  for (ModeData& mode : data.modes) {
    if (data.has_rounds) {
      build_round(data, mode, diagnostics);
    }
  }
  if (data.has_rounds && !diagnostics.has_errors()) {
    find_firing_order(data, diagnostics);
  }
}

std::vector<ScheduledGuard> find_schedule(SystemData& data) {
  return find_scheduled_guards(data.model, data.conditions,
                               data.modes.size() == 1
                                   ? std::span<const structure::Block>(data.modes[0].causalized.blocks)
                                   : std::span<const structure::Block>());
}

void add_events(SystemData& data, std::span<const ScheduledGuard> scheduled, ParameterValues& parameters) {
  data.actions = collect_actions(data.model, data.conditions, parameters);
  data.has_rounds = data.has_rounds || !data.actions.infos.empty();
  const std::vector<GuardFacts> facts = find_guard_facts(data);
  make_guard_sets(data);
  describe_guards(data, scheduled, facts);
  find_scheduled_actions(data.model, data.conditions, data.guard_infos, data.actions);
}

void add_scheduler(SystemData& data, std::vector<ScheduledGuard> scheduled, ParameterValues& parameters) {
  Scheduler::Request request{.guards = std::move(scheduled),
                             .clocks = {},
                             .frozen_inputs = data.frozen_inputs,
                             .bindings = run_bindings(data),
                             .n_discrete = data.discrete.size()};
  for (const ConditionId clock : data.conditions.clocks()) {
    request.clocks.push_back({.start = parameters.of(data.model[clock].argument).value_or(0.0),
                              .interval = parameters.of(data.model[clock].interval).value_or(1.0)});
  }
  data.scheduler.emplace(data.model.graph, data.conditions, std::move(request));
}

}  // namespace

Result<std::shared_ptr<const SystemData>> build_data(const std::shared_ptr<const flat::Model>& model,
                                                     const ParameterOverrides& overrides,
                                                     const BuildOptions& options,
                                                     const LockedStructure& locked) {
  auto data = std::make_shared<SystemData>();
  data->model = *model;
  Diagnostics diagnostics = apply_starts(data->model, overrides);
  diagnostics.set_source(model->source);
  data->warnings.set_source(model->source);
  flat::put_in_definitions(data->model);
  tame_roots_of_guards(data->model);
  normalize_same_guard_choices(data->model);
  ParameterValues parameters(data->model, overrides);
  data->conditions = ConditionInputs(data->model, parameters);
  freeze_inputs(*data, parameters, diagnostics);
  diagnostics.append(find_unsupported(data->model, parameters));
  choose_initial_mode(*data, parameters, diagnostics);
  if (diagnostics.has_errors()) {
    return Unexpected(std::move(diagnostics));
  }
  put_in_zeros(data->model, data->frozen_inputs);
  find_scales(*data, parameters);
  describe_columns(*data);
  add_modes(*data, options, locked, diagnostics);
  if (diagnostics.has_errors()) {
    return Unexpected(std::move(diagnostics));
  }
  find_starts(*data);
  data->has_minimum_norm_start = options.has_minimum_norm_start;
  add_initialization(*data, parameters, diagnostics);
  if (diagnostics.has_errors()) {
    return Unexpected(std::move(diagnostics));
  }
  std::vector<ScheduledGuard> scheduled = find_schedule(*data);
  add_events(*data, scheduled, parameters);
  add_rounds(*data, diagnostics);
  diagnostics.append(find_open_rates(*data));
  if (diagnostics.has_errors()) {
    return Unexpected(std::move(diagnostics));
  }
  data->warnings.append(std::move(diagnostics));
  compile_modes(*data);
  compile_start(*data);
  add_scheduler(*data, std::move(scheduled), parameters);
  data->most_array_nodes = options.most_array_nodes;
  data->late_graph = std::make_unique<LateGraph>(data->model.graph);
  return std::shared_ptr<const SystemData>(std::move(data));
}

}  // namespace saltus::program
