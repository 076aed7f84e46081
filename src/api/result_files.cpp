#include "saltus/result_files.hpp"

#include <filesystem>
#include <optional>

#include "record/csv_writer.hpp"
#include "record/html_report.hpp"
#include "record/summary_writer.hpp"
#include "saltus/version.hpp"

namespace saltus {
namespace {

record::Summary summary_of(const Model& model, const SimulationResult& result) {
  record::Summary summary;
  summary.saltus_version = version();
  summary.model = model.name();
  summary.description = model.description();
  summary.status = to_string(result.status);
  summary.reason = result.reason;
  summary.message = result.message;
  summary.start = result.start;
  summary.end = result.end;
  for (std::size_t i = 0; i < result.final_values.size(); ++i) {
    summary.final_values.emplace_back(result.variables[i].name, result.final_values[i]);
  }
  for (const ParameterValue& parameter : result.parameters) {
    summary.parameters.emplace_back(parameter.name, parameter.value);
  }
  summary.modes = result.modes;
  summary.statistics = result.statistics;
  return summary;
}

}  // namespace

struct ResultFiles::Implementation {
  Model model;
  ResultFilesOptions options;
  std::vector<record::Column> columns;
  std::optional<record::CsvWriter> csv;
  std::optional<record::PlotSampler> sampler;
  Diagnostics problems;

  [[nodiscard]] std::string path(const char* name) const {
    return (std::filesystem::path(options.folder) / name).string();
  }

  // Opened whether it is wanted or not: the test that the folder can be written to.
  void open() {
    problems.append(record::create_folder(options.folder));
    if (problems.has_errors()) {
      return;
    }
    Result<record::CsvWriter> writer = record::CsvWriter::create(path("trajectory.csv"));
    if (!writer) {
      problems.append(std::move(writer).error());
    } else if (options.csv) {
      csv.emplace(*std::move(writer));
      csv->write_header(columns);
    }
  }
};

ResultFiles::ResultFiles(Model model, ResultFilesOptions options)
    : implementation_(new Implementation{std::move(model), std::move(options), {}, {}, {}, {}}) {}

ResultFiles::~ResultFiles() = default;

bool ResultFiles::begin(std::span<const VariableInfo> variables) {
  Implementation& files = *implementation_;
  for (const VariableInfo& variable : variables) {
    files.columns.push_back({variable.name, variable.unit, variable.description});
  }
  files.sampler.emplace(record::make_report_sampler(files.columns.size()));
  files.open();
  return !files.problems.has_errors();
}

bool ResultFiles::rows(const OutputRows& rows) {
  Implementation& files = *implementation_;
  const record::Rows block{rows.times, rows.values, rows.stride, rows.segment, rows.mode};
  if (files.options.html) {
    files.sampler->add(block);
  }
  if (!files.csv) {
    return true;
  }
  files.csv->write(block);
  return files.csv->ok();
}

Diagnostics ResultFiles::finish(const SimulationResult& result) {
  Implementation& files = *implementation_;
  if (!files.sampler) {
    (void)begin(result.variables);
  }
  if (files.problems.has_errors()) {
    return std::move(files.problems);
  }
  Diagnostics problems;
  if (files.csv) {
    problems.append(files.csv->commit());
    problems.append(record::write_events_csv(files.path("events.csv")));
  }
  const record::Summary summary = summary_of(files.model, result);
  if (files.options.json) {
    problems.append(record::write_summary(files.path("summary.json"), summary));
  }
  if (files.options.html) {
    problems.append(record::write_report(files.path("report.html"), summary, files.columns, *files.sampler));
  }
  return problems;
}

}  // namespace saltus
