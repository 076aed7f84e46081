#include "api/results/sensitivity_files.hpp"

#include <fmt/format.h>

#include <utility>

namespace saltus::api {

SensitivityFiles::SensitivityFiles(std::span<const std::string> columns,
                                   std::span<const std::string> parameters, bool has_page)
    : parameters_(parameters.begin(), parameters.end()) {
  for (const std::string& column : columns) {
    for (const std::string& parameter : parameters_) {
      columns_.push_back({fmt::format("d({})/d({})", column, parameter), "", "", false});
    }
  }
  if (has_page) {
    sampler_.emplace(record::make_report_sampler(columns_.size()));
  }
}

Diagnostics SensitivityFiles::open(const std::string& path) {
  Result<record::CsvWriter> writer = record::CsvWriter::create(path);
  if (!writer) {
    return std::move(writer).error();
  }
  csv_.emplace(*std::move(writer));
  csv_->write_header(columns_);
  return {};
}

bool SensitivityFiles::write(const SensitivityRow& row) {
  const record::Rows rows{std::span(&row.time, 1), row.values, 1, row.segment, row.mode};
  if (sampler_) {
    sampler_->add(rows);
  }
  if (csv_) {
    csv_->write(rows);
  }
  return !csv_ || csv_->ok();
}

Diagnostics SensitivityFiles::commit() {
  return csv_ ? csv_->commit() : Diagnostics{};
}

Diagnostics SensitivityFiles::write_page(const std::string& path, const record::Summary& summary,
                                         std::span<const record::EventRow> events,
                                         const SimulationResult& result) const {
  if (!sampler_) {
    return {};
  }
  record::Report report{summary, columns_, *sampler_, events};
  for (const double value : result.sensitivities->parameter_values) {
    report.factors.push_back(value);
  }
  return record::write_report(path, report);
}

}  // namespace saltus::api
