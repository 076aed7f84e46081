/// sensitivities.csv, written while a run goes on, and sensitivities.html, a page of the same plots as the report's.
///
/// Contract     columns d(x)/d(p): variables in the order of trajectory.csv, for each all parameters. The page has those of the variables as they are, then
///              multiplied by the value of the parameter (p·d(x)/d(p)), which have the unit of the variable and can be compared.
/// Checked by   tests/cli/sensitivities_test.cpp
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/csv_writer.hpp"
#include "record/html_report.hpp"
#include "record/plot_sampler.hpp"
#include "record/rows.hpp"
#include "saltus/diagnostic.hpp"
#include "saltus/simulate.hpp"
#include "saltus/trajectory.hpp"

namespace saltus::api {

class SensitivityFiles {
 public:
  SensitivityFiles(std::span<const std::string> columns, std::span<const std::string> parameters,
                   bool has_page);

  [[nodiscard]] const std::vector<std::string>& parameters() const { return parameters_; }
  [[nodiscard]] Diagnostics open(const std::string& path);
  /// False: it cannot be written.
  [[nodiscard]] bool write(const SensitivityRow& row);
  [[nodiscard]] Diagnostics commit();
  [[nodiscard]] Diagnostics write_page(const std::string& path, const record::Summary& summary,
                                       std::span<const record::EventRow> events,
                                       const SimulationResult& result) const;

 private:
  std::vector<std::string> parameters_;
  std::vector<record::Column> columns_;
  std::optional<record::CsvWriter> csv_;
  std::optional<record::PlotSampler> sampler_;
};

}  // namespace saltus::api
