/// --nonnegative and --invariant: from names to what the run watches (hybrid/bound_watch.hpp).
///
/// Contract   names are those of variable_names.hpp.
#pragma once

#include <string>
#include <vector>

#include "api/options/run_settings.hpp"
#include "hybrid/run.hpp"
#include "saltus/diagnostic.hpp"
#include "saltus/model.hpp"

namespace saltus::api {

/// Names of --nonnegative and --invariant that no variable has.
[[nodiscard]] Diagnostics check_variable_names(const RunSettings& settings,
                                               const std::vector<VariableInfo>& variables);

/// In the order of the variables, each once. The tolerance is that of the error test, were the variable a state.
[[nodiscard]] std::vector<hybrid::Bound> bounds_of(const RunSettings& settings,
                                                   const std::vector<VariableInfo>& variables);

}  // namespace saltus::api
