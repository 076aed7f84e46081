/// Options about events by their texts: words and numbers of the command line, what is wrong with them, and what they mean
/// to the hybrid run.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "hybrid/run.hpp"
#include "saltus/options.hpp"

namespace saltus::api {

/// The names that set_event_option takes.
[[nodiscard]] std::span<const std::string_view> event_option_names();

/// Sets the option of that name from text. nullopt if it is none of these; else what is wrong with the value.
[[nodiscard]] std::optional<Diagnostics> set_event_option(SimulationOptions& options, std::string_view name,
                                                          std::string_view value);

/// Values that cannot be meant: negative times, a count of nothing.
void check_event_options(Diagnostics& problems, const SimulationOptions& options);

/// What is not given in `options` is taken from `annotated`.
void fill_event_options(SimulationOptions& options, const SimulationOptions& annotated);

/// Everything about events; times, method and tolerances are left alone.
void translate_event_options(const SimulationOptions& options, hybrid::Options& translated);

}  // namespace saltus::api
