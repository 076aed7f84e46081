#include "api/instance.hpp"

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>

#include "api/diagnostic_codes.hpp"
#include "api/model_data.hpp"
#include "base/similar_name.hpp"
#include "lang/compile.hpp"
#include "program/compiled_system.hpp"

namespace saltus::api {
namespace {

using NameTable = std::unordered_map<std::string_view, std::size_t>;

template <class Item>
NameTable table_of(const std::vector<Item>& items) {
  NameTable table;
  table.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    table.emplace(items[i].name, i);
  }
  return table;
}

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

// The values as constants of the model itself, so that everything that depends on them follows.
void apply(flat::Model& model, const std::vector<NamedValue>& set) {
  const NameTable parameters = table_of(model.parameters);
  const NameTable variables = table_of(model.variables);
  for (const NamedValue& item : set) {
    const NodeId value = model.graph.constant(item.value);
    if (const auto found = parameters.find(item.name); found != parameters.end()) {
      model.parameters[found->second].value = value;
    } else if (const auto variable = variables.find(item.name); variable != variables.end()) {
      model.variables[variable->second].start = value;
    }
  }
}

// The flat model for these values; elaborated anew only if a structural parameter is among them.
Result<std::shared_ptr<const flat::Model>> flat_with(const ModelData& data,
                                                     const std::vector<NamedValue>& set,
                                                     Diagnostics& warnings) {
  if (set.empty()) {
    return data.flat;
  }
  const NameTable parameters = table_of(data.flat->parameters);
  lang::CompileOptions options{data.dialect, {}};
  for (const NamedValue& item : set) {
    const auto found = parameters.find(item.name);
    if (found != parameters.end() && data.flat->parameters[found->second].is_structural) {
      options.parameters.emplace_back(item.name, item.value);
    }
  }
  if (options.parameters.empty()) {
    auto model = std::make_shared<flat::Model>(*data.flat);
    apply(*model, set);
    return std::shared_ptr<const flat::Model>(std::move(model));
  }
  Result<lang::Compiled> compiled = lang::compile(data.source, options);
  if (!compiled) {
    return Unexpected(std::move(compiled).error());
  }
  warnings.append(std::move(compiled->warnings));
  auto model = std::make_shared<flat::Model>(std::move(compiled->model));
  apply(*model, set);
  return std::shared_ptr<const flat::Model>(std::move(model));
}

Diagnostics missing_values(const flat::Model& model) {
  Diagnostics problems(model.source);
  for (const flat::Parameter& parameter : model.parameters) {
    if (!parameter.value && parameter.type != flat::Type::string) {
      problems.error(kParameterWithoutValue, fmt::format("the parameter '{}' has no value", parameter.name),
                     parameter.span,
                     fmt::format("give it one in the model or with --set {}=…", parameter.name));
    }
  }
  return problems;
}

// Names that exist only for other sizes of the model are looked for once it is elaborated with these sizes.
Diagnostics unknown_names(const flat::Model& model, const std::vector<NamedValue>& set) {
  Diagnostics problems;
  const NameTable parameters = table_of(model.parameters);
  const NameTable variables = table_of(model.variables);
  for (const NamedValue& item : set) {
    if (parameters.count(item.name) == 0 && variables.count(item.name) == 0) {
      std::vector<std::string_view> candidates;
      for (const flat::Parameter& parameter : model.parameters) {
        candidates.push_back(parameter.name);
      }
      for (const flat::Variable& variable : model.variables) {
        candidates.push_back(variable.name);
      }
      problems.error(kUnknownSetName,
                     fmt::format("the model has no parameter or variable '{}' to set", item.name),
                     std::nullopt, did_you_mean(item.name, candidates));
    }
  }
  return problems;
}

bool sets_structural_parameter(const ModelData& model, const std::vector<NamedValue>& set) {
  const NameTable parameters = table_of(model.parameters);
  for (const NamedValue& item : set) {
    const auto found = parameters.find(item.name);
    if (found != parameters.end() && model.parameters[found->second].is_structural) {
      return true;
    }
  }
  return false;
}

}  // namespace

Diagnostics check_set(const ModelData& model, const std::vector<NamedValue>& set) {
  Diagnostics problems;
  if (set.empty()) {
    return problems;
  }
  const NameTable parameters = table_of(model.parameters);
  const NameTable variables = table_of(model.variables);
  for (const NamedValue& item : set) {
    if (const auto found = parameters.find(item.name); found != parameters.end()) {
      const ParameterInfo& parameter = model.parameters[found->second];
      if (!parameter.is_settable) {
        problems.error(kCannotBeSet,
                       fmt::format("'{}' is declared {} and cannot be set", item.name,
                                   model.flat->parameters[found->second].is_constant ? "constant" : "final"));
        continue;
      }
      check_value(problems, item, parameter.type);
    } else if (const auto variable = variables.find(item.name); variable != variables.end()) {
      check_value(problems, item, model.variables[variable->second].type);
    }
  }
  if (!sets_structural_parameter(model, set)) {
    problems.append(unknown_names(*model.flat, set));
  }
  return problems;
}

Result<Instance> instantiate(const ModelData& data, const std::vector<NamedValue>& set) {
  Instance instance;
  Result<std::shared_ptr<const flat::Model>> model = flat_with(data, set, instance.warnings);
  if (!model) {
    return Unexpected(std::move(model).error());
  }
  instance.flat = *std::move(model);
  Diagnostics problems = missing_values(*instance.flat);
  problems.append(unknown_names(*instance.flat, set));
  if (problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  Result<std::shared_ptr<const system::HybridSystem>> system = program::build_system(instance.flat, {});
  if (!system) {
    return Unexpected(std::move(system).error());
  }
  instance.system = *std::move(system);
  return instance;
}

}  // namespace saltus::api
