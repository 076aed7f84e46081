// One run of a model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "saltus/end_reason.hpp"
#include "saltus/error_estimate.hpp"
#include "saltus/event.hpp"
#include "saltus/mode_list.hpp"
#include "saltus/model.hpp"
#include "saltus/monitors.hpp"
#include "saltus/options.hpp"
#include "saltus/result.hpp"
#include "saltus/run_statistics.hpp"
#include "saltus/sensitivity.hpp"
#include "saltus/trajectory.hpp"

namespace saltus {

enum class SimulationStatus {
  success,     ///< reached the stop time
  terminated,  ///< ended by terminate() in the model
  stopped,     ///< ended by a limit or on request; what was computed is there
  failed,      ///< ended by an error; what was computed is there
};
[[nodiscard]] std::string_view to_string(SimulationStatus status);

struct ParameterValue {
  std::string name;
  std::variant<double, std::string> value;
};

struct SimulationResult {
  SimulationStatus status = SimulationStatus::success;
  Reason reason = Reason::none;
  std::string message;  ///< for a person
  double start = 0.0;
  double end = 0.0;  ///< reached
  std::vector<VariableInfo> variables;
  std::vector<VariableInfo> columns;  ///< of rows and trajectory: `variables`, or SimulationOptions::columns
  std::vector<double> final_values;   ///< of every variable at `end`; empty if the run could not start
  std::vector<ParameterValue> parameters;
  ModeList modes;           ///< one for each stretch of time in one mode, or sliding on the same guards
  EventList events;         ///< everything that happened, in order
  std::string explanation;  ///< of SimulationOptions::explain_event
  Statistics statistics;
  Trajectory trajectory;
  std::optional<ErrorEstimate>
      error_estimate;  ///< of the rows of `trajectory`, if SimulationOptions asks for it
  std::optional<Sensitivities> sensitivities;  ///< if SimulationOptions asks for them
  std::optional<Monitors> monitors;            ///< of constraints, if the model has some, and of invariants
  /// Warnings of this run (moved start values, options without effect, values outside of min and max) and the errors
  /// that kept it from starting.
  Diagnostics diagnostics;

  [[nodiscard]] bool ok() const {
    return status == SimulationStatus::success || status == SimulationStatus::terminated;
  }
  /// The final value of a variable; the name must exist.
  [[nodiscard]] double final_value(std::string_view name) const;
};

/// Runs the model. The error holds what is wrong with the options or the model; whatever happens once the run
/// has begun, an initialization that fails included, is the status of a result.
[[nodiscard]] Result<SimulationResult> simulate(const Model& model, const SimulationOptions& options = {});

}  // namespace saltus
