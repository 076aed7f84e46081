/// Options with everything decided: what the user said, else the model, else the defaults.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/driven_inputs.hpp"
#include "api/options/mode_options.hpp"
#include "hybrid/run.hpp"
#include "record/output_grid.hpp"
#include "saltus/model.hpp"
#include "saltus/options.hpp"
#include "saltus/work_limits.hpp"
#include "structure/formulation.hpp"

namespace saltus::api {

struct RunSettings {
  double start = 0.0;
  double stop = 1.0;
  double interval = 0.0;
  bool rows_at_steps = false;
  std::vector<double> times;  ///< of rows; empty: by `interval`
  double tolerance = 0.0;
  double rtol = 0.0;
  std::optional<double> atol;  ///< none: tolerance · nominal
  std::vector<NamedValue> atol_of;
  std::vector<std::string> nonnegative;
  std::vector<std::string> columns;
  std::vector<std::string> sensitivities;
  bool sensitivity_check = false;
  SensitivitySide sensitivity_side = SensitivitySide::both;
  hybrid::MethodChoice choice;  ///< of modes that have none of their own
  std::string method_reason;
  std::vector<ModeSettings> modes;
  double fixed_step = 0.0;    ///< 0: adaptive
  double initial_step = 0.0;  ///< 0: chosen
  StepControl step_control = StepControl::standard;
  double restart_step = 0.0;  ///< 0: none
  std::int64_t max_steps = 0;
  std::optional<double> max_time;
  double checkpoint_interval = 0.0;  ///< wall seconds
  std::vector<SetValue> set;
  InputSettings inputs;
  bool error_estimate = false;
  std::vector<ExpectedIndex> expect_index;
  StartRule start_rule = StartRule::least_change;
  structure::FormulationRequest formulation;
  std::vector<std::string> invariants;
  hybrid::Options events;  ///< its options about events; the rest is above

  [[nodiscard]] record::OutputGrid grid() const {
    return times.empty() ? record::OutputGrid(start, stop, interval) : record::OutputGrid(start, stop, times);
  }

  /// What a mode has of its own; null: nothing.
  [[nodiscard]] const ModeSettings* of_mode(std::string_view name) const {
    const auto own =
        std::find_if(modes.begin(), modes.end(), [&](const ModeSettings& item) { return item.mode == name; });
    return own == modes.end() ? nullptr : &*own;
  }
};

/// Precedence: options, annotation(__saltus(…)), annotation(experiment(…)), defaults. Problems of options and of the
/// annotation go to `problems`; with errors among them the settings are not usable.
[[nodiscard]] RunSettings resolve(const Model& model, const SimulationOptions& options,
                                  Diagnostics& problems);

/// What may end a run from outside.
[[nodiscard]] inline WorkLimits limits_of(const RunSettings& settings, const SimulationOptions& hooks) {
  return {hooks.stop_requested, settings.max_time, hooks.began.value_or(std::chrono::steady_clock::now())};
}

/// The same for a system without annotations.
[[nodiscard]] RunSettings resolve(const SimulationOptions& options, Diagnostics& problems);

}  // namespace saltus::api
