/// Options about the control of step sizes by their texts.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "saltus/options.hpp"

namespace saltus::api {

/// The names that set_step_option takes.
[[nodiscard]] std::span<const std::string_view> step_option_names();

/// Sets the option of that name from text. nullopt if it is none of these; else what is wrong with the value.
[[nodiscard]] std::optional<Diagnostics> set_step_option(SimulationOptions& options, std::string_view name,
                                                         std::string_view value);

/// Wrong values, and methods that the control is not for.
void check_step_options(Diagnostics& problems, const SimulationOptions& options);

/// What is not given in `options` is taken from `annotated`.
void fill_step_options(SimulationOptions& options, const SimulationOptions& annotated);

}  // namespace saltus::api
