/// Takes down the sensitivities of a run while it goes on, and says in the end which parameters matter.
///
/// Contract     Rows are at the times of the output grid, and at instants. Memory does not grow with them unless SimulationOptions::keep_rows is set.
/// Choices      A parameter counts as one of zero sensitivity where its measure (Sensitivities::Influence) is at most kZeroInfluence and nothing
///              was undefined.
/// Checked by   tests/unit/api/sensitivities_test.cpp
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "api/model/instance.hpp"
#include "api/options/columns.hpp"
#include "api/options/run_settings.hpp"
#include "api/results/run_recorder.hpp"
#include "api/sensitivity/targets.hpp"
#include "record/output_grid.hpp"
#include "saltus/simulate.hpp"
#include "sensitivity/field/setup.hpp"

namespace saltus::api {

/// Some thousand roundings: what differences over twins leave of a zero.
inline constexpr double kZeroInfluence = 1e-12;

/// Of its nominal value: what is smaller in the whole run, as the drift of an invariant is, counts as if it were so large.
inline constexpr double kLeastScale = 1e-3;

/// Names of parameters and columns, before the run.
[[nodiscard]] Sensitivities empty_sensitivities(const std::vector<SensitivityTarget>& targets,
                                                const Columns& columns);

class SensitivityRecorder final : public sensitivity::Listener {
 public:
  /// All outlive it; result.sensitivities has its names.
  SensitivityRecorder(const RunSettings& settings, const Columns& columns, const SimulationOptions& hooks,
                      const std::vector<SensitivityTarget>& targets, RunRecorder& recorder,
                      SimulationResult& result);

  [[nodiscard]] double next_row(double t) override;
  [[nodiscard]] bool wants_rows_at_steps() const override { return settings_.rows_at_steps; }
  bool row(double t, std::int64_t segment, std::string_view mode, std::span<const double> tangents) override;
  void event_time(std::span<const double> sigma) override;
  void undefined(Diagnostic diagnostic) override;
  void final_values(std::span<const double> tangents) override;
  [[nodiscard]] bool wants_instants() const override { return taker_ != nullptr; }
  void instant(const sensitivity::InstantTangents& instant) override { taker_(instant); }

  using InstantTaker = std::function<void(const sensitivity::InstantTangents&)>;
  /// Gets every instant that has events.
  void give_instants(InstantTaker taker) { taker_ = std::move(taker); }

  /// After RunRecorder::conclude().
  void conclude();

 private:
  void keep(const SensitivityRow& row);
  void rank_parameters();

  const RunSettings& settings_;
  const SimulationOptions& hooks_;
  const std::vector<SensitivityTarget>& targets_;
  RunRecorder& recorder_;
  SimulationResult& result_;
  Sensitivities& kept_;
  record::OutputGrid grid_;
  std::int64_t next_ = 0;             // grid time
  std::vector<std::size_t> columns_;  // that are written: places in a row of tangents
  std::vector<double> chosen_;        // a row of them
  double last_time_ = 0.0;
  std::vector<double> last_;        // the last row, of all variables
  std::vector<double> at_stop_;     // of these at the stop; empty: as the last row
  std::vector<double> largest_;     // |tangent| so far, [variable][parameter]
  std::vector<char> is_undefined_;  // by parameter: somewhere
  InstantTaker taker_;              // null: nobody asks
};

}  // namespace saltus::api
