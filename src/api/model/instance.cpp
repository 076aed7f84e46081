#include "api/model/instance.hpp"

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>

#include "api/model/diagnostic_codes.hpp"
#include "api/model/model_data.hpp"
#include "base/similar_name.hpp"

namespace saltus::api {
namespace {

void check_value(Diagnostics& problems, const NamedValue& item, ValueType type) {
  if (!std::isfinite(item.value)) {
    problems.error(kWrongSetValue, fmt::format("'{}' cannot be set to {}", item.name, item.value));
  } else if (type == ValueType::integer && item.value != std::trunc(item.value)) {
    problems.error(kWrongSetValue,
                   fmt::format("'{}' is an Integer and cannot be set to {}", item.name, item.value));
  } else if (type == ValueType::boolean && item.value != 0.0 && item.value != 1.0) {
    problems.error(kWrongSetValue,
                   fmt::format("'{}' is a Boolean and cannot be set to {}", item.name, item.value),
                   std::nullopt, "write true or false");
  } else if (type == ValueType::string) {
    problems.error(kCannotBeSet,
                   fmt::format("'{}' is a String; only numbers and Booleans can be set", item.name));
  }
}

// What elaboration takes, and what is left for the elaborated model.
struct SplitSet {
  ModelData::StructuralValues structural;
  program::ParameterOverrides values;
};

SplitSet split(const ModelData& data, const std::vector<NamedValue>& set) {
  SplitSet parts;
  const program::CompiledModel& own = *data.compiled();
  for (const NamedValue& item : set) {
    const ParameterId parameter = own.parameter(item.name);
    const bool is_structural = parameter.valid() && (*data.flat)[parameter].is_structural;
    (is_structural ? parts.structural : parts.values).emplace_back(item.name, item.value);
  }
  return parts;
}

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

// Names that exist only for other sizes of the model are looked for once it is elaborated with these sizes.
Diagnostics unknown_names(const program::CompiledModel& compiled, const std::vector<NamedValue>& set) {
  Diagnostics problems;
  const flat::Model& model = *compiled.flat();
  for (const NamedValue& item : set) {
    if (!compiled.parameter(item.name).valid() && !compiled.variable(item.name).valid()) {
      std::vector<std::string_view> candidates;
      for (const flat::Parameter& parameter : model.parameters) {
        candidates.push_back(parameter.name);
      }
      for (const flat::Variable& variable : model.variables) {
        candidates.push_back(variable.name);
      }
      problems.error(kUnknownSetName,
                     fmt::format("--set: the model has no parameter or variable '{}'", item.name),
                     std::nullopt, did_you_mean(item.name, candidates));
    }
  }
  return problems;
}

}  // namespace

Diagnostics check_set(const ModelData& model, const std::vector<NamedValue>& set) {
  Diagnostics problems;
  if (set.empty()) {
    return problems;
  }
  const program::CompiledModel& own = *model.compiled();
  for (const NamedValue& item : set) {
    if (const ParameterId found = own.parameter(item.name); found.valid()) {
      const ParameterInfo& parameter = model.parameters[found.index()];
      if (!parameter.is_settable) {
        problems.error(kCannotBeSet, fmt::format("'{}' is declared {} and cannot be set", item.name,
                                                 (*model.flat)[found].is_constant ? "constant" : "final"));
        continue;
      }
      check_value(problems, item, parameter.type);
    } else if (const VariableId variable = own.variable(item.name); variable.valid()) {
      check_value(problems, item, value_type((*model.flat)[variable].type));
    }
  }
  if (split(model, set).structural.empty()) {
    problems.append(unknown_names(*model.compiled(), set));
  }
  return problems;
}

Result<Instance> instantiate(const ModelData& data, const std::vector<NamedValue>& set,
                             const InputSettings& inputs) {
  Instance instance;
  SplitSet parts = split(data, set);
  const std::shared_ptr<const Result<Elaborated>> elaborated = data.elaborated(parts.structural);
  if (!*elaborated) {
    return Unexpected(elaborated->error());
  }
  instance.compiled = (*elaborated)->compiled;
  instance.warnings = (*elaborated)->warnings;
  Diagnostics problems = unknown_names(*instance.compiled, set);
  problems.append(check_inputs(*instance.compiled->flat(), inputs, set));
  if (problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  if (!inputs.tables.empty() || inputs.is_open || !inputs.tunable.empty()) {
    Result<std::shared_ptr<const flat::Model>> driven =
        drive_inputs(*instance.compiled->flat(), inputs, parts.values);
    if (!driven) {
      return Unexpected(std::move(driven).error());
    }
    instance.compiled = std::make_shared<const program::CompiledModel>(*std::move(driven));
  }
  instance.flat = instance.compiled->flat();
  const flat::Model& model = *instance.flat;
  Result<std::shared_ptr<const system::HybridSystem>> system = instance.compiled->system(parts.values);
  if (!system) {
    return Unexpected(std::move(system).error());
  }
  instance.system = *std::move(system);
  instance.overrides = parts.values;
  instance.analysis = std::make_shared<LazyAnalysis>();
  program::ParameterValues values(model, parts.values);
  instance.parameters = list_parameters(model, values);
  instance.variables = describe_variables(model, values);
  set_starts(instance.variables, parts.values, *instance.compiled);
  instance.ranges = variable_ranges(model, values);
  instance.source = model.source;
  instance.warnings.append(check_parameter_ranges(model, values));
  return instance;
}

}  // namespace saltus::api
