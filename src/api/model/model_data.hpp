/// What a saltus::Model shares between its copies.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "api/model/instance.hpp"
#include "flat/model.hpp"
#include "lang/syntax/dialect.hpp"
#include "program/guards/parameter_values.hpp"
#include "saltus/model.hpp"

namespace saltus::api {

struct ModelData {
  std::shared_ptr<const SourceText> source;
  lang::Dialect dialect = lang::Dialect::modelica;
  std::shared_ptr<const flat::Model> flat;
  std::vector<ParameterInfo> parameters;
  std::vector<VariableInfo> variables;
  ExperimentInfo experiment;
  Diagnostics warnings;

  /// The system with the model's own values: built when it is first asked for, then shared by all runs.
  [[nodiscard]] const Result<Instance>& default_instance() const;

 private:
  mutable std::once_flag once_;
  mutable std::optional<Result<Instance>> default_instance_;
};

/// Descriptions of parameters and variables of a flat model. `values` are those of the same model.
[[nodiscard]] std::vector<ParameterInfo> describe_parameters(const flat::Model& model,
                                                             program::ParameterValues& values);
[[nodiscard]] std::vector<VariableInfo> describe_variables(const flat::Model& model,
                                                           program::ParameterValues& values);

}  // namespace saltus::api
