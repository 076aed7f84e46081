#include "program/system_binder.hpp"

#include <cmath>
#include <limits>

namespace saltus::program {
namespace {

void freeze_inputs(SystemData& data, ParameterValues& values) {
  const flat::Model& model = data.code->model;
  data.frozen_inputs.reserve(data.code->n_frozen_inputs());
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    const bool is_number = model.parameters[i].type != flat::Type::string;
    data.frozen_inputs.push_back(is_number ? values.of(ParameterId(i)).value_or(0.0) : 0.0);
  }
  for (const flat::Condition& condition : model.conditions) {
    data.frozen_inputs.push_back(values.of(condition).value_or(0.0));
  }
}

// Start and nominal of every variable as numbers. A nominal of zero says nothing and counts as not given.
void find_scales(SystemData& data, ParameterValues& values) {
  data.scales.reserve(data.code->model.variables.size());
  for (const flat::Variable& variable : data.code->model.variables) {
    UnknownScale scale;
    if (variable.start) {
      scale.guess = values.of(*variable.start).value_or(0.0);
    }
    if (variable.nominal) {
      const double nominal = std::abs(values.of(*variable.nominal).value_or(1.0));
      scale.nominal = nominal > 0.0 && std::isfinite(nominal) ? nominal : 1.0;
    }
    data.scales.push_back(scale);
  }
}

// What pre(…) is in the problem of the start.
void find_starts(SystemData& data) {
  const SystemCode& code = *data.code;
  data.start_values.assign(code.columns.size(), 0.0);
  for (std::size_t i = code.model.variables.size(); i-- > 0;) {
    data.start_values[static_cast<std::size_t>(code.column_of_variable[i])] = data.scales[i].guess;
  }
}

void bind_mode(SystemData& data, const ModeCode& code) {
  ModeData mode{.code = code,
                .states = code.states,
                .entry_states = {},
                .derivatives = bind_sequence(code.derivatives, data),
                .values = bind_sequence(code.values, data),
                .guards = GuardSet(code.guards, data.frozen_inputs, ScaleOf{data}),
                .round = {}};
  for (std::size_t i = 0; i < mode.states.size(); ++i) {
    const structure::Unknown& state = code.causalized.states[i];
    const UnknownScale& scale = data.scales[state.variable.index()];
    mode.states[i].nominal = data.nominal_of(state);
    // Where modes that declare a state begin with it.
    const bool has_start = state.order == 0 && data.code->model[state.variable].start.has_value();
    mode.entry_states.push_back(has_start ? scale.guess : std::numeric_limits<double>::quiet_NaN());
  }
  if (code.round.sequence != nullptr) {
    mode.round.emplace(bind_sequence(code.round.sequence, data));
  }
  data.modes.push_back(std::move(mode));
}

void bind_start(SystemData& data, ParameterValues& values) {
  const SystemCode& code = *data.code;
  if (code.start != nullptr) {
    data.start.emplace(bind_sequence(code.start, data));
  }
  if (code.start_problem) {
    for (const structure::StartSlot& slot : code.start_problem->slots) {
      data.start_guess.push_back(values.of(slot.guess).value_or(0.0));
    }
  }
}

void bind_schedule(SystemData& data, ParameterValues& values) {
  const SystemCode& code = *data.code;
  std::vector<Clock> clocks;
  for (const ConditionId clock : code.conditions.clocks()) {
    clocks.push_back({.start = values.of(code.model[clock].argument).value_or(0.0),
                      .interval = values.of(code.model[clock].interval).value_or(1.0)});
  }
  data.scheduler.emplace(code.schedule, code.conditions, std::move(clocks), data.frozen_inputs);
}

}  // namespace

GivenParameters given_to(const flat::Model& model, const GivenValues& given) {
  GivenParameters parameters = given.parameters;
  parameters.resize(model.parameters.size() - given.starts.size());
  for (const auto& [variable, value] : given.starts) {
    parameters.emplace_back(value);
  }
  return parameters;
}

std::shared_ptr<const SystemData> bind_system(std::shared_ptr<const SystemCode> code, ParameterValues& values,
                                              std::shared_ptr<const SystemData> common) {
  auto data = std::make_shared<SystemData>();
  data->code = std::move(code);
  data->common = std::move(common);
  freeze_inputs(*data, values);
  find_scales(*data, values);
  find_starts(*data);
  data->modes.reserve(data->code->modes.size());
  for (const ModeCode& mode : data->code->modes) {
    bind_mode(*data, mode);
  }
  bind_start(*data, values);
  bind_schedule(*data, values);
  return data;
}

}  // namespace saltus::program
