/// What a model contains that is not run yet.
#pragma once

#include "flat/model.hpp"
#include "program/parameter_values.hpp"

namespace saltus::program {

/// One error for each construct that makes events, and for assertions over parameters that do not hold. Empty: the model
/// is smooth.
[[nodiscard]] Diagnostics find_unsupported(const flat::Model& model, ParameterValues& parameters);

}  // namespace saltus::program
