/// Options of single modes: a method, and limits of it, that hold in one mode only.
#pragma once

#include <optional>
#include <string_view>

#include "hybrid/run.hpp"
#include "saltus/model.hpp"
#include "saltus/options.hpp"

namespace saltus::api {

/// The options of one mode with everything decided.
struct ModeSettings {
  std::string mode;
  hybrid::MethodChoice choice;
  std::string reason;
};

/// Whether an option of that name may be given for one mode.
[[nodiscard]] bool is_mode_option(std::string_view name);

/// The option `name` of one mode from text; is_mode_option(name).
[[nodiscard]] Diagnostics set_mode_option(SimulationOptions& options, std::string_view mode,
                                          std::string_view name, std::string_view value);
/// "mode=value" on the command line. nullopt if the option or the value is not of that kind.
[[nodiscard]] std::optional<Diagnostics> set_mode_option(SimulationOptions& options, std::string_view name,
                                                         std::string_view value);

/// What the model says about its modes, where the user says nothing: what he says about the whole run replaces all of it.
void fill_mode_options(SimulationOptions& options, const SimulationOptions& annotated);

/// Modes that do not exist in `model` (null: a system without modes), and methods that cannot be. Problems of the model's own
/// annotations get their place.
void check_mode_options(Diagnostics& problems, const SimulationOptions& options, const Model* model);

/// For options in which check_mode_options finds nothing wrong.
[[nodiscard]] std::vector<ModeSettings> resolve_modes(const SimulationOptions& options);

}  // namespace saltus::api
