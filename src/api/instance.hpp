/// A model with all its values fixed: the system that a run integrates.
#pragma once

#include <memory>
#include <vector>

#include "flat/model.hpp"
#include "saltus/options.hpp"
#include "saltus/result.hpp"
#include "system/locked_dae.hpp"

namespace saltus::api {

struct ModelData;

struct Instance {
  std::shared_ptr<const flat::Model> flat;
  std::shared_ptr<const system::HybridSystem> system;
  Diagnostics warnings;
};

/// The model's own values replaced by those of `set`; structural parameters elaborate the text anew.
[[nodiscard]] Result<Instance> instantiate(const ModelData& model, const std::vector<NamedValue>& set);

/// What is wrong with `set` for this model: unknown names, constants, values of the wrong kind.
[[nodiscard]] Diagnostics check_set(const ModelData& model, const std::vector<NamedValue>& set);

/// Values of all parameters by their expressions; NaN where there is none (and for strings).
[[nodiscard]] std::vector<double> parameter_values(const flat::Model& model);

}  // namespace saltus::api
