#include "saltus/simulate.hpp"

#include <chrono>

#include "api/instance.hpp"
#include "api/model_data.hpp"
#include "api/run.hpp"
#include "api/run_settings.hpp"
#include "saltus/contract.hpp"

namespace saltus {
namespace {

std::vector<ParameterValue> list_parameters(const flat::Model& model) {
  const std::vector<double> values = api::parameter_values(model);
  std::vector<ParameterValue> list;
  list.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const flat::Parameter& parameter = model.parameters[i];
    if (parameter.type == flat::Type::string) {
      list.push_back({parameter.name, parameter.text});
    } else {
      list.push_back({parameter.name, values[i]});
    }
  }
  return list;
}

}  // namespace

std::string_view to_string(SimulationStatus status) {
  switch (status) {
    case SimulationStatus::success: return "success";
    case SimulationStatus::terminated: return "terminated";
    case SimulationStatus::stopped: return "stopped";
    case SimulationStatus::failed: return "failed";
  }
  return "failed";
}

double SimulationResult::final_value(std::string_view name) const {
  SALTUS_EXPECT(final_values.size() == variables.size(), "the run has no final values");
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].name == name) {
      return final_values[i];
    }
  }
  SALTUS_EXPECT(false, "no variable '" + std::string(name) + "'");
  return 0.0;
}

Result<SimulationResult> simulate(const Model& model, const SimulationOptions& options) {
  const auto began = std::chrono::steady_clock::now();
  Diagnostics problems;
  const api::RunSettings settings = api::resolve(model, options, problems);
  if (problems.has_errors()) {
    return Unexpected(std::move(problems));
  }
  Result<api::Instance> own =
      settings.set.empty() ? model.data().default_instance() : api::instantiate(model.data(), settings.set);
  if (!own) {
    return Unexpected(std::move(own).error());
  }
  const api::Instance& instance = *own;
  SimulationResult result;
  result.diagnostics = std::move(problems);
  result.diagnostics.append(instance.warnings);
  result.variables =
      instance.flat == model.data().flat ? model.variables() : api::describe_variables(*instance.flat);
  result.parameters = list_parameters(*instance.flat);
  result.statistics.method = settings.method->name;
  result.statistics.method_reason = settings.method_reason;
  api::run(*instance.system, settings, options, result);
  result.statistics.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

}  // namespace saltus
