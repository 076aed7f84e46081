// The folder of results that the command line writes: trajectory.csv, events.csv, summary.json, report.html, and what belongs to sensitivities.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "saltus/callback_model.hpp"
#include "saltus/model.hpp"
#include "saltus/result.hpp"
#include "saltus/simulate.hpp"

namespace saltus {

struct ResultFilesOptions {
  std::string folder{};  ///< created with its parents
  bool csv = true;       ///< trajectory.csv and events.csv; with sensitivities sensitivities.csv
  bool json = true;      ///< summary.json
  bool html = true;      ///< report.html; with sensitivities sensitivities.html
  /// trajectory.mat and trajectory.npz, made of trajectory.csv when the run is over: that is written too, and all rows are held in memory then.
  bool mat = false;
  bool npz = false;
  /// SimulationOptions::checkpoint of a run by simulate(): finish() says there that the run is over, once all files are whole. Empty: nothing is said.
  std::string checkpoint{};
};

/// A sink that writes the rows to files while they are computed. Files get their names only when they are whole.
///
///     ResultFiles files(model, {.folder = "results"});
///     const auto result = simulate(model, {.keep_dense = false, .keep_rows = false, .sink = &files}).value();
///     const Diagnostics problems = files.finish(result);
class ResultFiles final : public OutputSink {
 public:
  ResultFiles(const Model& model, ResultFilesOptions options);
  ResultFiles(const CallbackModel& model, ResultFilesOptions options);
  ~ResultFiles() override;

  /// Creates the folder and opens trajectory.csv, so that a place that cannot be written to shows before the run.
  [[nodiscard]] bool begin(std::span<const VariableInfo> columns) override;
  [[nodiscard]] bool rows(const OutputRows& rows) override;
  void event(const Event& event) override;
  [[nodiscard]] bool begin_sensitivities(std::span<const std::string> columns,
                                         std::span<const std::string> parameters) override;
  [[nodiscard]] bool sensitivities(const SensitivityRow& row) override;
  /// trajectory.csv and events.csv go on where they were, in the same folder.
  [[nodiscard]] std::optional<std::string> save() override;
  [[nodiscard]] bool resume(std::span<const VariableInfo> columns, std::string_view saved) override;

  /// Completes all files; says what could not be written. Called once, after the run.
  [[nodiscard]] Diagnostics finish(const SimulationResult& result);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace saltus
