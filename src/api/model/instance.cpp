#include "api/model/instance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "api/model/model_data.hpp"
#include "api/model/set_values.hpp"
#include "settle/state/diagnostic_codes.hpp"

namespace saltus::api {
namespace {

std::vector<ParameterValue> list_parameters(const flat::Model& model, program::ParameterValues& values) {
  std::vector<ParameterValue> list;
  list.reserve(model.parameters.size());
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    const flat::Parameter& parameter = model.parameters[i];
    if (parameter.type == flat::Type::string) {
      list.push_back({parameter.name, parameter.text});
    } else {
      list.push_back({parameter.name, values.of(ParameterId(i)).value_or(std::nan(""))});
    }
  }
  return list;
}

// Start values that are set, in the descriptions of the variables.
void set_starts(std::vector<VariableInfo>& variables, const program::ParameterOverrides& overrides,
                const program::CompiledModel& model) {
  std::unordered_map<std::string_view, double> starts;
  for (const auto& [name, value] : overrides) {
    if (!model.parameter(name).valid()) {
      starts[name] = value;
    }
  }
  for (std::size_t i = 0; i < variables.size() && !starts.empty(); ++i) {
    if (const auto found = starts.find(variables[i].name); found != starts.end()) {
      variables[i].start = found->second;
    }
  }
}

bool is_driven(const flat::Model& model, const InputSettings& inputs) {
  const auto is_input = [](const flat::Variable& variable) {
    return variable.causality == flat::Causality::input;
  };
  return !inputs.tables.empty() || !inputs.sampled.empty() || !inputs.tunable.empty() ||
         (inputs.is_open && std::any_of(model.variables.begin(), model.variables.end(), is_input));
}

std::shared_ptr<const Formulated> formulated(const flat::Model& model,
                                             const structure::FormulationRequest& request) {
  Diagnostics warnings;
  Result<std::shared_ptr<const flat::Model>> other = structure::reformulate(model, request, warnings);
  if (!other) {
    return std::make_shared<const Formulated>(Formulated{Unexpected(std::move(other).error())});
  }
  return std::make_shared<const Formulated>(
      Formulated{std::make_shared<const program::CompiledModel>(*std::move(other)), std::move(warnings)});
}

// Of level warning, and decided by parameters: they need no run.
Diagnostics failed_assertions(const flat::Model& model, program::ParameterValues& values) {
  Diagnostics warnings(model.source);
  for (const flat::Assertion& assertion : model.assertions) {
    const std::optional<double> holds = assertion.is_warning ? values.of(assertion.condition) : std::nullopt;
    if (holds && *holds == 0.0) {
      warnings.warning(settle::kAssertionWarning,
                       fmt::format("an assertion does not hold: {}", assertion.message), assertion.span);
    }
  }
  return warnings;
}

}  // namespace

Result<Instance> instantiate(const ModelData& data, const std::vector<SetValue>& set,
                             const InputSettings& inputs, const structure::FormulationRequest& formulation) {
  Instance instance;
  Result<SortedSet> sorted = sort_set(data, set);
  if (!sorted) {
    return Unexpected(std::move(sorted).error());
  }
  const Elaborated& elaborated = **sorted->elaborated;
  const program::ParameterOverrides& overrides = sorted->values;
  instance.compiled = elaborated.compiled;
  instance.warnings = elaborated.warnings;
  if (Diagnostics problems = check_inputs(*instance.compiled->flat(), inputs, overrides);
      problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  if (is_driven(*instance.compiled->flat(), inputs)) {
    const auto driven = data.driven({instance.compiled, inputs, overrides});
    if (!*driven) {
      return Unexpected(driven->error());
    }
    instance.compiled = **driven;
  }
  if (!formulation.is_general()) {
    const auto make = [&] { return formulated(*instance.compiled->flat(), formulation); };
    // What drives inputs is in the equations.
    const std::shared_ptr<const Formulated> other =
        instance.compiled == elaborated.compiled ? elaborated.formulations->get(formulation, make) : make();
    if (!other->compiled) {
      return Unexpected(other->compiled.error());
    }
    instance.compiled = *other->compiled;
    instance.warnings.append(other->warnings);
  }
  instance.flat = instance.compiled->flat();
  const flat::Model& model = *instance.flat;
  if (model.has_homotopy && instance.compiled == elaborated.compiled) {
    instance.at_homotopy = [&data, structural = sorted->structural](double lambda) mutable {
      ModelData::StructuralValues values = structural;
      values.emplace_back(lang::kHomotopySetting, lang::ParameterSetting{.numbers = {lambda}});
      const std::shared_ptr<const Result<Elaborated>> made = data.elaborated(values);
      return *made ? (*made)->compiled : nullptr;
    };
  }
  Result<std::shared_ptr<const system::HybridSystem>> system = instance.compiled->system(overrides);
  if (!system) {
    return Unexpected(std::move(system).error());
  }
  instance.system = *std::move(system);
  instance.overrides = overrides;
  instance.analysis = std::make_shared<LazyAnalysis>();
  instance.check =
      data.added == nullptr ? nullptr : data.added->check(instance.flat, overrides, !inputs.tunable.empty());
  program::ParameterValues values(model, overrides);
  instance.parameters = list_parameters(model, values);
  instance.variables = describe_variables(model, values);
  set_starts(instance.variables, overrides, *instance.compiled);
  instance.ranges = variable_ranges(model, values);
  instance.source = model.source;
  instance.warnings.append(check_parameter_ranges(model, values));
  instance.warnings.append(failed_assertions(model, values));
  return instance;
}

}  // namespace saltus::api
