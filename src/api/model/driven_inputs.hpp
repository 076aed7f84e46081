/// Inputs that tables drive: from named columns to equations of the model.
///
/// Method       an input u with a column gets the equation u = interpolant(time) (flat/table.hpp) and counts as any other variable from then on,
///              so that events, index reduction (which differentiates the interpolant) and output need to know nothing of inputs. A
///              declaration equation `input Real u = 1` is a default and gives way. What is set from outside: open_values.hpp.
/// Contract     the model is not changed; the copy has the same variables, parameters, guards and conditions, and new ones behind them
/// Checked by   tests/cli/input_test.cpp, tests/events/table_test.cpp
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/model/sampled_input.hpp"
#include "flat/model.hpp"
#include "program/compiled_model.hpp"
#include "program/guards/parameter_values.hpp"
#include "saltus/diagnostic.hpp"
#include "saltus/input_table.hpp"
#include "saltus/options.hpp"
#include "saltus/result.hpp"

namespace saltus::api {

struct InputSettings {
  std::vector<InputTable> tables;
  std::optional<InputRule> rule;
  std::vector<std::pair<std::string, InputRule>> rule_of;  ///< of single inputs
  std::vector<SampledInput> sampled = {};                  ///< functions of time
  bool is_open = false;                                    ///< inputs without a column are set from outside
  std::vector<std::string> tunable = {};  ///< parameters that are set from outside while the model runs
};

/// What a model that is driven depends on: one that was compiled for the same serves again.
struct DrivenKey {
  DrivenKey(std::shared_ptr<const program::CompiledModel> model, const InputSettings& settings,
            const program::ParameterOverrides& set);

  std::shared_ptr<const program::CompiledModel> base;
  InputSettings inputs;
  program::ParameterOverrides overrides;  ///< those that are written into the equations of what is open

  friend bool operator==(const DrivenKey& a, const DrivenKey& b);
};

/// What is wrong with the tables for this model: columns that are no inputs or come twice, rules that do not fit, values that are set besides,
/// times that do not ascend.
[[nodiscard]] Diagnostics check_inputs(const flat::Model& model, const InputSettings& inputs,
                                       const program::ParameterOverrides& set);

/// Needs: check_inputs is empty. `overrides`: values of parameters and starts that are set. The error: an equation of the model gives an input
/// already, so that there would be two for it.
[[nodiscard]] Result<std::shared_ptr<const flat::Model>> drive_inputs(
    const flat::Model& model, const InputSettings& inputs, const program::ParameterOverrides& overrides);

/// A run from `start` to `stop` that goes beyond the times of a table.
[[nodiscard]] Diagnostics warn_of_held_ends(const InputSettings& inputs, double start, double stop);

}  // namespace saltus::api
