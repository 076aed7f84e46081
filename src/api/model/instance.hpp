/// A model with all its values fixed: the system that a run integrates, and what its result says of the model.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "api/model/added_equations.hpp"
#include "api/model/driven_inputs.hpp"
#include "api/model/lazy_analysis.hpp"
#include "api/model/range_check.hpp"
#include "flat/model.hpp"
#include "program/compiled_model.hpp"
#include "saltus/result.hpp"
#include "saltus/simulate.hpp"
#include "structure/formulation.hpp"
#include "system/hybrid_system.hpp"

namespace saltus::api {

struct ModelData;

struct Instance {
  std::shared_ptr<const flat::Model> flat;
  std::shared_ptr<const program::CompiledModel> compiled;  ///< of `flat`; null for systems of functions
  program::ParameterOverrides overrides;
  std::shared_ptr<const system::HybridSystem> system;  ///< of these
  std::shared_ptr<LazyAnalysis> analysis;              ///< null for systems of functions
  std::shared_ptr<const StretchCheck> check;           ///< null: nothing has to be asked
  std::vector<VariableInfo> variables;
  std::vector<ParameterValue> parameters;
  std::vector<VariableRange> ranges;
  std::shared_ptr<const SourceText> source;
  Diagnostics warnings;
  /// The same model with another λ of homotopy(actual, simplified); empty: it does not occur. Null where that cannot be made.
  std::function<std::shared_ptr<const program::CompiledModel>(double lambda)> at_homotopy;
  ModeId start_by_ranks;  ///< the mode that the search for a start has reduced by ranks; invalid: none
};

/// The model's own values replaced by those of `set`, its inputs driven, in a formulation; structural parameters elaborate the text anew.
[[nodiscard]] Result<Instance> instantiate(const ModelData& model, const std::vector<SetValue>& set,
                                           const InputSettings& inputs = {},
                                           const structure::FormulationRequest& formulation = {});

}  // namespace saltus::api
