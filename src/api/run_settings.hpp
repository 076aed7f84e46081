/// Options with everything decided: what the user said, else the model, else the defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hybrid/options.hpp"
#include "integrate/method.hpp"
#include "saltus/model.hpp"
#include "saltus/options.hpp"

namespace saltus::api {

struct RunSettings {
  double start = 0.0;
  double stop = 1.0;
  double interval = 0.0;
  double tolerance = 0.0;
  double rtol = 0.0;
  std::optional<double> atol;  ///< none: tolerance · nominal
  std::vector<NamedValue> atol_of;
  std::vector<std::string> nonnegative;
  const integrate::Method* method = nullptr;
  const integrate::Method* stiff_method = nullptr;  ///< to go on with where `method` meets stiffness
  integrate::OrderChoice orders;
  std::string method_reason;
  double fixed_step = 0.0;    ///< 0: adaptive
  double initial_step = 0.0;  ///< 0: chosen
  double largest_step = 0.0;
  std::int64_t max_steps = 0;
  std::optional<double> max_time;
  std::vector<NamedValue> set;
  hybrid::Options events;  ///< its options about events; the rest is above
};

/// Precedence: options, annotation(__saltus(…)), annotation(experiment(…)), defaults. Problems of options and of the
/// annotation go to `problems`; with errors among them the settings are not usable.
[[nodiscard]] RunSettings resolve(const Model& model, const SimulationOptions& options,
                                  Diagnostics& problems);

/// The same for a system without annotations.
[[nodiscard]] RunSettings resolve(const SimulationOptions& options, Diagnostics& problems);

}  // namespace saltus::api
