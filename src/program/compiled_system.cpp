#include "program/compiled_system.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "program/diagnostic_codes.hpp"
#include "program/system_data.hpp"
#include "program/unsupported.hpp"
#include "structure/causalize.hpp"
#include "structure/names.hpp"

namespace saltus::program {
namespace {

class CompiledSystem final : public system::HybridSystem {
 public:
  explicit CompiledSystem(std::shared_ptr<const SystemData> data)
      : data_(std::move(data)), locked_(make_locked(data_)) {}

  const std::vector<system::VariableInfo>& variables() const override { return data_->variables; }
  Result<system::InitialPoint> initial(double t) const override { return find_initial_point(*data_, t); }
  Result<std::shared_ptr<const system::LockedDae>> lock(ModeId) const override {
    return locked_;  // a smooth model has one mode
  }
  const std::vector<Index>& discrete() const override { return discrete_; }
  const std::vector<system::ModeInfo>& modes() const override { return modes_; }
  const std::vector<system::GuardInfo>& guards() const override { return guards_; }
  const std::vector<system::ActionInfo>& actions() const override { return actions_; }
  const std::vector<system::BodyMessageInfo>& messages() const override { return messages_; }
  Index n_clocks() const override { return 0; }
  bool has_rounds() const override { return false; }
  Result<std::unique_ptr<system::RoundSolver>> rounds(ModeId) const override {
    return std::unique_ptr<system::RoundSolver>();
  }
  std::vector<double> entry_states(ModeId) const override { return {}; }
  void next_scheduled(const system::Configuration&, double, double direction, double, bool,
                      system::Schedule& schedule) const override {
    schedule.time = direction * std::numeric_limits<double>::infinity();
  }

 private:
  std::shared_ptr<const SystemData> data_;
  std::shared_ptr<const system::LockedDae> locked_;
  std::vector<Index> discrete_;
  std::vector<system::ModeInfo> modes_{{.name = "main"}};
  std::vector<system::GuardInfo> guards_;
  std::vector<system::ActionInfo> actions_;
  std::vector<system::BodyMessageInfo> messages_;
};

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

void describe_variables(SystemData& data) {
  for (const flat::Variable& variable : data.model.variables) {
    data.variables.push_back({.name = variable.name,
                              .is_discrete = variable.variability == flat::Variability::discrete,
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

void freeze_inputs(SystemData& data, ParameterValues& parameters, Diagnostics& diagnostics) {
  data.frozen_inputs = parameters.all(diagnostics);
  for (const flat::Condition& condition : data.model.conditions) {
    data.condition_values.push_back(parameters.of(condition).value_or(0.0));
  }
  data.frozen_inputs.insert(data.frozen_inputs.end(), data.condition_values.begin(),
                            data.condition_values.end());
}

void find_initial_outputs(SystemData& data) {
  for (const structure::Unknown& state : data.causalized.states) {
    data.initial_outputs.push_back(data.model.graph.variable(state.variable, state.order));
  }
  for (const VariableId held : data.causalized.held) {
    data.initial_outputs.push_back(data.model.graph.variable(held));
  }
  for (const EquationId check : data.initialization.checks) {
    const flat::Equation& equation = data.initialization.equations[check.index()];
    data.initial_outputs.push_back(equation.left);
    data.initial_outputs.push_back(equation.right);
  }
  for (const structure::Block& block : data.causalized.blocks) {
    if (block.kind == structure::Block::Kind::explicit_formula) {
      continue;
    }
    for (const structure::Unknown& unknown : block.unknowns) {
      data.initial_outputs.push_back(data.model.graph.variable(unknown.variable, unknown.order));
    }
  }
}

void compile_sequences(SystemData& data) {
  const structure::Causalized& causalized = data.causalized;
  std::vector<NodeId> derivatives;
  for (const structure::Unknown& derivative : causalized.derivatives) {
    derivatives.push_back(data.model.graph.variable(derivative.variable, derivative.order));
  }
  std::vector<NodeId> values;
  for (std::size_t i = 0; i < data.model.variables.size(); ++i) {
    values.push_back(data.model.graph.variable(VariableId(i)));
  }
  const auto scale_of = [&data](const structure::Unknown& unknown) {
    const UnknownScale& scale = data.scales[unknown.variable.index()];
    return UnknownScale{unknown.order == 0 ? scale.guess : 0.0, scale.nominal};
  };
  const auto request = [&](std::span<const structure::Block> blocks,
                           std::span<const structure::Unknown> states, std::span<const NodeId> outputs) {
    return SequenceRequest{.blocks = blocks,
                           .states = states,
                           .outputs = outputs,
                           .frozen_inputs = data.frozen_inputs,
                           .bindings = held_bindings(data)};
  };
  const expr::Graph& graph = data.model.graph;
  data.derivatives.emplace(graph, request(causalized.blocks, causalized.states, derivatives), scale_of);
  data.values.emplace(graph, request(causalized.blocks, causalized.states, values), scale_of);
  data.start.emplace(graph, request(data.initialization.blocks, {}, data.initial_outputs), scale_of);
  for (const structure::Unknown& state : causalized.states) {
    data.states.push_back(
        {structure::name_of(data.model, state), data.scales[state.variable.index()].nominal});
  }
}

}  // namespace

LeafBindings held_bindings(const SystemData& data) {
  LeafBindings bindings;
  auto slot = static_cast<std::uint32_t>(data.model.parameters.size());
  for (std::size_t i = 0; i < data.model.conditions.size(); ++i) {
    bindings.bind_condition(ConditionId(i), {Binding::Kind::parameter, slot++});
  }
  return bindings;
}

Result<std::shared_ptr<const system::HybridSystem>> build_system(std::shared_ptr<const flat::Model> model,
                                                                 const ParameterOverrides& overrides) {
  auto data = std::make_shared<SystemData>();
  data->model = *model;
  Diagnostics diagnostics = apply_starts(data->model, overrides);
  diagnostics.set_source(model->source);
  ParameterValues parameters(data->model, overrides);
  freeze_inputs(*data, parameters, diagnostics);
  diagnostics.append(find_unsupported(data->model, parameters));
  if (diagnostics.has_errors()) {
    return Unexpected(std::move(diagnostics));
  }
  find_scales(*data, parameters);
  describe_variables(*data);

  Result<structure::Causalized> causalized = structure::causalize(data->model);
  if (!causalized) {
    return Unexpected(std::move(causalized).error());
  }
  data->causalized = *std::move(causalized);
  Result<structure::InitializationProblem> initialization =
      structure::initialization(data->model, data->causalized);
  if (!initialization) {
    return Unexpected(std::move(initialization).error());
  }
  data->initialization = *std::move(initialization);
  find_initial_outputs(*data);
  compile_sequences(*data);
  std::shared_ptr<const SystemData> finished = std::move(data);
  return std::shared_ptr<const system::HybridSystem>(
      std::make_shared<const CompiledSystem>(std::move(finished)));
}

}  // namespace saltus::program
