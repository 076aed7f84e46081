/// Options about formulations by their texts, and what they ask of the model.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "saltus/options.hpp"
#include "structure/formulation.hpp"

namespace saltus::api {

/// The names that set_formulation_option takes.
[[nodiscard]] std::span<const std::string_view> formulation_option_names();

/// Sets the option of that name from text. nullopt if it is none of these; else what is wrong with the value.
[[nodiscard]] std::optional<Diagnostics> set_formulation_option(SimulationOptions& options,
                                                                std::string_view name,
                                                                std::string_view value);

void check_formulation_options(Diagnostics& problems, const SimulationOptions& options);

/// What is not given in `options` is taken from `annotated`.
void fill_formulation_options(SimulationOptions& options, const SimulationOptions& annotated);

[[nodiscard]] structure::FormulationRequest formulation_request(const SimulationOptions& options);

}  // namespace saltus::api
