/// What a model contains that is not run yet, and values that it cannot be run with.
#pragma once

#include "flat/model.hpp"
#include "program/guards/parameter_values.hpp"

namespace saltus::program {

/// One error for each construct that cannot be run; a warning for each clause with `initial()` in its condition that is none of
/// the start.
[[nodiscard]] Diagnostics find_unsupported(const flat::Model& model);

/// One error for each assertion over parameters that does not hold, and for each clock that makes no sense.
[[nodiscard]] Diagnostics check_values(const flat::Model& model, ParameterValues& parameters);

}  // namespace saltus::program
