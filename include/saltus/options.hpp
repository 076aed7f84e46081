// How a model is simulated.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "saltus/diagnostic.hpp"
#include "saltus/trajectory.hpp"

namespace saltus {

class Model;

struct NamedValue {
  std::string name;
  double value = 0.0;
};

/// What a run tells about itself while it goes on.
struct Progress {
  double start = 0.0;
  double stop = 0.0;
  double time = 0.0;  ///< reached so far
  std::int64_t accepted_steps = 0;
};

/// For designated initialisers: simulate(model, {.stop = 10.0, .tolerance = 1e-8}). What is not given comes
/// from annotation(__saltus(…)) of the model, then annotation(experiment(…)), then the default named here.
struct SimulationOptions {
  std::optional<double> start{};  ///< 0
  std::optional<double>
      stop{};  ///< 1 (start + 1 if only the start is given); before `start`: backwards in time
  std::optional<double> interval{};  ///< output at start + k·interval and at stop; |stop - start| / 500

  /// A step is accepted when its estimated error e satisfies ‖e‖ ≤ 1 in the norm
  ///     ‖e‖ = √( 1/n · Σᵢ (eᵢ / (atolᵢ + rtol·max(|xᵢ before|, |xᵢ after|)))² )   over the n states.
  /// `tolerance` stands for both: rtol = tolerance and atolᵢ = tolerance · nominal of state i. 1e-6.
  std::optional<double> tolerance{};
  std::optional<double> rtol{};  ///< the rtol of that inequality, ≥ 0
  std::optional<double>
      atol{};  ///< atolᵢ of all states, > 0, in their own units (nominal values do not enter)
  /// atolᵢ of single states, by the variable's name; "der(x)" for the velocity of a second-order variable.
  std::vector<NamedValue> atol_of{};

  std::string method{};  ///< "auto" (chooses, and the result says which and why), "dopri5", … : see methods()

  std::optional<double> step{};          ///< fixed step size |h| = step; no error control
  std::optional<double> initial_step{};  ///< |h| of the first attempt; chosen from the equations
  std::optional<double> max_step{};      ///< |h| ≤ max_step; none

  std::optional<std::int64_t>
      max_steps{};                   ///< attempted steps ≤ max_steps, else `stopped` with step_limit; 1e8
  std::optional<double> max_time{};  ///< wall seconds ≤ max_time, else `stopped` with time_limit; none

  /// Parameters and start values by name; a start value keeps its `fixed`.
  std::vector<NamedValue> set{};

  /// The result's Trajectory can be evaluated at any time. Memory: about 7 numbers per state and step.
  bool keep_dense = true;
  /// The result's Trajectory holds the rows of the output grid. Memory: 8 bytes · (variables + 1) for each row, so 1e6
  /// rows of 100 variables are 0.8 GB; for long outputs set it to false and take the rows by a `sink`, which needs none.
  bool keep_rows = true;
  OutputSink* sink = nullptr;  ///< gets the rows of the output grid while they are computed; outlives the run

  const std::atomic<bool>* stop_requested =
      nullptr;  ///< looked at after every step; true: `stopped`, interrupted
  std::function<void(const Progress&)> progress{};  ///< called a few times per second
};

/// Sets one option by its long name on the command line, without dashes ("max-step", "set"), from text.
/// Returns what is wrong with the name or the value; options that saltus will have but does not have yet are
/// named as such.
[[nodiscard]] Diagnostics set_option(SimulationOptions& options, std::string_view name,
                                     std::string_view value);

/// All that is wrong with the options by themselves, and, with a model, in combination with it.
[[nodiscard]] Diagnostics validate(const SimulationOptions& options);
[[nodiscard]] Diagnostics validate(const Model& model, const SimulationOptions& options);

/// Names that `method` takes.
[[nodiscard]] std::vector<std::string> methods();

/// Names of long options that are planned but not there yet.
[[nodiscard]] const std::vector<std::string>& planned_options();

}  // namespace saltus
