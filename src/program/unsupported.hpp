/// What a model contains that is not run yet.
#pragma once

#include "flat/model.hpp"
#include "program/guards/parameter_values.hpp"

namespace saltus::program {

/// One error for each construct that cannot be run, for assertions over parameters that do not hold, and for clocks that
/// make no sense; a warning for each clause with `initial()` in its condition that is none of the start.
[[nodiscard]] Diagnostics find_unsupported(const flat::Model& model, ParameterValues& parameters);

}  // namespace saltus::program
